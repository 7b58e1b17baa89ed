"""How a trial becomes bytes and back, to the last bit.

Curves are step functions sampled at fixed evaluations: most rows repeat the row before. Of each
column only the changes are kept: one bit per row says whether there is one, and the change is the
difference of the two bit patterns read as integers. Those of positive floats are ordered like the
floats, so that a slow descent has small differences and a regular grid equal ones. The bytes of
equal significance are put side by side, and zlib finds the runs.

The first column, which counts evaluations, is packed by itself: it is the same in most trials, and
then unpacked once. The lowest bytes of the other columns are mostly noise: where zlib gains nothing
by them they are kept as they are, which is several times as fast to read.
"""

import hashlib
import json
import struct
import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.trials.record import TrialRecord

_HEADER = struct.Struct("<IIBII")  # rows, columns, mark, bytes of the first column and the others
_MARK = 2
_NOISE = 6  # bytes of a number that are mostly noise

_OLDER_SHAPE = struct.Struct("<II")  # up to schema 4: rows and columns, then all of it by zlib,
_OLDER_MARK = b"x"  # whose bytes begin so

_LEVEL = 3  # above it zlib takes twice as long to read and saves 2 to 7 %

# Counters that version 0.1.0 knew have their own places in a checksum, so that its sums hold.
_LATE_SEARCH = ("ls_calls", "ls_evaluations", "ls_improved")


def encode_table(table: FloatArray) -> bytes:
    """Return the bytes of a (rows, columns) table of samples; it has a column."""
    rows, columns = table.shape
    if columns == 0:
        raise ValueError(f"a table must have at least one column, got shape {table.shape}")
    bits = np.ascontiguousarray(table.T, dtype="<f8").view("<i8")
    steps = np.diff(bits, axis=1, prepend=np.zeros((columns, 1), "<i8"))
    first, _ = _packed(steps[:1], plain=0)
    packed, noise = min((_packed(steps[1:], plain) for plain in (0, _NOISE)), key=_size)
    return _HEADER.pack(rows, columns, _MARK, len(first), len(packed)) + first + packed + noise


def _packed(steps: NDArray[np.int64], plain: int) -> tuple[bytes, bytes]:
    """Return the changes of columns, packed, apart from the lowest bytes: so many are plain."""
    changed = steps != 0
    planes = steps[changed].view(np.uint8).reshape(-1, 8).T  # by significance
    content = np.packbits(changed).tobytes() + planes[plain:].tobytes()
    return zlib.compress(content, _LEVEL), planes[:plain].tobytes()


def _size(parts: tuple[bytes, bytes]) -> int:
    return sum(map(len, parts))


def decode_table(data: bytes) -> FloatArray:
    """Return the table of `encode_table`, bit by bit; damaged bytes raise a ValueError.

    Its columns lie side by side in memory: who reads it wants one of them.
    """
    try:
        if data.startswith(_OLDER_MARK, _OLDER_SHAPE.size):
            table = _older_table(data)
        else:
            table = _table(data)
    except (struct.error, zlib.error) as error:
        raise ValueError(f"a stored table is damaged: {error}") from error
    return table.view("<f8").astype(np.float64, copy=False).T


def _table(data: bytes) -> NDArray[np.int64]:
    rows, columns, mark, first, others = _HEADER.unpack_from(data)
    if mark != _MARK:
        raise ValueError(f"a stored table is damaged: it is marked {mark} instead of {_MARK}")
    start, middle = _HEADER.size, _HEADER.size + first
    end = middle + others
    table = np.zeros((columns, rows), "<i8")
    table[:1] = _first_column(data[start:middle], rows)
    _fill(table[1:], zlib.decompress(data[middle:end]), data[end:])
    return table


@lru_cache(maxsize=16)
def _first_column(packed: bytes, rows: int) -> NDArray[np.int64]:
    column = np.zeros((1, rows), "<i8")
    _fill(column, zlib.decompress(packed))
    return column


def _fill(columns: NDArray[np.int64], content: bytes, noise: bytes = b"") -> None:
    """Put columns of zeros together from their changes."""
    width = -(-columns.size // 8)
    marks = np.frombuffer(content[:width], np.uint8)
    changed = np.unpackbits(marks, count=columns.size).view(np.bool_)
    places = changed.nonzero()[0]
    columns.reshape(-1)[places] = _numbers(noise + content[width:], len(places))
    np.add.accumulate(columns, axis=1, out=columns)


def _older_table(data: bytes) -> NDArray[np.int64]:
    rows, columns = _OLDER_SHAPE.unpack_from(data)
    content = zlib.decompress(data[_OLDER_SHAPE.size :])
    width = -(-rows // 8)  # each column has marks of its own, and then changes
    start = columns * width
    table = np.zeros((columns, rows), "<i8")
    for i in range(columns):
        marks = content[i * width : (i + 1) * width]
        end = start + 8 * int.from_bytes(marks).bit_count()
        _fill(table[i : i + 1], marks + content[start:end])
        start = end
    return table


def _numbers(planes: bytes, count: int) -> NDArray[np.int64]:
    """Return numbers whose first bytes are given, then their second ones, and so on."""
    by_significance = np.frombuffer(planes, np.uint8).reshape(8, count)
    numbers: NDArray[np.int64] = by_significance.T.copy("C").view("<i8")[:, 0]
    return numbers


def encode_vector(vector: FloatArray) -> bytes:
    """Return the plain bytes of a vector."""
    return np.ascontiguousarray(vector, dtype="<f8").tobytes()


def decode_vector(data: bytes) -> FloatArray:
    """Return the vector of `encode_vector`."""
    return np.frombuffer(data, "<f8").astype(np.float64)


def to_json(mapping: Mapping[str, Any]) -> str:
    """Return the one text of a mapping: equal content gives equal text."""
    return _JSON.encode(dict(mapping))


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a configuration holds {value!r}, which cannot be written as JSON")


_JSON = json.JSONEncoder(sort_keys=True, default=_plain)


def fingerprint(record: TrialRecord) -> bytes:
    """Return the SHA-256 of everything that the seed determines.

    Two trials of one plan have the same fingerprint on machines of one CPU type and one set of
    versions, however they were executed: time, environment and label are left out.
    """
    counters = dict(record.counters)
    search = [int(counters.pop(name, 0)) for name in _LATE_SEARCH]
    numbers = (record.f, record.violation, counters.pop("ls_gain", 0.0))
    scalars = {
        "algorithm": record.algorithm,
        "config": to_json(record.config),
        "problem": record.problem.to_json(),
        "seed": record.seed,
        "evaluations": [record.max_evals, record.n_evals, record.n_invalid, record.n_outside],
        "numbers": [(float(number) + 0.0).hex() for number in numbers],  # SQLite keeps no -0.0
        "local_search": search,
        "feasible": bool(record.feasible),
        "stop": record.stop,
    }
    if counters:
        scalars["counters"] = {name: float(count).hex() for name, count in counters.items()}
    digest = hashlib.sha256(to_json(scalars).encode())
    for array in (record.curve, record.x, record.g, record.h, record.trace):
        if array is not None:
            digest.update(str(array.shape).encode())
            digest.update(np.ascontiguousarray(array, dtype="<f8").reshape(-1).data)
    return digest.digest()


def checksum(record: TrialRecord) -> bytes:
    """Return the SHA-256 of all that the store keeps of a trial."""
    rest = {
        "label": record.label,
        "run": record.run,
        "version": record.version,
        "environment": to_json(record.environment),
        "wall_time": float(record.wall_time).hex(),
    }
    return hashlib.sha256(fingerprint(record) + to_json(rest).encode()).digest()
