"""`python -m salva` is `salva`; also the entry point of the command: Ctrl-C is quiet from the start."""

import gc
import sys


def run() -> None:
    """Run the command line."""
    try:
        from salva.cli.main import main
    except KeyboardInterrupt:
        sys.exit(130)
    try:
        main()
    finally:
        # Or Python looks for garbage in all modules once more: 0.5 of 2.1 s for `salva convert` of 3 MB.
        gc.freeze()


if __name__ == "__main__":
    # Python puts the current folder first: a file that is called like a package would run in its place.
    sys.path.append(sys.path.pop(0))
    run()
