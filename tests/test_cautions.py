"""Cautions: a release that holds but says little, or leaves something open, says so first."""

from __future__ import annotations

import pyarrow as pa

from indistinct import anonymize


def release(ages, *, sensitive=True, hierarchy="flat", k=2, **more):
    people = pa.table(
        {"age": ages, "sex": ["f", "m"] * (len(ages) // 2), "ill": ["flu"] * len(ages)}
    )
    return anonymize(
        people,
        {
            "columns": {
                "age": {"role": "quasi", "hierarchy": hierarchy},
                "sex": {"role": "quasi", "hierarchy": "flat"},
                "ill": {"role": "sensitive" if sensitive else "other"},
            },
            "require": [{"model": "k-anonymity", "k": k}],
            "method": {"name": "optimal"},
            **more,
        },
    )


def told(made):
    return "\n".join(made.summary()["warnings"])


def test_a_release_that_keeps_much_warns_of_nothing():
    assert told(release(["20", "20", "30", "30"] * 2)) == ""


def test_one_class_and_a_loss_above_nine_tenths():
    warned = told(release(["20", "30", "40", "50"], k=4))
    assert "the release is a single class" in warned
    assert "100% of the detail in the quasi-identifiers is lost" in warned
    assert "nothing remains of: age, sex" in warned


def test_a_column_of_stars():
    warned = told(release(["20", "20", "30", "30", "40", "40"], k=3))
    assert "nothing remains of: age (every" in warned
    assert "one class" not in warned


def test_a_plan_without_a_sensitive_column():
    assert "no column is sensitive" in told(release(["20", "20"] * 4, sensitive=False))


def test_warnings_stand_above_the_verdict_in_page_notebook_and_json():
    made = release(["20", "30", "40", "50"], k=4)
    for page in (made.report(), made._repr_html_()):
        assert page.index("the release is a single class") < page.index("Promise kept")
    names = list(made.summary())
    assert names.index("warnings") < names.index("requirements")


def matched(k):
    plan = {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
            "ill": {"role": "sensitive"},
        },
        "require": [{"model": "k-anonymity", "k": k}],
        "method": {"name": "freeform-ring"},
    }
    data = pa.table({"age": list(range(9)), "ill": list("abcabcabc")})
    return anonymize(data, plan).warnings


def test_a_freeform_release_with_two_matchings_says_that_one_row_tells_the_others():
    assert any("of up to 9 people" in told for told in matched(2))
    assert not any("in only two ways" in told for told in matched(3))


def test_a_plan_that_counts_nobody():
    people = pa.table({"age": ["20", "30"] * 3, "ill": ["flu", "gout"] * 3})
    columns = {"age": {"role": "quasi", "hierarchy": "flat"}, "ill": {"role": "sensitive"}}
    asked = {"columns": columns, "require": [{"model": "t-closeness", "t": 0.9, "column": "ill"}]}
    assert "no requirement counts people" in told(anonymize(people, asked))
