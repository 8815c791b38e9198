"""The charts of the report: on the internal page, in its JSON, and nowhere else by themselves."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from indistinct import anonymize
from indistinct.report.figures import registry
from indistinct.report.figures.base import Chart, Figure
from indistinct.report.page import render

PLAN = {
    "columns": {
        "town": {"role": "quasi", "hierarchy": "flat"},
        "sex": {"role": "quasi", "hierarchy": "flat"},
        "ill": {"role": "sensitive"},
    },
    "require": [{"model": "k-anonymity", "k": 3}],
    "method": {"name": "optimal"},
    "limits": {"suppression": 0.3},
}
PEOPLE = pa.table(
    {
        "town": ["Rome"] * 6 + ["Oslo"] * 2,
        "sex": ["f", "f", "f", "m", "m", "m", "f", "f"],
        "ill": ["flu", "cold"] * 4,
    }
)


@pytest.fixture(scope="module")
def release():
    made = anonymize(PEOPLE, PLAN)
    assert made.suppressed_rows == 2
    return made


@pytest.mark.parametrize("name", registry.CHARTS)
def test_a_chart_is_on_the_page_and_its_numbers_are_in_the_json(release, name):
    facts = release.report_facts()
    figure = facts.findings.figures[name]
    page = render(facts)
    assert figure.title in page
    assert figure.rows
    assert all(f'<th scope="row">{label}</th>' in page for label, _, _ in figure.rows)
    assert facts.as_json()[name] == figure.numbers


@pytest.mark.parametrize("name", registry.CHARTS)
def test_the_public_is_shown_no_chart_that_does_not_say_so(release, name):
    title = release.findings.figures[name].title
    assert title not in release.report(audience="public")
    assert name not in release.report_facts(audience="public").as_json()


def test_a_chart_says_what_the_public_sees(release, monkeypatch):
    def public(figure, k):
        return replace(figure, title=f"Public, k = {k}", rows=(("all", 1.0, 0.5),), numbers=[k])

    name = next(iter(registry.CHARTS))
    shown = replace(registry.CHARTS[name], public=public)
    monkeypatch.setitem(registry.CHARTS, name, shown)
    assert "Public, k = 3" in release.report(audience="public")
    assert release.report_facts(audience="public").as_json()[name] == [3]


def test_a_new_chart_needs_nothing_but_its_line(monkeypatch):
    figure = Figure("Something new", "Read it so.", "share", (("a", 0.25, 0.5),), {"a": 0.5})
    monkeypatch.setitem(registry.CHARTS, "new", Chart(lambda _: figure))
    facts = anonymize(PEOPLE, PLAN).report_facts()
    assert facts.as_json()["new"] == {"a": 0.5}
    assert "Something new" in render(facts)


def test_values_are_not_shown_where_a_promise_is_broken(release):
    figure = Figure("Values", "", "share", (("Oslo", 0.25, 1.0),), [], shows_values=True)
    facts = release.report_facts()
    findings = replace(facts.findings, figures={"values": figure})
    assert "Values" in render(replace(facts, findings=findings))
    [held] = facts.requirements
    summary = {**facts.summary, "requirements": [{**held, "holds": False}]}
    assert "Values" not in render(replace(facts, findings=findings, summary=summary))


def test_values_of_rows_left_out_are_told_by_their_shares(release):
    """Both rows left out are of women in Oslo: 2 of 8 rows are from Oslo, 5 of 8 are women's."""
    numbers = release.report_facts().as_json()["left_out"]
    shares = {(n["column"], n["value"]): (n["all_rows"], n["left_out"]) for n in numbers}
    assert shares == {
        ("town", "Oslo"): (0.25, 1.0),
        ("town", "Rome"): (0.75, 0.0),
        ("sex", "f"): (0.625, 1.0),
        ("sex", "m"): (0.375, 0.0),
    }
    rows = release.findings.figures["left_out"].rows
    assert [label for label, _, _ in rows] == ["town: Oslo", "sex: f"]


def test_where_no_row_is_left_out_there_is_no_chart_of_them():
    whole = anonymize(PEOPLE, {**PLAN, "limits": {"suppression": 0.0}})
    figure = whole.findings.figures["left_out"]
    assert (figure.rows, figure.numbers) == ((), [])
    assert figure.title not in whole.report()
