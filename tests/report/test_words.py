"""Verdict and numbers in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.report import words


def test_a_kept_promise_names_promised_and_measured(facts):
    verdict = words.verdict(facts)
    assert (verdict.state, verdict.word) == ("kept", "Promise kept")
    assert verdict.lines == ("k-anonymity: promised k = 5, measured 7",)


@pytest.mark.parametrize("holds", [False, None, "true"])
def test_anything_but_true_is_broken(make_facts, k_anonymity, holds):
    facts = make_facts(requirements=[k_anonymity(holds=holds, measured=3)])
    assert not facts.holds
    assert words.verdict(facts).state == "broken"


def test_several_promises_name_the_broken_ones(make_facts, k_anonymity):
    closeness = {
        "model": "t-closeness",
        "t": 0.2,
        "promised": "t = 0.2",
        "measured": 0.31,
        "holds": False,
    }
    verdict = words.verdict(make_facts(requirements=[k_anonymity(), closeness]))
    assert verdict.word == "1 of 2 promises broken"
    assert verdict.lines == ("t-closeness: promised t = 0.2, measured 0.31",)
    assert "Do not publish" in verdict.advice


@pytest.mark.parametrize(("n", "word"), [(2, "Both promises kept"), (3, "All 3 promises kept")])
def test_several_promises_kept(make_facts, k_anonymity, n, word):
    assert words.verdict(make_facts(requirements=[k_anonymity()] * n)).word == word


def test_no_promise_is_not_a_kept_promise(make_facts):
    facts = make_facts(requirements=[])
    assert not facts.holds
    assert words.verdict(facts).state == "none"


def test_a_promise_without_a_measure_says_so(make_facts, k_anonymity):
    (promise,) = words.promises(make_facts(requirements=[k_anonymity(measured=None, column=None)]))
    assert (promise.promised, promise.measured) == ("k = 5", "not measured")


def test_key_numbers_are_the_facts(facts):
    told = {number.label: (number.value, number.note) for number in words.key_numbers(facts)}
    assert told["Rows released"] == ("29,871", "99.0% of 30,162")
    assert told["Rows suppressed"] == ("291", "1.0% of 30,162")
    assert told["Classes"] == (
        "812",
        "groups of rows with the same published values, on average 36.8",
    )
    assert told["Smallest class"][0] == "7"
    assert told["Detail lost"][0] == words.percent(facts.summary["measures"]["gcp"])
    assert "GCP, node form" in told["Detail lost"][1]


def test_an_empty_release_has_numbers_too(make_facts):
    facts = make_facts(released_rows=0, suppressed_rows=30162, classes=0, sizes_after={})
    told = {number.label: number.value for number in words.key_numbers(facts)}
    assert told["Rows released"] == "0"
    assert told["Smallest class"] == told["Classes"] == "none"


@given(st.floats(0, 1))
def test_only_zero_and_one_read_as_such(share):
    text = words.percent(share)
    assert (text == "0%") == (share == 0)
    assert (text == "100%") == (share == 1)
    assert text not in {"0.0%", "100.0%"}


@pytest.mark.parametrize("share", [None, float("nan")])
def test_a_share_may_be_unknown(share):
    assert words.percent(share) == "not measured"
