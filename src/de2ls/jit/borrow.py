"""`borrow`: arrays without reference counts.

Numba counts references to arrays with atomic operations, even where the arrays outlive the call.
That takes two fifths of a trial's time (measured). A borrowed array has no owner to count for. It
is valid as long as the original, which the caller holds.

This builds on Numba's layout of an array, which is not public. The layout is tested when this
module is imported; where it differs, `borrow` returns its argument, and trials only take longer.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, datamodel
from numba.extending import intrinsic

from de2ls.jit.kernels import COMPILED, block


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


def _stripped(typing_context: Any, value: Any) -> Any:
    """Return the array, or the tuple of arrays, without reference counts (compiled code only)."""
    del typing_context

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        return _without_owner(context, builder, signature.args[0], args[0])

    return value(value), codegen


def _layout_is_known() -> bool:
    """Whether an array has the two owners that `borrow` removes, both of them pointers."""
    try:
        model = datamodel.default_manager.lookup(types.float64[::1])
        owners = [model.get_member_fe_type(name) for name in ("meminfo", "parent")]
        pointers = [
            isinstance(datamodel.default_manager.lookup(owner).get_value_type(), ir.PointerType)
            for owner in owners
        ]
    except Exception:
        return False
    return all(pointers) and hasattr(cgutils, "unpack_tuple") and hasattr(cgutils, "get_null_value")


def _itself(value: Any) -> Any:
    return value


borrow: Any = intrinsic(_stripped) if COMPILED and _layout_is_known() else block(_itself)
