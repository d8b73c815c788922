"""`python -m salva` is `salva`."""

from salva.cli.main import main

if __name__ == "__main__":
    main()
