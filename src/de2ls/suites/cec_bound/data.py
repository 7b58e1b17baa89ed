"""The organisers' shifts, rotations and shuffles, and what the compiled functions make of them.

The text files come with the package `minionpy` (extra ``lineage``).
"""

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls._extras import extra
from de2ls.suites.cec_bound.definitions import CEC2017, CEC2022, Basic, Definition, Part, Piece

DEFINITIONS = {2017: CEC2017, 2022: CEC2022}
_ROW = 100  # numbers of a shift in a file


def numbers(year: int, number: int, dim: int, optimum: float) -> FloatArray:
    """Return `params` of the kernels in `functions` for a function of a contest."""
    definition = DEFINITIONS[year][number]
    folder = _folder(year)
    parts = [
        _part(definition, k, *_instance(folder, number, dim, k, part))
        for k, part in enumerate(definition.parts)
    ]
    return np.concatenate([[optimum, len(parts)], *parts])


def _folder(year: int) -> Path:
    with extra("lineage"):
        import minionpy
    return Path(minionpy.__file__).parent / "cec_input_data" / f"input_data_{year}"


def _instance(
    folder: Path, number: int, dim: int, k: int, part: Part
) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]:
    """Return the shift of part `k`, its rotation, and the order of its coordinates."""
    shift = _read(folder / f"shift_data_{number}.txt", k * _ROW, dim)
    rotation = _read(folder / f"M_{number}_D{dim}.txt", k * dim * dim, dim * dim)
    order = np.arange(dim)
    if len(part.pieces) > 1:
        shuffle = _read(folder / f"shuffle_data_{number}_D{dim}.txt", k * dim, dim)
        order = shuffle.astype(np.int64) - 1
    return shift, rotation.reshape(dim, dim) if part.rotated else np.eye(dim), order


def _read(path: Path, start: int, n: int) -> FloatArray:
    values = path.read_text(encoding="ascii").split()[start : start + n]
    return np.array(values, dtype=np.float64)


def _part(
    definition: Definition,
    k: int,
    shift: FloatArray,
    rotation: FloatArray,
    order: NDArray[np.int64],
) -> FloatArray:
    """Return the numbers of part `k`."""
    from de2ls.suites.cec_bound.functions import HEAD, PIECES

    part, dim = definition.parts[k], shift.size
    head = np.zeros(HEAD)
    spread = 2.0 * dim * definition.widths[k] ** 2
    head[:PIECES] = part.scale, definition.biases[k], spread, len(part.pieces)
    rows, rates = order.copy(), np.ones(dim)
    first = 0
    for place, (piece, size) in enumerate(zip(part.pieces, _sizes(part, dim), strict=True)):
        last = first + size
        head[PIECES + 4 * place :][:4] = piece.basic, first, last, piece.offset
        rates[first:last] = _rates(piece, shift[:size])
        if piece.basic == Basic.SCHAFFER_7:  # the program reads the first coordinates instead
            rows[first:last] = order[:size]
        first = last
    rates_come_first = part.pieces[0].basic == Basic.LUNACEK  # before the rotation
    linear = rotation * rates if rates_come_first else rates[:, None] * rotation[rows]
    unmoved = len(definition.parts) == 1 and not part.rotated
    return np.concatenate([head, shift, [] if unmoved else linear.T.ravel()])


def _sizes(part: Part, dim: int) -> list[int]:
    """Return how many coordinates each piece takes; the last one takes what is left."""
    sizes = [math.ceil(share * dim) for share in part.shares[:-1]]
    return [*sizes, dim - sum(sizes)]


def _rates(piece: Piece, shift: FloatArray) -> FloatArray:
    """Return the factors of a piece's coordinates."""
    rates = np.full(shift.size, piece.rate)
    if piece.basic == Basic.LUNACEK:  # turned towards its first bowl, by the first shifts
        rates[shift < 0.0] *= -1.0
    elif piece.weights == "first":
        rates[0] *= 1e3
    elif piece.weights == "rest":
        rates[1:] *= 1e3
    elif piece.weights == "rising":
        rates *= 10.0 ** (3.0 * np.arange(shift.size) / (shift.size - 1))
    return rates
