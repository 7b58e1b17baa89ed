"""``python -m de2ls``: the command line."""

from de2ls.cli import main

if __name__ == "__main__":
    main()
