"""Which classes satisfy when others do: what each requirement claims, checked, not believed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.methods.common.judge import Judge
from indistinct.requirements import SensitiveRequirement
from tests import oracle
from tests import oracle_requirements as brute
from tests.requirements.jobs import jobs
from tests.requirements.strategies import (
    FORMS,
    KIND,
    column_of,
    histograms,
    requirement_of,
    requirements,
    sensitive_columns,
)

LADDERS = [["a", "*"], ["b", "*"], ["c", "*"]]
EVEN = brute.Sensitive(("a", "b", "c"), Counter(a=4, b=4, c=4), LADDERS)

# A class that satisfies, and what added to it makes it fail.
BROKEN_BY_MORE = {
    "l-diversity entropy": ({"l": 2}, Counter(a=1, b=1), Counter(a=8)),
    "l-diversity recursive": ({"l": 2, "c": 2}, Counter(a=1, b=1), Counter(a=1)),
    "l-diversity frequency": ({"l": 2}, Counter(a=1, b=1), Counter(a=1)),
    "alpha-k": ({"alpha": 0.5, "k": 2}, Counter(a=1, b=1), Counter(a=1)),
    "t-closeness equal": ({"t": 0.1}, Counter(a=1, b=1, c=1), Counter(a=3)),
    "t-closeness ordered": ({"t": 0.1}, Counter(a=1, b=1, c=1), Counter(a=3)),
    "t-closeness hierarchical": ({"t": 0.1}, Counter(a=1, b=1, c=1), Counter(a=3)),
    "beta-likeness basic": ({"beta": 0.5}, Counter(a=1, b=1), Counter(a=1)),
    "beta-likeness enhanced": ({"beta": 0.5}, Counter(a=1, b=1), Counter(a=1)),
    "delta-disclosure": ({"delta": 0.5}, Counter(a=1, b=1, c=1), Counter(a=3)),
}


def satisfies(asked, histogram, sensitive):
    return brute.holds(asked, histogram, sum(histogram.values()), sensitive)


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_the_claim_holds(form, data):
    sensitive = data.draw(sensitive_columns())
    asked = data.draw(requirements(form, sensitive.values))
    one, other = data.draw(histograms(sensitive)), data.draw(histograms(sensitive))
    claim = requirement_of(asked).closed_under
    if satisfies(asked, one, sensitive) and (
        claim == "supersets" or satisfies(asked, other, sensitive)
    ):
        assert satisfies(asked, one + other, sensitive)


@pytest.mark.parametrize("form", FORMS)
def test_no_more_is_claimed_and_no_less(form):
    model, _, kind = form.partition(" ")
    asked = {"model": model} | {key: of[0] for key, of in FORMS[form].items()}
    asked |= {KIND[model]: kind} if kind else {}
    requirement = requirement_of(asked)
    assert (requirement.closed_under == "unions") is (form in BROKEN_BY_MORE)
    if isinstance(requirement, SensitiveRequirement):
        column = column_of(EVEN)
        judge = Judge(column, (requirement.rule(column),))
        assert judge.closed_under_supersets is (requirement.closed_under == "supersets")


@pytest.mark.parametrize("form", BROKEN_BY_MORE)
def test_closed_under_unions_is_not_closed_under_supersets(form):
    numbers, fine, more = BROKEN_BY_MORE[form]
    model, _, kind = form.partition(" ")
    asked = {"model": model, "kind": kind, "distance": kind, **numbers}
    assert satisfies(asked, fine, EVEN)
    assert not satisfies(asked, fine + more, EVEN)


def test_people_in_two_classes_break_unions():
    """Two people, each once with a and once with b: shares of people do not mix as rows do."""
    rows = [{"q": "x", "s": "a"}, {"q": "x", "s": "b"}, {"q": "y", "s": "b"}, {"q": "y", "s": "a"}]
    sensitive = {"s": brute.Sensitive(("a", "b"), Counter(a=2, b=2))}
    for asked in (
        {"model": "alpha-k", "alpha": 0.5, "k": 2},
        {"model": "l-diversity", "kind": "frequency", "l": 2},
    ):
        job = brute.Job(
            rows, ["q"], {"q": [["x", "*"], ["y", "*"]]}, sensitive, [asked], 0,
            [((0,), [0, 1, 0, 1])],
        )  # fmt: skip
        assert brute.kept(job, (0,)) == {0, 1, 2, 3}
        assert brute.kept(job, (1,)) == set()


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_coarser_tables_keep_no_fewer_rows(form, data):
    """Both closures are monotone: parts of classes that satisfy do so together."""
    kept = brute.kept_by_vector(data.draw(jobs([form])))
    for finer in kept:
        for coarser in kept:
            if oracle.below(finer, coarser):
                assert len(kept[finer]) <= len(kept[coarser])


def test_a_coarser_table_may_need_more_suppression_of_whole_classes():
    """Frequency l = 2: the class x stands, and falls when z's rows join it; but two rows of it."""
    rows = [{"q": "x", "s": "a"}, {"q": "x", "s": "b"}, {"q": "z", "s": "a"}]
    sensitive = {"s": brute.Sensitive(("a", "b"), Counter(a=2, b=1))}
    asked = [{"model": "l-diversity", "kind": "frequency", "l": 2}]
    ladders = {"q": [["x", "*"], ["z", "*"]]}
    job = brute.Job(rows, ["q"], ladders, sensitive, asked, 1, [((0,), None)])
    assert brute.kept(job, (0,)) == {0, 1}
    assert len(brute.kept(job, (1,))) == 2
    published = oracle.generalize(rows, ["q"], ladders, (1,))
    assert brute.failing(job, published, {0, 1, 2}, asked) == {0, 1, 2}
