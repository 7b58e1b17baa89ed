"""How a trial becomes bytes and back, to the last bit.

Curves are step functions sampled at fixed evaluations: most rows repeat the row before. Of each
column only the changes are kept: one bit per row says whether there is one, and the change is the
difference of the two bit patterns read as integers. Those of positive floats are ordered like the
floats, so that a slow descent has small differences and a regular grid equal ones. The bytes of
equal significance are put side by side, and zlib finds the runs.
"""

import hashlib
import json
import struct
import zlib
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.trials.record import TrialRecord

_SHAPE = struct.Struct("<II")
_LEVEL = 3  # above it zlib takes twice as long to read and saves 2 to 7 %

# Counters that version 0.1.0 knew have their own places in a checksum, so that its sums hold.
_LATE_SEARCH = ("ls_calls", "ls_evaluations", "ls_improved")


def encode_table(table: FloatArray) -> bytes:
    """Return the bytes of a (rows, columns) table of samples."""
    rows, columns = table.shape
    bits = np.ascontiguousarray(table.T, dtype="<f8").view("<i8")
    steps = np.diff(bits, axis=1, prepend=np.zeros((columns, 1), "<i8"))
    parts = [np.packbits(steps != 0, axis=1).tobytes()]
    parts += [_planes(column[column != 0]) for column in steps]
    return _SHAPE.pack(rows, columns) + zlib.compress(b"".join(parts), _LEVEL)


def decode_table(data: bytes) -> FloatArray:
    """Return the table of `encode_table`, bit by bit; damaged bytes raise a ValueError.

    Its columns lie side by side in memory: who reads it wants one of them.
    """
    try:
        rows, columns = _SHAPE.unpack_from(data)
        content = zlib.decompress(data[_SHAPE.size :])
    except (struct.error, zlib.error) as error:
        raise ValueError(f"a stored table is damaged: {error}") from error
    width = -(-rows // 8)
    start = columns * width
    marks = np.frombuffer(content[:start], np.uint8).reshape(columns, width)
    changed = np.unpackbits(marks, axis=1, count=rows).view(np.bool_)
    table = np.zeros((columns, rows), "<i8")
    fill = _first_columns[columns].fill
    for column, where in zip(table, changed, strict=True):
        start = fill(column, where, content, start)
        fill = _fill
    return table.view("<f8").astype(np.float64, copy=False).T


def _fill(column: NDArray[np.int64], changed: NDArray[np.bool_], content: bytes, start: int) -> int:
    """Put a column of zeros together from its changes; return where their bytes end."""
    places = changed.nonzero()[0]
    end = start + 8 * len(places)
    column[places] = _numbers(content[start:end], len(places))
    np.add.accumulate(column, out=column)
    return end


class _FirstColumn:
    """The first column that was read last: most trials count evaluations alike."""

    def __init__(self) -> None:
        self._last = b"", b"", np.empty(0, "<i8")  # in one piece, for threads

    def fill(
        self, column: NDArray[np.int64], changed: NDArray[np.bool_], content: bytes, start: int
    ) -> int:
        """Do what `_fill` does, by a copy where the bytes are those of the last one."""
        marks = changed.tobytes()
        last_marks, last_planes, last = self._last
        if marks == last_marks and content.startswith(last_planes, start):
            column[:] = last
            return start + len(last_planes)
        end = _fill(column, changed, content, start)
        self._last = marks, content[start:end], column.copy()
        return end


_first_columns: defaultdict[int, _FirstColumn] = defaultdict(_FirstColumn)  # by width of table


def _planes(numbers: NDArray[np.int64]) -> bytes:
    """Return the first bytes of all numbers, then the second ones, and so on."""
    return numbers.view(np.uint8).reshape(-1, 8).T.tobytes()


def _numbers(planes: bytes, count: int) -> NDArray[np.int64]:
    """Return the numbers of `_planes`."""
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
