"""Whether a group of rows satisfies all that is asked: its people, and every sensitive rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from indistinct.kernels.borrowed import lent, pointer_to
from indistinct.kernels.compiled import inner, njit
from indistinct.kernels.pointers import address_of, caller, signature_of
from indistinct.kernels.weights import rows_in, weight_of
from indistinct.methods.common.judging_kernel import call_test
from indistinct.requirements.rules import Held, RuleNumbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

VIEW = np.dtype(
    [
        (name, np.int64)
        for name in (
            "codes",
            "people",
            "weight",
            "known",
            "least",
            "first",
            "values",
            "tree",
            "levels",
        )
    ]
)
"""A sensitive column as some attacker counts it: by rows or by people, in whole groups or in the
parts of a group that he can tell apart by what he knows.

Its column; its people and what is known (-1: none); what all values of a person weigh together (0:
each of them counts); how many people each part that is told apart needs; where its values begin in
flat arrays, and how many there are; where its nodes begin, and on how many levels they are."""

RULE = np.dtype(
    [
        ("of", np.int64),
        ("test", np.int64),
        ("first", np.float64),
        ("second", np.float64),
        ("per_value", np.int64),
    ]
)
"""What one of the views must satisfy: the address of the rule's test, its two numbers, and where
its numbers per value begin."""


class DemandArrays(NamedTuple):
    """All requirements, in arrays that kernels can read.

    Attributes
    ----------
    judging
        The address of what `satisfied` calls.
    least
        How many people a group needs.
    weights
        How many rows each entry stands for; empty where each is one row.
    people, known, codes
        A number per entry: whose row it is, for each way to say so; what else an attacker knows,
        for each way; the value of each sensitive column.
    views, shares, tree
        The views; the share of each of their values, and its nodes on each level.
    rules, per_value
        The rules on views, and for each a number per value.
    general
        Whether some view counts people or tells parts apart, so that counts cannot be added up.
    """

    judging: int
    least: int
    weights: np.ndarray
    people: np.ndarray
    known: np.ndarray
    codes: np.ndarray
    views: np.ndarray
    shares: np.ndarray
    tree: np.ndarray
    rules: np.ndarray
    per_value: np.ndarray
    general: bool


class Tally(NamedTuple):
    """How often each value was counted, for each view; values in the order they were met."""

    slot: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    histogram: np.ndarray
    met: np.ndarray


@njit
def new_tally(demands: DemandArrays) -> Tally:
    """Return an empty tally."""
    length = demands.shares.size
    return Tally(
        np.full(length, -1, dtype=np.int32),
        np.empty(length, dtype=np.int64),
        np.zeros(length, dtype=np.int64),
        np.zeros(length, dtype=np.int64),
        np.zeros(demands.views.size, dtype=np.int64),
    )


@inner
def count_value(tally, view, first, value, times):
    """Count a value of a view some times."""
    place = first + value
    slot = tally.slot[place]
    if slot < 0:
        slot = tally.met[view]
        tally.slot[place] = slot
        tally.values[first + slot] = value
        tally.counts[first + slot] = 0
        tally.met[view] += 1
    tally.counts[first + slot] += times
    tally.histogram[place] += times


@inner
def count_entry(demands, tally, entry, times):
    """Count the sensitive values of an entry, as often as it has rows."""
    for view in range(demands.views.size):
        record = demands.views[view]
        count_value(tally, view, record.first, demands.codes[record.codes, entry], times)


@njit
def clear(demands, tally):
    """Forget all counts."""
    for view in range(demands.views.size):
        clear_view(demands, tally, view)


@inner
def clear_view(demands, tally, view):
    """Forget the counts of one view."""
    first = demands.views[view].first
    for slot in range(tally.met[view]):
        place = first + tally.values[first + slot]
        tally.slot[place] = -1
        tally.histogram[place] = 0
    tally.met[view] = 0


@inner
def view_holds(demands, tally, view, total, heads):
    """Judge a view by its counts: their sum, and how many people they stand for."""
    record = demands.views[view]
    first, size, tree, levels = record.first, record.values, record.tree, record.levels
    met = tally.met[view]
    held = Held(
        tally.histogram[first : first + size],
        tally.values[first : first + met],
        tally.counts[first : first + met],
        total,
        heads,
    )
    for number in range(demands.rules.size):
        rule = demands.rules[number]
        if rule.of != view:
            continue
        numbers = RuleNumbers(
            rule.first,
            rule.second,
            demands.per_value[rule.per_value : rule.per_value + size],
            demands.shares[first : first + size],
            demands.tree[tree : tree + levels * size].reshape((levels, size)),
        )
        if not call_test(rule.test, (pointer_to(numbers), pointer_to(held))):
            return False
    return True


@inner
def tally_holds(demands, tally, total):
    """Judge all views by their counts, where rows count and nothing is told apart."""
    holds = True
    for view in range(demands.views.size):
        holds = holds and view_holds(demands, tally, view, total, total)
    return holds


@inner
def satisfied(demands, tally, entries):
    """Judge a group by its entries (int32); the tally must be empty, and is again afterwards.

    Demands of `None` are always satisfied: whoever has none counts rows himself.
    """
    if demands is None:
        return True
    return call_judging(demands.judging, (demands, tally, entries))


def _judged(demands, tally, entries):
    """Judge a group, for `satisfied`: called by its address, so that one is compiled for all."""
    demands, tally = lent(demands), lent(tally)
    weights = demands.weights
    rows = rows_in(weights, entries)
    if rows < demands.least:
        return False
    for kind in range(demands.people.shape[0]):
        if _distinct(demands.people[kind], entries) < demands.least:
            return False
    if demands.views.size == 0:
        return True
    if demands.general:
        holds = True
        for view in range(demands.views.size):
            holds = holds and _view_satisfied(demands, tally, view, entries)
        return holds
    for i in range(entries.size):
        count_entry(demands, tally, entries[i], weight_of(weights, entries[i]))
    holds = tally_holds(demands, tally, rows)
    clear(demands, tally)
    return holds


@njit
def runs_satisfied(
    demands: DemandArrays, order: NDArray[np.int32], ends: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Judge each run of an order of entries, which goes on to its end."""
    tally = new_tally(demands)
    holds = np.empty(ends.size, dtype=np.bool_)
    start = 0
    for run in range(ends.size):
        holds[run] = satisfied(demands, tally, order[start : ends[run]])
        start = ends[run]
    return holds


@njit
def _distinct(numbers, entries):
    """Count the distinct numbers of some entries."""
    held = np.sort(numbers[entries])
    count = 1 if held.size else 0
    for i in range(1, held.size):
        count += held[i] != held[i - 1]
    return count


@inner
def _view_satisfied(demands, tally, view, entries):
    """Judge a view in each part of the group that is told apart, people counted once per value."""
    seen = demands.views[view]
    codes = demands.codes[seen.codes]
    size = seen.values
    keys = np.empty(entries.size, dtype=np.int64)
    for i in range(entries.size):
        knowledge = demands.known[seen.known, entries[i]] if seen.known >= 0 else 0
        keys[i] = knowledge * size + codes[entries[i]]
    order = np.argsort(keys)
    start = 0
    while start < entries.size:
        part = keys[order[start]] // size
        end = start
        total = 0
        while end < entries.size and keys[order[end]] // size == part:
            key, run = keys[order[end]], end
            while end < entries.size and keys[order[end]] == key:
                end += 1
            if seen.weight == 0:
                held = _heads(demands, view, entries, order[run:end])
                count_value(tally, view, seen.first, key % size, held)
                total += held
        if seen.weight > 0:
            total = _weigh_values(demands, tally, view, entries[order[start:end]])
        heads = _heads(demands, view, entries, order[start:end])
        holds = heads >= seen.least
        holds = holds and view_holds(demands, tally, view, total, heads)
        clear_view(demands, tally, view)
        if not holds:
            return False
        start = end
    return True


@inner
def _weigh_values(demands, tally, view, entries):
    """Weigh the values of each person among some entries as one together; return the sum."""
    seen = demands.views[view]
    people, codes = demands.people[seen.people], demands.codes[seen.codes]
    keys = np.empty(entries.size, dtype=np.int64)
    for i in range(entries.size):
        keys[i] = people[entries[i]] * np.int64(seen.values) + codes[entries[i]]
    keys.sort()
    total, start = 0, 0
    while start < keys.size:
        person, end, values = keys[start] // seen.values, start, 0
        while end < keys.size and keys[end] // seen.values == person:
            values += end == start or keys[end] != keys[end - 1]
            end += 1
        share = seen.weight // values
        for i in range(start, end):
            if i == start or keys[i] != keys[i - 1]:
                count_value(tally, view, seen.first, keys[i] % seen.values, share)
                total += share
        start = end
    return total


@inner
def _heads(demands, view, entries, places):
    """Count the people of a view among the entries at some places."""
    people = demands.views[view].people
    if people >= 0:
        return _distinct(demands.people[people], entries[places])
    if demands.weights.size == 0:
        return places.size
    return rows_in(demands.weights, entries[places])


def _judging_signature() -> Any:
    """Return the signature of `_judged`."""
    numbers, counts = np.zeros((1, 1), dtype=np.int32), np.zeros(1, dtype=np.int64)
    views, rules, shares = np.zeros(1, dtype=VIEW), np.zeros(1, dtype=RULE), np.zeros(1)
    demands = DemandArrays(
        judging=0,
        least=1,
        weights=counts,
        people=numbers,
        known=numbers,
        codes=numbers,
        views=views,
        shares=shares,
        tree=numbers[0],
        rules=rules,
        per_value=shares,
        general=False,
    )
    tally = Tally(numbers[0], counts, counts, counts, counts)
    return signature_of(True, demands, tally, numbers[0])


_JUDGING = _judging_signature()
call_judging = caller(_JUDGING)


def judging_address() -> int:
    """Compile what `satisfied` calls; return where it is."""
    return address_of(_judged, _JUDGING)
