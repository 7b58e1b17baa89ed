"""The compiled loop of `Problem.evaluate_many`: the scalar kernel on each row."""

from functools import cache
from typing import Any

import numpy as np
from numba import types

from de2ls._checks import FloatArray
from de2ls.jit.kernels import entry, kernel
from de2ls.problems.problem import CompiledKernel

_VECTOR = types.float64[::1]
_MATRIX = types.float64[:, ::1]
_SIGNATURE = types.void(_VECTOR, _VECTOR, _VECTOR, _VECTOR)


def evaluate_rows(compiled: CompiledKernel, X: FloatArray, out: FloatArray) -> None:
    """Fill the rows of `out` with f, g, h of the rows of `X`."""
    _compile(compiled.evaluate)
    _loop()(compiled.evaluate, X, compiled.params, np.empty(compiled.n_work), out)


@cache
def _compile(evaluate: Any) -> None:
    entry(evaluate, (_VECTOR,) * 4)


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
