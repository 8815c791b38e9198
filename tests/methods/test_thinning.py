"""Methods that group rows leave rows out where all of them together break what is asked."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize
from tests import oracle_requirements as brute
from tests.profiles import examples

METHODS = ["best", "mondrian", "one-dimension", "topdown", "diversify", "k-member"]
ASKED = [
    {"model": "l-diversity", "kind": "frequency", "l": 2},
    {"model": "l-diversity", "kind": "entropy", "l": 1.8},
    {"model": "l-diversity", "kind": "recursive", "l": 2, "c": 1.5},
    {"model": "alpha-k", "alpha": 0.4, "k": 2},
]
KEPT = {"diversify": {"frequency"}}


def released(data, asked, method, suppression):
    plan = {
        "columns": {"q": {"role": "quasi", "hierarchy": "flat"}, "s": {"role": "sensitive"}},
        "require": [asked],
        "method": {"name": method},
        "limits": {"suppression": suppression},
        "seed": 1,
    }
    return anonymize(data, plan)


@pytest.mark.parametrize("method", METHODS)
@examples(15)
@given(data=st.data())
def test_what_can_be_met_is(method, data):
    """If so many rows, as one class, satisfy within the limit, no method refuses."""
    asked = data.draw(st.sampled_from(ASKED))
    if asked.get("kind", "alpha") not in KEPT.get(method, {asked.get("kind", "alpha")}):
        return
    more = data.draw(st.integers(3, 12))
    rest = data.draw(st.lists(st.sampled_from("bcd"), min_size=2, max_size=8))
    ill = ["a"] * more + rest
    home = data.draw(st.lists(st.sampled_from("xyz"), min_size=len(ill), max_size=len(ill)))
    whole = Counter(ill)
    sensitive = brute.Sensitive(tuple(sorted(whole)), whole)
    stay = brute.largest_part(asked, whole, sensitive)
    if stay in {0, len(ill)}:
        return
    limit = data.draw(st.integers(len(ill) - stay, len(ill) - 1))
    release = released(pa.table({"q": home, "s": ill}), asked, method, limit / len(ill))
    assert release.suppressed_rows <= limit
    classes = {}
    for row in release.rows.to_pylist():
        classes.setdefault(row["q"], Counter())[row["s"]] += 1
    assert classes
    for held in classes.values():
        assert brute.holds(asked, held, sum(held.values()), sensitive)


def test_rows_are_left_out_where_the_value_is_too_frequent():
    """Each place has two a and one b: an a of each place goes, and no place is generalized."""
    data = pa.table({"q": ["x"] * 3 + ["y"] * 3 + ["z"] * 3, "s": ["a", "a", "b"] * 3})
    for method in ("best", "mondrian"):
        release = released(data, ASKED[0], method, 0.4)
        assert release.suppressed_rows == 3
        assert Counter(release.rows.column("q").to_pylist()) == Counter(x=2, y=2, z=2)


def test_rows_drawn_differ_with_the_seed():
    """Which of the rows alike go is no secret of theirs: another seed draws others."""
    data = pa.table({"q": ["x"] * 8, "s": ["a"] * 6 + ["b"] * 2, "n": [str(i) for i in range(8)]})
    plan = {
        "columns": {
            "q": {"role": "quasi", "hierarchy": "flat"},
            "s": {"role": "sensitive"},
            "n": {"role": "other"},
        },
        "accept": [{"column": "n", "reason": "numbers of a test"}],
        "require": [ASKED[0]],
        "limits": {"suppression": 0.5},
    }
    for method in ("optimal", "mondrian"):
        drawn = {
            tuple(sorted(anonymize(data, plan | {"seed": seed, "method": {"name": method}})
                         .rows.column("n").to_pylist()))
            for seed in range(12)
        }  # fmt: skip
        assert len(drawn) > 3


@pytest.mark.parametrize("method", ["mondrian", "best", "optimal"])
def test_no_place_loses_its_rows_for_sure(method):
    """Anyone who knows the method and where everybody lives must not know whose rows went."""
    homes = [f"{number:02}" for number in range(12)]
    ill = ["a"] * 8 + ["b"] * 4
    gone = Counter()
    for seed in range(40):
        plan = {
            "columns": {"q": {"role": "quasi", "hierarchy": "flat"}, "s": {"role": "sensitive"}},
            "require": [ASKED[0] | {"l": 2}],
            "method": {"name": method},
            "limits": {"suppression": 0.4},
            "seed": seed,
        }
        release = anonymize(pa.table({"q": homes, "s": ill}), plan)
        gone.update(np.flatnonzero(~release.recoding.kept).tolist())
    assert set(gone) == set(range(8))
    assert max(gone.values()) < 40
