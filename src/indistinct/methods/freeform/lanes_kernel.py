"""Sixteen columns at once: what a processor does with short lines of small numbers in one step.

Nearly all that `freeform` does is to compare the codes of a row with the least and the greatest
codes of a box, in every column. numba makes vector steps of some loops, not of those here, which
have too few turns; so these say it themselves, in terms that each kind of processor has its own
steps for. `plain_lanes` says what each means, and stands for it where nothing is compiled;
benchmarks/plumbing.py tells what they save.

Invariants: every array lies in memory line by line, without gaps; lines of bytes are `LANES` wide,
lines of larger numbers a multiple of it, with zeros in columns that do not exist. Each function
takes such lines, or an array of few of them, and last the column that the sixteen begin with. What
it tells of each column is a bit of the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba  # noqa: F401 - all of it before a part: another thread may be at it
from llvmlite import ir
from numba.core import types

from indistinct.kernels.compiled import intrinsic
from indistinct.methods.freeform import plain_lanes as plain
from indistinct.methods.freeform.plain_lanes import (
    LANES,
    LAST_BUT_ONE,
    LEAST_CODE,
    MOST_CODE,
    SECOND_CODE,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ENDS", "LANES", "LAST_BUT_ONE", "LEAST_CODE", "MOST_CODE", "SECOND_CODE"]

ENDS = 4

LANE = types.int64
BITS = types.uint64
WORD = ir.IntType(64)


class _Lines:
    """The arguments of a function here: arrays of lines, and the column that all begin with."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        self._context, self._builder = context, builder
        self._kinds, self._args = signature.args, args

    def _place(self, number: int, line: int) -> Any:
        """Return a pointer to the sixteen of a line of an array."""
        kind = self._kinds[number]
        array = self._context.make_array(kind)(self._context, self._builder, self._args[number])
        before = self._builder.mul(width(self._builder, kind, array), ir.Constant(WORD, line))
        at = self._builder.add(before, self._args[-1])
        lanes = ir.VectorType(self._context.get_value_type(kind.dtype), LANES)
        return self._builder.bitcast(self._builder.gep(array.data, [at]), lanes.as_pointer())

    def _bytes(self, number: int) -> int:
        return int(self._kinds[number].dtype.bitwidth) // 8

    def load(self, number: int, line: int = 0) -> Any:
        """Read the sixteen of a line of an array."""
        return self._builder.load(self._place(number, line), align=self._bytes(number))

    def store(self, value: Any, number: int, line: int = 0) -> None:
        """Write them."""
        self._builder.store(value, self._place(number, line), align=self._bytes(number))

    # what two vectors are to each other, lane by lane

    def compare(self, one: Any, sign: str, two: Any) -> Any:
        """Tell for each lane whether a comparison holds."""
        return self._builder.icmp_unsigned(sign, one, two)

    def least(self, one: Any, two: Any) -> Any:
        """Return the smaller number of each lane."""
        return self._builder.select(self.compare(one, "<", two), one, two)

    def most(self, one: Any, two: Any) -> Any:
        """Return the larger number of each lane."""
        return self._builder.select(self.compare(one, ">", two), one, two)

    def either(self, *conditions: Any) -> Any:
        """Tell for each lane whether one of some conditions holds."""
        whole, *rest = conditions
        for condition in rest:
            whole = self._builder.or_(whole, condition)
        return whole

    def bits(self, condition: Any) -> Any:
        """Return a condition of lanes as bits of a number."""
        return self._builder.zext(self._builder.bitcast(condition, ir.IntType(LANES)), WORD)


def width(builder: Any, kind: Any, array: Any) -> Any:
    """Return how wide the lines of an array are: known beforehand for bytes."""
    if kind.dtype == types.uint8:
        return ir.Constant(WORD, LANES)
    return builder.extract_value(array.shape, kind.ndim - 1)


def _telling(tell: Callable[..., Any]) -> Callable[..., Any]:
    """Return what numba calls for a function that answers with bits; `tell` finds them."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lines = _Lines(context, builder, signature, args)
        return lines.bits(tell(lines, builder))

    return generate


def _writing(write: Callable[..., None]) -> Callable[..., Any]:
    """Return what numba calls for a function that only writes; `write` does."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write(_Lines(context, builder, signature, args), builder)
        return context.get_dummy_value()

    return generate


@intrinsic(plain.width_of)
def width_of(_context: Any, lines: Any) -> Any:
    """Return how wide lines are: known beforehand for bytes, so that nothing is left of loops."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        return width(builder, kind, context.make_array(kind)(context, builder, args[0]))

    return LANE(lines), generate


@intrinsic(plain.outside)
def outside(_context: Any, low: Any, high: Any, codes: Any, lane: Any) -> Any:
    """Tell where a code is not between two others."""

    def tell(lines: _Lines, _builder: Any) -> Any:
        least, most, code = lines.load(0), lines.load(1), lines.load(2)
        return lines.either(lines.compare(code, "<", least), lines.compare(code, ">", most))

    return BITS(low, high, codes, LANE), _telling(tell)


@intrinsic(plain.different)
def different(_context: Any, one: Any, two: Any, lane: Any) -> Any:
    """Tell where two codes differ."""

    def tell(lines: _Lines, _builder: Any) -> Any:
        return lines.compare(lines.load(0), "!=", lines.load(1))

    return BITS(one, two, LANE), _telling(tell)


@intrinsic(plain.changing)
def changing(_context: Any, ends: Any, gone: Any, new: Any, lane: Any) -> Any:
    """Tell where what a box spans may change with one code instead of another."""

    def tell(lines: _Lines, builder: Any) -> Any:
        least, most = lines.load(0, LEAST_CODE), lines.load(0, MOST_CODE)
        old, code = lines.load(1), lines.load(2)
        matters = lines.either(
            lines.compare(old, "==", least),
            lines.compare(old, "==", most),
            lines.compare(code, "<", least),
            lines.compare(code, ">", most),
        )
        return builder.and_(matters, lines.compare(old, "!=", code))

    return BITS(ends, gone, new, LANE), _telling(tell)


@intrinsic(plain.begin_ends)
def begin_ends(_context: Any, ends: Any, codes: Any, lane: Any) -> Any:
    """Let the ends of a box be those of one row, which has no second ones."""

    def write(lines: _Lines, builder: Any) -> None:
        code = lines.load(1)
        none = ir.Constant(code.type, [0] * LANES)
        lines.store(code, 0, LEAST_CODE)
        lines.store(code, 0, MOST_CODE)
        lines.store(builder.not_(none), 0, SECOND_CODE)
        lines.store(none, 0, LAST_BUT_ONE)

    return types.void(ends, codes, LANE), _writing(write)


@intrinsic(plain.widen_ends)
def widen_ends(_context: Any, ends: Any, codes: Any, lane: Any) -> Any:
    """Let the ends of a box be those of one row more."""

    def write(lines: _Lines, _builder: Any) -> None:
        code = lines.load(1)
        least, most = lines.load(0, LEAST_CODE), lines.load(0, MOST_CODE)
        second, last = lines.load(0, SECOND_CODE), lines.load(0, LAST_BUT_ONE)
        lines.store(lines.least(least, code), 0, LEAST_CODE)
        lines.store(lines.most(most, code), 0, MOST_CODE)
        lines.store(lines.least(second, lines.most(least, code)), 0, SECOND_CODE)
        lines.store(lines.most(last, lines.least(most, code)), 0, LAST_BUT_ONE)

    return types.void(ends, codes, LANE), _writing(write)


@intrinsic(plain.span_without)
def span_without(_context: Any, ends: Any, codes: Any, low: Any, high: Any, lane: Any) -> Any:
    """Write what a box spans without one of its rows into two lines."""

    def write(lines: _Lines, builder: Any) -> None:
        code = lines.load(1)
        least, most = lines.load(0, LEAST_CODE), lines.load(0, MOST_CODE)
        second, last = lines.load(0, SECOND_CODE), lines.load(0, LAST_BUT_ONE)
        lines.store(builder.select(lines.compare(code, "==", least), second, least), 2)
        lines.store(builder.select(lines.compare(code, "==", most), last, most), 3)

    return types.void(ends, codes, low, high, LANE), _writing(write)


@intrinsic(plain.widen)
def widen(_context: Any, span: Any, wider: Any, codes: Any, lane: Any) -> Any:
    """Write what a span of two lines, the least and the greatest codes, is with one row more."""

    def write(lines: _Lines, _builder: Any) -> None:
        code = lines.load(2)
        lines.store(lines.least(lines.load(0, 0), code), 1, 0)
        lines.store(lines.most(lines.load(0, 1), code), 1, 1)

    return types.void(span, wider, codes, LANE), _writing(write)


@intrinsic(plain.first_lane)
def first_lane(_context: Any, bits: Any) -> Any:
    """Return the lane of the lowest bit; there has to be one."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return BITS(BITS), generate
