"""compare and frontier give the figures of single runs, and say why a trial is not met."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, compare, frontier
from indistinct.comparing.frontier import spaced
from indistinct.datasets import medical
from indistinct.errors import CannotMeetError, DataError, IndistinctError, PlanError
from tests.build import plan_of
from tests.examples import FLAT, MEDICAL_PLAN
from tests.profiles import examples
from tests.properties.strategies import tables

METHODS = ["best", "hilbert", "optimal"]


@examples(8)
@given(tables(most_rows=12), st.integers(0, 3))
def test_every_cell_is_what_a_single_run_gives(job, limit):
    rows, names, ladders = job
    data = pa.table({name: [row[name] for row in rows] for name in names})
    share = min(limit / len(rows), 1)
    ks = sorted({2, 3, len(rows), len(rows) + 1})
    found = compare(data, plan_of(names, ladders, 2, suppression=share), methods=METHODS, k=ks)
    assert [(c.method, c.k) for c in found.rows] == [(m, k) for m in METHODS for k in ks]
    for trial in found.rows:
        plan = plan_of(names, ladders, trial.k, method=trial.method, suppression=share)
        try:
            release = anonymize(data, plan)
        except CannotMeetError:
            assert not trial.met
            assert trial.reason
            continue
        told = release.summary()
        assert trial.met
        assert (trial.loss, trial.form) == (told["measures"]["gcp"], told["measures"]["gcp_form"])
        assert (trial.classes, trial.suppressed_rows) == (told["classes"], told["suppressed_rows"])
        assert trial.discernibility == told["measures"]["discernibility"]
        assert trial.measured_k == told["requirements"][0]["measured"]
        assert trial.bound == release.bound().low
        assert trial.above_bound >= -1e-9


def test_what_cannot_be_met_is_told_and_stops_nothing():
    found = compare(
        medical(), MEDICAL_PLAN, methods=["mu-argus", "anatomy", "ac", "best"], k=[3, 11]
    )
    told = {(trial.method, trial.k): trial for trial in found.rows}
    assert told["best", 3].met
    assert "only 10 respondents" in told["best", 11].reason
    assert "counts people in a class" in told["anatomy", 3].reason
    assert "accuracy" in told["ac", 3].reason
    assert not told["mu-argus", 3].met
    assert "k-anonymity measures" in told["mu-argus", 3].reason
    assert "220" not in told["mu-argus", 3].reason, "the class that fails is not shown"


def test_other_requirements_hold_in_every_trial():
    plan = {**MEDICAL_PLAN, "require": [{"model": "l-diversity", "l": 3}]}
    found = compare(medical(), plan, methods=["best"], k=[2, 4])
    for trial in found.rows:
        single = {
            **MEDICAL_PLAN,
            "require": [*plan["require"], {"model": "k-anonymity", "k": trial.k}],
            "method": {"name": "best"},
        }
        assert trial.loss == anonymize(medical(), single).measures.gcp


def test_options_of_the_plan_and_of_a_mapping_are_kept():
    plan = {**MEDICAL_PLAN, "method": {"name": "mondrian", "strict": False}}
    loose = anonymize(medical(), plan).measures.gcp
    found = compare(
        medical(), plan, methods=["mondrian", {"name": "mondrian", "strict": True}], k=[2]
    )
    assert [trial.method for trial in found.rows] == ["mondrian", "mondrian (strict=True)"]
    assert found.rows[0].loss == loose


def test_suppressed_rows_kept_as_blanks_change_no_figure():
    plan = {**MEDICAL_PLAN, "limits": {"suppression": 0.4}}
    blank = compare(medical(), {**plan, "suppressed": "blank"}, methods=["optimal"], k=[3])
    plain = compare(medical(), plan, methods=["optimal"], k=[3])
    assert blank.rows[0].loss == plain.rows[0].loss
    assert blank.rows[0].suppressed_rows == plain.rows[0].suppressed_rows > 0


@pytest.mark.parametrize("jobs", [1, 3])
def test_the_frame_and_the_files_tell_the_same(make_frame, tmp_path, jobs):
    data = make_frame(medical().to_pydict())
    plan = {**MEDICAL_PLAN, "publish": "exact"}  # zip codes as ranges, beside nodes
    found = compare(data, plan, methods=["best", "optimal"], k=[2, 11], jobs=jobs)
    assert type(found.frame) is type(data)
    assert len(found.frame) == 4
    found.save(tmp_path / "c.json")
    found.save(tmp_path / "c.csv")
    trials = json.loads((tmp_path / "c.json").read_text())["trials"]
    assert [trial["loss"] for trial in trials] == [trial.loss for trial in found.rows]
    assert len((tmp_path / "c.csv").read_text().splitlines()) == 5
    with pytest.raises(IndistinctError, match="not written"):
        found.save(tmp_path / "c.xlsx")
    assert "different forms" in found.notes[0]


def test_charts_are_drawn_offline_and_values_are_no_markup(tmp_path):
    column = "<script>alert(1)</script>"
    data = pa.table({column: ["a", "b", "a", "b"]})
    plan = {"columns": {column: FLAT}, "require": MEDICAL_PLAN["require"]}
    found = compare(data, plan, methods=["optimal", "mu-argus"], k=[2, 9])
    chart = found.chart()
    for kind in ("svg", "png", "html"):
        chart.save(tmp_path / f"c.{kind}")
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "c.html").read_text()
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org", "")
    assert "not met" in page
    assert ">bound<" in (tmp_path / "c.svg").read_text()
    assert "<svg" in found._repr_html_()
    with pytest.raises(IndistinctError, match="not drawn"):
        chart.save(tmp_path / "c.pdf")


@examples(10)
@given(tables(most_rows=12), st.sampled_from([0.0, 0.2, 0.5, 0.9]))
def test_the_largest_k_found_fits_and_the_next_does_not(job, most):
    rows, names, ladders = job
    data = pa.table({name: [row[name] for row in rows] for name in names})
    found = frontier(data, plan_of(names, ladders, 2), method="optimal", points=3, max_loss=most)
    losses = {trial.k: trial.loss for trial in found.rows}
    every = frontier(data, plan_of(names, ladders, 2), method="optimal", k=range(2, len(rows) + 1))
    if found.fit is None:
        assert losses[2] > most
    else:
        assert found.fit.loss <= most
        assert losses.get(found.fit.k + 1, 2.0) > most
        within = [trial.k for trial in every.rows if trial.loss <= most]
        assert found.fit.k == max(within), "the loss of an optimum does rise with k"


def test_a_curve_runs_from_two_to_everybody():
    assert spaced(2, 5) == [2]
    assert spaced(10, 50) == [2, 3, 4, 5, 6, 7, 8, 9, 10]
    found = frontier(medical(), {**MEDICAL_PLAN, "method": {"name": "mondrian"}}, points=4)
    assert {trial.method for trial in found.rows} == {"mondrian"}
    assert (found.rows[0].k, found.rows[-1].k) == (2, 10)
    assert "<svg" in found.chart().svg()


def test_people_with_several_rows_bound_the_curve():
    data = pa.table({"who": ["a", "a", "b", "c"], "zip": ["1", "2", "1", "1"]})
    plan = {
        "columns": {"who": {"role": "respondent"}, "zip": FLAT},
        "require": MEDICAL_PLAN["require"],
    }
    assert frontier(data, plan).rows[-1].k == 3


def test_the_check_of_a_trial_counts_people():
    data = pa.table({"who": ["a", "a", "b", "b"], "zip": ["1", "1", "1", "1"]})
    plan = {
        "columns": {"who": {"role": "respondent"}, "zip": FLAT},
        "require": MEDICAL_PLAN["require"],
    }
    [trial] = compare(data, plan, methods=["mondrian"], k=[2]).rows
    assert trial.measured_k == 2


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"methods": ["besst"]}, "Closest: 'best'"),
        ({"methods": []}, "none is given"),
        ({"k": [1]}, "1 is not a possible k"),
        ({"k": [2.5]}, "2.5 is not a possible k"),
        ({"k": []}, "none is given"),
        ({"jobs": 0}, "at a time"),
    ],
)
def test_bad_options_are_told(options, told):
    with pytest.raises(PlanError, match=told):
        compare(medical(), MEDICAL_PLAN, **options)


@pytest.mark.parametrize("options", [{"max_loss": 2.0}, {"points": 1}, {"method": "no"}])
def test_bad_options_of_a_curve_are_told(options):
    with pytest.raises(PlanError):
        frontier(medical(), MEDICAL_PLAN, **options)


def test_faults_of_the_data_stop_everything():
    with pytest.raises(DataError, match="no column"):
        compare(medical().drop(["sex"]), MEDICAL_PLAN)
