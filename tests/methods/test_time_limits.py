"""Time limits: wherever time ends, the answer keeps the plan and says that time ended the search.

The clock is one that moves by a second whenever it is looked at.
"""

from __future__ import annotations

from itertools import count

import pytest

from indistinct import anonymize
from indistinct.datasets import census, census_ladders
from indistinct.methods.base import Problem
from indistinct.methods.common import deadline
from indistinct.running.progress import Progress

QUASI = {
    name: {"role": "quasi", "hierarchy": {"paths": paths}}
    for name, paths in census_ladders().items()
}
FEW_LOOKS = 4
SEARCHING = 0.95
LAST_LOOKS = 25
METHODS = [
    {"name": "best"},
    {"name": "cell-suppression", "algorithm": "local"},
    {"name": "cell-generalization", "algorithm": "local"},
    {"name": "local-recoding"},
    {"name": "freeform"},
]
WHOLE_COLUMNS = [{"name": "optimal"}, {"name": "k-optimize"}]


class Bare:
    """What a deadline needs to know of a problem."""

    progress = Progress()


@pytest.fixture
def looked_at_clock(monkeypatch):
    ticks = count()
    monkeypatch.setattr(deadline, "working_time", lambda: float(next(ticks)))
    return ticks


def released(people, **method):
    plan = {
        "columns": QUASI,
        "require": [{"model": "k-anonymity", "k": 5}],
        "method": method,
    }
    return anonymize(people.select(list(QUASI)), plan)


@pytest.mark.parametrize("looks", [1, 4, 15, 60, 200])
@pytest.mark.parametrize(
    "method",
    METHODS,
    ids=lambda method: method["name"],
)
@pytest.mark.usefixtures("looked_at_clock")
def test_wherever_time_ends_there_is_an_answer(method, looks):
    release = released(census(400, seed=1), **method, time_limit=float(looks))
    assert release.recoding.kept.all()
    assert release.recoding.search["timed_out"] or looks > FEW_LOOKS


@pytest.mark.parametrize("looks", [20, 100])
@pytest.mark.parametrize("method", [*METHODS, *WHOLE_COLUMNS], ids=lambda method: method["name"])
def test_a_search_ends_within_its_limit_and_soon_after_it_sees_the_end(
    method, looks, looked_at_clock
):
    released(census(2_000, seed=1), **method, time_limit=float(looks))
    assert next(looked_at_clock) <= looks * SEARCHING + LAST_LOOKS


def test_a_search_leaves_time_for_its_answer(looked_at_clock):
    until = Problem.deadline(Bare(), 100.0)
    assert SEARCHING * 100 - 1 <= until.left <= SEARCHING * 100
    sooner = until.sooner(30.0)
    while not sooner.passed:
        continue
    assert next(looked_at_clock) == pytest.approx(SEARCHING * 100 - 30.0, abs=5)


def test_time_that_is_over_at_once_leaves_the_search_few_looks(looked_at_clock):
    release = released(census(2_000, seed=1), name="best", time_limit=1.0)
    assert release.recoding.search["timed_out"]
    assert [warning for warning in release.warnings if "time limit ended" in warning]
    assert release.recoding.search["passes"] == 0
    assert next(looked_at_clock) < 50


def test_without_a_limit_nothing_is_said_to_have_ended_it():
    release = released(census(300, seed=1), name="best")
    assert not release.recoding.search["timed_out"]
    assert not [warning for warning in release.warnings if "time limit" in warning]
