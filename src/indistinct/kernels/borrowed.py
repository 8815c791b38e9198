"""Arrays without counted references, for the time of a kernel; one by one, or by one pointer.

benchmarks/plumbing.py shows what both save: methods that take arrays out of tuples in their inner
loops take 3 times as long or more without `lent`, `freeform` 1.6 times without `pointer_to`.
"""

from __future__ import annotations

import numba  # noqa: F401 - all of it before a part: another thread may be at it
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, models, register_model

from indistinct.kernels.compiled import intrinsic


def as_given(held):
    """Return what is held: Python counts references of whatever it hands on."""
    return held


@intrinsic(as_given)
def lent(_context, held):
    """Return an array, or a tuple of arrays, whose references are not counted.

    Whoever takes an array out of a tuple, or a part out of an array, adds one to its references and
    takes it off again: for that alone two processors wait for each other. What is lent has no
    counter. It must not be returned, and whoever lent it must keep it meanwhile; both hold for the
    arguments of a kernel that is called from Python. An array that a kernel makes and lends is
    freed at once, since numba sees no more use of it: have Python make it
    (`tests/kernels/test_lending.py` looks for such). Lend where arrays are taken out: what a caller
    has lent is an argument like others, of which numba does not know that it has no counter.
    """

    def generate(context, builder, signature, args):
        return _without_counter(context, builder, signature.args[0], args[0])

    return held(held), generate


@intrinsic(as_given)
def pointer_to(_context, held):
    """Return a pointer to a named tuple; its arrays are taken out of it by name, and are lent.

    A tuple is handed to a function array by array, seven numbers for each of them. That takes a
    small function longer than what it does, and a pointer is one number. It must not be returned:
    what it points to is gone when the function that called this one is.
    """

    def generate(_context, builder, _signature, args):
        place = cgutils.alloca_once_value(builder, args[0])
        return builder.bitcast(place, cgutils.voidptr_t)

    return Pointer(held)(held), generate


class Pointer(types.Type):
    """The type of a pointer to a named tuple."""

    def __init__(self, held):
        self.held = held
        super().__init__(name=f"pointer to {held}")

    @property
    def key(self):
        """Tell apart tuples of the same name and kinds of parts, but other names of them."""
        return self.held

    def part(self, name):
        """Return the place of a part of the tuple, and its type."""
        place = self.held.fields.index(name)
        return place, self.held.types[place]


@register_model(Pointer)
class _PointerModel(models.OpaqueModel):  # type: ignore[misc]
    pass


@infer_getattr
class _Parts(AttributeTemplate):  # type: ignore[misc]
    key = Pointer

    def generic_resolve(self, pointer, name):
        """Return the type of a part: again a pointer if it is a named tuple itself."""
        _, kind = pointer.part(name)
        return Pointer(kind) if isinstance(kind, types.NamedTuple) else kind


@lower_getattr_generic(Pointer)
def _part(context, builder, pointer, value, name):
    place, kind = pointer.part(name)
    whole = builder.bitcast(value, context.get_value_type(pointer.held).as_pointer())
    part = cgutils.gep_inbounds(builder, whole, 0, place)
    if isinstance(kind, types.NamedTuple):
        return builder.bitcast(part, cgutils.voidptr_t)
    return _without_counter(context, builder, kind, builder.load(part))


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
