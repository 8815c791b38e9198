"""The ledger: what it holds, what it refuses, and who is told of what."""

from __future__ import annotations

import json
import re

import pyarrow as pa
import pytest

from indistinct import Ledger, Plan, anonymize
from indistinct.errors import CannotMeetError, DataError, DoesNotHoldError, PlanError
from indistinct.series.ledger_file import as_text, held, read_ledger
from indistinct.verbs.verify import verify
from tests.series.growing import monthly, plan_of, series_of, table_of

TABLES = monthly(120, 3, change=0.1)
PLAN = plan_of(3, [{"model": "l-diversity", "l": 2}], cohort=40)


@pytest.fixture(scope="module")
def releases():
    return series_of(TABLES, PLAN)


def proven(releases, ledger, plan=PLAN, **more):
    frames = [release.rows for release in releases]
    return verify(frames[-1], plan, series=ledger, against=frames[:-1], **more)


def test_a_series_is_proven_from_its_files_its_ledger_and_the_private_tables(releases):
    ledger = releases[-1].ledger
    for private in (None, TABLES):
        verified = proven(releases, ledger, private=private)
        assert {number for number, _ in verified.joined} == {1, 2, 3}
        assert min(e.measured for _, e in verified.joined if e.column is None) >= 3


def test_it_holds_no_identifier_and_only_people_who_were_published(releases):
    ledger = releases[-1].ledger
    text = as_text(ledger)
    assert "id 1" not in text
    assert all(re.fullmatch("[0-9a-f]{32}", person) for person in ledger.people)
    assert len(ledger.people) <= len({n for t in TABLES for n in t["id"].to_pylist()})
    assert sum(place >= 0 for place in ledger.releases[-1].of_person) == releases[-1].rows.num_rows
    assert read_ledger(Ledger.model_validate(json.loads(text))) == ledger


def test_a_key_of_its_own_is_not_in_the_ledger(tmp_path):
    (tmp_path / "key").write_text("a key of more than sixteen bytes")
    (tmp_path / "other").write_text("another key of more than sixteen")

    def plan(key):
        series = {"person": "id", "cohort": 40, "key": str(tmp_path / key)}
        return plan_of(3, series=series)

    ledger = anonymize(TABLES[0], plan("key"), series=Ledger()).ledger
    assert ledger.key is None
    assert "sixteen" not in as_text(ledger)
    assert anonymize(TABLES[1], plan("key"), series=ledger).ledger.number == 2
    for other in (plan("other"), plan_of(3, cohort=40)):
        with pytest.raises(PlanError, match="under another key"):
            anonymize(TABLES[1], other, series=ledger)
    with pytest.raises(PlanError, match=r"series.key: key file .* no such file"):
        anonymize(TABLES[1], plan("none"), series=ledger)


def test_people_are_other_hashes_than_keyed_pseudonyms(tmp_path):
    (tmp_path / "key").write_text("a key of more than sixteen bytes")
    plan = plan_of(3, series={"person": "id", "key": str(tmp_path / "key")})
    plan["columns"]["id"]["pseudonym"] = {"kind": "keyed", "key": str(tmp_path / "key")}
    release = anonymize(TABLES[0], plan, series=Ledger())
    assert not set(release.rows["id"].to_pylist()) & set(release.ledger.people)


def test_rows_of_nobody_and_of_one_person_twice_are_told_by_number():
    ids = TABLES[0]["id"].to_pylist()
    ids[2], ids[9], ids[4] = None, None, ids[5]
    table = TABLES[0].set_column(0, "id", pa.array(ids))
    with pytest.raises(DataError) as raised:
        anonymize(table, PLAN, series=Ledger())
    nobody, several = map(str, raised.value.faults)
    assert "2 rows do not say whose they are: rows 3, 10" in nobody
    assert "1 person has several rows: rows 5, 6" in several
    assert "id 5" not in str(raised.value)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"require": [{"model": "k-anonymity", "k": 2}]}, {"require"}),
        ({"columns": {"age": {"role": "quasi", "publish": "range"}}}, {"columns.age.hierarchy"}),
        ({"columns": {"sex": {"role": "other"}}}, {"columns.sex", "columns.sex.hierarchy"}),
        ({"columns": {"disease": {"role": "drop"}}, "require": [{"model": "k-anonymity", "k": 3}]},
         {"columns.disease", "require"}),
    ],
)  # fmt: skip
def test_a_plan_of_other_terms_is_refused_with_each_of_them(releases, change, named):
    columns = PLAN["columns"] | change.get("columns", {})
    other = PLAN | change | {"columns": columns}
    with pytest.raises(PlanError) as raised:
        anonymize(TABLES[2], other, series=releases[1].ledger)
    assert {fault.place.removeprefix("plan, ") for fault in raised.value.faults} == named


def test_method_limits_and_cohort_may_change(releases):
    other = PLAN | {"method": {"name": "best"}, "limits": {"suppression": 0.9}}
    other |= {"series": {"person": "id", "cohort": 30}}
    assert anonymize(TABLES[2], other, series=releases[1].ledger).ledger.number == 3


def test_a_hierarchy_file_is_known_by_what_it_holds(tmp_path):
    def plan(name):
        made = plan_of(3, cohort=40)
        made["columns"]["sex"] = {"role": "quasi", "hierarchy": {"csv": str(tmp_path / name)}}
        return made

    (tmp_path / "a.csv").write_text("f,*\nm,*\n")
    (tmp_path / "b.csv").write_text("f,*\nm,*\n")
    (tmp_path / "c.csv").write_text("f,*\nm,*\nx,*\n")
    ledger = anonymize(TABLES[0], plan("a.csv"), series=Ledger()).ledger
    assert anonymize(TABLES[1], plan("b.csv"), series=ledger).ledger.number == 2
    with pytest.raises(PlanError, match=r"columns\.sex\.hierarchy: it was otherwise"):
        anonymize(TABLES[1], plan("c.csv"), series=ledger)


def test_a_table_of_other_people_is_refused(releases):
    strangers = table_of({900 + n: (30, "f", "flu") for n in range(9)})
    with pytest.raises(DataError, match=r"nobody of the \d+ people in the ledger is in this table"):
        anonymize(strangers, PLAN, series=releases[0].ledger)


def test_too_many_who_must_be_suppressed_are_counted():
    tight = plan_of(3, cohort=6, suppression=0.0)
    with pytest.raises(CannotMeetError, match=r"limits.suppression: \d+ people must be suppressed"):
        series_of(TABLES, tight)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"series": {"person": "name"}}, "'name' is not an identifier or a respondent"),
        ({"method": {"name": "optimal"}}, "'optimal' makes no groups of people"),
        ({"method": {"name": "freeform"}}, "'freeform' makes no groups of people"),
        ({"method": {"name": "cell-suppression"}}, "makes no groups of people"),
        ({"loss": "precision", "method": {"name": "auto"}}, "'auto' makes no groups of people"),
        ({"engine": {"name": "duckdb"}}, "duckdb makes no series"),
        ({"series": {"person": "id", "cohort": 1}}, "series.cohort"),
        ({"series": {"person": "id", "cohorts": 5}}, "unknown key 'cohorts'"),
    ],
)
def test_a_plan_that_no_series_can_keep_is_refused_before_any_work(change, problem):
    plan = plan_of(3) | {"publish": "auto"} | change
    with pytest.raises(PlanError, match=problem):
        Plan.load(plan)


def test_a_plan_of_a_series_needs_a_ledger_and_the_other_way_round():
    with pytest.raises(PlanError, match="no ledger is given"):
        anonymize(TABLES[0], PLAN)
    with pytest.raises(PlanError, match="Give a Ledger"):
        anonymize(TABLES[0], PLAN, series="ledger.json")
    alone = {key: value for key, value in PLAN.items() if key != "series"}
    with pytest.raises(PlanError, match="does not say who is who"):
        anonymize(TABLES[0], alone, series=Ledger())


def test_what_apply_would_publish_no_ledger_would_know(releases):
    with pytest.raises(PlanError, match="would not be in the ledger"):
        releases[0].learnt()


def test_releases_that_were_changed_or_left_out_or_given_twice_are_named(releases):
    ledger, frames = releases[-1].ledger, [release.rows for release in releases]
    with pytest.raises(DoesNotHoldError) as raised:
        verify(frames[2], PLAN, series=ledger, against=[frames[2], frames[0].slice(1)])
    told = "\n".join(map(str, raised.value.faults))
    assert "release 3 is given twice" in told
    assert "no release of this series, or was changed since" in told
    assert "release 1: it is not given" in told
    assert "release 2: it is not given" in told


def test_a_ledger_that_was_changed_by_hand_is_found(releases):
    content = json.loads(as_text(releases[-1].ledger))
    past = content["releases"][0]
    first, second = sorted(set(past["of_person"]) - {-1})[:2]
    one, two = past["of_person"].index(first), past["of_person"].index(second)
    past["of_person"][one], past["of_person"][two] = second, first
    swapped = Ledger.model_validate(content)
    with pytest.raises(DoesNotHoldError):
        proven(releases, swapped, private=TABLES)


def test_private_tables_in_another_order_or_number_are_refused(releases):
    ledger = releases[-1].ledger
    with pytest.raises(DataError, match="Give the table of each release"):
        proven(releases, ledger, private=TABLES[:2])
    with pytest.raises(DoesNotHoldError, match="are missing"):
        proven(releases, ledger, private=TABLES[::-1])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{}", "it is not a ledger"),
        ("nothing", "it is not JSON"),
        ('{"kind": "indistinct ledger", "people": ["a", "a"]}', "it lists a person twice"),
        ('{"kind": "indistinct ledger", "people": ["a"]}', "its releases are not about its people"),
        ('{"kind": "indistinct ledger", "names": ["Bob"]}', "names: Extra inputs"),
    ],
)
def test_a_file_that_is_no_ledger_is_refused(tmp_path, text, problem):
    path = tmp_path / "ledger.json"
    path.write_text(text)
    with pytest.raises(DataError, match=problem) as raised:
        read_ledger(path)
    assert "Bob" not in str(raised.value)


def test_one_run_at_a_time_holds_a_ledger(tmp_path):
    path = tmp_path / "ledger.json"
    path.write_text(as_text(Ledger()))
    busy = pytest.raises(DataError, match="another run is making")
    with held(path, first=False), busy, held(path, first=False):
        pass
    with held(path, first=False) as ledger:
        assert ledger.number == 0


def test_the_same_seed_gives_the_same_releases_and_suppressed_rows_may_be_blanks():
    plan = PLAN | {"suppressed": "blank"}
    one, two = (series_of(TABLES, plan) for _ in range(2))
    for a, b in zip(one, two, strict=True):
        assert a.rows.equals(b.rows)
    assert one[-1].rows.num_rows == TABLES[-1].num_rows
    assert proven(one, one[-1].ledger, plan).joined


def test_the_person_may_be_the_respondent(releases):
    plan = PLAN | {"columns": PLAN["columns"] | {"id": {"role": "respondent"}}}
    made = series_of(TABLES, plan)
    assert [r.rows.num_rows for r in made] == [r.rows.num_rows for r in releases]
