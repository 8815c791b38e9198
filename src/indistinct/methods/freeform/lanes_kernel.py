"""Sixteen columns at once: what a processor does with short lines of small numbers in one step.

numba makes such steps of some loops, not of those here, which have too few turns. So these say it
themselves, in terms that each kind of processor has its own steps for.

Each takes whole arrays, as they lie in memory, and a place in them: that of the first of sixteen
numbers. Lines of bytes are `LANES` wide, lines of larger numbers a multiple of it, with nothing but
zeros in columns that do not exist. What is found in each lane is a bit of the answer.
"""

from __future__ import annotations

import numba  # noqa: F401 - all of it before a part: another thread may be at it
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

LANES = 16
ENDS = 4

AT = types.int64
BITS = types.uint64


class _Lanes:
    """Sixteen numbers of each of some arrays; `args` are arrays, each followed by a place."""

    def __init__(self, context, builder, signature, args):
        self._context, self._builder = context, builder
        self._kinds, self._args = signature.args, args

    def _pointer(self, number, at):
        kind = self._kinds[number]
        data = self._context.make_array(kind)(self._context, self._builder, self._args[number]).data
        lanes = ir.VectorType(self._context.get_value_type(kind.dtype), LANES)
        return self._builder.bitcast(self._builder.gep(data, [at]), lanes.as_pointer())

    def _bytes(self, number):
        return self._kinds[number].dtype.bitwidth // 8

    def load(self, number, at=None):
        """Read from an array, at the place after it unless another is given."""
        at = self._args[number + 1] if at is None else at
        return self._builder.load(self._pointer(number, at), align=self._bytes(number))

    def store(self, number, value, at=None):
        """Write to an array."""
        at = self._args[number + 1] if at is None else at
        self._builder.store(value, self._pointer(number, at), align=self._bytes(number))

    def end_places(self, at, width):
        """Return where the four ends of a box are, of which each is a line."""
        steps = (ir.Constant(ir.IntType(64), place) for place in range(ENDS))
        return [self._builder.add(at, self._builder.mul(width, step)) for step in steps]


@intrinsic
def width_of(_context, codes):
    """Return how wide lines are: known beforehand for bytes, so that nothing is left of loops."""

    def generate(context, builder, signature, args):
        if signature.args[0].dtype == types.uint8:
            return ir.Constant(ir.IntType(64), LANES)
        array = context.make_array(codes)(context, builder, args[0])
        return builder.extract_value(array.shape, codes.ndim - 1)

    return AT(codes), generate


def _bits(builder, found):
    return builder.zext(builder.bitcast(found, ir.IntType(LANES)), ir.IntType(64))


def _least(builder, one, two):
    return builder.select(builder.icmp_unsigned("<", one, two), one, two)


def _most(builder, one, two):
    return builder.select(builder.icmp_unsigned(">", one, two), one, two)


@intrinsic
def outside(_context, low, low_at, high, high_at, codes, at):
    """Tell where a code is not between two others."""

    def generate(context, builder, signature, args):
        lanes = _Lanes(context, builder, signature, args)
        least, most, code = lanes.load(0), lanes.load(2), lanes.load(4)
        below = builder.icmp_unsigned("<", code, least)
        above = builder.icmp_unsigned(">", code, most)
        return _bits(builder, builder.or_(below, above))

    return BITS(low, AT, high, AT, codes, AT), generate


@intrinsic
def different(_context, one, one_at, two, two_at):
    """Tell where two codes differ."""

    def generate(context, builder, signature, args):
        lanes = _Lanes(context, builder, signature, args)
        return _bits(builder, builder.icmp_unsigned("!=", lanes.load(0), lanes.load(2)))

    return BITS(one, AT, two, AT), generate


@intrinsic
def changing(_context, ends, at, width, codes, gone_at, new_at):
    """Tell where what a box spans may change with one code instead of another."""

    def generate(context, builder, signature, args):
        lanes = _Lanes(context, builder, signature, args)
        least, most = (lanes.load(0, at) for at in lanes.end_places(args[1], args[2])[:2])
        gone, new = lanes.load(3), lanes.load(3, args[5])
        an_end = builder.or_(
            builder.icmp_unsigned("==", gone, least), builder.icmp_unsigned("==", gone, most)
        )
        beyond = builder.or_(
            builder.icmp_unsigned("<", new, least), builder.icmp_unsigned(">", new, most)
        )
        another = builder.icmp_unsigned("!=", gone, new)
        return _bits(builder, builder.and_(builder.or_(an_end, beyond), another))

    return BITS(ends, AT, AT, codes, AT, AT), generate


@intrinsic
def begin_ends(_context, ends, at, width, codes, row_at):
    """Let the ends of a box be those of one row, which has no second ones."""

    def generate(context, builder, signature, args):
        lanes = _Lanes(context, builder, signature, args)
        code = lanes.load(3)
        none = ir.Constant(code.type, [0] * LANES)
        found = (code, code, builder.not_(none), none)
        for where, value in zip(lanes.end_places(args[1], args[2]), found, strict=True):
            lanes.store(0, value, where)
        return context.get_dummy_value()

    return types.void(ends, AT, AT, codes, AT), generate


@intrinsic
def widen_ends(_context, ends, at, width, codes, row_at):
    """Let the ends of a box be those of one row more."""

    def generate(context, builder, signature, args):
        lanes = _Lanes(context, builder, signature, args)
        places = lanes.end_places(args[1], args[2])
        least, most, second, last = (lanes.load(0, where) for where in places)
        code = lanes.load(3)
        found = (
            _least(builder, least, code),
            _most(builder, most, code),
            _least(builder, second, _most(builder, least, code)),
            _most(builder, last, _least(builder, most, code)),
        )
        for where, value in zip(places, found, strict=True):
            lanes.store(0, value, where)
        return context.get_dummy_value()

    return types.void(ends, AT, AT, codes, AT), generate


@intrinsic
def span_without(_context, ends, at, width, codes, row_at, low, low_at, high, high_at):
    """Write what a box spans without one of its rows into two lines."""

    def generate(context, builder, signature, args):
        lanes = _Lanes(context, builder, signature, args)
        places = lanes.end_places(args[1], args[2])
        least, most, second, last = (lanes.load(0, where) for where in places)
        code = lanes.load(3)
        at_least, at_most = (builder.icmp_unsigned("==", code, end) for end in (least, most))
        lanes.store(5, builder.select(at_least, second, least))
        lanes.store(7, builder.select(at_most, last, most))
        return context.get_dummy_value()

    return types.void(ends, AT, AT, codes, AT, low, AT, high, AT), generate


@intrinsic
def widen(_context, spans, at, to, width, codes, row_at):
    """Write what a span of two lines, the least and the greatest codes, is with one row more."""

    def generate(context, builder, signature, args):
        lanes = _Lanes(context, builder, signature, args)
        code = lanes.load(4)
        for line, wider in enumerate((_least, _most)):
            step = builder.mul(args[3], ir.Constant(ir.IntType(64), line))
            end = lanes.load(0, builder.add(args[1], step))
            lanes.store(0, wider(builder, end, code), builder.add(args[2], step))
        return context.get_dummy_value()

    return types.void(spans, AT, AT, AT, codes, AT), generate


@intrinsic
def first_lane(_context, bits):
    """Return the lane of the lowest bit; there has to be one."""

    def generate(_context, builder, _signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return BITS(BITS), generate
