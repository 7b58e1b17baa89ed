"""The competition's data files: where they are, and how they are read."""

import os
from pathlib import Path

import numpy as np
from platformdirs import user_data_path

from de2ls._checks import FloatArray

DATA_VARIABLE = "DE2LS_CEC2017_DATA"
DIMENSIONS = (10, 30, 50, 100)


class OfficialDataMissingError(FileNotFoundError):
    """An official data file is not there; the message says what to do."""


def user_folder() -> Path:
    """Return the per-user folder that `install` and `fetch` fill."""
    return user_data_path("de2ls", appauthor=False) / "cec2017"


def data_folder(data: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder to read: the argument, the environment variable, the per-user folder."""
    if data is not None:
        return Path(data)
    variable = os.environ.get(DATA_VARIABLE)
    return Path(variable) if variable else user_folder()


def read_shift(k: int, dim: int, folder: Path) -> FloatArray:
    """Return the first `dim` numbers of problem `k`'s shift."""
    return _read(folder / f"shift_data_{k}.txt", dim)[:dim]


def read_map(k: int, name: str, dim: int, folder: Path) -> FloatArray:
    """Return the matrix M, M1 or M2 of problem `k`."""
    return _read(folder / f"{name}_{k}_D{dim}.txt", dim * dim).reshape(dim, dim)


def _read(path: Path, at_least: int) -> FloatArray:
    try:
        words = path.read_text(encoding="ascii").split()
    except FileNotFoundError:
        raise OfficialDataMissingError(
            f"official CEC 2017 file {path.name} is not in {path.parent}: run `de2ls data fetch`, "
            f"or set {DATA_VARIABLE} to the folder of the official files, or use a generated "
            "instance (instance=1)"
        ) from None
    if len(words) < at_least:
        raise ValueError(f"{path} holds {len(words)} numbers, needs {at_least}")
    return np.array(words, dtype=np.float64)
