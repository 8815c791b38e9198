"""Plans that would publish identifiers or count rows for people: refused, or accepted in words."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from indistinct import anonymize, anonymize_file, check_plan
from indistinct.cli import app
from indistinct.datasets import census, medical, medical_plan
from indistinct.errors import PlanError, UnsafePlanError

ROWS = 60
FLAT = {"role": "quasi", "hierarchy": "flat"}


def plan(columns, **more):
    return {"columns": columns, "require": [{"model": "k-anonymity", "k": 2}], **more}


def people(**columns):
    return pa.table({"sex": ["f", "m"] * (ROWS // 2), **columns})


def refused(data, asked):
    """Name the columns that anonymize and check_plan refuse, which must be the same."""
    found = []
    for verb in (lambda: anonymize(data, asked), lambda: check_plan(asked, data)):
        try:
            verb()
        except UnsafePlanError as error:
            found.append([fault.place for fault in error.faults])
        else:
            found.append([])
    assert found[0] == found[1]
    return found[0]


NOTES = [f"seen on {n} days, all is well so far" for n in range(ROWS)]
LIKE_IDENTIFIERS = {
    "mail in one note": ("remark", ["fine"] * (ROWS - 1) + ["write to ann@example.org"]),
    "phone in one note": ("v", ["fine"] * (ROWS - 1) + ["Tel. 0151-1234567"]),
    "names": ("Nachname", [f"Name{n % 20}" for n in range(ROWS)]),
    "person numbers": ("Versichertennummer", [f"{n % 30}" for n in range(ROWS)]),
    "serial numbers": ("v", list(range(1000, 1000 + ROWS))),
    "long numbers": ("v", [7_000_000 + 9_137 * n for n in range(ROWS)]),
    "codes": ("v", [f"K{n * 37:04}" for n in range(ROWS)]),
    "sentences": ("v", NOTES),
    "points": ("lat", [48.1371 + n / 7919 for n in range(ROWS)]),
}
LIKE_NONE = {
    "salaries": ("salary", [31_000 + 379 * n for n in range(ROWS)]),
    "amounts": ("v", [round(17.31 * n, 2) for n in range(ROWS)]),
    "small numbers": ("v", [n * n for n in range(ROWS)]),
    "diagnoses": ("diagnosis", [f"E{n % 17}" for n in range(ROWS)]),
    "long diagnoses": ("diagnosis", [f"a rare disorder of kind {n % 15}" for n in range(ROWS)]),
    "dates": ("seen", [f"2020-01-{n % 28 + 1:02}" for n in range(ROWS)]),
    "german dates": ("v", [f"{n % 28 + 1:02}.{n % 12 + 1:02}.{1900 + n}" for n in range(ROWS)]),
    "yes and no": ("phone", ["yes", "no"] * (ROWS // 2)),
    "few stores": ("own_id", [n % 3 for n in range(ROWS)]),
}


@pytest.mark.parametrize("role", ["sensitive", "other", "quasi"])
@pytest.mark.parametrize("case", LIKE_IDENTIFIERS)
def test_what_looks_like_an_identifier_is_not_published(case, role):
    name, values = LIKE_IDENTIFIERS[case]
    column = FLAT if role == "quasi" else {"role": role}
    assert f"column {name!r}" in refused(
        people(**{name: values}), plan({"sex": FLAT, name: column})
    )


@pytest.mark.parametrize("role", ["sensitive", "other"])
@pytest.mark.parametrize("case", LIKE_NONE)
def test_what_does_not_is_published(case, role):
    name, values = LIKE_NONE[case]
    assert refused(people(**{name: values}), plan({"sex": FLAT, name: {"role": role}})) == []


@pytest.mark.parametrize(
    ("name", "values", "hierarchy"),
    [
        ("zip", [f"{10_000 + 911 * n}" for n in range(ROWS)], {"mask": "right"}),
        ("born", [f"19{n + 20}-03-01" for n in range(ROWS)], {"dates": ["year", "decade"]}),
        ("v", [1000 + n for n in range(ROWS)], {"intervals": [10, 100]}),
        ("v", [1000 + n for n in range(ROWS)], None),
        ("lat", [48.1371 + n / 7919 for n in range(ROWS)], {"intervals": [0.5, 5]}),
        (
            "street",
            list("abcdefghijklmno") * 4,
            {"tree": {"x": list("abcdefgh"), "y": list("ijklmno")}},
        ),
    ],
)
def test_a_quasi_column_that_is_coarsened_may_have_a_value_for_each_row(name, values, hierarchy):
    column = {"role": "quasi", **({} if hierarchy is None else {"hierarchy": hierarchy})}
    assert refused(people(**{name: values}), plan({"sex": FLAT, name: column})) == []


def test_unlisted_columns_that_are_released_are_looked_at():
    data = people(note=["fine"] * (ROWS - 1) + ["ann@example.org"])
    assert refused(data, plan({"sex": FLAT}, unlisted="other")) == ["column 'note'"]
    assert refused(data, plan({"sex": FLAT}, unlisted="drop")) == []


VISITS = {
    "Patientennummer": [f"P{n // 3}" for n in range(ROWS)],
    "sex": ["fm"[n // 3 % 2] for n in range(ROWS)],
    "town": [f"t{n // 3 % 5}" for n in range(ROWS)],
    "day": [f"2020-01-{n % 28 + 1:02}" for n in range(ROWS)],
}
VISITED = {"sex": FLAT, "town": FLAT, "day": {"role": "sensitive"}}


@pytest.mark.parametrize("role", ["identifier", "drop"])
@pytest.mark.parametrize("name", ["Patientennummer", "nr. pat.", "zzz"])
def test_people_with_several_rows_need_a_respondent(role, name):
    """By the name of the column, or because sex and town never change within one of its values."""
    data = pa.table(VISITS).rename_columns([name, "sex", "town", "day"])
    assert refused(data, plan(VISITED | {name: {"role": role}})) == [f"column {name!r}"]
    assert refused(data, plan(VISITED | {name: {"role": "respondent"}})) == []


def test_namesakes_and_households_are_not_one_person():
    born = [f"19{n + 20}-03-01" for n in range(ROWS)]
    data = people(
        name=[f"N{n // 2}" for n in range(ROWS)],
        phone=[f"0{n // 3}" for n in range(ROWS)],
        born=born,
    )
    columns = {"sex": FLAT, "born": {"role": "quasi"}, "name": {"role": "identifier"}}
    assert refused(data, plan({**columns, "phone": {"role": "identifier"}})) == []


def test_a_zip_code_that_decides_the_town_is_no_person():
    town = [n % 15 for n in range(ROWS)]
    data = people(
        town=[f"t{t}" for t in town],
        state=[f"s{t % 3}" for t in town],
        code=[f"c{t}" for t in town],
    )
    columns = {"sex": FLAT, "town": FLAT, "state": FLAT, "code": {"role": "drop"}}
    assert refused(data, plan(columns)) == []


def test_all_is_told_at_once_and_nothing_is_written(tmp_path):
    data = tmp_path / "in.csv"
    lines = [f"P{n // 3},{'fm'[n // 3 % 2]},a{n}@b.org,text {n}" for n in range(ROWS)]
    data.write_text("\n".join(["patient_id,sex,mail,v", *lines]), encoding="utf-8")
    roles = {"patient_id": "identifier", "mail": "other", "v": "sensitive"}
    asked = plan({"sex": FLAT} | {name: {"role": role} for name, role in roles.items()})
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(asked), encoding="utf-8")
    runner = CliRunner()
    for words in (
        ["plan", "check", path, data],
        ["anonymize", data, "--plan", path, "--out", tmp_path / "out.csv"],
    ):
        ran = runner.invoke(app, [str(word) for word in words])
        assert ran.exit_code == 1
    with pytest.raises(UnsafePlanError) as raised:
        anonymize_file(data, path, tmp_path / "out.csv")
    told = str(raised.value)
    assert "'patient_id'" in told
    assert "it holds e-mail addresses" in told
    assert "'v': nearly every row has a different value" in told
    assert 'accept = [{ column = "mail", reason = "..." }]' in told
    assert sorted(part.name for part in tmp_path.iterdir()) == ["in.csv", "plan.json"]


def test_faults_of_the_plan_come_together_with_what_is_undecided():
    data = people(mail=["a@b.org"] * ROWS)
    asked = plan({"sex": FLAT, "mail": {"role": "other"}, "gone": {"role": "drop"}})
    with pytest.raises(PlanError) as raised:
        check_plan(asked, data)
    assert [fault.place for fault in raised.value.faults] == ["data", "column 'mail'"]


ACCEPTED = [
    {"column": "mail", "reason": "all addresses are of the press office"},
    {"column": "visit", "reason": "a visit is counted, not a person"},
]


def test_what_is_accepted_is_released_with_the_reason(tmp_path):
    data = tmp_path / "in.csv"
    lines = [f"{n // 2},{'fm'[n // 2 % 2]},press@b.org" for n in range(ROWS)]
    data.write_text("\n".join(["visit_id,sex,mail", *lines]), encoding="utf-8")
    roles = {"visit_id": "identifier", "sex": "quasi", "mail": "other"}
    columns = {name: {"role": role} for name, role in roles.items()}
    reasons = [ACCEPTED[0], {**ACCEPTED[1], "column": "visit_id"}]
    asked = plan(columns, accept=reasons)
    names = ("report.html", "public.html", "public.json", "all.json")
    papers = {name: tmp_path / name for name in names}
    release = anonymize_file(
        data,
        asked,
        tmp_path / "out.csv",
        report=papers["report.html"],
        public_report=papers["public.html"],
        public_json=papers["public.json"],
        report_json=papers["all.json"],
    )
    told = release.summary()
    assert [(part["column"], part["reason"]) for part in told["accepted"]] == [
        (part["column"], part["reason"]) for part in reasons
    ]
    for text in (*papers.values(), None):
        shown = "\n".join(told["warnings"]) if text is None else text.read_text("utf-8")
        assert all(part["reason"] in shown for part in reasons)
    assert all(part["reason"] in "\n".join(check_plan(asked, data).warnings) for part in reasons)


@pytest.mark.parametrize(
    ("accept", "problem"),
    [
        ([{"column": "mail"}], "reason"),
        ([{"column": "mail", "reason": " - "}], "a reason needs words"),
        ([{"column": "mial", "reason": "why not"}], "Closest: 'mail'"),
        ([{"column": "mail", "reason": "so"}] * 2, "named twice"),
    ],
)
def test_reasons_that_are_none(accept, problem):
    data = people(mail=["a@b.org"] * ROWS)
    with pytest.raises(PlanError, match=problem):
        anonymize(data, plan({"sex": FLAT, "mail": {"role": "other"}}, accept=accept))


def test_examples_need_no_acceptance():
    data = census(2_000, seed=1)
    roles = {name: {"role": "quasi"} for name in data.column_names}
    assert refused(data, plan(roles)) == []
    assert refused(medical(), medical_plan()) == []


ALIKE = ["HIV", "HIV ", "hiv", "flu", "Flu", "S\u00e4ge", "Sa\u0308ge", "Graz"]


def test_values_that_look_alike_are_warned_of():
    ill = [ALIKE[n % 5] for n in range(ROWS - 1)] + ["Flu  "]
    town = [ALIKE[5 + n % 3] for n in range(ROWS)]
    data = people(ill=ill, town=town)
    asked = plan({"sex": FLAT, "town": FLAT, "ill": {"role": "sensitive"}})
    warned = "\n".join(anonymize(data, asked).warnings)
    assert "column 'ill': 6 values differ only by case, spaces or Unicode form" in warned
    assert "and would be 2 if they were written the same way" in warned
    assert "column 'town': 2 values" in warned
    assert "HIV" not in warned
    checked = "\n".join(check_plan(asked, data).warnings)
    assert "'HIV' and 'HIV '" in checked
    assert "Flu  " not in checked


def test_values_that_fewer_than_k_people_have_are_not_shown():
    data = people(who=[f"w{n // 20}" for n in range(ROWS)], ill=["HIV"] * 20 + ["hiv"] * 40)
    asked = plan({"sex": FLAT, "ill": {"role": "sensitive"}, "who": {"role": "respondent"}})
    [warning] = check_plan(asked, data).warnings
    assert "2 values differ" in warning
    assert "hiv" not in warning.lower().replace("'ill'", "")


def test_values_that_do_not_look_alike_are_not_warned_of():
    data = people(ill=["HIV", "flu", None] * (ROWS // 3))
    asked = plan({"sex": FLAT, "ill": {"role": "sensitive"}})
    assert check_plan(asked, data).warnings == ()
