"""Certificates of tree records: in each format anyone can check a release again."""

from __future__ import annotations

import errno
import hashlib
import json
from pathlib import Path

import pytest

from indistinct import __version__
from indistinct.errors import DataError, DoesNotHoldError, IndistinctError, OutputError
from indistinct.trees import anonymize_file, verify

CLASSES = ["sex", "hospital", "disease"]
PEOPLE = [
    ("ANN", "f", [("North", "Flu"), ("Lake", "Gout")]),
    ("BOB", "m", [("North", "Flu")]),
    ("CYD", "f", [("North", "Asthma"), ("Lake", "Gout")]),
    ("DAN", "m", [("North", "Asthma")]),
    ("EVE", "f", [("HERMITAGE", "Flu")]),
]
TABLES = {
    "people": {"file": "people.csv", "key": "name", "columns": [["sex"]]},
    "stays": {
        "file": "stays.csv",
        "parent": "people",
        "foreign_key": "name",
        "columns": ["hospital", "disease"],
    },
}
FORMATS = {"jsonl": "in.jsonl", "xml": "in.xml", "tables": "private"}


def write_private(folder):
    """Write the same people in each format."""
    lines, elements, people, stays = [], [], ["name,sex"], ["name,hospital,disease"]
    for name, sex, stayed in PEOPLE:
        nodes = [{"value": place, "disease": disease} for place, disease in stayed]
        lines.append(json.dumps({"name": name, "sex": sex, "hospital": nodes}))
        inner = "".join(
            f'<hospital value="{place}"><disease value="{disease}"/></hospital>'
            for place, disease in stayed
        )
        elements.append(f'<person><sex value="{sex}"/>{inner}</person>')
        people.append(f"{name},{sex}")
        stays += [f"{name},{place},{disease}" for place, disease in stayed]
    (folder / "in.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "in.xml").write_text(f"<people>{''.join(elements)}</people>")
    (folder / "private").mkdir()
    (folder / "private" / "people.csv").write_text("\n".join(people) + "\n")
    (folder / "private" / "stays.csv").write_text("\n".join(stays) + "\n")


def plan(form="jsonl", **tree):
    more = {"tables": TABLES} if form == "tables" else {}
    return {
        "tree": {"format": form, "classes": CLASSES, **more, **tree},
        "require": [{"model": "k-m-n-anonymity", "k": 2, "m": 2, "n": 1}],
        "seed": 424242,
    }


@pytest.fixture
def made(tmp_path):
    """Make a release; return its path, its certificate's path, and what the certificate says."""
    write_private(tmp_path)

    def make(form="jsonl", out=None, **tree):
        release = tmp_path / (out or {"tables": "release"}.get(form, f"release.{form}"))
        if form == "tables" and not release.suffix:
            release.mkdir(exist_ok=True)
        path = tmp_path / "c.json"
        asked = plan(form, **tree)
        anonymize_file(tmp_path / FORMATS[form], asked, release, certificate=path)
        return release, path, json.loads(path.read_text())

    return make


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("form", ["jsonl", "xml"])
def test_what_a_certificate_of_a_file_says(made, tmp_path, form):
    release, _, content = made(form)
    assert (content["kind"], content["version"]) == ("indistinct tree certificate", __version__)
    nodes = verify(release, plan(form)).nodes
    shown = {"name": release.name, "sha256": sha256(release), "records": 5, "nodes": nodes}
    assert content["output"] == shown
    private = tmp_path / FORMATS[form]
    assert content["input"] == {"name": private.name}
    facts = content["release"]
    assert (facts["released_records"], facts["released_nodes"]) == (5, nodes)
    [required] = facts["requirements"]
    assert (required["k"], required["m"], required["n"], required["holds"]) == (2, 2, 1, True)
    assert {"method", "cut", "disassociated", "warnings"} <= set(facts)
    assert content["plan"]["method"]["name"] == "best-cut-search"


def test_what_a_certificate_of_tables_says(made):
    release, _, content = made("tables")
    names = ("people.csv", "stays.csv")
    files = {file["name"]: file["sha256"] for file in content["output"]["files"]}
    assert files == {name: sha256(release / name) for name in names}
    assert content["output"]["records"] == 5
    assert content["input"] == {"files": [{"name": name} for name in names]}


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_private_stands_in_it(made, tmp_path, form):
    tables = {
        name: spec | {"file": str(tmp_path / "private" / spec["file"])}
        for name, spec in TABLES.items()
    }
    release, path, content = made(form, **({"tables": tables} if form == "tables" else {}))
    text = path.read_text()
    for secret in ("424242", str(tmp_path), "ANN", "HERMITAGE"):
        assert secret not in text
    assert "rpd_private" not in text
    assert "input_nodes" not in content["release"]
    assert verify(release, certificate=path).certified


@pytest.mark.parametrize(
    ("form", "out"),
    [("jsonl", None), ("xml", None), ("tables", None),
     ("jsonl", "r.xml"), ("xml", "r.jsonl"), ("tables", "r.jsonl"), ("tables", "r.xml")],
)  # fmt: skip
def test_a_release_is_checked_again(made, tmp_path, form, out):
    release, path, content = made(form, out)
    for name in FORMATS.values():  # anywhere, without the private records
        private = tmp_path / name
        private.rename(tmp_path / f"gone-{name}")
    del content["input"]
    path.write_text(json.dumps(content))
    moved = release.rename(release.with_name("moved"))
    found = verify(moved, certificate=path)
    assert (found.records, found.certified) == (5, True)
    assert found.as_json()["hash_matches"] is True


def test_a_plan_reads_what_it_wrote(made):
    """A release in another format, or of tables with whole paths, is verified by its own plan."""
    release, _, _ = made("tables", "r.xml")
    found = verify(release, plan("tables"))
    assert (found.records, found.certified) == (5, False)
    assert found.as_json()["hash_matches"] is None


def test_a_plan_with_whole_paths_is_held_to_the_release(made, tmp_path):
    tables = {
        name: spec | {"file": str(tmp_path / "private" / spec["file"])}
        for name, spec in TABLES.items()
    }
    release, _, _ = made("tables", tables=tables)
    (tmp_path / "private").rename(tmp_path / "gone")
    assert verify(release, plan("tables", tables=tables)).records == 5


def test_negative_knowledge_and_keys_come_back(made):
    denied = [
        {"class": "disease", "value": "Gout"},
        {"class": "disease", "value": "Flu", "below": {"class": "hospital", "value": "North"}},
    ]
    release, path, content = made(negative=denied, keys={"name": "identifier"})
    assert content["plan"]["tree"]["negative"] == denied
    assert verify(release, certificate=path).plan.tree.negative[1].below.value == "North"


def files_of(release):
    return [release] if release.is_file() else sorted(release.iterdir())


@pytest.mark.parametrize("place", [0, 25, -1])
@pytest.mark.parametrize("form", FORMATS)
def test_one_changed_byte_is_found(made, form, place):
    release, path, _ = made(form)
    for file in files_of(release):
        before = file.read_bytes()
        content = bytearray(before)
        content[place if place < len(content) else -1] ^= 1
        file.write_bytes(bytes(content))
        with pytest.raises(DoesNotHoldError, match=r"SHA-256.*changed after it was certified"):
            verify(release, certificate=path)
        file.write_bytes(before)
    assert verify(release, certificate=path).certified


def test_changed_and_removed_files_are_told_at_once(made):
    release, path, _ = made("tables")
    (release / "people.csv").write_text("name,sex\n1,f\n")
    (release / "stays.csv").unlink()
    with pytest.raises(DoesNotHoldError) as caught:
        verify(release, certificate=path)
    changed, gone = caught.value.faults
    assert (changed.place, gone.place) == (
        str(release / "people.csv"),
        str(release / "stays.csv"),
    )
    assert "SHA-256" in changed.problem
    assert "is not there" in gone.problem


def test_a_changed_file_with_a_changed_hash_still_has_to_hold(made):
    release, path, content = made()
    lines = release.read_text().splitlines(keepends=True)
    release.write_text("".join([*lines, '{"hospital": "South"}\n']))
    content["output"]["sha256"] = sha256(release)
    path.write_text(json.dumps(content))
    with pytest.raises(DoesNotHoldError) as caught:
        verify(release, certificate=path)
    first, *others = [fault.problem for fault in caught.value.faults]
    assert "k-m-n-anonymity (k = 2, m = 2, n = 1) does not hold: (South) matches 1" in first
    assert any("released_records = 5, but the release shows 6" in told for told in others)


def changed(content, key, value):
    inner = content
    for part in key[:-1]:
        inner = inner[part]
    if value == "gone":
        del inner[key[-1]]
    else:
        inner[key[-1]] = value


REQUIREMENT = ("release", "requirements", 0)
LIES = [
    (("output", "records"), 6, "output.records = 6, but the release shows 5"),
    (("output", "nodes"), 1, "output.nodes = 1, but the release shows"),
    (("release", "input_records"), 500, "input_records = 500, but the release shows 5"),
    (("release", "released_records"), 4, "released_records = 4, but the release shows 5"),
    (("release", "released_nodes"), 4, "released_nodes = 4, but the release shows"),
    (("plan", "require", 0, "k"), 5, "k = 5, m = 2, n = 1) does not hold"),
    ((*REQUIREMENT, "k"), 50, "k-m-n-anonymity k = 50, but its plan says 2"),
    ((*REQUIREMENT, "m"), 3, "k-m-n-anonymity m = 3, but its plan says 2"),
    ((*REQUIREMENT, "n"), "1", "k-m-n-anonymity n = 1, but its plan says 1"),
    ((*REQUIREMENT, "promised"), "all", "promised = all, but its plan says k = 2, m = 2, n = 1"),
    ((*REQUIREMENT, "holds"), False, "holds = False, but its plan says True"),
    (REQUIREMENT, "gone", "the number of requirements = 0, but its plan says 1"),
    (REQUIREMENT, 3, "k-m-n-anonymity k = None, but its plan says 2"),
    (("output", "sha256"), "0" * 64, "SHA-256"),
]


@pytest.mark.parametrize(("key", "value", "told"), LIES)
def test_a_certificate_that_states_more_than_the_release_shows(made, key, value, told):
    release, path, content = made()
    changed(content, key, value)
    path.write_text(json.dumps(content))
    with pytest.raises(DoesNotHoldError) as caught:
        verify(release, certificate=path)
    assert told in str(caught.value)


def test_a_weaker_promise_than_was_stated(made):
    """Whoever weakens the plan in a certificate has what it states against him."""
    release, path, content = made()
    changed(content, ("plan", "require", 0, "m"), 1)
    changed(content, ("plan", "require", 0, "n"), 0)
    path.write_text(json.dumps(content))
    with pytest.raises(DoesNotHoldError) as caught:
        verify(release, certificate=path)
    told = str(caught.value)
    assert "k-m-n-anonymity m = 2, but its plan says 1" in told
    assert "k-m-n-anonymity n = 1, but its plan says 0" in told


@pytest.mark.parametrize("key", [
    "kind", "plan", "output", "release", "output.sha256", "output.records", "output.nodes",
    "release.input_records", "release.released_records", "release.released_nodes",
    "release.requirements",
])  # fmt: skip
@pytest.mark.parametrize("value", ["gone", None, {}, "3"])
def test_a_certificate_that_lacks_something(made, key, value):
    release, path, content = made()
    changed(content, key.split("."), value)
    path.write_text(json.dumps(content))
    with pytest.raises(IndistinctError) as caught:
        verify(release, certificate=path)
    wrong_text = (key, value) == ("output.sha256", "3")
    assert caught.value.exit_code == (1 if wrong_text else 2)
    assert "c.json" in str(caught.value) or key == "plan" or wrong_text


@pytest.mark.parametrize(
    "listed", ["gone", None, 3, [], [3], [{"name": ["stays.csv"], "sha256": "0"}],
               [{"name": "people.csv", "sha256": 3}]],
)  # fmt: skip
def test_every_table_that_is_read_must_be_certified(made, listed):
    release, path, content = made("tables")
    changed(content, ("output", "files"), listed)
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"it lacks the SHA-256 of people\.csv, .* of stays\.csv"):
        verify(release, certificate=path)


def test_no_file_beside_the_release_is_read(made, tmp_path):
    """A certificate that names tables elsewhere is held to those of the folder."""
    release, path, content = made("tables")
    for name in TABLES:
        wrong = str(tmp_path / "private" / f"{name}.csv")
        changed(content, ("plan", "tree", "tables", name, "file"), wrong)
    path.write_text(json.dumps(content))
    assert verify(release, certificate=path).records == 5


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"kind": "other"}'])
def test_what_is_no_certificate(made, content):
    release, path, _ = made()
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"c\.json: it is not"):
        verify(release, certificate=path)


def test_what_is_not_there(made, tmp_path):
    release, path, _ = made()
    for wrong in (tmp_path / "other.jsonl", tmp_path):
        with pytest.raises(DataError, match=r"no such file|folder") as caught:
            verify(wrong, certificate=path)
        assert "CSV" not in str(caught.value)
    with pytest.raises(DataError, match="no such file"):
        verify(release, certificate=tmp_path / "other.json")
    with pytest.raises(DataError, match="a certificate is for a file"):
        verify([{"sex": "f"}], certificate=path)
    tables, path, _ = made("tables")
    with pytest.raises(DataError, match="it is not a folder"):
        verify(tables / "people.csv", certificate=path)


@pytest.mark.parametrize("both", [True, False])
def test_a_plan_or_a_certificate(made, both):
    release, path, _ = made()
    given = {"plan": plan(), "certificate": path} if both else {}
    with pytest.raises(DataError, match="both a plan and a" if both else "neither a plan nor a"):
        verify(release, **given)


def files_below(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("failing", ["release", "c.json"])
def test_a_certificate_comes_after_its_release_or_not_at_all(
    made, tmp_path, monkeypatch, form, failing
):
    made(form)
    before = files_below(tmp_path)
    replace = Path.replace

    def fails(path, target):
        if failing in str(target.relative_to(tmp_path)):
            raise OSError(errno.ENOSPC, "No space left on device")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OutputError, match="no space left"):
        made(form)
    after = files_below(tmp_path)
    assert set(after) == set(before)
    assert after[tmp_path / "c.json"] == before[tmp_path / "c.json"]


def test_what_cannot_be_met_leaves_no_certificate(tmp_path):
    write_private(tmp_path)
    before = files_below(tmp_path)
    asked = plan() | {"require": [{"model": "k-m-n-anonymity", "k": 9, "m": 1}]}
    out, path = tmp_path / "release.jsonl", tmp_path / "c.json"
    with pytest.raises(IndistinctError) as caught:
        anonymize_file(tmp_path / "in.jsonl", asked, out, certificate=path)
    assert caught.value.exit_code == 1
    assert files_below(tmp_path) == before


@pytest.mark.parametrize("name", ["release/people.csv", "private/stays.csv", "release", "no/where"])
def test_a_certificate_takes_nobodys_place(made, tmp_path, name):
    made("tables")
    before = files_below(tmp_path)
    with pytest.raises(OutputError):
        anonymize_file(
            tmp_path / "private",
            plan("tables"),
            tmp_path / "release",
            certificate=tmp_path / name,
        )
    assert files_below(tmp_path) == before
