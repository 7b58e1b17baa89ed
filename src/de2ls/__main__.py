"""The command ``de2ls``, also ``python -m de2ls``."""

import sys
from importlib import import_module

from de2ls._extras import MissingExtraError, extra


def main() -> None:
    """Run the command line; without the extra ``cli``, say how to install it."""
    try:
        with extra("cli"):
            import_module("rich")
            from de2ls.cli import main as command_line
    except MissingExtraError as error:
        sys.exit(f"error: {error}")
    command_line()


if __name__ == "__main__":
    main()
