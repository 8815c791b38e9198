"""Presets: what they add, what they refuse, and HIPAA's 18 identifiers."""

from __future__ import annotations

import pyarrow as pa
import pytest

from indistinct import Plan, anonymize, assess, verify
from indistinct.errors import DoesNotHoldError, PlanError
from indistinct.plan.presets import PRESETS
from indistinct.risk.hipaa import FEW_PEOPLE, safe_harbor


def plan(**more):
    return {"columns": {"zip": {"role": "quasi", "hierarchy": {"mask": "right"}}}, **more}


@pytest.mark.parametrize(("name", "k"), [("k11", 11), ("cell5", 5)])
def test_a_preset_adds_its_k(name, k):
    [required] = Plan.load(plan(preset=name)).require
    assert (required.model, required.least_respondents) == ("k-anonymity", k)


def test_it_keeps_what_is_stricter_and_refuses_what_is_weaker():
    stricter = [{"model": "k-anonymity", "k": 20}]
    [required] = Plan.load(plan(preset="k11", require=stricter)).require
    assert required.least_respondents == 20
    with pytest.raises(PlanError, match="asks for a k of at least 11, and k is 5"):
        Plan.load(plan(preset="k11", require=[{"model": "k-anonymity", "k": 5}]))


def test_it_stands_beside_other_requirements():
    columns = plan()["columns"] | {"disease": {"role": "sensitive"}}
    diverse = [{"model": "l-diversity", "l": 2}]
    loaded = Plan.load({"columns": columns, "preset": "cell5", "require": diverse})
    assert [required.model for required in loaded.require] == ["k-anonymity", "l-diversity"]
    again = Plan.load(loaded.public())
    assert again.require == loaded.require
    assert loaded.overridden({"seed": 1}).require == loaded.require


def test_there_is_no_other_preset():
    with pytest.raises(PlanError, match=r"there is no 'k12'\. Closest: 'k11'"):
        Plan.load(plan(preset="k12", require=[{"model": "k-anonymity", "k": 2}]))
    with pytest.raises(PlanError, match="preset"):
        Plan.load(plan(preset=["k11"]))


def test_safe_harbor_asks_for_no_class_size():
    with pytest.raises(PlanError, match="require"):
        Plan.load(plan(preset="hipaa-safe-harbor"))


def test_k11_is_kept_and_can_be_measured():
    data = pa.table({"zip": ["22030"] * 10 + ["22031"] * 12})
    release = anonymize(data, plan(preset="k11"))
    assert release.evidence[0].measured >= 11
    found = assess(data, plan(preset="k11"), release=release.rows)
    assert found.risk.reidentification.threshold == pytest.approx(1 / 11)
    assert found.risk.reidentification.prosecutor.rows_above == 10
    assert found.released.reidentification.prosecutor.rows_above == 0


IDENTIFYING = {
    "A": {"last_name": ["x"]},
    "B": {"city": ["Rome"]},
    "D": {"contact": ["617-555-0123", "617 555 0124"]},
    "E": {"fax": ["1"]},
    "F": {"reach": ["a@b.org"]},
    "G": {"number": ["078-05-1120"]},
    "H": {"MRN": ["1"]},
    "I": {"beneficiary": ["1"]},
    "J": {"account": ["1"]},
    "K": {"driver_license": ["1"]},
    "L": {"license_plate": ["1"]},
    "M": {"device": ["1"]},
    "N": {"seen_at": ["https://example.org/x"]},
    "O": {"host": ["10.0.0.1"]},
    "P": {"fingerprint": ["1"]},
    "Q": {"photo": ["1"]},
    "R": {"patient_id": ["1"]},
}


@pytest.mark.parametrize("letter", IDENTIFYING)
def test_an_identifier_is_found_by_name_or_contents(letter):
    [found] = safe_harbor(pa.table(IDENTIFYING[letter]))
    expected = {letter, "K"} if letter == "L" else {letter}
    assert found.letter in expected


def test_one_value_among_many_is_enough():
    mixed = [f"p{n}@example.org" for n in range(45)] + [f"617-555-01{n:02}" for n in range(45)]
    assert [found.letter for found in safe_harbor(pa.table({"reach": mixed + ["-"] * 10}))] == ["F"]
    late = [f"nothing {n}" for n in range(5_000)] + ["call 0151-1234567"]
    assert [found.letter for found in safe_harbor(pa.table({"v": late * 2}))] == ["D"]
    days = [str(1900 + n % 90) for n in range(90)] + [f"x{n}" for n in range(3_000)] + ["3/4/1999"]
    assert [found.letter for found in safe_harbor(pa.table({"v": days * 2}))] == ["C"]


@pytest.mark.parametrize(
    "name", ["Patientennummer", "apellidos", "telefoonnummer", "codice fiscale"]
)
def test_identifiers_are_known_by_names_in_other_languages(name):
    [found] = safe_harbor(pa.table({name: ["1"]}))
    assert "its name suggests" in found.reason


def test_codes_of_ones_own():
    codes = pa.table({"sample": [f"K{n:03}" for n in range(40)]})
    assert [found.letter for found in safe_harbor(codes)] == ["R"]
    assert safe_harbor(pa.table({"weight": [f"{n}.5" for n in range(40)]})) == []


@pytest.mark.parametrize("text", ["941**", "941", "94100", "94***", "*", "000**"])
def test_zip_codes_of_three_digits_may_stay(text):
    assert safe_harbor(pa.table({"zip": [text]})) == []


@pytest.mark.parametrize("text", ["94138", "9413*", "[94138-94142]", "{94138, 94139}"])
def test_finer_zip_codes_may_not(text):
    [found] = safe_harbor(pa.table({"zip_code": [text]}))
    assert (found.letter, "first three digits" in found.reason) == ("B", True)


def test_seventeen_zip_codes_are_too_small():
    assert len(FEW_PEOPLE) == 17
    [found] = safe_harbor(pa.table({"zip": ["036**", "941**"]}))
    assert "036" in found.reason
    assert "941" not in found.reason


@pytest.mark.parametrize("text", ["89", "[80-89]", ">=90", ">=85", "*", "[85, 90)"])
def test_ages_that_may_stay(text):
    assert safe_harbor(pa.table({"age": [text]})) == []


@pytest.mark.parametrize("text", ["90", "104", "[85-94]", ">=95", "[80, 95]"])
def test_ages_that_may_not(text):
    [found] = safe_harbor(pa.table({"age": [text]}))
    assert "90 and over must be one group" in found.reason


@pytest.mark.parametrize("text", ["1999", "[1990-1999]", "*"])
def test_years_may_stay(text):
    assert safe_harbor(pa.table({"admitted": [text]})) == []


@pytest.mark.parametrize(
    "text", ["1999-12-31", "12/31/1999", "1999-12", "1999-Q4", "[1999-01-01, 1999-12-31]"]
)
def test_finer_dates_may_not(text):
    [found] = safe_harbor(pa.table({"admitted": [text]}))
    assert (found.letter, found.reason) == ("C", "it shows more of a date than the year")


def test_years_of_birth_of_the_old_may_not_stay():
    [found] = safe_harbor(pa.table({"birth_year": ["1930", "1980"]}), year=2026)
    assert "years of birth" in found.reason
    assert safe_harbor(pa.table({"birth_year": ["1937", "1980"]}), year=2026) == []


def harbour(**columns):
    return {
        "columns": {
            "zip": {"role": "quasi", "hierarchy": {"mask": "right", "steps": [2]}},
            "patient": {"role": "identifier"},
            "stay": {"role": "sensitive"},
            **columns,
        },
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "optimal"},
        "preset": "hipaa-safe-harbor",
    }


DATA = pa.table(
    {
        "zip": ["94138", "94139", "94141", "94142"],
        "patient": ["a", "b", "c", "d"],
        "stay": ["3", "4", "3", "4"],
    }
)


def test_a_release_within_the_harbour():
    release = anonymize(DATA, harbour())
    assert set(release.rows.column("zip").to_pylist()) == {"941**"}
    assert verify(release.rows, harbour()).holds


def test_a_release_outside_is_refused_and_not_verified():
    finer = harbour(zip={"role": "quasi", "hierarchy": {"mask": "right", "steps": [1]}})
    with pytest.raises(DoesNotHoldError, match="Safe Harbor, paragraph B"):
        anonymize(DATA, finer)
    rows = pa.table({"zip": ["9413*"] * 2, "stay": ["3", "4"]})
    with pytest.raises(DoesNotHoldError, match="first three digits"):
        verify(rows, finer)


def test_random_pseudonyms_may_stay_and_keyed_ones_may_not(tmp_path):
    data = DATA.rename_columns(["zip", "patient_id", "stay"])
    columns = harbour()["columns"]
    columns.pop("patient")
    asked = harbour() | {
        "columns": columns | {"patient_id": {"role": "identifier", "pseudonym": {}}}
    }
    assert "patient_id" in anonymize(data, asked).rows.column_names
    (tmp_path / "key").write_text("0123456789abcdef0123")
    keyed = {"kind": "keyed", "key": str(tmp_path / "key")}
    asked["columns"]["patient_id"] = {"role": "identifier", "pseudonym": keyed}
    with pytest.raises(DoesNotHoldError, match="paragraph R"):
        anonymize(data, asked)


def test_a_raw_table_is_looked_through():
    found = assess(pa.table({"zip": ["94138"], "name": ["x"]}), safe_harbor=True)
    assert [(part.column, part.letter) for part in found.safe_harbor] == [
        ("zip", "B"),
        ("name", "A"),
    ]
    assert assess(DATA).safe_harbor is None


def test_every_preset_has_a_source():
    assert all(preset.source for preset in PRESETS.values())
