"""`borrow`: arrays without reference counts.

Numba counts references to arrays with atomic operations, also where the arrays outlive the call
anyway: measured, two fifths of a trial's time. A borrowed array has no owner to count for. It is
valid as long as the original, which the caller holds.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def _without_owner(context: Any, builder: ir.IRBuilder, kind: Any, value: ir.Value) -> ir.Value:
    if isinstance(kind, types.BaseTuple):
        parts = cgutils.unpack_tuple(builder, value, len(kind))
        stripped = [
            _without_owner(context, builder, part_kind, part)
            for part_kind, part in zip(kind, parts, strict=True)
        ]
        return context.make_tuple(builder, kind, stripped)
    array = context.make_array(kind)(context, builder, value)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    array.parent = cgutils.get_null_value(array.parent.type)
    return array._getvalue()


@intrinsic  # type: ignore[untyped-decorator]
def borrow(typing_context: Any, value: Any) -> Any:
    """Return the array, or the tuple of arrays, without reference counts (compiled code only)."""
    del typing_context

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        return _without_owner(context, builder, signature.args[0], args[0])

    return value(value), codegen
