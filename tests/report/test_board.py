"""What a board asks of a report: who, what for, when, whether attacks succeed, and what to do."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from indistinct import anonymize
from indistinct.report import render
from indistinct.report.advice import attack_summary, recommendation
from indistinct.report.codebook import codebook
from indistinct.report.findings import Findings
from indistinct.report.public import facts_for_public
from tests.pages import SCRIPT, Page, assert_inert

MARITAL = {"been married": ["married", "widowed"], "never": ["single"]}
ABOUT = {"name": "Patients of 2025", "author": "A. Steward", "purpose": "teaching"}


def attack(name, *, succeeded, **details):
    rate = {"hits": 1, "of": 2, "share": 0.5, "low": 0.1, "high": 0.9, "level": 0.95}
    return {
        "attack": name,
        "succeeded": succeeded,
        "rate": rate,
        "baseline": 0.1,
        "story": "So it went.",
        "findings": [],
        "details": details,
    }


def findings(*attacks, error=0.1):
    cube = {"ill": {"level": 2, "relative_error": error, "kl_divergence": 0.1}}
    risk = {"prosecutor": {"highest": 0.2, "average": 0.1}, "unique_rows": 0, "rows": 10}
    return Findings({"before": risk, "after": risk}, {}, cube, attacks, ())


def release(hierarchy, values, *, k=2, method="optimal", **more):
    plan = {
        "about": ABOUT,
        "columns": {
            "seen": {"role": "quasi", "hierarchy": hierarchy, **more},
            "ill": {"role": "sensitive"},
        },
        "require": [{"model": "k-anonymity", "k": k}],
        "limits": {"suppression": 0.5},
        "method": {"name": method},
        "seed": 7,
    }
    table = pa.table({"seen": values, "ill": ["flu", "gout"] * (len(values) // 2)})
    return anonymize(table, plan)


def codes_of(made, k=2):
    (column,) = codebook(made, k)
    return {entry.text: (entry.meaning, entry.rows) for entry in column.entries}


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_a_report_says_what_it_is_about_and_when_it_was_made(audience):
    facts = release({"intervals": [10]}, [21, 22, 33, 35]).report_facts(audience=audience)
    said = Page(render(replace(facts, made="2026-02-03"))).said
    for words in ("Data set Patients of 2025", "Author A. Steward", "Purpose teaching"):
        assert words in said
    assert "Date 2026-02-03" in said
    told = facts.as_json()
    assert told["about"] == ABOUT
    assert len(told["date"].split("-")) == 3


def test_what_a_plan_says_about_itself_is_not_interpreted(make_facts):
    page = assert_inert(render(make_facts(about={"name": SCRIPT, "author": SCRIPT})))
    assert page.said.count(SCRIPT) == 2


def test_warnings_come_before_the_verdict_and_the_verdict_before_the_advice(make_facts):
    said = Page(render(make_facts(warnings=["mind the gap"]))).said
    assert said.index("mind the gap") < said.index("Promise kept") < said.index("Recommendation")


def test_it_is_said_whether_attacks_succeeded(make_facts):
    failed = attack("homogeneity", succeeded=False, column="ill")
    worked = attack("skewness", succeeded=True, column="ill")
    facts = make_facts(findings=findings(failed, worked), roles={"age": "quasi"})
    words = "1 of 2 attacks on sensitive values works better than chance: skewness on ill."
    assert attack_summary(facts) == words
    assert words in Page(render(facts)).said
    none = make_facts(findings=findings(failed))
    assert attack_summary(none).startswith("None of 1 attacks")
    assert "no sensitive column" in attack_summary(make_facts(findings=findings()))
    assert attack_summary(make_facts(findings=findings(worked), audience="public")) == ""


@pytest.mark.parametrize(
    ("changed", "state", "reason"),
    [
        ({}, "publish", ""),
        ({"warnings": ["one"]}, "decide", "the warning above"),
        ({"warnings": ["one", "two"]}, "decide", "the 2 warnings above"),
        ({"findings": findings(attack("a", succeeded=True))}, "decide", "better than chance: a"),
        ({"findings": findings(error=0.75)}, "decide", "off by 75.0% on average"),
        ({"measures": {"gcp": 0.8, "gcp_form": "node", "ncp": {}}}, "decide", "80.0% of the"),
        ({"requirements": []}, "stop", ""),
    ],
)
def test_a_recommendation_follows_from_what_was_measured(make_facts, changed, state, reason):
    advice = recommendation(make_facts(**changed))
    assert advice.state == state
    assert reason in " ".join(advice.reasons)


def test_the_public_gets_no_recommendation(make_facts):
    facts = make_facts(audience="public")
    assert recommendation(facts) is None
    assert "Recommendation" not in Page(render(facts)).said


def test_the_error_of_counts_is_beside_the_detail_lost(make_facts):
    said = Page(render(make_facts(findings=findings(error=0.325), roles={"age": "quasi"}))).said
    assert "Error of counts 0% → 32.5% of a count by 2 columns and ill, on average" in said


def test_contents_lead_to_every_section(facts):
    page = Page(render(facts))
    anchors = [value[1:] for name, value in page.attributes if name == "href"]
    assert len(anchors) > 5
    assert len(set(anchors)) == len(anchors)
    assert set(anchors) == {value for name, value in page.attributes if name == "id"}


def test_bars_end_where_differences_can_be_seen(make_facts):
    measures = {"gcp": 0.02, "gcp_form": "node", "ncp": {"age": 0.01, "sex": 0.04}}
    html = render(make_facts(measures=measures))
    assert "Bars end at 5.0%." in Page(html).said
    assert 'style="width: 80.00%"' in html
    assert 'style="width: 20.00%"' in html


def test_the_codebook_explains_ranges_and_counts_rows():
    made = release({"intervals": [10]}, [21, 22, 33, 35, 36, 90])
    assert codes_of(made) == {
        "[30-39]": ("from 30 to 39, both included", 3),
        "[20-29]": ("from 20 to 29, both included", 2),
    }


def test_the_codebook_explains_masks_groups_and_stars():
    masked = codes_of(release({"mask": "right"}, ["22030", "22031", "22041", "22049"]))
    assert masked["2203*"] == ("codes that begin with 2203", 2)
    tree = release({"tree": MARITAL}, ["married", "widowed", "single", "single"])
    assert codes_of(tree) == {
        "been married": ("one of: married, widowed", 2),
        "never": ("one of: single", 2),
    }
    starred = release("flat", ["f", "m", "f", "x"], method="best", publish="star")
    assert codes_of(starred)["*"][0].startswith("any value")


def test_the_codebook_names_no_value_of_a_hierarchy_file(tmp_path):
    (tmp_path / "seen.csv").write_text("a;x;*\nb;x;*\nonly one;y;*\n", encoding="utf-8")
    values = ["a", "b", "a", "b", "only one", "a"]
    told = codes_of(release({"csv": str(tmp_path / "seen.csv")}, values, k=4))
    assert told == {"x": ("a group of 2 values of the column's hierarchy", 5)}


def test_rare_texts_are_not_counted():
    made = release({"intervals": [10]}, [21, 22, 33, 35])
    assert set(codes_of(made, k=3).values()) == {
        ("from 20 to 29, both included", "fewer than 3"),
        ("from 30 to 39, both included", "fewer than 3"),
    }


def test_bounds_in_two_columns_are_explained_together():
    made = release({"intervals": [10]}, [21, 22, 33, 35], method="mondrian", range_as="bounds")
    assert "seen_low, seen_high" in codes_of(made)


def test_the_public_page_has_the_codebook_and_how_to_read_the_file():
    made = release({"intervals": [10]}, [21, 22, 33, 35, 36, 90])
    said = Page(render(facts_for_public(made, "Release"))).said
    assert "from 30 to 39, both included" in said
    assert "How to read and analyze the file" in said
    assert "Codebook" not in Page(made.report()).said
