"""Arrays without counted references, for the time of a kernel."""

from __future__ import annotations

from numba.core import cgutils, types
from numba.extending import intrinsic


@intrinsic
def lent(_context, held):
    """Return an array, or a tuple of arrays, whose references are not counted.

    Whoever takes an array out of a tuple, or a part out of an array, adds one to its references and
    takes it off again: for that alone two processors wait for each other. What is lent has no
    counter. It must not be returned, and whoever lent it must keep it meanwhile; both hold for the
    arguments of a kernel that is called from Python.
    """

    def generate(context, builder, signature, args):
        return _without_counter(context, builder, signature.args[0], args[0])

    return held(held), generate


def _without_counter(context, builder, kind, value):
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()  # noqa: SLF001 - so numba builds a value
    if isinstance(kind, types.BaseTuple):
        parts = cgutils.unpack_tuple(builder, value, len(kind))
        lent_parts = [
            _without_counter(context, builder, part_kind, part)
            for part_kind, part in zip(kind.types, parts, strict=True)
        ]
        return context.make_tuple(builder, kind, lent_parts)
    return value
