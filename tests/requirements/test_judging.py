"""What the kernels say of classes: the verdict is exact, the capacity bounds every part."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indistinct.methods.common.judge import Judge, Pairs
from indistinct.methods.full_domain.roll_up_kernel import weigh
from tests import oracle_requirements as brute
from tests.requirements.strategies import ON_VALUES, column_of, judged, requirement_of, requirements


def judge_of(sensitive, *asked):
    column = column_of(sensitive)
    return Judge(column, tuple(requirement_of(one).rule(column) for one in asked))


def pairs_of(classes, sensitive):
    triples = [
        (number, code, histogram[value])
        for number, histogram in enumerate(classes)
        for code, value in enumerate(sensitive.values)
        if histogram[value]
    ]
    row, value, count = zip(*triples, strict=True)
    return Pairs(
        np.array(row, dtype=np.int32),
        np.array(value, dtype=np.int32),
        np.array(count, dtype=np.int64),
    )


def judge_classes(classes, sensitive, *asked):
    numbers = np.arange(len(classes), dtype=np.int32)
    judge = judge_of(sensitive, *asked)
    return judge(numbers, len(classes), pairs_of(classes, sensitive))


def without_k(asked):
    """The part of a requirement that the kernel judges; class sizes are counted elsewhere."""
    return {key: value for key, value in asked.items() if key != "k"}


@pytest.mark.parametrize("form", ON_VALUES)
@given(data=st.data())
def test_verdict_and_capacity(form, data):
    asked, sensitive, classes = data.draw(judged(form))
    fine, capacity = judge_classes(classes, sensitive, asked)
    for number, histogram in enumerate(classes):
        total = sum(histogram.values())
        assert fine[number] == brute.holds(without_k(asked), histogram, total, sensitive)
        assert (capacity[number] == total) == fine[number]
        assert capacity[number] >= brute.largest_part(without_k(asked), histogram, sensitive)


def parts_of(classes, sensitive, *asked, least=1):
    """What the kernel keeps of each class, as histograms."""
    numbers = np.arange(len(classes), dtype=np.int32)
    kept = judge_of(sensitive, *asked).parts(
        numbers, len(classes), pairs_of(classes, sensitive), least
    )
    parts = [
        histogram if rows == sum(histogram.values()) else Counter()
        for histogram, rows in zip(classes, kept.rows.tolist(), strict=True)
    ]
    for number, code, count in zip(kept.of_class, kept.value, kept.held, strict=True):
        parts[number][sensitive.values[code]] = int(count)
    assert kept.rows.tolist() == [sum(part.values()) for part in parts]
    return [+part for part in parts]


@pytest.mark.parametrize("form", ON_VALUES)
@given(data=st.data())
def test_parts_satisfy_and_none_is_larger(form, data):
    asked, sensitive, classes = data.draw(judged(form))
    least = data.draw(st.integers(1, 3))
    wanted = without_k(asked) | {"k": least}
    for part, histogram in zip(
        parts_of(classes, sensitive, asked, least=least), classes, strict=True
    ):
        assert part <= histogram
        assert not part or brute.holds(wanted, part, sum(part.values()), sensitive)
        assert sum(part.values()) == brute.largest_part(wanted, histogram, sensitive)


@pytest.mark.parametrize("forms", list(combinations(ON_VALUES, 2)), ids=" and ".join)
@given(data=st.data())
def test_parts_under_two_rules(forms, data):
    """Where they are said to be the largest, they are."""
    asked, sensitive, classes = data.draw(judged(forms[0], most_classes=2, most=4))
    both = [asked, data.draw(requirements(forms[1], sensitive.values))]
    known = judge_of(sensitive, *both).parts_are_largest
    parts, both = parts_of(classes, sensitive, *both), [without_k(one) for one in both]
    for part, histogram in zip(parts, classes, strict=True):
        size = sum(part.values())
        assert not part or all(brute.holds(one, part, size, sensitive) for one in both)
        if known:
            assert size == brute.largest_part_of_all(both, histogram, sensitive)


COMPARED = (
    "closeness",
    "likeness",
    "disclosure",
)  # with the table, whose shares few rows cannot have


@pytest.mark.parametrize(
    "form", [form for form in ON_VALUES if not any(word in form for word in COMPARED)]
)
@given(data=st.data())
def test_capacity_is_tight_but_for_rounding(form, data):
    """Not needed for a right answer, but a loose bound would make the search slow."""
    asked, sensitive, classes = data.draw(judged(form, most_classes=1))
    [most] = judge_classes(classes, sensitive, asked)[1]
    largest = brute.largest_part(without_k(asked), classes[0], sensitive)
    assert most <= largest + len(classes[0])


@given(st.data())
def test_all_rules_on_a_column_are_judged_together(data):
    asked, sensitive, classes = data.draw(judged("l-diversity entropy"))
    other = data.draw(requirements("t-closeness hierarchical"))
    fine, capacity = judge_classes(classes, sensitive, asked, other)
    alone = [judge_classes(classes, sensitive, one) for one in (asked, other)]
    assert fine.tolist() == (alone[0][0] & alone[1][0]).tolist()
    assert capacity.tolist() == np.minimum(alone[0][1], alone[1][1]).tolist()


@pytest.mark.parametrize("form", ON_VALUES)
@given(data=st.data())
def test_rolled_up_classes_are_judged_alike(form, data):
    """`weigh` reads histograms from a matrix."""
    asked, sensitive, classes = data.draw(judged(form))
    judge = judge_of(sensitive, asked)
    sizes = [sum(histogram.values()) for histogram in classes]
    counts = np.array(
        [[n, *(h[v] for v in sensitive.values)] for n, h in zip(sizes, classes, strict=True)],
        dtype=np.int32,
    )
    costs = np.arange(1.0, len(classes) + 1)
    fine = np.ones(len(classes), dtype=bool)
    least = requirement_of(asked).least_respondents
    rows, cost = weigh(counts, costs, least, 1, *judge.arrays, judge.scratch, fine)
    expected = [brute.holds(asked, h, n, sensitive) for h, n in zip(classes, sizes, strict=True)]
    assert fine.tolist() == expected
    assert rows == sum(n for n, kept in zip(sizes, expected, strict=True) if kept)
    assert cost == pytest.approx(
        sum(n * c for n, c, kept in zip(sizes, costs, expected, strict=True) if kept)
    )


@pytest.mark.parametrize("form", ON_VALUES)
@given(data=st.data())
@example(data=None)
def test_a_class_that_has_lost_all_its_rows(form, data):
    """Where rows are dropped for another quasi-identifier, a class number may have none left."""
    if data is None:
        sensitive = brute.Sensitive(("s0",), Counter(s0=1), [["s0", "*"]])
        asked, classes = {"model": "t-closeness", "t": 0, "distance": "ordered"}, [Counter(s0=1)]
    else:
        asked, sensitive, classes = data.draw(judged(form))
    before, _ = judge_classes(classes, sensitive, asked)
    judge = judge_of(sensitive, asked)
    numbers = np.arange(len(classes), dtype=np.int32)
    after, capacity = judge(numbers, len(classes) + 2, pairs_of(classes, sensitive))
    assert after[: len(classes)].tolist() == before.tolist()
    assert capacity[len(classes) :].tolist() == [0, 0]


def test_what_people_with_several_values_share():
    """Frequency and alpha are shares of people, who may be fewer than the pairs counted."""
    sensitive = brute.Sensitive(("s0", "s1"), Counter(s0=3, s1=3), [["s0", "*"], ["s1", "*"]])
    everyone_has_both = [Counter(s0=3, s1=3)]
    people = np.array([3], dtype=np.int64)
    for asked in (
        {"model": "l-diversity", "kind": "frequency", "l": 2},
        {"model": "alpha-k", "alpha": 0.5, "k": 2},
    ):
        judge = judge_of(sensitive, asked)
        pairs = pairs_of(everyone_has_both, sensitive)
        numbers = np.zeros(1, dtype=np.int32)
        assert judge(numbers, 1, pairs)[0].tolist() == [True]
        assert judge(numbers, 1, pairs, people)[0].tolist() == [False]
