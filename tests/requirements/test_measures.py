"""What a requirement measures on published classes is its definition."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.requirements.base import PublishedClasses
from tests import oracle_requirements as brute
from tests.requirements.strategies import (
    FORMS,
    histograms,
    judged,
    published_classes,
    requirement_of,
    requirements,
    sensitive_columns,
)

SMALLER_IS_WORSE = {"k-anonymity", "p-sensitive", "distinct", "entropy", "frequency"}


def of_each(asked, sensitive, classes):
    sizes = [sum(histogram.values()) for histogram in classes]
    measures = [brute.measured(asked, h, n, sensitive) for h, n in zip(classes, sizes, strict=True)]
    verdicts = [brute.holds(asked, h, n, sensitive) for h, n in zip(classes, sizes, strict=True)]
    return measures, verdicts, sizes


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_the_measure_is_the_definitions(form, data):
    asked, sensitive, classes = data.draw(judged(form))
    found = requirement_of(asked).measure(published_classes(classes, sensitive))
    measures, verdicts, sizes = of_each(asked, sensitive, classes)
    assert found.holds is all(verdicts)
    assert found.value == pytest.approx(float(measures[found.worst]))
    assert verdicts[found.worst] is found.holds
    if min(sizes) < asked.get("k", 1):
        assert sizes[found.worst] == min(sizes)
    else:
        extreme = min if brute.form(asked) in SMALLER_IS_WORSE else max
        assert found.value == pytest.approx(float(extreme(measures)))


@pytest.mark.parametrize("form", FORMS)
def test_no_class_at_all_holds_nothing(form):
    model, _, kind = form.partition(" ")
    asked = {"model": model} | {key: of[0] for key, of in FORMS[form].items()}
    asked |= {"kind": kind} if model == "l-diversity" else {}
    none = np.zeros(0, dtype=np.int64)
    found = requirement_of(asked).measure(PublishedClasses(none, none))
    assert (found.holds, found.worst) == (False, None)


@given(st.data())
def test_distances_are_problems_of_transport(data):
    """The formulas, of oracle and library, against moving earth along the cheapest ways."""
    sensitive = data.draw(sensitive_columns())
    histogram = data.draw(histograms(sensitive))
    for kind in ("equal", "ordered", "hierarchical"):
        moved = brute.transported(kind, histogram, sensitive)
        assert brute.distance(kind, histogram, sensitive) == moved
        asked = requirement_of({"model": "t-closeness", "t": 1, "distance": kind})
        measured = asked.measure(published_classes([histogram], sensitive))
        assert measured.value == pytest.approx(float(moved))


@given(st.data())
def test_many_classes_are_measured_some_at_a_time(data):
    asked, sensitive, classes = data.draw(judged("t-closeness hierarchical", most_classes=9))
    requirement = requirement_of(asked)
    published = published_classes(classes, sensitive)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("indistinct.requirements.t_closeness.AT_ONCE", 2 * len(sensitive.values))
        few = requirement.measure(published)
    assert few == requirement.measure(published)


@given(st.data())
def test_forms_that_ask_for_more_imply_those_that_ask_for_less(data):
    """Entropy implies distinct (Machanavajjhala et al.); frequency 1/l implies both."""
    sensitive = data.draw(sensitive_columns())
    histogram = data.draw(histograms(sensitive))
    total = sum(histogram.values())
    asked = data.draw(requirements("l-diversity distinct"))
    entropy, frequency = asked | {"kind": "entropy"}, asked | {"kind": "frequency"}
    if brute.holds(frequency, histogram, total, sensitive):
        assert brute.holds(entropy, histogram, total, sensitive)
    if brute.holds(entropy, histogram, total, sensitive):
        assert brute.holds(asked, histogram, total, sensitive)


def test_a_class_without_the_l_th_value_has_no_recursive_measure():
    sensitive = brute.Sensitive(("s0", "s1"), Counter(s0=2, s1=1), [["s0", "*"], ["s1", "*"]])
    asked = requirement_of({"model": "l-diversity", "kind": "recursive", "c": 3, "l": 3})
    found = asked.measure(published_classes([Counter(s0=2, s1=1)], sensitive))
    assert (found.value, found.holds) == (math.inf, False)
