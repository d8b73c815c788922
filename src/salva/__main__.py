"""`python -m salva` is `salva`; also the entry point of the command: Ctrl-C is quiet from the start."""

import sys


def run() -> None:
    """Run the command line."""
    try:
        from salva._process import leave
        from salva.cli.main import main
    except KeyboardInterrupt:
        sys.exit(130)
    try:
        main()
    except SystemExit as stop:
        if not isinstance(stop.code, int):
            raise
        leave(stop.code)


if __name__ == "__main__":
    # Python puts the current folder first: a file that is called like a package would run in its place.
    sys.path.append(sys.path.pop(0))
    run()
