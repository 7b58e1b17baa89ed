"""The one place that owns Numba's options.

- `kernel`: an entry point, cached on disk, that releases the GIL.
- `routine`: called by other compiled functions only, and compiled into their library.
- `block`: a small building block, inlined into its caller (arrays handed to a function that is not
  inlined cost reference counts: half as much time again per trial).

With ``NUMBA_DISABLE_JIT=1`` all of them stay plain Python functions: slow, but open to a debugger.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.core import config as numba_config
from numpy.typing import NDArray

from de2ls.jit.cache import attach

Function = TypeVar("Function", bound=Callable[..., Any])

COMPILED = not numba_config.DISABLE_JIT

# Python and C wrappers take as long to compile as the function: a state has many arrays to unpack.
_INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Function) -> Function:
    """Compile `function` on first use, cached on disk."""
    if not COMPILED:  # no warnings of overflow, as in compiled code
        return np.errstate(all="ignore")(function)
    compiled = _jit(function)
    attach(compiled, function)
    return compiled


def routine(function: Function) -> Function:
    """Compile `function` for other compiled functions; Python cannot call it."""
    return _jit(function, **_INNER)


def block(function: Function) -> Function:
    """Compile `function` into each caller."""
    return _jit(function, forceinline=True, **_INNER)


def _jit(function: Function, **options: Any) -> Function:
    return cast("Function", numba.njit(nogil=True, error_model="numpy", **options)(function))


def entry(function: Any, signature: tuple[Any, ...]) -> Any:
    """Return the compiled entry point of `function` for `signature`, compiling it if needed.

    Calling the entry point skips Numba's inspection of the arguments' types, and compiling with an
    explicit signature lets first-class functions be cached across processes.
    """
    if not COMPILED:
        return function
    function.compile(signature)
    return function.get_overload(signature)


def ready(function: Any, *arguments: Any) -> Any:
    """Return the entry point of a kernel for arguments of these types, arrays in C order.

    To find the types of some twenty arrays anew takes 2 us at each call.
    """
    return entry(function, tuple(map(numba.typeof, arguments))) if COMPILED else function


def by_address(function: Any, signature: Any) -> Any:
    """Return `function` as something that a compiled loop takes at a tenth of the cost per call.

    Numba looks a function up anew whenever it is handed over (30 us). Its address is looked up
    once; a function that is called by its address must not raise. How to find the address is not
    public: where it cannot be found, `function` itself serves.
    """
    if not COMPILED:
        return function
    try:
        found = function.get_compile_result(signature)
        address = found.library.get_pointer_to_function(found.fndesc.llvm_cfunc_wrapper_name)
    except AttributeError:
        address = None
    return _Address(function, signature, address) if isinstance(address, int) else function


class _Address(types.WrapperAddressProtocol):  # type: ignore[misc]
    """The address of a compiled function, by Numba's protocol."""

    def __init__(self, function: Any, signature: Any, address: int) -> None:
        self._function = function  # keeps the code alive
        self._signature = signature
        self._address = address

    def __wrapper_address__(self) -> int:
        return self._address

    def signature(self) -> Any:
        return self._signature


def records(array: NDArray[np.void]) -> NDArray[np.void]:
    """Return an array of records whose fields are attributes, in compiled code or in Python."""
    return array if COMPILED else array.view(np.recarray)
