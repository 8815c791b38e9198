"""Records given in Python that are none."""

from __future__ import annotations

import pytest

from indistinct.errors import CannotMeetError, DataError, DoesNotHoldError
from indistinct.trees import anonymize, assess, verify

PLAN = {
    "tree": {"classes": ["town"]},
    "require": [{"model": "k-m-n-anonymity", "k": 3, "m": 1}],
}


@pytest.mark.parametrize("verb", [anonymize, assess, verify])
@pytest.mark.parametrize("records", [None, 5])
def test_what_is_no_list_of_records_is_refused(verb, records):
    with pytest.raises(DataError, match=r"records: cannot read .* Give a list of mappings"):
        verb(records, PLAN)


@pytest.mark.parametrize("verb", [anonymize, assess, verify])
def test_no_records_are_bad_input(verb):
    with pytest.raises(DataError, match="records: there are none"):
        verb([], PLAN)


def test_fewer_records_than_k():
    with pytest.raises(CannotMeetError, match="k is 3, but there are only 2 records"):
        anonymize([{"town": "Rome"}] * 2, PLAN)


def test_more_relations_than_labels_can_have_are_as_good_as_all():
    records = [{"town": {"value": town, "shop": shop}} for town in "ab" for shop in "xyyx"]
    plan = {"tree": {"classes": ["town", "shop"]}, "seed": 1}

    def released(n):
        require = [{"model": "k-m-n-anonymity", "k": 2, "m": 3, "n": n}]
        return anonymize(records, {**plan, "require": require})

    few, many = (list(released(n).forest.records()) for n in (3, 10**12))
    assert few == many


SHOPS = {"classes": ["town", "shop"], "sensitive": ["shop"]}


@pytest.mark.parametrize("huge", [2**62, 2**63, 10**30])
def test_numbers_beyond_all_records_cannot_be_met(huge):
    records = [{"town": {"value": "a", "shop": shop}} for shop in "wxyz" * 4]

    def asked(k, l):  # noqa: E741
        require = [
            {"model": "k-m-n-anonymity", "k": k, "m": 2, "n": 1},
            {"model": "l-diversity", "l": l},
        ]
        return {"tree": SHOPS, "require": require}

    assert verify(records, asked(2, 4)).records == 16
    for plan in (asked(huge, 4), asked(2, huge)):
        with pytest.raises(DoesNotHoldError):
            verify(records, plan)
        with pytest.raises(CannotMeetError):
            anonymize(records, plan)
    assert all(assess(records, asked(huge, 4)).singled_out.values())


def test_a_class_that_no_record_has_is_no_fault_and_hides_nothing():
    """Every class has its place among the tops, so that none is taken for another."""
    asked = {
        "tree": {"classes": ["town", "illness", "drug"], "sensitive": ["drug"]},
        "require": [{"model": "k-m-n-anonymity", "k": 2, "m": 2, "n": 1}],
    }
    people = [{"illness": {"value": "flu", "drug": name}} for name in ("a", "b", "c")]
    summary = anonymize(people, asked).summary()
    assert summary["cut"] == {"town": [], "illness": ["flu"], "drug": ["a", "b", "c"]}
    assert summary["measures"]["values_exact"] == 1.0
