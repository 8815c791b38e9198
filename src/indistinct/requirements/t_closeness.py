"""t-closeness: the sensitive values of each class are spread much as in the whole table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.requirements.base import Measured, SensitiveRequirement
from indistinct.requirements.histograms import (
    SLACK,
    largest_bounded,
    of_values,
    shares_inside,
    worst,
)
from indistinct.requirements.rules import Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.table import SensitiveColumn, Table
    from indistinct.requirements.base import ClassValues, PublishedClasses
    from indistinct.requirements.rules import Closure, Fill, Held, Part, RuleNumbers, Test

AT_ONCE = 1 << 22


class TCloseness(SensitiveRequirement):
    """t-closeness with the Earth Mover's Distance (Li, Li and Venkatasubramanian 2007).

    It needs the histogram of the sensitive column in each class and in the table before
    suppression; of people with several rows, the different values of each weigh one together in
    both, so that a class of all rows is as the table. The distance of a union is at most the larger
    of its parts' (the distance is convex), so it is closed under unions, but not under supersets.
    Measured as the largest distance.

    Attributes
    ----------
    distance
        How far values are apart: `equal` (all the same), `ordered` (places in the order of
        values / (m - 1)), `hierarchical` (height of the common node / height of the hierarchy).
    """

    paper: ClassVar[str] = "Li, Li, Venkatasubramanian, ICDE 2007"
    compares_with_table: ClassVar[bool] = True
    loose_capacity: ClassVar[bool] = True

    model: Literal["t-closeness"] = "t-closeness"
    t: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"

    @property
    def closed_under(self) -> Closure:
        """Unions."""
        return "unions"

    @property
    def heeds_order(self) -> bool:
        """Whether the distance does."""
        return self.distance != "equal"

    @property
    def needs_hierarchy(self) -> bool:
        """Whether the distance is hierarchical."""
        return self.distance == "hierarchical"

    def rule(self, column: SensitiveColumn) -> Rule:
        """Test the distance of a class.

        A variational distance is at most as many times larger as the farthest values are farther
        apart than the nearest; that bounds what of a class could stand.
        """
        return Rule(
            _WITHIN[self.distance],
            _largest_close,
            self.closed_under,
            numbers=(self.t, self._variational(column)),
            fill=_NEAREST[self.distance],
        )

    def _variational(self, column: SensitiveColumn) -> float:
        """Return the largest variational distance of a class that is close enough."""
        steps: dict[str, int] = {
            "equal": 1,
            "ordered": max(len(column.values) - 1, 1),
            "hierarchical": max(column.levels.shape[0] - 1, 1),
        }
        return min(1.0, self.t * steps[self.distance])

    def least_values(self, column: SensitiveColumn) -> float:
        """Count the most frequent values that have all but the distance of the table.

        What the values that a class lacks have in the table is at most its variational distance.
        """
        lacking = 1.0 - np.sort(column.shares)[::-1].cumsum()
        return float(np.count_nonzero(lacking > self._variational(column) + SLACK)) + 1.0

    def measure(self, classes: PublishedClasses) -> Measured:
        """Find the class farthest from the table."""
        if classes.values is None or classes.rows.size == 0:
            return Measured(value=1, holds=False, worst=None)
        distances = self._distances(classes.values, classes.rows.size)
        return worst(distances, largest=True, holds=lambda v: v <= self.t + SLACK)

    def _distances(self, values: ClassValues, classes: int) -> NDArray[np.float64]:
        """Measure all classes, some at a time so that the matrix of shares stays small."""
        step = max(1, AT_ONCE // max(values.shares.size, 1))
        inside = shares_inside(values)
        return np.concatenate(
            [
                self._some(values, inside, first, min(first + step, classes))
                for first in range(0, classes, step)
            ]
        )

    def _some(
        self, values: ClassValues, inside: NDArray[np.float64], first: int, last: int
    ) -> NDArray[np.float64]:
        low, high = np.searchsorted(values.of_class, [first, last])
        share = np.zeros((last - first, values.shares.size))
        share[values.of_class[low:high] - first, values.value[low:high]] = inside[low:high]
        difference = share - values.shares
        if self.distance == "equal":
            equal: NDArray[np.float64] = np.abs(difference).sum(axis=1) / 2
            return equal
        if self.distance == "ordered":
            steps = max(values.shares.size - 1, 1)
            ordered: NDArray[np.float64] = np.abs(difference.cumsum(axis=1))[:, :-1].sum(axis=1)
            return ordered / steps
        return _hierarchical(difference, values.levels)

    def decided_without_table(self, value: float, suppressed: float) -> bool | None:
        """Decide by the triangle: table and release are no farther apart than what is suppressed.

        Where suppressed values may lie between released ones, places in their order are not known.
        """
        if self.distance == "ordered":
            return None
        if value + suppressed <= self.t:
            return True
        if value - suppressed > self.t + SLACK:
            return False
        return None

    def asked(self) -> str:
        """Say the parameters."""
        return f"t = {self.t:g}, {self.distance} distance{self.in_form}"

    def describe(self) -> str:
        """Say what is promised."""
        return (
            f"values {self.of_what} are spread in each class as in the whole table, to within "
            f"{self.t:g} ({self.distance} earth mover's distance){self.for_whom}"
        )

    def obstacle(self, table: Table) -> str | None:
        """Say that hierarchical distance lacks a hierarchy, if so."""
        for column in self.columns(table):
            if self.distance == "hierarchical" and column.hierarchy is None:
                return (
                    f"hierarchical distance needs a hierarchy of column {column.name!r}: give it "
                    "one in the plan"
                )
        return None


def _hierarchical(
    difference: NDArray[np.float64], levels: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Move what each child of a node has too much to its siblings that have too little."""
    height = levels.shape[0] - 1
    moved = np.zeros(difference.shape[0])
    extra = difference
    for level in range(1, height + 1):
        below, first = np.unique(levels[level - 1], return_index=True)
        parent = levels[level][first]
        nodes = int(parent.max()) + 1
        surplus = np.zeros((difference.shape[0], nodes))
        lack = np.zeros((difference.shape[0], nodes))
        for child in range(below.size):
            surplus[:, parent[child]] += np.maximum(extra[:, child], 0)
            lack[:, parent[child]] += np.maximum(-extra[:, child], 0)
        moved += level / height * np.minimum(surplus, lack).sum(axis=1)
        extra = surplus - lack
    return moved


# --- What a search asks of one class; numbers.first is t ------------------------------------------


def _within_equal(numbers: RuleNumbers, held: Held) -> bool:
    """Add up what values have too much: over all values where most occur, which is a plain loop."""
    histogram, counts, values, shares = held.histogram, held.counts, held.values, numbers.shares
    total = float(held.total)
    distance = 0.0
    if 2 * counts.size > shares.size:
        for value in range(shares.size):
            distance += max(0.0, histogram[value] / total - shares[value])
        return distance <= numbers.first + SLACK
    for i in range(counts.size):
        distance += max(0.0, counts[i] / total - shares[values[i]])
    return distance <= numbers.first + SLACK


def _within_ordered(numbers: RuleNumbers, held: Held) -> bool:
    """Carry what each value has too much to the next one, 1/(m-1) away."""
    shares = numbers.shares
    carried, moved = 0.0, 0.0
    for value in range(shares.size - 1):
        carried += held.histogram[value] / held.total - shares[value]
        moved += abs(carried)
    return moved / max(shares.size - 1, 1) <= numbers.first + SLACK


def _within_hierarchical(numbers: RuleNumbers, held: Held) -> bool:
    """Move what each child of a node has too much to its siblings that have too little."""
    tree = numbers.tree
    height = tree.shape[0] - 1
    moved = 0.0
    extra = np.empty(numbers.shares.size)
    for value in range(extra.size):
        extra[value] = held.histogram[value] / held.total - numbers.shares[value]
    nodes = extra.size
    for level in range(1, height + 1):
        above = tree[level].max() + 1
        surplus = np.zeros(above)
        lack = np.zeros(above)
        seen = np.zeros(nodes, dtype=np.bool_)
        for value in range(tree.shape[1]):
            below = tree[level - 1, value]
            if not seen[below]:
                seen[below] = True
                if extra[below] > 0:
                    surplus[tree[level, value]] += extra[below]
                else:
                    lack[tree[level, value]] -= extra[below]
        for node in range(above):
            moved += level / height * min(surplus[node], lack[node])
            extra[node] = surplus[node] - lack[node]
        nodes = above
    return moved <= numbers.first + SLACK


def _largest_close(numbers: RuleNumbers, held: Held) -> int:
    """Return the most rows within a variational distance of the table's shares."""
    part = 1.0 - numbers.second - SLACK
    return largest_bounded(held, of_values(held, numbers.shares), held.total, part)


def _nearest_equal(numbers: RuleNumbers, held: Held, part: Part) -> float:
    """Keep of each value what it has in the table, then what is nearest to that.

    A part of n rows lacks 1 - sum of min(kept / n, p). A row adds 1/n to that sum while its value
    has no more than n p, then what is left of n p, and nothing after: the dearest come first.
    """
    size, kept = part.size, part.kept
    left = size
    for i in range(kept.size):
        whole = int(numbers.shares[held.values[i]] * size + SLACK)
        kept[i] = max(part.low[i], min(part.high[i], whole))
        left -= kept[i]
    rest = np.empty(kept.size)
    for i in range(kept.size):
        rest[i] = numbers.shares[held.values[i]] * size - kept[i]
    for place in np.argsort(-rest):
        if left > 0 and kept[place] < part.high[place]:
            kept[place] += 1
            left -= 1
    for i in range(kept.size):
        added = min(max(left, 0), part.high[i] - kept[i])
        kept[i] += added
        left -= added
    for i in range(kept.size):
        taken = min(max(-left, 0), kept[i] - part.low[i])
        kept[i] -= taken
        left += taken
    lacking = 1.0
    for i in range(kept.size):
        lacking -= min(kept[i] / size, numbers.shares[held.values[i]])
    return lacking - numbers.first - SLACK


def _nearest_ordered(numbers: RuleNumbers, held: Held, part: Part) -> float:
    """Take rows away one by one, each time the one whose absence brings the class nearest.

    The distance is a sum of convex functions of how many rows lie at or below each value, sets of
    which one holds the other; of such a sum the best part of n - 1 rows is one row less than some
    best part of n (it is M-convex; Murota 2003), so taking the best row is never wrong.
    """
    shares = numbers.shares
    beyond = np.zeros(shares.size)  # how many rows too many lie at or below each value
    for i in range(held.values.size):
        beyond[held.values[i]] = part.high[i]
        part.kept[i] = part.high[i]
    total, expected = 0.0, 0.0
    for value in range(shares.size):
        total += beyond[value]
        expected += shares[value] * part.size
        beyond[value] = total - expected
    steps = max(shares.size - 1, 1)
    change = np.zeros(shares.size + 1)
    for _ in range(int(total) - part.size):
        for value in range(steps - 1, -1, -1):
            change[value] = change[value + 1] + abs(beyond[value] - 1.0) - abs(beyond[value])
        best = _least_change(held, part, change)
        part.kept[best] -= 1
        for value in range(held.values[best], shares.size):
            beyond[value] -= 1.0
    moved = 0.0
    for value in range(shares.size - 1):
        moved += abs(beyond[value])
    return moved / steps / part.size - numbers.first - SLACK


def _least_change(held: Held, part: Part, change: NDArray[np.float64]) -> int:
    """Return which value to take a row of: where that adds least to the distance."""
    best = -1
    for i in range(part.kept.size):
        if part.kept[i] > part.low[i] and (
            best < 0 or change[held.values[i]] < change[held.values[best]]
        ):
            best = i
    return best


def _nearest_hierarchical(numbers: RuleNumbers, held: Held, part: Part) -> float:
    """Take rows away one by one, as for ordered values; the sets are the nodes of the hierarchy.

    What is moved at each level is half of what the nodes below have too much or too little, less
    half of what their parents still have: with equal steps, half of the sum over all nodes but the
    root, for each level a step.
    """
    height = max(numbers.tree.shape[0] - 1, 1)
    beyond = _beyond(numbers, held, part)
    change = np.zeros(numbers.shares.size)
    for _ in range(part.high.sum() - part.size):
        for value in held.values:
            change[value] = 0.0
            for level in range(height):
                extra = beyond[level, numbers.tree[level, value]]
                change[value] += abs(extra - 1.0) - abs(extra)
        best = _least_change(held, part, change)
        part.kept[best] -= 1
        for level in range(height):
            beyond[level, numbers.tree[level, held.values[best]]] -= 1.0
    moved = 0.0
    for level in range(height):
        for node in range(beyond.shape[1]):
            moved += abs(beyond[level, node])
    return float(moved / 2 / height / part.size - numbers.first - SLACK)


def _beyond(numbers: RuleNumbers, held: Held, part: Part) -> NDArray[np.float64]:
    """Keep all that may be kept; return how many rows too many each node of each level has."""
    tree = numbers.tree
    beyond = np.zeros(tree.shape)
    for level in range(tree.shape[0]):
        for value in range(tree.shape[1]):
            beyond[level, tree[level, value]] -= numbers.shares[value] * part.size
        for i in range(held.values.size):
            beyond[level, tree[level, held.values[i]]] += part.high[i]
    for i in range(held.values.size):
        part.kept[i] = part.high[i]
    return beyond


_NEAREST: dict[str, Fill] = {
    "equal": _nearest_equal,
    "ordered": _nearest_ordered,
    "hierarchical": _nearest_hierarchical,
}
_WITHIN: dict[str, Test] = {
    "equal": _within_equal,
    "ordered": _within_ordered,
    "hierarchical": _within_hierarchical,
}
