"""How a trial becomes bytes and back, to the last bit.

Curves are step functions sampled at fixed evaluations: most rows repeat the row before. A column
is therefore kept as the differences of its bit patterns, which are zero on a plateau and small on a
slow descent (the bits of positive floats, read as integers, are ordered like the floats). The bytes
of equal significance are then put together, and zlib finds the long runs of zeros.
"""

import hashlib
import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from de2ls._checks import FloatArray
from de2ls.trials.record import TrialRecord

_SHAPE = struct.Struct("<II")


def encode_table(table: FloatArray) -> bytes:
    """Return the bytes of a (rows, columns) table of samples."""
    rows, columns = table.shape
    bits = np.ascontiguousarray(table.T, dtype="<f8").view("<i8")
    steps = np.diff(bits, axis=1, prepend=np.zeros((columns, 1), "<i8"))
    planes = steps.view(np.uint8).reshape(columns, rows, 8).transpose(0, 2, 1)
    return _SHAPE.pack(rows, columns) + zlib.compress(planes.tobytes(), 9)


def decode_table(data: bytes) -> FloatArray:
    """Return the table of `encode_table`, bit by bit; damaged bytes raise a ValueError."""
    try:
        rows, columns = _SHAPE.unpack_from(data)
        planes = np.frombuffer(zlib.decompress(data[_SHAPE.size :]), np.uint8)
    except (struct.error, zlib.error) as error:
        raise ValueError(f"a stored table is damaged: {error}") from error
    steps = planes.reshape(columns, 8, rows).transpose(0, 2, 1)
    bits = np.cumsum(np.ascontiguousarray(steps).view("<i8")[..., 0], axis=1)
    return np.ascontiguousarray(bits.view("<f8").T, dtype=np.float64)


def encode_vector(vector: FloatArray) -> bytes:
    """Return the plain bytes of a vector."""
    return np.ascontiguousarray(vector, dtype="<f8").tobytes()


def decode_vector(data: bytes) -> FloatArray:
    """Return the vector of `encode_vector`."""
    return np.frombuffer(data, "<f8").astype(np.float64)


def to_json(mapping: Mapping[str, Any]) -> str:
    """Return the one text of a mapping: equal content gives equal text."""
    return json.dumps(dict(mapping), sort_keys=True, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a configuration holds {value!r}, which cannot be written as JSON")


def fingerprint(record: TrialRecord) -> bytes:
    """Return the SHA-256 of everything that the seed determines.

    Two trials of one plan have the same fingerprint on machines of one CPU type and one set of
    versions, however they were executed: time, environment and label are left out.
    """
    log = record.local_search
    numbers = (record.f, record.violation, log.gain)
    scalars = {
        "algorithm": record.algorithm,
        "config": to_json(record.config),
        "problem": to_json(record.problem),
        "seed": record.seed,
        "evaluations": [record.max_evals, record.n_evals, record.n_invalid, record.n_outside],
        "numbers": [float(number).hex() for number in numbers],
        "local_search": [log.calls, log.evaluations, log.improved],
        "feasible": bool(record.feasible),
        "stop": record.stop,
    }
    digest = hashlib.sha256(to_json(scalars).encode())
    for array in (record.curve, record.x, record.g, record.h, record.trace):
        if array is not None:
            digest.update(str(array.shape).encode())
            digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.digest()


def checksum(record: TrialRecord, run: int) -> bytes:
    """Return the SHA-256 of all that the store keeps of a trial."""
    rest = {
        "label": record.label,
        "run": run,
        "version": record.version,
        "environment": to_json(record.environment),
        "wall_time": float(record.wall_time).hex(),
    }
    return hashlib.sha256(fingerprint(record) + to_json(rest).encode()).digest()
