"""The folder of a report: what an earlier report left there does not stay beside a new one."""

from collections.abc import Iterable
from pathlib import Path

LISTING = "report-files.txt"
_TITLE = "# Written by de2ls report; a later report into this folder replaces these files."


def renew(folder: Path, written: Iterable[Path]) -> None:
    """Remove what an earlier report wrote and this one did not, and list what this one wrote.

    Only files that the earlier listing names are removed, and only inside the folder.

    Parameters
    ----------
    folder : Path
        Of the report.
    written : iterable of Path
        The files of this report.
    """
    listing = folder / LISTING
    names = sorted(path.relative_to(folder).as_posix() for path in written)
    for name in sorted(set(_listed(listing)) - set(names)):
        path = folder / name
        if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
            path.unlink()
    listing.write_text("\n".join([_TITLE, *names]) + "\n", encoding="utf-8")


def _listed(listing: Path) -> list[str]:
    """Return what the listing names; nothing if there is no listing of ours."""
    if not listing.is_file():
        return []
    title, *names = listing.read_text(encoding="utf-8").splitlines() or [""]
    return names if title == _TITLE else []
