"""The page tells the facts, keeps to itself, and interprets nothing."""

from __future__ import annotations

import re

import pytest

from indistinct.report import notebook_html, render
from tests.pages import SCRIPT, Page, assert_inert

NAMESPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def hostile(make_facts, k_anonymity):
    return make_facts(
        title=SCRIPT,
        plan=f"</pre>{SCRIPT}",
        method=SCRIPT,
        version=SCRIPT,
        warnings=[SCRIPT],
        seconds={SCRIPT: 1.0},
        levels={SCRIPT: 1},
        heights={SCRIPT: 2},
        measures={"gcp": 0.5, "gcp_form": SCRIPT, "ncp": {SCRIPT: 0.5}},
        preview=[{SCRIPT: SCRIPT, 'a"b': "' onload=x"}],
        requirements=[
            k_anonymity(
                model=SCRIPT, description=SCRIPT, column=SCRIPT, worst_class={SCRIPT: SCRIPT}
            )
        ],
    )


def test_no_value_is_interpreted(make_facts, k_anonymity):
    html = render(hostile(make_facts, k_anonymity))
    assert "<script" not in html.lower()
    page = assert_inert(html)
    assert page.cells.count(SCRIPT) == 3  # head and cell of the preview, and the table of losses
    assert "' onload=x" in page.cells
    assert f"</pre>{SCRIPT}" in page.said


def test_no_value_is_interpreted_in_a_notebook(make_facts, k_anonymity):
    html = notebook_html(hostile(make_facts, k_anonymity))
    assert "<script" not in html.lower()
    assert SCRIPT in assert_inert(html).said


@pytest.mark.parametrize("made", [render, notebook_html])
def test_nothing_is_fetched(facts, made):
    html = made(facts)
    assert set(re.findall(r"https?://[^\s\"'<>]+", html)) <= NAMESPACES
    assert "url(" not in html
    assert "@import" not in html


def test_a_policy_forbids_scripts_and_the_network(facts):
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in Page(
        render(facts)
    ).attributes


def test_the_page_says_the_facts_in_order(facts):
    said = assert_inert(render(facts)).said
    expected = [
        "Patients 2024",
        "Promise kept k-anonymity: promised k = 5, measured 7",
        "no one can be distinguished from the others",
        "Recommendation. Nothing measured here is against publishing",
        "Original and now Promised and measured How many rows share their published values",
        "Rows 30,162 → 29,871 suppressed: 291",
        "Detail lost 0% → 23.4%",
        "Promised and measured",
        "each released row is like at least 4 others",
        "k = 5 7",
        "How many rows share their published values",
        "Detail lost per column",
        "Some released rows",
        "13***",
        'name = "mondrian"',
        "read 0.25 s · search 3 min 12 s",
        "indistinct 9.8.7",
    ]
    at = 0
    for words in expected:
        assert words in said[at:], f"{words!r} is missing, or out of order"
        at = said.index(words, at) + len(words)


def test_bars_have_their_figures_and_lengths(facts):
    html = render(facts)
    said = Page(html).said
    assert "zip62.8%varies age31.4%2 of 4 sex0%0 of 1" in said
    assert "166.3%0% 233.2%0% 3-40%0%" in said
    assert html.count('style="width: 62.80%"') == 1


def test_a_bar_stays_in_its_place(make_facts):
    measures = {"gcp": 0.5, "gcp_form": "node", "ncp": {"age": 7.0, "sex": -1.0}}
    widths = re.findall(r'style="width: ([-\d.]+)%"', render(make_facts(measures=measures)))
    assert widths
    assert all(0 <= float(width) <= 100 for width in widths)


def test_the_plan_is_collapsed(facts):
    assert "open" not in dict(Page(render(facts)).attributes)


def test_a_broken_promise_says_so_and_withholds_rows(make_facts, k_anonymity):
    html = render(make_facts(requirements=[k_anonymity(holds=False, measured=3)]))
    said = assert_inert(html).said
    assert "Promise broken k-anonymity: promised k = 5, measured 3 Do not publish" in said
    assert "does not hold" in said
    assert "Promise kept" not in said
    assert "13***" not in html
    assert "worst-of-all" not in html


def test_a_kept_promise_names_its_worst_class(facts):
    assert "Worst class: age: 30-39, sex: worst-of-all" in Page(render(facts)).said


def test_warnings_are_shown(make_facts):
    assert (
        "zip is one value for all"
        in Page(render(make_facts(warnings=["zip is one value for all"]))).said
    )


def test_levels_may_be_missing(make_facts):
    html = render(make_facts(levels={"age": None, "sex": None, "zip": None}, heights={}))
    assert Page(html).cells.count("varies") == 3


def test_nothing_to_draw_draws_nothing(make_facts):
    measures = {"gcp": None, "gcp_form": "node", "ncp": {}}
    facts = make_facts(sizes_after={}, measures=measures, levels={}, preview=[], released_rows=0)
    said = assert_inert(render(facts)).said
    assert "How many rows share their published values" not in said
    assert "Detail lost per column" not in said
    assert "None to show." in said


def test_same_facts_same_bytes(facts):
    assert render(facts) == render(facts)


def test_a_notebook_gets_a_fragment(facts):
    html = notebook_html(facts)
    page = assert_inert(html)
    assert not {"html", "head", "body", "title"} & set(page.tags)
    assert page.tags[0] == "div"
    assert page.tags.count("svg") == 1  # the icon
    assert "66.3%" in page.said
    assert "Promise kept" in page.said
    assert "29,871" in page.said
    assert "13***" not in html


def test_a_notebook_keeps_its_styles_to_itself(facts):
    style = re.search(r"<style>(.*?)</style>", notebook_html(facts), re.DOTALL)
    assert style
    selectors = re.findall(r"(?:^|\})\s*([^{}]+)\{", style[1])
    assert selectors
    assert all(part.strip().startswith(".indistinct-") for s in selectors for part in s.split(","))
