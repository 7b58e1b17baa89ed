"""The competition's data files: where they are looked for, how they are read and installed."""

import hashlib
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from importlib import resources
from pathlib import Path, PurePosixPath

import numpy as np
from platformdirs import user_data_path

from de2ls._checks import FloatArray
from de2ls._extras import extra

DATA_VARIABLE = "DE2LS_CEC2017_DATA"
DEFAULT_URL = "https://github.com/P-N-Suganthan/2026-CEC/raw/main/CSOP.zip"
DIMENSIONS = (10, 30, 50, 100)

PathLike = str | os.PathLike[str]


class OfficialDataMissingError(FileNotFoundError):
    """An official data file is not there; the message says what to do."""


class OfficialDataInvalidError(ValueError):
    """A file is not the official one: damaged, cut short or edited."""


class DownloadError(OSError):
    """The official data could not be downloaded."""


# Where the files are, and what is in them ---------------------------------------------------------


def user_folder() -> Path:
    """Return the per-user folder that `install` and `fetch` fill."""
    return user_data_path("de2ls", appauthor=False) / "cec2017"


def data_folder(data: PathLike | None = None) -> Path:
    """Return the folder to read: the argument, the environment variable, the per-user folder."""
    if data is not None:
        return Path(data)
    variable = os.environ.get(DATA_VARIABLE)
    return Path(variable) if variable else user_folder()


def read_shift(k: int, dim: int, folder: Path) -> FloatArray:
    """Return the first `dim` numbers of problem `k`'s shift."""
    return _read(folder / f"shift_data_{k}.txt", dim)


def read_map(k: int, name: str, dim: int, folder: Path) -> FloatArray:
    """Return the matrix M, M1 or M2 of problem `k`."""
    return _read(folder / f"{name}_{k}_D{dim}.txt", dim * dim).reshape(dim, dim)


def _read(path: Path, n: int) -> FloatArray:
    try:
        text = path.read_text(encoding="ascii")
    except FileNotFoundError:
        raise OfficialDataMissingError(
            f"the official CEC 2017 file {path.name} is not in {path.parent}: run `de2ls data "
            f"fetch`, or set {DATA_VARIABLE} to the folder of the official files, or use a "
            "generated instance (instance=1)"
        ) from None
    except UnicodeDecodeError:
        raise OfficialDataInvalidError(f"{path} is not a text of numbers") from None
    try:
        numbers = np.array(text.split()[:n], dtype=np.float64)
    except ValueError as error:
        raise OfficialDataInvalidError(f"{path} is not a list of numbers: {error}") from None
    if not np.isfinite(numbers).all():
        raise OfficialDataInvalidError(f"{path} holds a number that is not finite")
    if numbers.size < n:
        raise OfficialDataInvalidError(f"{path} holds {numbers.size} numbers instead of {n}")
    return numbers


# Checking and installing --------------------------------------------------------------------------


def official_sums() -> dict[str, str]:
    """Return the SHA-256 sum of every official file, by file name."""
    text = resources.files(__package__).joinpath("sha256.txt").read_text(encoding="ascii")
    pairs = (line.split() for line in text.splitlines())
    return {name: digest for digest, name in pairs}


def check_folder(folder: Path) -> tuple[list[str], list[str]]:
    """Return the names of the official files that `folder` lacks, and of those that are wrong."""
    missing, wrong = [], []
    for name, digest in official_sums().items():
        path = folder / name
        if not path.is_file():
            missing.append(name)
        elif _sum(path.read_bytes()) != digest:
            wrong.append(name)
    return missing, wrong


def install(source: PathLike, into: Path | None = None) -> Path:
    """Check the official files in a folder or a zip, then write them all or none.

    Parameters
    ----------
    source : path
        The folder of the files, or a zip that holds them in some folder.
    into : Path, optional
        Where they go; the per-user folder by default.

    Returns
    -------
    Path
        The folder that now holds the files.
    """
    path = Path(source)
    return _write(_official_contents(path, str(path)), into or user_folder())


def fetch(url: str = DEFAULT_URL, into: Path | None = None) -> Path:
    """Download a zip of the official files and `install` it.

    Parameters
    ----------
    url : str
        Where the zip is; it may hold the files in any folder.
    into : Path, optional
        Where the files go; the per-user folder by default.

    Returns
    -------
    Path
        The folder that now holds the files.
    """
    with extra("data"):
        from pooch.core import retrieve
        from pooch.utils import get_logger

    if not url.startswith(("http://", "https://")):
        raise ValueError(f"url must start with http:// or https://, got {url!r}")
    get_logger().setLevel("WARNING")
    with tempfile.TemporaryDirectory() as room:
        try:
            # The sums of the single files decide, so the zip itself needs none.
            archive = retrieve(url, known_hash=None, fname="official.zip", path=room)
        except OSError as error:
            raise DownloadError(f"could not download {url}: {error}") from error
        return _write(_official_contents(Path(archive), url), into or user_folder())


def _official_contents(source: Path, label: str) -> dict[str, bytes]:
    """Return every official file's bytes, or raise an error that names the first that is wrong."""
    found: dict[str, bytes] = {}
    seen: set[str] = set()
    sums = official_sums()
    for name, content in _files(source, label, set(sums)):
        seen.add(name)
        if _sum(content) == sums[name]:
            found[name] = content
    wrong = sorted(seen - set(found))
    missing = sorted(set(sums) - seen)
    if wrong:
        raise OfficialDataInvalidError(
            f"{first_names(wrong)} in {label} differ from the official files (SHA-256); "
            "nothing was installed"
        )
    if missing:
        raise OfficialDataMissingError(
            f"{label} lacks {first_names(missing)} of the {len(sums)} official files; "
            "nothing was installed"
        )
    return found


def _files(source: Path, label: str, names: set[str]) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of the files with these names in a folder or, anywhere, in a zip."""
    if source.is_dir():
        for path in sorted(source.iterdir()):
            if path.name in names and path.is_file():
                yield path.name, path.read_bytes()
        return
    if not source.exists():
        raise FileNotFoundError(f"there is no folder or zip {label}")
    try:
        with zipfile.ZipFile(source) as archive:
            for member in archive.namelist():
                name = PurePosixPath(member).name
                if name in names:
                    yield name, archive.read(member)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise OfficialDataInvalidError(
            f"{label} is not a whole zip ({error}); nothing was installed"
        ) from None


def _write(contents: dict[str, bytes], target: Path) -> Path:
    """Write all files beside `target`, then put the new folder in its place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as room:
        new, old = Path(room, "new"), Path(room, "old")
        new.mkdir()
        for name, content in contents.items():
            (new / name).write_bytes(content)
        if target.exists():
            target.rename(old)
        new.rename(target)
    return target


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def first_names(names: list[str]) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
