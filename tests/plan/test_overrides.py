"""Options beside a plan take the place of its settings, and papers state the plan with them."""

from __future__ import annotations

import json

import pytest

from indistinct import anonymize_file
from indistinct.errors import PlanError
from indistinct.plan import Plan
from indistinct.plan.overrides import overridden

PRIVATE = "zip;note\n02139;a\n02139;b\n02141;a\n02141;b\n"


def plan(**more):
    return {
        "columns": {"zip": {"role": "quasi", "hierarchy": "flat"}, "note": {"role": "sensitive"}},
        "require": [{"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "l": 2}],
        "method": {"name": "mondrian", "strict": False},
        **more,
    }


def test_the_certificate_states_the_plan_with_the_options(tmp_path):
    (tmp_path / "p.csv").write_bytes(PRIVATE.encode("utf-16-le"))
    anonymize_file(
        tmp_path / "p.csv",
        plan(),
        tmp_path / "r.csv",
        certificate=tmp_path / "c.json",
        report=tmp_path / "r.html",
        k=4,
        method="datafly",
        encoding="utf-16-le",
        delimiter=";",
        seed=7,
    )
    stated = json.loads((tmp_path / "c.json").read_text())["plan"]
    assert stated["require"][0]["k"] == 4
    assert stated["method"]["name"] == "datafly"
    assert stated["input"] == {"encoding": "utf-16-le", "delimiter": ";"}
    assert "seed" not in stated
    assert "datafly" in (tmp_path / "r.html").read_text("utf-8")


def test_k_is_added_where_no_requirement_has_one_and_options_of_the_same_method_stay():
    loaded = Plan.load(plan(require=[{"model": "l-diversity", "l": 2}]))
    asked = overridden(loaded, {"k": 3, "method": "mondrian"})
    assert [r.model for r in asked.require] == ["l-diversity", "k-anonymity"]
    assert asked.method == loaded.method
    assert overridden(loaded, {"method": "best"}).method.name == "best"


@pytest.mark.parametrize(
    ("given", "place"),
    [({"k": 1}, "require"), ({"method": "bset"}, "method"), ({"delimiter": ";;"}, "input")],
)
def test_a_wrong_option_is_a_fault_under_its_setting(given, place):
    with pytest.raises(PlanError) as caught:
        overridden(Plan.load(plan()), given)
    assert place in caught.value.faults[0].place


def test_options_do_not_weaken_a_preset():
    with pytest.raises(PlanError, match="k11"):
        overridden(Plan.load(plan(preset="k11", require=[])), {"k": 3})
