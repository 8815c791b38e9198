"""What leaves the house: identifiers never, pseudonyms as asked, suppressed rows counted."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

from indistinct import anonymize, verify
from indistinct.errors import DataError, PlanError

PEOPLE = {
    "name": ["Ann", "Bob", "Cyd", "Dan", "Eve", "Fay", "Gus", None],
    "zip": ["1", "1", "1", "1", "2", "2", "2", "3"],
    "ill": ["a", "b", "c", "d", "e", "f", "g", "SECRET"],
}


def plan(name=None, **more):
    return {
        "columns": {
            "name": name or {"role": "identifier"},
            "zip": {"role": "quasi", "hierarchy": "flat"},
            "ill": {"role": "sensitive"},
        },
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "optimal"},
        "limits": {"suppression": 0.2},
        **more,
    }


def released(asked, people=PEOPLE, **options):
    return anonymize(pa.table(people), asked, **options).rows.to_pydict()


def test_identifiers_are_never_released():
    assert list(released(plan())) == ["zip", "ill"]
    assert list(released(plan({"role": "respondent"}))) == ["zip", "ill"]


def test_suppressed_rows_are_left_out():
    found = released(plan(), keep_order=True)
    assert found == {"zip": PEOPLE["zip"][:7], "ill": PEOPLE["ill"][:7]}


def test_suppressed_rows_are_blanked_in_every_column():
    asked = plan({"role": "identifier", "pseudonym": {"kind": "random"}}, suppressed="blank")
    release = anonymize(pa.table(PEOPLE), asked, keep_order=True)
    rows = release.rows.to_pylist()
    assert rows[-1] == {"name": "*", "zip": "*", "ill": "*"}
    assert "*" not in {cell for row in rows[:-1] for cell in row.values()}
    assert release.summary()["suppressed_rows"] == 1
    assert release.summary()["released_rows"] == 7
    assert release.verified.blank_rows == 1
    assert verify(release.frame, asked).blank_rows == 1


def test_blanks_where_nothing_is_suppressed_and_all_is_one_value():
    people = {"name": list("abcd"), "zip": ["1", "2", "3", "4"]}
    asked = plan(suppressed="blank")
    del asked["columns"]["ill"]
    release = anonymize(pa.table(people), asked)
    assert release.rows.to_pydict() == {"zip": ["*"] * 4}
    assert release.verified.holds
    found = verify(release.frame, asked)
    assert [e.holds for e in found.evidence] == [True]
    assert (found.holds, found.released_rows, found.blank_rows) == (None, 4, 0)
    assert "are * throughout, suppressed or generalized" in found.limits[0].note


def test_blanking_numbers_and_dates_makes_them_text():
    people = PEOPLE | {"ill": [1.5, None, 3, 4, 5, 6, 7, 8]}
    found = released(plan(suppressed="blank"), people, keep_order=True)
    assert found["ill"] == ["1.5", None, "3", "4", "5", "6", "7", "*"]


def test_lists_cannot_be_blanked():
    people = PEOPLE | {"ill": [[1]] * 8}
    asked = plan(suppressed="blank")
    asked["columns"]["ill"] = {"role": "other"}
    with pytest.raises(DataError, match=r"column 'ill': values of type .* cannot be blanked"):
        released(asked, people)


def test_a_release_in_a_log_shows_no_row():
    release = anonymize(pa.table(PEOPLE), plan())
    assert repr(release) == "<Release: 7 of 8 rows in 2 classes; measured k-anonymity 3>"
    assert "SECRET" not in repr(release.published)


def test_rows_are_shuffled_by_the_seed():
    people = {"name": [None] * 200, "zip": ["1"] * 200, "ill": [f"{i}.5" for i in range(200)]}
    orders = [released(plan(seed=seed), people)["ill"] for seed in (1, 1, 2, None, None)]
    assert orders[0] == orders[1]
    assert len(set(map(tuple, orders))) == 4
    assert people["ill"] not in orders
    assert all(sorted(order) == sorted(people["ill"]) for order in orders)
    assert released(plan(seed=1), people, keep_order=True)["ill"] == people["ill"]


def test_one_seed_orders_and_names_two_tables_differently():
    column = {"role": "identifier", "pseudonym": {"kind": "random"}}
    people = {
        "name": [str(i) for i in range(50)], "zip": ["1"] * 50, "ill": [f"{i}.5" for i in range(50)]
    }  # fmt: skip
    later = people | {"ill": [*people["ill"][:-1], "-1.5"]}
    first, second = (released(plan(column, seed=1), table) for table in (people, later))
    assert first["ill"][:10] != second["ill"][:10]
    assert not set(first["name"]) & set(second["name"])


def test_the_shuffle_has_no_favourites():
    people = {"name": [None] * 4, "zip": ["1"] * 4, "ill": list("abcd")}
    first = Counter(released(plan(seed=seed), people)["ill"][0] for seed in range(200))
    assert min(first[letter] for letter in "abcd") > 20


@pytest.mark.parametrize("role", ["identifier", "respondent"])
def test_random_pseudonyms(role):
    column = {"role": role, "pseudonym": {"kind": "random"}}
    people = PEOPLE | {"name": ["Ann", "Ann", "Bob", "Cyd", "Dan", "Eve", None, None]}
    found = [released(plan(column, seed=s), people, keep_order=True)["name"] for s in (1, 1, 2)]
    found += [released(plan(column), people, keep_order=True)["name"] for _ in range(2)]
    assert found[0] == found[1]
    assert len(set(map(tuple, found))) == 4
    for names in found:
        assert names[0] == names[1]
        assert len(set(names[1:6])) == 5
        assert names[6:] == [None]
        assert all(len(name) == 32 for name in names[:6])
        assert not set(names) & set(people["name"][:6])


def keyed(tmp_path, key="0123456789abcdef", name="secret.key"):
    if key is not None:
        (tmp_path / "secret.key").write_text(key)
    pseudonym = {"kind": "keyed", "key": str(tmp_path / name)}
    return {"role": "identifier", "pseudonym": pseudonym}


def test_keyed_pseudonyms_are_stable_and_depend_on_the_key(tmp_path):
    first = released(plan(keyed(tmp_path), seed=1), keep_order=True)["name"]
    assert released(plan(keyed(tmp_path), seed=2), keep_order=True)["name"] == first
    backwards = {name: values[::-1] for name, values in PEOPLE.items()}
    again = released(plan(keyed(tmp_path)), backwards, keep_order=True)["name"]
    assert again[::-1] == first
    assert len(set(first)) == 7
    other = released(plan(keyed(tmp_path, "fedcba9876543210")), keep_order=True)["name"]
    assert not set(other) & set(first)


@pytest.mark.parametrize(
    ("key", "name", "fragment"),
    [
        ("0123456789abcde", "secret.key", "holds 15 bytes where at least 16 are needed"),
        ("  \n", "secret.key", "holds 0 bytes"),
        (None, "other.key", "no such file"),
        (None, ".", "it is a folder"),
    ],
)
def test_a_key_that_is_no_key(tmp_path, key, name, fragment):
    with pytest.raises(PlanError) as caught:
        released(plan(keyed(tmp_path, key, name)))
    assert "columns.name.pseudonym" in str(caught.value)
    assert fragment in str(caught.value)
    assert "secrets.token_hex" in str(caught.value)
    assert "abcde" not in str(caught.value)


@pytest.mark.parametrize(
    ("column", "fragment"),
    [
        ({"role": "identifier", "pseudonym": {"kind": "keyed"}}, "needs a key"),
        ({"role": "identifier", "pseudonym": {"kind": "random", "key": "x"}}, "takes no key"),
        ({"role": "other", "pseudonym": {}}, "only an identifier or a respondent"),
        ({"role": "identifier", "pseudonym": {"kind": "md5"}}, "there is no 'md5'"),
        ({"role": "identifier", "hierarchy": "flat"}, "takes no hierarchy"),
    ],
)
def test_pseudonyms_that_make_no_sense(column, fragment):
    with pytest.raises(PlanError, match=fragment):
        released(plan(column))


def test_a_pseudonym_that_links_rows_is_pointed_out():
    column = {"role": "respondent", "pseudonym": {}}
    release = anonymize(pa.table(PEOPLE), plan(column))
    assert any("links all rows of one person" in warning for warning in release.warnings)


def test_missing_values_stay_missing_below_the_top():
    people = {
        "name": [None] * 6,
        "zip": ["11", "12", None, None, "21", "22"],
        "ill": list("abcdef"),
    }
    asked = plan(limits={"suppression": 0.0})
    asked["columns"]["zip"]["hierarchy"] = {"mask": "right"}
    found = released(asked, people, keep_order=True)["zip"]
    assert found == ["1*", "1*", None, None, "2*", "2*"]


def test_an_identifier_that_repeats_is_told(make_frame):
    plan = {
        "columns": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi", "hierarchy": "flat"},
        },
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "optimal"},
    }
    once = anonymize(make_frame({"who": list("abcd"), "age": [1, 1, 2, 2]}), plan)
    twice = anonymize(make_frame({"who": list("abca"), "age": [1, 1, 2, 2]}), plan)
    assert "repeats" not in "".join(once.warnings)
    assert "'who' repeats" in "".join(twice.warnings)
