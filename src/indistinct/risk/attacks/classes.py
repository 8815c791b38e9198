"""The classes of a release with their sensitive values, as attackers of attributes see them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from indistinct.hierarchy.order import in_natural_order
from indistinct.io.encoding import encode
from indistinct.measures.confidence import wilson
from indistinct.model.counting import counted_keys
from indistinct.risk.attacks.base import Attack, Finding
from indistinct.risk.counted import CountedRows
from indistinct.risk.fit import Side, published_column, refuse_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy.core import Label
    from indistinct.risk.counted import Rows

SHOWN = 5
MOST_DEALS = 20
ROWS_DEALT = 400_000
MOST_DEALT = 4_000_000
CELLS_DRAWN = 10_000_000
DENSE = 8


@dataclass(frozen=True, eq=False)
class ReleasedClasses:
    """Rows in classes, each with one sensitive value.

    Attributes
    ----------
    of_row, value_of_row
        The class and the value of each row, as numbers.
    values
        The values, in their natural order.
    shares
        What an attacker knows of the values anyway: their shares in the whole table.
    show
        Tells the published values of a class.
    weights
        How many rows each row stands for; None where each is one.
    """

    column: str
    of_row: NDArray[np.int32]
    value_of_row: NDArray[np.int32]
    count: int
    values: tuple[Label, ...]
    shares: NDArray[np.float64]
    show: Callable[[int], dict[str, str]]
    weights: NDArray[np.int64] | None = None

    @classmethod
    def of(
        cls,
        released: Rows,
        quasi: Sequence[str],
        sensitive: str,
        original: Rows | None = None,
        *,
        side: Side | None = None,
    ) -> ReleasedClasses:
        """Group published rows by what is published of their quasi columns.

        `side` is these columns, where they are coded already.
        """
        counted = CountedRows.of(released)
        rows = counted.rows
        refuse_missing(rows, [sensitive], "release")
        side = side or Side.of(counted, quasi, place="release")
        encoded = encode(rows.column(sensitive), sensitive, counted.counts)
        held = encoded.domain.rows_of
        if original is not None:
            private = CountedRows.of(original)
            refuse_missing(private.rows, [sensitive], "private table")
            column = private.rows.column(sensitive)
            held = encode(column, sensitive, private.counts).domain.rows_of
        values = in_natural_order(list({**encoded.domain.rows_of, **held}))
        code = {value: place for place, value in enumerate(values)}
        codes = np.array([code[v] for v in encoded.domain.values], dtype=np.int32)[encoded.codes]
        counts = np.array([held.get(value, 0) for value in values], dtype=np.float64)
        first = side.first_rows()

        def show(number: int) -> dict[str, str]:
            cells = {n: published_column(rows, n)[int(first[number])].as_py() for n in quasi}
            return {name: "" if cell is None else str(cell) for name, cell in cells.items()}

        return cls(
            column=sensitive,
            of_row=side.distinct.inverse,
            value_of_row=codes,
            count=side.distinct.size,
            values=values,
            shares=counts / max(counts.sum(), 1),
            show=show,
            weights=counted.counts,
        )

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.of_row.size if self.weights is None else self.weights.sum())

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The rows of each class."""
        return np.bincount(self.of_row, self.weights, minlength=self.count).astype(np.int64)

    @cached_property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The distinct pairs of class and value, by class, with the rows that have them."""
        size = max(len(self.values), 1)
        keys = self.of_row.astype(np.int64) * size + self.value_of_row
        if self.count * size <= DENSE * keys.size:
            counts = np.bincount(keys, self.weights, minlength=self.count * size)
            present = np.flatnonzero(counts)
            count = counts[present]
        else:
            present, count = counted_keys(keys, self.weights)
        return present // size, present % size, count.astype(np.int64)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the pairs of each class begin."""
        return np.searchsorted(self.pairs[0], np.arange(self.count)).astype(np.int64)

    @property
    def kinds(self) -> NDArray[np.int64]:
        """How many values each class holds."""
        return np.diff(np.append(self.starts, self.pairs[0].size))

    def largest(self, per_pair: NDArray[np.float64]) -> NDArray[np.float64]:
        """Take the largest number of each class."""
        return np.maximum.reduceat(per_pair, self.starts)

    def held(self, number: int) -> dict[str, int]:
        """Return the values of a class and the rows of each, most frequent first."""
        _, value, count = self.pairs
        here = slice(self.starts[number], self.starts[number] + self.kinds[number])
        order = np.argsort(-count[here], kind="stable")
        names = [value_text(self.values[v]) for v in value[here][order]]
        return dict(zip(names, count[here][order].tolist(), strict=True))

    @cached_property
    def dealt_anew(self) -> tuple[ReleasedClasses, ...]:
        """The same values, dealt at random to the same classes, a few times.

        Of many rows, values are drawn for some of the classes, each as likely as it is among all.
        """
        random = np.random.default_rng(0)
        if self.rows > MOST_DEALT:
            return (self._drawn_anew(random),)
        deals = max(1, min(MOST_DEALS, ROWS_DEALT // max(self.rows, 1)))
        single = self._row_by_row
        return tuple(
            replace(single, value_of_row=random.permutation(single.value_of_row))
            for _ in range(deals)
        )

    @property
    def _row_by_row(self) -> ReleasedClasses:
        """The same with each row by itself."""
        if self.weights is None:
            return self
        of_row, values = (np.repeat(a, self.weights) for a in (self.of_row, self.value_of_row))
        return replace(self, of_row=of_row, value_of_row=values, weights=None)

    def _drawn_anew(self, random: np.random.Generator) -> ReleasedClasses:
        """Return classes whose values are drawn from those of all rows."""
        held = np.bincount(self.value_of_row, self.weights, minlength=len(self.values))
        most = max(CELLS_DRAWN // held.size, 1)
        some = self.sizes if self.count <= most else random.choice(self.sizes, most, replace=False)
        counts = random.multinomial(some, held / held.sum())
        of_class, value = np.nonzero(counts)
        return replace(
            self,
            of_row=of_class.astype(np.int32),
            value_of_row=value.astype(np.int32),
            count=int(some.size),
            weights=counts[of_class, value],
        )


def value_text(value: Label) -> str:
    """Show a value; a missing one as such."""
    return "(missing)" if value is None else value


def attack_classes(
    name: str,
    classes: ReleasedClasses,
    flag: Callable[[ReleasedClasses], NDArray[np.bool_]],
    *,
    badness: NDArray[np.float64],
    learnt: Callable[[int], str],
    story: Callable[[int, int], str],
    details: dict[str, object],
) -> Attack:
    """Count the rows of classes that give something away, beside those that would by chance.

    Parameters
    ----------
    flag
        Tells which classes give something away.
    badness
        By which the worst of them are shown.
    learnt, story
        What is learnt in a class; what is said of so many rows in so many classes.
    """
    given = flag(classes)
    rows = int(classes.sizes[given].sum())
    worst = sorted(np.flatnonzero(given).tolist(), key=lambda c: (-badness[c], c))[:SHOWN]
    return Attack(
        name=name,
        story=story(rows, int(given.sum())),
        rate=wilson(rows, classes.rows),
        baseline=_by_chance(classes, flag),
        chance="the same sensitive values, assigned at random to the same classes",
        findings=tuple(
            Finding(classes.show(number), int(classes.sizes[number]), learnt(number))
            for number in worst
        ),
        details={"column": classes.column, "classes": int(given.sum()), **details},
    )


def _by_chance(
    classes: ReleasedClasses, flag: Callable[[ReleasedClasses], NDArray[np.bool_]]
) -> float:
    shares = [dealt.sizes[flag(dealt)].sum() / max(dealt.rows, 1) for dealt in classes.dealt_anew]
    return float(np.mean(shares))
