"""Suggested plans: roles and why, hierarchies without private values, TOML that loads."""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from datetime import date, timedelta
from math import log

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, check_plan, suggest_plan, verify
from indistinct.datasets import census, medical
from indistinct.errors import CannotMeetError, DataError, PlanError
from indistinct.plan.naming import sign_of
from indistinct.plan.suggestion import MARKERS
from indistinct.plan.toml import key, value
from tests.profiles import examples


def roles(found):
    return {column.name: column.role for column in found.columns}


def specs(found):
    return {c.name: c.hierarchy.spec for c in found.columns if c.hierarchy is not None}


def suggested(**columns):
    return suggest_plan(pa.table(columns))


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("SSN", "identifier"),
        ("first name", "identifier"),
        ("eMail", "identifier"),
        ("accountNo", "identifier"),
        ("AGE", "quasi"),
        ("zip5", "quasi"),
        ("DateOfBirth", "quasi"),
        ("dateofbirth", "quasi"),
        ("native-country", "quasi"),
        ("sex", "quasi"),
        ("sexual_orientation", "sensitive"),
        ("city_name", "quasi"),
        ("disease_name", "sensitive"),
        ("Salary", "sensitive"),
        ("religion", "sensitive"),
        ("Patientennummer", "identifier"),
        ("Kd-Nr.", "identifier"),
        ("Straße", "identifier"),
        ("Nº de paciente", "identifier"),
        ("codice_fiscale", "identifier"),
        ("DNI", "identifier"),
        ("NIR", "identifier"),
        ("BSN", "identifier"),
        ("prénom", "identifier"),
        ("visit_id", "identifier"),
        ("Geburtsdatum", "quasi"),
        ("date de naissance", "quasi"),
        ("PLZ", "quasi"),
        ("Code postal", "quasi"),
        ("geslacht", "quasi"),
        ("Staatsangehörigkeit", "quasi"),
        ("stato civile", "quasi"),
        ("store_id", "quasi"),
        ("Krankheit", "sensitive"),
        ("enfermedad", "sensitive"),
        ("reddito", "sensitive"),
        ("inkomen", "sensitive"),
        ("Bemerkungen", "drop"),
        ("observaciones", "drop"),
        ("message", None),
        ("paid", None),
        ("x", None),
    ],
)
def test_names_of_columns_tell_roles(name, role):
    sign = sign_of(name)
    assert (sign.role if sign else None) == role


def test_each_role_has_a_reason():
    found = suggested(
        token=[f"t{n:03}" for n in range(40)],
        reading=[n / 7 for n in range(40)],
        source=["here"] * 40,
        nothing=pa.nulls(40, pa.string()),
        parts=[[n] for n in range(40)],
        contact=[f"p{n % 7}@example.org" for n in range(40)],
        diagnosis=["flu", "gout"] * 20,
        flag=["p", "q"] * 20,
    )
    assert roles(found) == {
        "token": "identifier",
        "reading": "quasi",
        "source": "other",
        "nothing": "drop",
        "parts": "drop",
        "contact": "identifier",
        "diagnosis": "sensitive",
        "flag": "quasi",
    }
    assert [c.name for c in found.columns if not c.sure] == ["reading", "flag"]
    assert all(column.why for column in found.columns)
    unsure, by_values, kept = found.look_at
    assert unsure.endswith(": reading, flag")
    assert by_values.endswith(": token, nothing, parts, contact")
    assert kept.endswith(": source, diagnosis")


def test_hierarchies_fit_the_values():
    days = [(date(2020, 1, 1) + timedelta(n)).isoformat() for n in range(40)]
    found = suggested(
        age=list(range(20, 60)),
        amount=[1000 * n for n in range(20)] * 2,
        share=[n / 400 for n in range(40)],
        seen=days,
        born=[f"{n % 28 + 1:02}/{n % 12 + 1:02}/19{n + 10}" for n in range(40)],
        birth_year=list(range(1950, 1990)),
        zip=["02138", "02139", "2041", "10001"] * 10,
        ward=[1, 2, 3, 4] * 10,
        job_code=[f"K{n % 20:02}" for n in range(40)],
        club=["red", "blue"] * 20,
        town=[chr(97 + n % 20) * 5 for n in range(40)],
    )
    calendar = ["month", "year", "decade"]
    assert specs(found) == {
        "age": {"intervals": [5, 10, 20]},
        "amount": {"intervals": [1000, 5000, 10000, 50000]},
        "share": {"intervals": [0.001, 0.005, 0.01, 0.05]},
        "seen": {"dates": calendar},
        "born": {"dates": calendar},
        "birth_year": {"intervals": [5, 10, 20]},
        "zip": {"mask": "right"},
        "ward": "flat",
        "job_code": {"mask": "right"},
        "club": "flat",
        "town": "flat",
    }
    assert found.look_at[-1].endswith("your own hierarchy keeps more: town")


def test_a_date_that_can_be_read_in_two_ways_is_asked_about():
    found = suggested(born=[f"0{n % 9 + 1}/0{n % 7 + 1}/1980" for n in range(30)])
    [column] = found.columns
    assert column.hierarchy.spec == "flat"
    assert column.hierarchy.note.startswith("does the day or the month come first?")
    assert "no value decides which" in found.look_at[0]
    assert found.input.dates is None


def test_the_least_and_greatest_value_show_nowhere():
    middle = [40 + n % 20 for n in range(100)]
    one, other = (
        suggested(size=[*middle, *ends], flag=["p", "q"] * 51).toml()
        for ends in ([0, 100], [-987_654, 3_141_592])
    )
    assert one == other


def test_people_with_several_rows_are_counted_once():
    found = suggested(
        order_id=[n // 2 for n in range(40)],
        customer_id=[n // 4 for n in range(40)],
        age=list(range(40)),
    )
    expected = {"order_id": "identifier", "customer_id": "respondent", "age": "quasi"}
    assert roles(found) == expected


def test_a_number_with_few_values_is_no_respondent():
    found = suggested(own_id=[n % 3 for n in range(90)], age=[n % 50 for n in range(90)])
    assert roles(found)["own_id"] == "quasi"


@pytest.mark.parametrize(
    ("columns", "quasi"),
    [
        ({"disease": ["flu", "gout"] * 10}, ["disease"]),
        ({"name": [f"P{n}" for n in range(50)], "disease": ["flu", "gout"] * 25}, ["disease"]),
        ({"id": list(range(50)), "source": ["here"] * 50}, ["source"]),
    ],
)
def test_some_column_is_quasi_if_one_can_be(columns, quasi):
    found = suggested(**columns)
    assert [name for name, role in roles(found).items() if role == "quasi"] == quasi
    assert any("a plan needs a quasi-identifier" in line for line in found.look_at)
    assert "suggest" not in specs(found).values()
    assert anonymize(pa.table(columns), found.plan()).summary()["released_rows"]


@pytest.mark.parametrize(
    "columns",
    [{"x": list(range(50))}, {"name": [f"P{n}" for n in range(50)], "e-mail": ["a@b.org"] * 50}],
    ids=["numbers", "names"],
)
def test_an_identifier_is_never_made_quasi(columns):
    with pytest.raises(DataError, match="no column has values that could be generalized") as raised:
        suggested(**columns)
    assert len(raised.value.faults) == 1 + len(columns)


def test_no_plan_for_nothing():
    with pytest.raises(DataError, match="no column has values"):
        suggested(x=pa.nulls(5, pa.string()))
    with pytest.raises(DataError, match="it has no rows"):
        suggested(x=pa.array([], pa.string()))


def test_a_row_in_place_of_a_header_is_refused_and_not_shown(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("Ann,f,flu\nBob,m,flu\nCyd,f,gout\n", encoding="utf-8")
    with pytest.raises(DataError, match="its first line looks like a row") as raised:
        suggest_plan(path)
    assert "Ann" not in str(raised.value)


def test_names_that_could_be_values_are_asked_about():
    found = suggest_plan(pa.table({"1984": ["p", "q"] * 10, "age": list(range(20))}))
    assert found.look_at[-1] == "names of columns look like values: is the first line a header?"


def test_l_diversity_is_asked_where_it_can_be_kept():
    ages = list(range(20, 60))
    diverse, constant, none = (
        suggested(age=ages, **more)
        for more in ({"disease": ["flu", "gout"] * 20}, {"disease": ["flu"] * 40}, {})
    )
    models = [[r.model for r in found.plan().require] for found in (diverse, constant, none)]
    assert models == [["k-anonymity", "l-diversity"], ["k-anonymity"], ["k-anonymity"]]
    assert '# model = "l-diversity"' in none.toml()
    opened = none.toml().replace("# [[", "[[").replace("# model", "model").replace("# l =", "l =")
    assert tomllib.loads(opened)["require"][1] == {"model": "l-diversity", "l": 2}


def test_texts_for_missing_among_numbers(tmp_path):
    path = tmp_path / "in.csv"
    lines = [f"{'NA' if n % 9 == 0 else 20 + n},{'?' if n % 5 else 'yes'}" for n in range(60)]
    path.write_text("\n".join(["age,flag", *lines]), encoding="utf-8")
    found = suggest_plan(path)
    assert found.input.missing == ("", "NA")
    assert specs(found)["age"] == {"intervals": [5, 10, 20]}
    assert found.look_at[-1] == "these texts are read as missing values: NA"
    assert check_plan(found.plan(), path).rows == 60


def test_frames_of_every_kind(make_frame):
    start = date(2020, 1, 1)
    data = make_frame(
        {
            "member": [f"m{n}" for n in range(40)],
            "smokes": [n % 3 == 0 for n in range(40)],
            "height": [150.5 + n for n in range(40)],
            "seen": [start + timedelta(n) for n in range(40)],
        }
    )
    found = suggest_plan(data)
    assert specs(found) == {
        "smokes": "flat",
        "height": {"intervals": [1, 5, 10, 50]},
        "seen": {"dates": ["month", "year", "decade"]},
    }
    assert len(anonymize(data, found.plan()).frame) == 40


def test_a_few_rows_are_told():
    assert "fewer than 5 rows" in suggested(age=[1, 2]).look_at[-1]


@pytest.mark.parametrize("data", [medical(), census(300, seed=3)], ids=["medical", "census"])
def test_examples_can_be_released_as_suggested(data):
    plan = suggest_plan(data).plan()
    assert verify(anonymize(data, plan).frame, plan).holds


ODD = ["a.b", 'say "hi"', "two\nlines", "back\\slash", "tab\t", "größe", "#no", "[x]", "'", "\x7f"]


@pytest.mark.parametrize("name", [*ODD, "plain", "with-dash", " ", "日本", "\U0001f600"])
def test_names_of_columns_come_back_from_toml(name):
    assert tomllib.loads(f"{key(name)} = {value(name)}") == {name: name}
    data = pa.table({name: ["p", "q"] * 10, "age": list(range(20))})
    assert list(suggest_plan(data).plan().columns) == [name, "age"]


@given(st.text(min_size=1))
def test_any_text_comes_back_from_toml(text):
    assert tomllib.loads(f"{key(text)} = {value([text])}") == {text: [text]}


# Words and numbers that no plan of ours holds, so that one found in it must be a leak.
WORDS = st.text("qxzjQXZJ73", min_size=3, max_size=6).filter(lambda t: t not in MARKERS)
NUMBERS = st.integers(-999_999, 999_999).filter(lambda n: abs(n) > 100 and n % 10)
CELLS = {
    "word": WORDS,
    "number": NUMBERS.map(str),
    "decimal": NUMBERS.map(lambda n: str(n / 1000)),
    "date": st.dates(date(1901, 1, 1), date(2031, 12, 31)).map(str),
    "code": st.integers(10_000, 99_999).filter(lambda n: n % 10).map(str),
    "mixed": st.one_of(WORDS, NUMBERS.map(str)),
}
NAMES = [
    "age",
    "zip",
    "born",
    "sex",
    "patient id",
    "name",
    "disease",
    "salary",
    "v1",
    "a.b",
    "q\"'\n",
]


@st.composite
def tables(draw):
    rows = draw(st.integers(5, 40))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True))
    columns = {}
    for name in names:
        cell = CELLS[draw(st.sampled_from(sorted(CELLS)))]
        pool = draw(st.lists(cell, min_size=1, max_size=rows, unique=True))
        known = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=rows))
        missing = [None] * (rows - len(known))
        columns[name] = draw(st.permutations([*known, *missing]))
    return columns


def too_few_people(columns, found):
    people = [name for name, role in roles(found).items() if role == "respondent"]
    return any(len(set(columns[name])) < 5 for name in people)


@given(tables())
@examples(60)
def test_any_suggestion_loads_and_checks_and_holds_no_value(tmp_path_factory, columns):
    path = tmp_path_factory.mktemp("suggest") / "in.csv"
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, quoting=csv.QUOTE_ALL)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    try:
        found = suggest_plan(path, out=path.with_name("plan.toml"))
    except DataError:
        assert not path.with_name("plan.toml").exists()
        return
    if not (few := too_few_people(columns, found)):
        checked = check_plan(path.with_name("plan.toml"), path)
        assert {c.column: c.role for c in checked.columns} == roles(found)
    assert few == any("no release of it can have k" in line for line in found.look_at)
    text = found.toml()
    cells = {cell for column in columns.values() for cell in column if cell is not None}
    assert [cell for cell in cells if len(cell) >= 3 and cell in text] == []


@given(tables())
@examples(10)
def test_any_suggestion_can_be_released(columns):
    data = pa.table(columns)
    try:
        found = suggest_plan(data)
    except DataError:
        return
    plan = found.plan()
    if too_few_people(columns, found):
        with pytest.raises(CannotMeetError):
            anonymize(data, plan)
        return
    summary = anonymize(data, plan).summary()
    kept = [found["holds"] for found in summary["requirements"]]
    assert kept == [True] * len(kept) != []


def told_about(column, target):
    """Mutual information from its definition: what is known of two columns less that of both."""
    pairs = list(zip(column, target, strict=True))

    def entropy(values):
        shares = [count / len(values) for count in Counter(values).values()]
        return -sum(share * log(share) for share in shares)

    chance = (len(set(column)) - 1) * (len(set(target)) - 1) / (2 * len(pairs))
    return max(entropy(column) + entropy(target) - entropy(pairs) - chance, 0.0)


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=5, max_size=60))
def test_weights_are_what_columns_tell_about_the_target(rows):
    city, sex, ill = ([f"v{code}" for code in column] for column in zip(*rows, strict=True))
    found = suggest_plan(pa.table({"city": city, "sex": sex, "disease": ill}), target="disease")
    told = {"city": told_about(city, ill), "sex": told_about(sex, ill)}
    most = max(told.values())
    for column in found.columns:
        if column.role == "quasi" and most > 1e-9:
            expected = max(told[column.name] / most, 0.05)
            assert column.weight == pytest.approx(expected, abs=0.0051)
            assert found.plan().columns[column.name].weight == column.weight
        else:
            assert column.weight is None


def test_numbers_of_many_values_are_weighed_in_bins():
    age = np.random.default_rng(1).permutation(3000)
    noise = np.random.default_rng(2).permutation(3000)
    ill = np.where(age < 1500, "flu", "cold")
    data = pa.table({"age": age, "income_code": noise, "sex": ["f", "m"] * 1500, "disease": ill})
    weights = {
        column.name: column.weight for column in suggest_plan(data, target="disease").columns
    }
    assert weights["age"] == 1.0
    assert weights["sex"] == 0.05


def test_a_target_that_nothing_tells_about_changes_nothing():
    data = pa.table({"city": ["a", "b"] * 20, "disease": ["x"] * 40})
    found = suggest_plan(data, target="disease")
    assert all(column.weight is None for column in found.columns)
    assert "no quasi-identifier says anything about disease: all weigh the same" in found.look_at


def test_a_target_that_is_not_there_is_refused():
    with pytest.raises(PlanError, match="target 'nobody': there is no such column"):
        suggest_plan(pa.table({"city": ["a", "b"] * 20}), target="nobody")
