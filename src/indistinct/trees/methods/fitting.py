"""Open cuts that are as fine as k^m allows, made from above and from below.

What attackers may know stays too rare in a finer cut and frequent enough in a coarser one (section
III-B of Gkountouna and Terrovitis 2013), so that a look at each label is enough:

- *from above*, a label gives way to its children where that keeps k^m. Where it does not, the
  children that are too rare stay behind under the label's name, the rarest first, and the others
  are published by themselves;
- *from below*, labels have their turn from the rarest on, and one with which something is too rare
  is published as its parent.

What stays behind of a label may also be published as a label further up, or be left out where no
label of the cut is further up and there is room for it.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from math import inf
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from indistinct.methods.common.deadline import Deadline
    from indistinct.trees.checks import Checks
    from indistinct.trees.cuts import Cut
    from indistinct.trees.objectives import InformationLoss

    Order = Callable[[int], tuple[float, ...]]


class Fitting:
    """Makes cuts of one problem as fine as k^m allows.

    Parameters
    ----------
    objective
        What labels are worth.
    open_cuts
        Whether rare labels may stay behind, or all labels under one are published alike.
    room
        How many nodes may be left out.

    Attributes
    ----------
    looks
        How often a cut was checked: what a search costs, whatever the machine.
    """

    def __init__(
        self,
        checks: Checks,
        objective: InformationLoss,
        deadline: Deadline,
        *,
        open_cuts: bool = True,
        room: int = 0,
    ) -> None:
        self._checks, self._objective = checks, objective
        self._deadline = deadline
        self._open, self._room = open_cuts, room
        self.looks = 0
        hierarchies = checks.cuts.hierarchies
        self._parent = hierarchies.parent.tolist()
        self._children = hierarchies.children
        self._support = checks.labels.support(np.arange(len(self._parent))).tolist()

    def from_above(self, cut: Iterable[int], order: Order, looks: float = inf) -> Cut:
        """Specialize labels of a cut that holds, those first whose order is least.

        It ends after so many looks, with a cut that holds but may not be the finest.
        """
        end = self.looks + looks
        labels = set(cut)
        waiting = [(*order(label), label) for label in labels if self._children[label]]
        heapify(waiting)
        while waiting and self.looks < end and not self._deadline.passed:
            label = int(heappop(waiting)[-1])
            finer = self._specialized(labels, label)
            for child in finer.difference(labels):
                if self._children[child]:
                    heappush(waiting, (*order(child), child))
            labels = finer
        return tuple(sorted(labels))

    def _specialized(self, labels: set[int], label: int) -> set[int]:
        """Return a cut with the children of a label that can be published by themselves."""
        rest = labels.difference((label,))
        children = [
            child for child in self._children[label] if self._support[child] and child not in labels
        ]
        if self._holds(rest.union(children), children):
            return rest.union(children)
        if not self._open:
            return labels
        published = sorted(children, key=lambda child: (self._support[child], child))
        for child in tuple(published):
            if not self._holds(rest.union(published), (child,)):
                published.remove(child)
        if not published:
            return labels
        ways = [labels.union(self._with_some_behind(labels, label, published))]
        further_up = rest.union(published)
        if self._may_go_up(further_up, label):
            ways.append(further_up)
        best = min(ways, key=lambda way: self._objective.of_labels(tuple(way)))
        return best if self._left(best, label) else best.difference((label,))

    def _with_some_behind(self, labels: set[int], label: int, published: list[int]) -> list[int]:
        """Leave the rarest of published children behind until what is left of a label holds."""
        low, high = 0, len(published)
        while low < high:
            middle = (low + high) // 2
            if self._holds(labels.union(published[middle:]), (label,)):
                high = middle
            else:
                low = middle + 1
        return published[low:]

    def _may_go_up(self, labels: set[int], label: int) -> bool:
        """Return whether what a cut without a label leaves of it may be published further up."""
        above = self._parent[label]
        while above >= 0 and above not in labels:
            above = self._parent[above]
        if above >= 0:
            return self._holds(labels, (above,))
        return self._left_out(labels) <= self._room

    def _left_out(self, labels: Collection[int]) -> int:
        """Count the nodes that a cut leaves out, beyond classes of which it has no label at all."""
        return self._checks.left_out(tuple(sorted(labels)))

    def _left(self, labels: set[int], label: int) -> bool:
        """Return whether a label of a cut still stands for something."""
        if label not in labels:
            return True
        cut = tuple(sorted(labels))
        place = cut.index(label)
        return bool(self._checks.labels.support(self._checks.labels.names(cut)[[place]])[0])

    def _holds(self, labels: Collection[int], new: Iterable[int]) -> bool:
        self.looks += 1
        return self._checks.values_hold(tuple(sorted(labels)), new)

    def from_below(self, tops: Iterable[int]) -> Cut | None:
        """Generalize ground labels under some tops until nothing is too rare; None if late."""
        ground = {label for top in tops for label in self._ground(top)}
        return self.coarsened(ground, frozenset())

    def coarsened(self, labels: Iterable[int], held: frozenset[int]) -> Cut | None:
        """Generalize labels until nothing is too rare, but none that is held.

        None if that cannot be, or not in time.
        """
        labels = set(labels)
        waiting = [(self._support[label], label) for label in labels if label not in held]
        heapify(waiting)
        while waiting:
            if self._deadline.passed:
                return None
            _, label = heappop(waiting)
            if label not in labels or self._holds(labels, (label,)):
                continue
            above = self._parent[label]
            labels.discard(label)
            if above < 0:
                if self._left_out(labels) > self._room or not labels:
                    return None
                continue
            if not self._open:
                under = set(self.under(above))
                if not held.isdisjoint(under):
                    return None
                labels.difference_update(under)
            labels.add(above)
            if above not in held:
                heappush(waiting, (self._support[above], above))
        if held and not self._holds(labels, held):
            return None
        return tuple(sorted(labels))

    def _ground(self, top: int) -> Iterable[int]:
        return (label for label in (top, *self.under(top)) if not self._children[label])

    def under(self, top: int) -> Iterable[int]:
        """Return all labels below a label."""
        waiting = list(self._children[top])
        while waiting:
            label = waiting.pop()
            yield label
            waiting.extend(self._children[label])
