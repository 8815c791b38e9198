"""What a recipient computes holds: true counts and means of the private table lie within bounds."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, read_release
from indistinct.errors import CannotMeetError
from indistinct.received.means import mean_bounds

MARITAL = {"been": ["married", "divorced", "widowed, twice"], "never": ["single"]}
COLUMNS = {
    "age": {"role": "quasi", "hierarchy": {"intervals": [5, 20]}},
    "height": {"role": "quasi"},
    "marital": {"role": "quasi", "hierarchy": {"tree": MARITAL}},
    "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
    "born": {"role": "quasi", "hierarchy": {"dates": ["month", "year"]}},
    "ill": {"role": "sensitive"},
    "weight": {"role": "other"},
}
CONDITIONS = [
    {},
    {"age": (30, 44)},
    {"age": 33, "ill": "flu"},
    {"height": (165.5, 180)},
    {"marital": "widowed, twice"},
    {"marital": ["married", "single"], "ill": ["flu", "gout"]},
    {"marital": ["married", "divorced", "widowed, twice", "single"]},
    {"zip": ["10115", "20099"]},
    {"born": ("1980-01-01", "1984-06-30")},
    {"born": (1981, 1982), "marital": "divorced"},
]
METHODS = ["mondrian", "optimal", "best", "cell-suppression", "cell-generalization", "freeform"]


def people(seed, rows=24, *, missing=False):
    draw = random.Random(seed)
    blank = [None] * 2 if missing else []
    marital = [value for values in MARITAL.values() for value in values]
    return pa.table(
        {
            "age": [draw.choice([draw.randint(20, 60), *blank]) for _ in range(rows)],
            "height": [round(draw.gauss(172, 8), 1) for _ in range(rows)],
            "marital": [draw.choice([*marital, *blank]) for _ in range(rows)],
            "zip": [draw.choice(["10115", "10117", "10243", "20099"]) for _ in range(rows)],
            "born": [f"198{draw.randint(0, 4)}-0{draw.randint(1, 9)}-15" for _ in range(rows)],
            "ill": [draw.choice(["flu", "gout", "asthma"]) for _ in range(rows)],
            "weight": [draw.choice([0.5, 1.0, 2.0]) for _ in range(rows)],
        }
    )


def agrees(row, where):
    return all(holds(row[name], wanted) for name, wanted in where.items())


def holds(value, wanted):
    if value is None:
        return False
    if isinstance(wanted, tuple):
        low, high = wanted
        if isinstance(value, str):  # a day; a year ends on its last
            return str(low) <= value <= (f"{high}-12-31" if isinstance(high, int) else high)
        return low <= value <= high
    return value in (wanted if isinstance(wanted, list) else [wanted])


def plan_of(method, **settings):
    return {
        "columns": COLUMNS,
        "require": [{"model": "k-anonymity", "k": 3}],
        "method": {"name": method},
        "limits": {"suppression": 0.2},
        "suppressed": "blank",
        "seed": 1,
        **settings,
    }


def assert_bounds_hold(private, received, *, named=""):
    rows = private.to_pylist()
    for where in CONDITIONS:
        chosen = [row for row in rows if agrees(row, where)]
        counted = received.count(where)
        assert counted.low <= len(chosen) <= counted.high, (named, where)
        assert counted.low <= counted.estimate <= counted.high, (named, where)
        weighed = received.count(where, weights="weight") if "*" not in blank(received) else None
        if weighed is not None:
            assert weighed.low <= sum(row["weight"] for row in chosen) <= weighed.high
        known = [row["age"] for row in chosen if row["age"] is not None]
        if known:
            mean = received.mean("age", where)
            assert mean.low - 1e-9 <= np.mean(known) <= mean.high + 1e-9, (named, where)


def blank(received):
    return received.columns["ill"].texts


@pytest.mark.parametrize("missing", [False, True], ids=["whole", "gaps"])
@pytest.mark.parametrize("method", METHODS)
def test_true_figures_lie_within_bounds(method, missing):
    for seed in range(4):
        private = people(seed, missing=missing)
        plan = plan_of(method)
        try:
            release = anonymize(private, plan)
        except CannotMeetError:
            plan = plan_of(method, limits={"suppression": 1.0})
            release = anonymize(private, plan)
        received = read_release(release.frame, plan, within={"age": (0, 120)})
        assert_bounds_hold(private, received, named=method)


@pytest.mark.parametrize("publish", ["range", "node", "set", "star", "exact"])
def test_true_figures_lie_within_bounds_however_values_are_published(publish):
    columns = {name: column for name, column in COLUMNS.items() if name != "zip"}
    for seed in range(3):
        private = people(seed).drop_columns(["zip"])
        if publish == "range":
            columns["marital"] = {**COLUMNS["marital"], "publish": "node"}
        plan = plan_of("mondrian", publish=publish, columns=columns)
        received = read_release(anonymize(private, plan).frame, plan, within={"age": (0, 120)})
        rows = private.to_pylist()
        for where in (where for where in CONDITIONS if "zip" not in where):
            counted = received.count(where)
            assert counted.low <= sum(agrees(row, where) for row in rows) <= counted.high


@given(
    ends=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6),
    certain=st.lists(st.booleans(), min_size=6, max_size=6),
    weights=st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=6, max_size=6),
)
def test_bounds_of_a_mean_are_the_best_there_are(ends, certain, weights):
    low = np.array([min(pair) for pair in ends], dtype=float)
    high = np.array([max(pair) for pair in ends], dtype=float)
    weight, sure = np.array(weights[: low.size]), np.array(certain[: low.size])
    means = []
    for choice in itertools.product([False, True], repeat=low.size):
        counted = sure | np.array(choice)
        if counted.any():
            means += [np.average(v[counted], weights=weight[counted]) for v in (low, high)]
    least, most = mean_bounds(low, high, weight, sure)
    assert np.isclose(least, min(means))
    assert np.isclose(most, max(means))
