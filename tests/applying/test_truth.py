"""New rows are checked as those of a first release: for identifiers, and cell by cell for truth."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pyarrow.csv as pv
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from indistinct import anonymize, apply, apply_file
from indistinct.applying.application import Application
from indistinct.applying.applied import Applied
from indistinct.applying.recoding_file import as_text
from indistinct.errors import CannotMeetError, DoesNotHoldError, UnsafePlanError
from tests.build import accepted
from tests.profiles import examples
from tests.rows import records

METHODS = ["optimal", "best", "k-optimize"]
LANDS = {"tree": {"South": ["Italy", "Spain"], "East": ["Japan", "Korea"]}}
ROWS = 40


def people(*, ward=None, **more):
    """Rows of a plain table, in which nothing looks like an identifier."""
    return pa.table(
        {
            "age": [20 + n % 10 + 20 * (n % 2) for n in range(ROWS)],
            "land": [["Italy", "Spain", "Japan", "Korea"][n % 4] for n in range(ROWS)],
            "ill": [["flu", "gout", "cold"][n % 3] for n in range(ROWS)],
            "ward": ward or [["north", "south"][n // 2 % 2] for n in range(ROWS)],
            **more,
        }
    )


def plan(method="optimal", **more):
    columns = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
        "land": {"role": "quasi", "hierarchy": LANDS},
        "ill": {"role": "sensitive"},
        "ward": {"role": "other"},
    }
    require = [{"model": "k-anonymity", "k": 3}]
    return {"columns": columns, "require": require, "method": {"name": method}, **more}


def lie(monkeypatch, name, tell):
    """Let publishing write something else into a column."""
    honest = Application._publish

    def publish(self, *args, **options):
        honest(self, *args, **options)
        columns = self.published.columns
        texts = [tell(value) for value in columns.column(name).to_pylist()]
        place = columns.column_names.index(name)
        columns = columns.set_column(place, name, pa.array(texts))
        self.published = replace(self.published, columns=columns)

    monkeypatch.setattr(Application, "_publish", publish)


def turned(values):
    """Give every value the name of the next, so that all classes stay as large as they were."""
    after = dict(zip(values, [*values[1:], values[0]], strict=True))
    return lambda value: after.get(value, value)


LIES = {
    "age": lambda _: "[1-2]",
    "land": lambda _: "Peru",
    "ill": turned(["flu", "gout", "cold"]),
    "ward": turned(["north", "south"]),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", LIES)
def test_whatever_is_untrue_is_found_and_not_written(monkeypatch, tmp_path, method, name):
    learnt = anonymize(people(), plan(method)).learnt()
    assert apply(learnt, people()).verified.holds
    (tmp_path / "r.json").write_text(as_text(learnt))
    pv.write_csv(people(), tmp_path / "next.csv")
    before = sorted(tmp_path.iterdir())
    lie(monkeypatch, name, LIES[name])
    with pytest.raises(DoesNotHoldError, match=f"column '{name}'"):
        apply(learnt, people())
    with pytest.raises(DoesNotHoldError, match=f"column '{name}'"):
        apply_file(
            tmp_path / "r.json",
            tmp_path / "next.csv",
            tmp_path / "out.csv",
            held_back=tmp_path / "held.csv",
            recoding_out=tmp_path / "r2.json",
        )
    assert sorted(tmp_path.iterdir()) == before


def test_sets_are_read_with_the_labels_that_stand_in_them(monkeypatch):
    """A member that few people have is named by the label above it."""
    lands = ["Italy"] * 3 + ["Spain", "Japan"] * 3
    data = pa.table({"land": ["Korea", *lands, *lands]})
    asked = plan("best", publish="set")
    asked["columns"] = {"land": asked["columns"]["land"]}
    asked["require"][0]["k"] = 4
    learnt = anonymize(data, asked).learnt()
    texts = {cell.texts[0] for column in learnt.columns for cell in column.cells}
    assert "{Japan, East}" in texts or "East" in texts
    assert apply(learnt, data).verified.holds
    lie(monkeypatch, "land", turned(sorted(texts)) if len(texts) > 1 else lambda _: "South")
    with pytest.raises(DoesNotHoldError, match="do not cover the private value"):
        apply(learnt, data)


MAIL = [f"p{n}@example.org" for n in range(ROWS)]
TOLD = "it holds e-mail addresses, and the plan publishes it"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["ward", "ill"])
def test_a_column_that_has_become_an_identifier_is_refused_as_at_first(method, name):
    learnt = anonymize(people(), plan(method)).learnt()
    new = people().set_column(people().column_names.index(name), name, pa.array(MAIL))
    with pytest.raises(UnsafePlanError, match=TOLD) as applied:
        apply(learnt, new)
    with pytest.raises(UnsafePlanError) as anonymized:
        anonymize(new, plan(method))
    assert str(applied.value) == str(anonymized.value)


def test_a_quasi_column_is_looked_at_too():
    asked = plan()
    asked["columns"]["ward"] = {"role": "quasi", "hierarchy": "flat"}
    learnt = anonymize(people(), asked).learnt()
    with pytest.raises(UnsafePlanError, match='role "quasi"'):
        apply(learnt, people(ward=MAIL))


def test_what_the_plan_accepts_is_published_and_told():
    learnt = anonymize(people(), plan(accept=accepted("ward"))).learnt()
    assert apply(learnt, people()).accepted == ()
    found = apply(learnt, people(ward=MAIL))
    assert [danger.column for danger in found.accepted] == ["ward"]
    assert found.summary()["accepted"][0]["column"] == "ward"
    assert any("it tells a test which row is which" in told for told in found.warnings)


def test_people_with_several_rows_are_found_in_new_rows():
    asked = plan(unlisted="drop")
    learnt = anonymize(people(), asked).learnt()
    twice = pa.array([n // 2 for n in range(ROWS)])
    new = people().take(twice).append_column("patient_id", twice)
    with pytest.raises(UnsafePlanError, match="k would count rows, not people"):
        apply(learnt, new)


@pytest.mark.parametrize("method", METHODS)
def test_numbers_in_ranges_may_all_differ(method):
    """What ranges show is no identifier, in new rows as in the first."""
    data = pa.table({"score": [100_000 + 7 * n for n in range(60)]})
    asked = plan(method)
    asked["columns"] = {"score": {"role": "quasi", "hierarchy": {"intervals": [50, 100, 200]}}}
    assert apply(anonymize(data, asked).learnt(), data).verified.holds


def test_new_rows_are_held_to_the_preset():
    asked = plan(preset="hipaa-safe-harbor")
    learnt = anonymize(people(), asked).learnt()
    with pytest.raises(DoesNotHoldError, match="Safe Harbor"):
        apply(learnt, people(ward=["2020-01-05"] * ROWS))


def test_a_bound_that_is_open_covers_one_side_only():
    ages = pa.table({"age": [20] * 4 + [30] * 4 + [61, 72, 83, 94]})
    ranged = {"role": "quasi", "hierarchy": {"intervals": [10], "top": 60}, "range_as": "bounds"}
    asked = {**plan("mondrian"), "columns": {"age": ranged}}
    release = anonymize(ages, asked)
    assert any(None in row for row in records(release.frame))
    found = apply(release.learnt(), pa.table({"age": [5, 7, 20, 20, 20, 97, 98, 99]}))
    assert found.held_back == {
        Applied.reasons[0]: [],
        Applied.reasons[1]: [1, 2],
        Applied.reasons[2]: [],
    }


def test_a_moment_is_no_whole_day():
    hours = [f"2020-01-0{day}T{hour:02}:00:00" for day in (1, 2) for hour in (8, 10)]
    column = {"role": "quasi", "hierarchy": "flat", "publish": "range"}
    asked = {**plan("mondrian"), "columns": {"seen": column}}
    learnt = anonymize(pa.table({"seen": sorted(hours * 3)}), asked).learnt()
    late = pa.table({"seen": ["2020-01-02T11:00:00"] * 3 + ["2020-01-02T10:00:00"] * 3})
    assert apply(learnt, late).held_back[Applied.reasons[1]] == [1, 2, 3]


def test_numbers_in_ranges_are_read_in_the_notation_of_new_rows():
    first = pa.table({"pay": ["1.000,50", "1.100,50", "2.000,50", "2.200,50"] * 5})
    asked = plan("best")
    asked["columns"] = {"pay": {"role": "quasi", "hierarchy": {"intervals": [500, 1000]}}}
    release = anonymize(first, asked)
    found = apply(release.learnt(), first)
    assert Counter(records(found.frame)) == Counter(records(release.frame))
    assert any("decimal" in told for told in found.warnings)


DATES = st.dates(min_value=pa.scalar(17_500, pa.date32()).as_py(),
                 max_value=pa.scalar(18_500, pa.date32()).as_py())  # fmt: skip
COLUMNS = {
    "whole": (st.integers(0, 60), {"hierarchy": {"intervals": [5, 10, 20]}}),
    "fine": (st.decimals(0, 30, places=2).map(float), {"hierarchy": {"cuts": [[5, 10, 20]]}}),
    "suggested": (st.integers(-30, 30), {}),
    "bounds": (st.integers(0, 60), {"hierarchy": {"intervals": [5]}, "range_as": "bounds"}),
    "months": (DATES, {"hierarchy": {"dates": ["month", "year"]}}),
    "days": (DATES.map(str), {"hierarchy": "flat", "publish": "range"}),
    "german": (
        DATES.map(lambda day: day.strftime("%d.%m.%Y")),
        {"hierarchy": {"dates": ["year"], "format": "%d.%m.%Y"}, "publish": "exact"},
    ),
    "set": (st.integers(0, 20), {"hierarchy": {"intervals": [5, 10]}, "publish": "set"}),
    "months in sets": (DATES, {"hierarchy": {"dates": ["month", "year"]}, "publish": "set"}),
    "codes": (st.integers(0, 99).map("{:03}".format), {"hierarchy": {"mask": "right"}}),
}


@pytest.mark.parametrize("name", COLUMNS)
@examples(15)
@given(st.data(), st.sampled_from(["best", "mondrian", "k-optimize", "optimal"]))
def test_the_check_finds_nothing_in_honest_rows(name, data, method):
    values, column = COLUMNS[name]
    some = st.lists(st.one_of(values, values, values, st.none()), min_size=6, max_size=25)
    first, new = data.draw(some), data.draw(some)
    assume(all(any(value is not None for value in part) for part in (first, new)))
    if method == "optimal":
        column = {key: told for key, told in column.items() if key != "range_as"}
    asked = plan(method, limits={"suppression": 0.5}, accept=accepted("q"))
    asked["columns"] = {"q": {"role": "quasi", **column}}
    asked["require"][0]["k"] = 2
    try:
        found = apply(anonymize(pa.table({"q": first}), asked).learnt(), pa.table({"q": new}))
    except CannotMeetError:
        return
    assert found.verified.holds
