"""The minimality attack: exact where worlds are few, drawn where they are many; it can fail."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import inf

import numpy as np
import pyarrow as pa
import pytest

from indistinct import anonymize, attack
from indistinct.errors import DataError
from indistinct.risk.attacks.worlds import all_deals, deals

METHODS = (
    "optimal",
    "samarati",
    "incognito",
    "datafly",
    "mondrian",
    "alpha-k-topdown",
    "best",
    "cell-suppression",
)
HALF = {"model": "alpha-k", "alpha": 0.5, "k": 2, "values": ["HIV"]}
SIX = ["q1"] * 2 + ["q2"] * 4


def released(quasi, ill, method="optimal", require=HALF, hierarchy="flat"):
    data = pa.table({"q": quasi, "d": ["HIV" if i else "none" for i in ill]})
    return anonymize(
        data,
        {
            "columns": {
                "q": {"role": "quasi", "hierarchy": hierarchy},
                "d": {"role": "sensitive"},
            },
            "require": [require],
            "method": {"name": method},
            "seed": 1,
        },
    )


def attacked(release):
    return attack(release, only=["minimality"])["minimality"]


@pytest.mark.parametrize("method", METHODS)
def test_six_people_of_whom_both_of_q1_are_ill(method):
    """Wong et al.: one of 15 worlds gives the release, so what was promised at 0.5 is certain."""
    found = attacked(released(SIX, [1, 1, 0, 0, 0, 0], method))
    assert (found.details["worlds"], found.details["kept"]) == (15, 1)
    assert found.details["surest"] == 1.0
    assert (found.rate.hits, found.rate.of, found.baseline) == (2, 6, 0.0)
    assert found.succeeded
    assert found.findings[0].learnt == (
        "d of somebody is HIV with 100% probability, where 50% was promised"
    )


@pytest.mark.parametrize("method", ["optimal", "mondrian", "best"])
def test_six_people_whose_release_eight_worlds_give(method):
    """One of each place is ill: nothing is coarsened, and q1 has it with the promised half."""
    found = attacked(released(SIX, [1, 0, 1, 0, 0, 0], method))
    assert (found.details["worlds"], found.details["kept"]) == (15, 8)
    assert not found.succeeded
    assert "the attack fails" in found.story


def test_worlds_are_counted_as_by_brute_force():
    """Seven people of three places: of whom is known more than promised, by running the tool."""
    quasi = ["a", "a", "b", "b", "b", "c", "c"]

    def seen(ill):
        rows = released(quasi, [i in ill for i in range(7)]).rows.to_pylist()
        return Counter(tuple(row.values()) for row in rows)

    for ill in ((0, 1), (0, 2), (2, 3)):
        worlds = [w for w in combinations(range(7), 2) if seen(w) == seen(ill)]
        sure = {p: sum(p in w for w in worlds) / len(worlds) for p in ill}
        found = attacked(released(quasi, [i in ill for i in range(7)]))
        assert found.details["kept"] == len(worlds)
        assert found.rate.hits == sum(share > 0.5 + 1e-9 for share in sure.values())
        assert found.details["surest"] == max((s for s in sure.values() if s > 0.5), default=0)


@pytest.mark.parametrize(("alpha", "falls"), [(0.4, True), (0.9, False)])
def test_drawn_worlds_of_a_column_recoded_as_a_whole(alpha, falls):
    """Ten of forty are ill. At 0.4 the column was starred since half of the six of a are."""
    ill = [1] * 4 + [0] * 2 + [1] * 6 + [0] * 28
    found = attacked(released(["a"] * 6 + ["b"] * 34, ill, require=HALF | {"alpha": alpha}))
    assert found.details["worlds"] == 1000
    assert found.succeeded == falls
    assert found.rate.hits == (4 if falls else 0)


@pytest.mark.parametrize("falls", [True, False])
def test_classes_one_by_one(falls):
    """Places of two and of four beside each other: if the two are both ill, they are one class."""
    quasi = [20 * place + (i > 1) for place in range(32) for i in range(6)]
    ill = [i < 2 if falls else i == 0 for _ in range(32) for i in range(6)]
    levels = {"intervals": [2, 20, 40, 80, 160, 320, 640]}
    found = attacked(released(quasi, ill, "mondrian", hierarchy=levels))
    assert found.rate.of == 192 if falls else found.rate.of > 80
    assert found.rate.hits == (64 if falls else 0)
    assert found.succeeded == falls


def test_it_needs_a_rule_that_reads_sensitive_values():
    no_rule = released(SIX, [1, 1, 0, 0, 0, 0], require={"model": "k-anonymity", "k": 2})
    with pytest.raises(DataError, match="'minimality' lacks a release made in Python"):
        attacked(no_rule)
    assert "minimality" not in {one.name for one in attack(no_rule).attacks}


def test_all_ways_to_deal_are_there():
    counts = np.array([2, 1, 2])
    worlds = {tuple(deal.tolist()) for deal in all_deals(counts)}
    assert len(worlds) == deals(counts) == 30
    assert deals(np.array([500, 400])) == inf
    assert all(np.bincount(world).tolist() == [2, 1, 2] for world in worlds)
