"""Anatomy and permutation publishing: what is exact, what is shuffled, what is promised."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pyarrow as pa
import pyarrow.csv as pv
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from indistinct import anonymize, anonymize_file, verify
from indistinct.errors import CannotMeetError, DoesNotHoldError, IndistinctError, PlanError


def plan(**more):
    return {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
            "sex": {"role": "quasi", "hierarchy": "flat"},
            "ill": {"role": "sensitive"},
        },
        "require": [{"model": "l-diversity", "kind": "frequency", "l": 2}],
        "method": {"name": "anatomy"},
        **more,
    }


PERMUTED = {"method": {"name": "k-member"}, "publish": "permutation"}
DISTINCT = [{"model": "l-diversity", "l": 2}]


@st.composite
def people(draw):
    row = st.tuples(st.integers(0, 20), st.sampled_from("fm"), st.sampled_from("abcd"))
    rows = draw(st.lists(row, min_size=2, max_size=16))
    return dict(zip(("age", "sex", "ill"), map(list, zip(*rows, strict=True)), strict=True))


def eligible(data, diversity):
    return max(Counter(data["ill"]).values()) * diversity <= len(data["ill"])


def check_release(data, release, diversity):
    rows = release.rows.to_pylist()
    exact = list(zip(data["age"], data["sex"], strict=True))
    assert [(row["age"], row["sex"]) for row in rows] == exact
    groups, before = defaultdict(list), defaultdict(list)
    for row, ill in zip(rows, data["ill"], strict=True):
        groups[row["group"]].append(row["ill"])
        before[row["group"]].append(ill)
    for number, values in groups.items():
        assert sorted(values) == sorted(before[number])
        assert max(Counter(values).values()) * diversity <= len(values)
    assert sorted(release.class_sizes) == sorted(map(len, groups.values()))


@given(people(), st.integers(2, 3))
def test_eligible_data_is_always_solved(data, diversity):
    asked = plan(require=[{"model": "l-diversity", "kind": "frequency", "l": diversity}])
    if not eligible(data, diversity):
        with pytest.raises(CannotMeetError):
            anonymize(pa.table(data), asked)
        return
    release = anonymize(pa.table(data), asked, keep_order=True)
    check_release(data, release, diversity)
    sizes = release.class_sizes
    assert sizes.max() < 2 * diversity
    assert verify(release.frame, asked).holds


@given(people())
def test_a_permutation_of_any_partition(data):
    assume(eligible(data, 2))
    release = anonymize(pa.table(data), plan(**PERMUTED), keep_order=True)
    check_release(data, release, 2)
    assert verify(release.frame, plan(**PERMUTED)).holds


def many():
    random = np.random.default_rng(1)
    ages = random.permutation(400) // 4
    return {"age": ages.tolist(), "sex": ["f", "m"] * 200, "ill": [str(i % 40) for i in range(400)]}


def test_values_are_drawn_anew_by_seed_and_lose_their_rows():
    data, rows = many(), {}
    for seed in (1, 2):
        for turn in (0, 1):
            asked = plan(seed=seed, require=[{"model": "l-diversity", "l": 4}])
            found = anonymize(pa.table(data), asked, keep_order=True).rows
            rows[seed, turn] = found.column("ill").to_pylist()
    assert rows[1, 0] == rows[1, 1] != rows[2, 0]
    stayed = sum(a == b for a, b in zip(rows[1, 0], data["ill"], strict=True)) / 400
    assert 0.1 < stayed < 0.45  # one in four


@pytest.mark.parametrize("more", [{}, PERMUTED], ids=["anatomy", "permutation"])
def test_files_and_what_is_said(tmp_path, more):
    pv.write_csv(pa.table(many()), tmp_path / "p.csv")
    release = anonymize_file(
        tmp_path / "p.csv", plan(**more), tmp_path / "r.csv",
        report=tmp_path / "r.html", certificate=tmp_path / "c.json",
    )  # fmt: skip
    assert verify(tmp_path / "r.csv", certificate=tmp_path / "c.json").holds
    assert pv.read_csv(tmp_path / "r.csv").column_names == ["age", "sex", "ill", "group"]
    assert any("is in the data" in warning for warning in release.warnings)
    assert "is in the data" in (tmp_path / "r.html").read_text()
    assert release.measures.gcp == 0


def test_a_group_of_one_value_is_found():
    rows = pa.table(
        {"age": [1, 2, 3], "sex": ["f"] * 3, "ill": ["a", "b", "a"], "group": [1, 1, 2]}
    )
    with pytest.raises(DoesNotHoldError, match="group=2"):
        verify(rows, plan(require=DISTINCT))


@pytest.mark.parametrize(
    ("more", "fragment"),
    [
        ({"require": [{"model": "k-anonymity", "k": 2}]}, "counts people in a class"),
        (PERMUTED | {"require": [{"model": "alpha-k", "alpha": 0.5, "k": 2}]}, "people in a class"),
        ({"require": [DISTINCT[0] | {"joined": True}]}, "joined"),
        ({"method": {"name": "optimal"}, "publish": "permutation"}, "makes no groups"),
    ],
)
def test_promises_that_buckets_cannot_keep(more, fragment):
    with pytest.raises(PlanError, match=fragment):
        anonymize(pa.table(many()), plan(**more))


def test_the_name_of_the_group_must_be_free():
    asked = plan(unlisted="other")
    with pytest.raises(IndistinctError, match="'group' would be published twice"):
        anonymize(pa.table(many() | {"group": [1] * 400}), asked)
