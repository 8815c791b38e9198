"""Every result shows itself in a notebook: as HTML that loads nothing and escapes every text."""

from __future__ import annotations

import pytest

from indistinct import (
    anonymize,
    assess,
    attack,
    check_plan,
    compare,
    read_release,
    suggest_plan,
    trees,
    verify,
)
from indistinct.datasets import census, fhir_resources
from tests.pages import SCRIPT, Page

PEOPLE = census(200, seed=1).select(["age", "gender", "marital", "salary"])
NAMED = PEOPLE.rename_columns(["age", "gender", SCRIPT, "salary"])
ROLES = ("quasi", "quasi", "quasi", "sensitive")
PLAN = {
    "columns": {n: {"role": r} for n, r in zip(NAMED.column_names, ROLES, strict=True)},
    "require": [{"model": "k-anonymity", "k": 3}],
    "method": {"name": "mondrian"},
    "seed": 1,
}
RESOURCES = list(fhir_resources(60))


def released():
    return anonymize(NAMED, PLAN)


RESULTS = {
    "assess": (lambda: assess(NAMED, PLAN), "of 200 rows"),
    "attack": (lambda: attack(released().rows, plan=PLAN, only=["homogeneity"]), "homogeneity"),
    "verify": (lambda: verify(released().rows, PLAN), "The release keeps its promise."),
    "suggest_plan": (lambda: suggest_plan(NAMED), "The plan as TOML"),
    "check_plan": (lambda: check_plan(PLAN, NAMED), "The plan fits 200 rows."),
    "read_release": (lambda: read_release(released().rows, PLAN), "A release of 200 rows."),
    "trees.suggest_plan": (lambda: trees.suggest_plan(RESOURCES), "A first plan for 60 records"),
    "trees.check_plan": (
        lambda: trees.check_plan(trees.suggest_plan(RESOURCES).plan(), RESOURCES),
        "The plan fits 60 records.",
    ),
    "trees.assess": (
        lambda: trees.assess(RESOURCES, trees.suggest_plan(RESOURCES).plan()),
        "60 records, 60 of them distinct.",
    ),
    "trees.anonymize": (
        lambda: trees.anonymize(RESOURCES, trees.suggest_plan(RESOURCES).plan()),
        "60 of 60 records",
    ),
}
LOADING = {"script", "img", "iframe", "link", "object", "embed", "base"}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself_and_nothing_in_it_runs(name):
    make, said = RESULTS[name]
    page = Page(make()._repr_html_())
    assert page.open == []
    assert not LOADING & set(page.tags)
    assert not any(key.startswith("on") or key in {"href", "src"} for key, _ in page.attributes)
    assert said in page.said
    assert "table" in page.tags
    assert "Subset(" not in page.said
    assert "namespace" not in page.said


def test_names_of_columns_are_escaped():
    html = check_plan(PLAN, NAMED)._repr_html_()
    assert SCRIPT not in html
    assert "&lt;script&gt;" in html


def test_a_comparison_and_a_release_show_charts():
    assert "<svg" in compare(PEOPLE, plan_of(PEOPLE), ["mondrian"], [2, 3])._repr_html_()
    assert "indistinct-notebook" in anonymize(PEOPLE, plan_of(PEOPLE))._repr_html_()


def plan_of(table):
    return {**PLAN, "columns": dict(zip(table.column_names, PLAN["columns"].values(), strict=True))}
