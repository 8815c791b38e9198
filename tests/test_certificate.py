"""Certificates: anyone can check a file again, and nobody can change one of the two unseen."""

from __future__ import annotations

import hashlib
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct import __version__, anonymize_file, verify
from indistinct.errors import DataError, DoesNotHoldError
from indistinct.io.content import content_hash
from indistinct.io.opening import opened_release

PRIVATE = "name,zip,sex,ill\n" + "".join(
    f"{name},{zip_code},{sex},{ill}\n"
    for name, zip_code, sex, ill in [
        ("Ann", "02139", "f", "flu"),
        ("Bob", "02139", "m", "gout"),
        ("Cyd", "02141", "f", "flu"),
        ("Dan", "02141", "m", "gout"),
        ("Eve", "94110", "f", "SECRET"),
    ]
)


def plan(**more):
    return {
        "columns": {
            "name": more.pop("name", {"role": "identifier"}),
            "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
            "sex": {"role": "quasi", "hierarchy": "flat"},
            "ill": {"role": "sensitive"},
        },
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "optimal"},
        "limits": {"suppression": 0.2},
        "seed": 4242,
        **more,
    }


@pytest.fixture
def made(tmp_path):
    """Make a release; return its path, its certificate's path, and what the certificate says."""

    def make(out="release.csv", **more):
        (tmp_path / "private.csv").write_text(PRIVATE)
        release, path = tmp_path / out, tmp_path / "c.json"
        anonymize_file(tmp_path / "private.csv", plan(**more), release, certificate=path)
        return release, path, json.loads(path.read_text())

    return make


def test_a_certificate_with_former_words_still_verifies(made):
    release, path, _ = made()
    assert "withheld" in path.read_text()
    path.write_text(path.read_text().replace('"withheld"', '"not told"'))
    assert verify(release, certificate=path).holds


def test_what_a_certificate_says(made, tmp_path):
    release, path, content = made()
    assert (content["kind"], content["version"]) == ("indistinct certificate", __version__)
    assert content["input"] == {"name": "private.csv"}
    assert content["output"]["sha256"] == hashlib.sha256(release.read_bytes()).hexdigest()
    assert (content["output"]["rows"], content["output"]["name"]) == (4, "release.csv")
    facts = content["release"]
    assert (facts["suppressed_rows"], facts["input_rows"]) == ("fewer than 2", "withheld")
    assert set(facts) == {"method", "input_rows", "released_rows", "suppressed_rows", "classes",
                          "levels", "measures", "requirements"}  # fmt: skip
    [required] = facts["requirements"]
    assert (required["k"], required["measured"], required["holds"]) == (2, 2, True)
    assert content["plan"]["method"]["name"] == "optimal"
    text = path.read_text()
    assert "SECRET" not in text
    assert "4242" not in text
    assert str(tmp_path) not in text


@pytest.mark.parametrize("out", ["release.csv", "release.tsv", "release.parquet"])
def test_a_file_is_checked_again(made, out):
    release, path, _ = made(out)
    found = verify(release, certificate=path)
    assert (found.holds, found.released_rows) == (True, 4)
    renamed = release.rename(release.with_name("renamed.dat"))
    assert verify(renamed, certificate=path).holds


@pytest.mark.parametrize("place", [0, 25, -1])
def test_one_changed_byte_is_found(made, place):
    release, path, _ = made()
    content = bytearray(release.read_bytes())
    content[place] ^= 1
    release.write_bytes(bytes(content))
    with pytest.raises(DoesNotHoldError, match="SHA-256") as caught:
        verify(release, certificate=path)
    assert "changed after it was certified" in str(caught.value)


def rehash(release, path, content):
    content["output"]["sha256"] = hashlib.sha256(release.read_bytes()).hexdigest()
    content["output"]["content"] = content_hash(opened_release(release))
    path.write_text(json.dumps(content))


def test_a_changed_file_with_a_changed_hash_still_has_to_hold(made):
    release, path, content = made()
    lines = release.read_text().splitlines(keepends=True)
    release.write_text("".join(lines[:-1]))
    rehash(release, path, content)
    with pytest.raises(DoesNotHoldError, match="measures 1"):
        verify(release, certificate=path)


@pytest.mark.parametrize(
    ("key", "value", "fragment"),
    [
        (("plan", "require", 0, "k"), 3, "measures 2 .* k = 3 was promised"),
        (("release", "requirements", 0, "measured"), 50, "k-anonymity measured = 50"),
        (("release", "requirements", 0, "measured"), "2", "k-anonymity measured = 2"),
        (("release", "released_rows"), 400, "released_rows = 400, but the release shows 4"),
        (("release", "classes"), 1, "classes = 1, but the release shows 2"),
        (("release", "suppressed_rows"), 0, "input_rows = withheld, but the release shows 4"),
        (("release", "suppressed_rows"), "fewer than 9", "but its plan says fewer than 2"),
        (("release", "input_rows"), 5, "input_rows = 5, but its plan says withheld"),
        (("output", "content"), "0" * 64, "the hash of its rows is"),
    ],
)
def test_a_certificate_that_states_more_than_the_file_shows(made, key, value, fragment):
    release, path, content = made()
    inner = content
    for part in key[:-1]:
        inner = inner[part]
    inner[key[-1]] = value
    path.write_text(json.dumps(content))
    with pytest.raises(DoesNotHoldError, match=fragment):
        verify(release, certificate=path)


@pytest.mark.parametrize(
    "key", ["kind", "plan", "output", "release", "output.sha256", "output.delimiter",
            "output.format", "release.classes", "release.suppressed_rows", "release.requirements"],
)  # fmt: skip
@pytest.mark.parametrize("value", ["gone", None, 3, [3]])
def test_a_certificate_that_lacks_something(made, key, value):
    release, path, content = made()
    *outer, last = key.split(".")
    inner = content
    for part in outer:
        inner = inner[part]
    if value == "gone":
        del inner[last]
    else:
        inner[last] = value
    path.write_text(json.dumps(content))
    right_type = key.startswith("release.") and value in (3, [3])
    error = (DataError, DoesNotHoldError) if right_type else DataError
    with pytest.raises(error, match=r"c\.json"):
        verify(release, certificate=path)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"kind": "other"}'])
def test_what_is_no_certificate(made, content):
    release, path, _ = made()
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"c\.json: it is not"):
        verify(release, certificate=path)


def test_files_that_are_not_there(made, tmp_path):
    release, path, _ = made()
    with pytest.raises(DataError, match="no such file"):
        verify(tmp_path / "other.csv", certificate=path)
    with pytest.raises(DataError, match="no such file"):
        verify(release, certificate=tmp_path / "other.json")
    with pytest.raises(DataError, match="folder"):
        verify(tmp_path, certificate=path)


def test_a_column_taken_out(made):
    release, path, content = made("release.parquet")
    pq.write_table(pq.read_table(release).drop_columns(["sex"]), release)
    rehash(release, path, content)
    with pytest.raises(DataError, match="no column 'sex', which was promised"):
        verify(release, certificate=path)


def test_blank_rows(made):
    release, path, content = made(suppressed="blank")
    assert content["output"]["rows"] == 5
    assert content["release"]["released_rows"] == 4
    found = verify(release, certificate=path)
    assert (found.holds, found.released_rows, found.blank_rows) == (True, 4, 1)


def test_respondents_that_are_not_released_leave_it_open(made):
    release, path, content = made(name={"role": "respondent"})
    assert content["release"]["requirements"][0]["holds"] is True
    found = verify(release, certificate=path)
    assert (found.holds, found.evidence[0].holds) == (None, None)


def test_a_release_that_holds_text_in_another_alphabet(tmp_path):
    table = pa.table({"zip": ["1", "1"], "ïll": ["é", "日本"]})
    pq.write_table(table, tmp_path / "p.parquet")
    asked = {
        "columns": {"zip": {"role": "quasi", "hierarchy": "flat"}, "ïll": {"role": "other"}},
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "optimal"},
    }
    path = tmp_path / "c.json"
    anonymize_file(tmp_path / "p.parquet", asked, tmp_path / "r.csv", certificate=path)
    assert verify(tmp_path / "r.csv", certificate=path).holds
