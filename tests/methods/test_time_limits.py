"""Time limits: wherever time ends, the answer keeps the plan and says that time ended the search.

The clock is one that moves by a second whenever it is looked at.
"""

from __future__ import annotations

from itertools import count

import pytest

from indistinct import anonymize
from indistinct.datasets import census, census_ladders
from indistinct.methods.common import deadline

QUASI = {
    name: {"role": "quasi", "hierarchy": {"paths": paths}}
    for name, paths in census_ladders().items()
}
FEW_LOOKS = 4


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
    [
        {"name": "best"},
        {"name": "cell-suppression", "algorithm": "local"},
        {"name": "cell-generalization", "algorithm": "local"},
        {"name": "local-recoding"},
        {"name": "freeform"},
    ],
    ids=lambda method: method["name"],
)
@pytest.mark.usefixtures("looked_at_clock")
def test_wherever_time_ends_there_is_an_answer(method, looks):
    release = released(census(400, seed=1), **method, time_limit=float(looks))
    assert release.recoding.kept.all()
    assert release.recoding.search["timed_out"] or looks > FEW_LOOKS


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
