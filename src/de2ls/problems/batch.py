"""The compiled loop of `Problem.evaluate_many`: the scalar kernel on each row."""

from functools import cache, lru_cache
from typing import Any

import numpy as np
from numba import types

from de2ls._checks import FloatArray
from de2ls.jit.kernels import by_address, entry, kernel
from de2ls.problems.problem import CompiledKernel

_VECTOR = types.float64[::1]
_MATRIX = types.float64[:, ::1]
_FEW = 32  # so many single calls cost what the loop costs to take a kernel that may raise
_SIGNATURE = types.void(_VECTOR, _VECTOR, _VECTOR, _VECTOR)


def evaluate_rows(compiled: CompiledKernel, X: FloatArray, out: FloatArray) -> None:
    """Fill the rows of `out` with f, g, h of the rows of `X`."""
    work = np.empty(compiled.n_work)
    if compiled.raises and len(X) <= _FEW:
        for x, values in zip(X, out, strict=True):
            compiled.evaluate(x, compiled.params, work, values)
    else:
        _loop()(_ready(compiled.evaluate, compiled.raises), X, compiled.params, work, out)


@lru_cache(maxsize=256)
def _ready(evaluate: Any, raises: bool) -> Any:
    """Return a compiled kernel as the loop takes it."""
    entry(evaluate, (_VECTOR,) * 4)
    return evaluate if raises else by_address(evaluate, _SIGNATURE)


@cache
def _loop() -> Any:
    """Return the loop, compiled once for all kernels: it calls them through a pointer."""
    signature = (types.FunctionType(_SIGNATURE), _MATRIX, _VECTOR, _VECTOR, _MATRIX)
    return entry(_evaluate_rows, signature)


@kernel
def _evaluate_rows(
    evaluate: Any, X: FloatArray, params: FloatArray, work: FloatArray, out: FloatArray
) -> None:
    for i in range(X.shape[0]):
        evaluate(X[i], params, work, out[i])
