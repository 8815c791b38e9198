"""`python -m coarsen`: the command line, where the command itself is not on the path."""

from coarsen.cli import main

if __name__ == "__main__":
    main()
