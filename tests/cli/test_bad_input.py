"""Bad input, through the real entry: one message, the right exit code, and no file."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
import textwrap
from pathlib import Path

import pyarrow as pa
import pytest

TOML = """\
[columns.name]
role = "identifier"
[columns.zip]
role = "quasi"
hierarchy = { mask = "right" }
[columns.age]
role = "quasi"
[columns.marital]
role = "quasi"
[columns.disease]
role = "sensitive"
[[require]]
model = "k-anonymity"
k = 2
"""


def put(*path):
    """Spoil a plan: put(..., value) sets the value at a path of keys."""
    *keys, last, value = path

    def spoil(shop):
        inner = shop.plan
        for key in keys:
            inner = inner[key]
        inner[last] = value

    return spoil


def text(change):
    """Spoil the data."""

    def spoil(shop):
        shop.data = change(shop.data)

    return spoil


def toml(content):
    """Give the plan as TOML."""

    def spoil(shop):
        shop.plan = content

    return spoil


def ladder(*paths):
    """Give the hierarchy of marital status."""

    def spoil(shop):
        shop.marital = [list(path) for path in paths]

    return spoil


def no_diseases(data):
    header, *rows = data.splitlines()
    return "\n".join([header, *(row.rsplit(",", 1)[0] + "," for row in rows)])


def only_others(shop):
    shop.plan["columns"] = {name: {"role": "other"} for name in shop.plan["columns"]}


HIERARCHIES = {
    "value missing from its hierarchy": (
        text(lambda data: data.replace("widow", "widowed")),
        ["column 'marital'", "'widowed' (1 row)", "not in the hierarchy", "Closest", "'widow'"],
    ),
    "value with two parents": (
        lambda shop: shop.marital.append(["widow", "never", "*"]),
        ["marital.csv", "'widow' has 2 parents", "line 3", "line 5", "exactly one parent"],
    ),
    "levels that do not nest": (
        ladder(
            ["married", "been", "x", "*"],
            ["divorced", "been", "y", "*"],
            ["widow", "been", "x", "*"],
            ["single", "never", "x", "*"],
        ),
        ["marital.csv, level 1", "'been' has 2 parents", "levels must nest"],
    ),
    "widths that do not nest": (
        put("columns", "age", "hierarchy", {"intervals": [10, 15]}),
        ["column 'age'", "width 15", "multiple", "20"],
    ),
    "no single top": (
        ladder(*([status, "*" if status == "single" else "all"] for status in
                 ("married", "divorced", "widow", "single"))),
        ["marital.csv", "2 values where one is needed"],
    ),
    "hierarchy file that is not there": (
        put("columns", "marital", "hierarchy", {"csv": "martial.csv"}),
        ["column 'marital'", "martial.csv", "no such file", "'marital.csv'"],
    ),
    "text among numbers": (
        text(lambda data: data.replace("55", "old")),
        ["column 'age'", "'old' (1 row)", "not a number"],
    ),
}  # fmt: skip

PLANS = {
    "column that the data lacks": (
        put("columns", "zipcode", {"role": "quasi"}),
        ["no column 'zipcode'", "Closest: 'zip'", "name, zip, age"],
    ),
    "column that the plan does not name": (
        lambda shop: shop.plan["columns"].pop("disease"),
        ["does not name: disease", 'unlisted = "drop"'],
    ),
    **{
        f"k = {k!r}": (
            put("require", 0, "k", k),
            ["plan.json, require[1].k", "greater than or equal to 2", f"got {k}", "2 or more"],
        )
        for k in (1, 0, -3)
    },
    **{
        f"k = {k!r}": (
            put("require", 0, "k", k),
            ["plan.json, require[1].k", "valid integer", "whole number"],
        )
        for k in (2.5, "5", True, None)
    },
    **{
        f"suppression = {share!r}": (
            put("limits", "suppression", share),
            ["plan.json, limits.suppression", "it should be", remedy],
        )
        for share, remedy in [
            (-0.1, "Give 0 or more"),
            (1.5, "Give 1 or less"),
            ("0.1", "without quotes"),
            (True, "Write a number"),
            (float("nan"), "Write a number"),
            (None, "Write a number"),
        ]
    },
    "quasi and sensitive, as a list": (
        put("columns", "zip", "role", ["quasi", "sensitive"]),
        ["columns.zip.role", "exactly one role", "quasi and sensitive", "Keep one"],
    ),
    "quasi and sensitive, in two TOML tables": (
        toml(TOML + '[columns.zip]\nrole = "sensitive"\n'),
        ["plan.toml", "('columns', 'zip')", "twice", "line 15"],
    ),
    "a set with a sensitive column": (
        put("sets", {"one": {"columns": ["zip", "age", "marital", "disease"]}}),
        ["sets.one", "'disease' is not a quasi column"],
    ),
    "no quasi column": (only_others, ["no column is quasi", 'role = "quasi"']),
    "TOML syntax": (
        toml(TOML.replace('role = "sensitive"', 'role = "sensitive')),
        ["plan.toml", "not valid TOML", "line 11"],
    ),
    "unknown key": (
        toml(TOML + "[limit]\nsuppression = 0.1\n"),
        ["plan.toml", "unknown key 'limit'", "Closest: 'limits'"],
    ),
    "unknown key in a column": (
        put("columns", "age", "hierachy", "flat"),
        ["columns.age", "unknown key 'hierachy'", "Closest: 'hierarchy'"],
    ),
    "unknown key in a hierarchy": (
        put("columns", "age", "hierarchy", {"intervals": [5], "orgin": 3}),
        ["columns.age.hierarchy", "unknown key 'orgin'", "Closest: 'origin'"],
    ),
    "unknown kind of hierarchy": (
        put("columns", "age", "hierarchy", {"interval": [5]}),
        ["columns.age.hierarchy", "'interval'", "Closest: 'intervals'"],
    ),
    "unknown method": (
        put("method", "name", "optmal"),
        ["plan.json, method", "there is no 'optmal'", "Closest: 'optimal'"],
    ),
    "unknown model": (
        put("require", 0, "model", "k-anonimity"),
        ["require[1]", "there is no 'k-anonimity'", "Closest: 'k-anonymity'"],
    ),
    "nothing required": (put("require", []), ["plan.json, require", "empty", "at least one"]),
    "no requirement": (
        lambda shop: shop.plan.pop("require"),
        ["plan.json, require", "required but absent"],
    ),
}  # fmt: skip

DATA = {
    "empty file": (text(lambda _: ""), ["private.csv", "the file is empty"]),
    "only a byte order mark": (text(lambda _: b"\xef\xbb\xbf"), ["private.csv", "no header"]),
    "only line ends": (text(lambda _: "\n\n"), ["private.csv", "no header"]),
    "header only": (
        text(lambda data: data.splitlines()[0] + "\n"),
        ["private.csv", "a header and no rows"],
    ),
    "header only, no line end": (
        text(lambda data: data.splitlines()[0]),
        ["private.csv", "a header and no rows"],
    ),
    "ragged row": (
        text(lambda data: data + "Gus,22047,56\n"),
        ["private.csv, line 8", "3 fields where the header has 5", "Correct the line"],
    ),
    "open quote": (
        text(lambda data: data.replace("Cyd", '"Cyd')),
        ["private.csv, line 4", "quoted field", "does not end", "Close every quotation mark"],
    ),
    "non-UTF-8 byte": (
        text(lambda data: data.replace("Eve", "Evé").encode("latin-1")),
        ["private.csv, line 6", "byte 3 (0xe9) is not utf-8", "latin-1"],
    ),
    "non-UTF-8 byte in the header": (
        text(lambda data: data.replace("disease", "maladié").encode("latin-1")),
        ["private.csv, line 1", "(0xe9) is not utf-8", "latin-1"],
    ),
    "duplicate column name": (
        text(lambda data: data.replace("name,zip", "zip,zip")),
        ["private.csv", "column name 'zip' stands 2 times", "Rename"],
    ),
    "column without a name": (
        text(lambda data: data.replace("name,zip", ",zip")),
        ["private.csv, header", "field 1 has no name"],
    ),
    "column of all nulls": (
        text(no_diseases),
        ["column 'disease'", "all its values are missing", 'role = "drop"'],
    ),
}


def check_refused(shop, fragments, *more, code=2, **where):
    """One message on stderr, or one JSON object on stdout; no file; the same either way."""
    shop.prepare()
    before = shop.files()
    ran = shop.anonymize(*more, **where)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith("indistinct: ")
    assert "Traceback" not in ran.err
    for fragment in fragments:
        assert fragment in ran.err
    assert shop.files() == before
    told = shop.anonymize(*more, "--json", **where)
    assert (told.code, told.err) == (code, "")
    assert {"error", "faults"} == set(told.json)
    message = " ".join(f"{f['place']}: {f['problem']}. {f['remedy']}" for f in told.json["faults"])
    for fragment in fragments:
        assert fragment in message
    assert shop.files() == before


@pytest.mark.parametrize("fault", HIERARCHIES | PLANS | DATA)
def test_bad_input(workshop, fault):
    spoil, fragments = (HIERARCHIES | PLANS | DATA)[fault]
    spoil(workshop)
    check_refused(workshop, fragments)


@pytest.mark.parametrize("fault", DATA)
def test_no_message_shows_what_a_row_holds(workshop, fault):
    spoil, _ = DATA[fault]
    spoil(workshop)
    told = workshop.anonymize().err.replace(str(workshop.folder), "")
    assert not any(word in told for word in ("22047", "Gus", "Cyd", "Eve", "asthma", "56"))


def test_k_above_the_number_of_respondents_cannot_be_met(workshop):
    put("require", 0, "k", 7)(workshop)
    check_refused(workshop, ["'k-anonymity'", "k is 7", "only 6 respondents", "Relax"], code=1)


def test_k_counts_respondents_not_rows(workshop):
    workshop.data = workshop.data.replace("Bob", "Ann").replace("Cyd", "Ann")
    put("columns", "name", {"role": "respondent"})(workshop)
    put("require", 0, "k", 5)(workshop)
    check_refused(workshop, ["k is 5", "only 4 respondents"], code=1)


def test_limits_that_no_recoding_meets(workshop):
    put("columns", "name", {"role": "respondent"})(workshop)
    workshop.data = workshop.data.replace("Bob", "Ann")
    put("require", 0, "k", 6)(workshop)
    check_refused(workshop, ["only 5 respondents"], code=1)


@pytest.mark.parametrize(
    ("delimiter", "fragments"),
    [
        (";", ["private.csv", "delimiter ';'", "separated by ','", "or omit it"]),
        (r"\t", ["private.csv", r"delimiter '\t'", "separated by ','"]),
        ("ab", ["input.delimiter", "'ab' cannot separate fields", "one character"]),
        ("é", ["input.delimiter", "'é' cannot separate fields"]),
        ('"', ["input.delimiter", "cannot separate fields"]),
    ],
)
def test_wrong_delimiter(workshop, delimiter, fragments):
    check_refused(workshop, fragments, "--delimiter", delimiter)


@pytest.mark.parametrize("encoding", ["utf-9", "base64", "rot13"])
def test_unknown_encoding(workshop, encoding):
    check_refused(workshop, [f"no encoding '{encoding}'", "utf-8"], "--encoding", encoding)


def test_a_wrong_encoding_names_the_line(workshop):
    workshop.data = workshop.data.replace("Eve", "Evé")
    check_refused(workshop, ["private.csv, line 6", "is not ascii"], "--encoding", "ascii")


def test_json_with_a_key_twice(workshop):
    workshop.prepare()
    twice = json.dumps(workshop.plan).replace('"zip":', '"zip": {"role": "sensitive"}, "zip":')
    workshop.plan_path.write_text(twice)
    before = workshop.files()
    ran = workshop.command(
        "anonymize", workshop.path("private.csv"), "--plan", workshop.plan_path,
        "--out", workshop.path("release.csv"),
    )  # fmt: skip
    assert ran.code == 2
    assert "key 'zip' occurs twice" in ran.err
    assert workshop.files() == before


@pytest.mark.parametrize("content", ["[1]", "{", "null"])
def test_a_json_plan_that_is_none(workshop, content):
    workshop.prepare()
    workshop.plan_path.write_text(content)
    ran = workshop.command(
        "anonymize", workshop.path("private.csv"), "--plan", workshop.plan_path,
        "--out", workshop.path("release.csv"),
    )  # fmt: skip
    assert ran.code == 2
    assert "plan.json" in ran.err
    assert not workshop.path("release.csv").exists()


def test_a_plan_that_is_not_there_or_not_text(workshop):
    workshop.prepare()
    run = ["anonymize", workshop.path("private.csv"), "--out", workshop.path("release.csv")]
    ran = workshop.command(*run, "--plan", workshop.path("plan.tml"))
    assert (ran.code, "no such file" in ran.err) == (2, True)
    workshop.path("plan.toml").write_bytes(b'[columns.\xe9]\nrole = "quasi"\n')
    ran = workshop.command(*run, "--plan", workshop.path("plan.toml"))
    assert (ran.code, "is not UTF-8" in ran.err) == (2, True)


def test_all_faults_of_a_plan_at_once(workshop):
    put("require", 0, "k", 1)(workshop)
    put("limits", "suppression", 3)(workshop)
    put("columns", "zip", "rle", "quasi")(workshop)
    check_refused(workshop, ["require[1].k", "limits.suppression", "unknown key 'rle'"])


def test_all_faults_of_all_columns_at_once(workshop):
    workshop.data = workshop.data.replace("55", "old").replace("widow", "widowed")
    check_refused(workshop, ["'old'", "'widowed'"])


@pytest.mark.parametrize(
    ("source", "fragment"), [("nope.csv", "no such file"), (".", "it is a folder")]
)
def test_data_that_cannot_be_read(workshop, source, fragment):
    check_refused(workshop, [fragment], source=source)


def test_compressed_data(workshop):
    workshop.prepare()
    workshop.path("private.csv.xz").write_bytes(b"\xfd7zXZ")
    check_refused(workshop, ["private.csv.xz", "compressed"], source="private.csv.xz")


@pytest.mark.parametrize("packing", ["gz", "bz2", "zst"])
def test_packed_data_that_is_cut_off(workshop, packing):
    workshop.prepare()
    whole = workshop.path(f"whole.csv.{packing}")
    with pa.output_stream(whole, compression="detect") as handle:
        handle.write(workshop.path("private.csv").read_bytes())
    cut = workshop.path(f"private.csv.{packing}")
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    check_refused(workshop, [cut.name, "cannot be unpacked"], source=cut.name)


@pytest.mark.parametrize(
    ("name", "fragments"),
    [
        ("private.xlsx", ["private.xlsx: it cannot be read", "Save it as CSV"]),
        ("private.sav", ["private.sav: it cannot be read", "Save it as CSV"]),
        ("private.rds", ["no .rds files are read", "Save it as CSV"]),
        ("private.jsonl", ["no .jsonl files are read", "indistinct tree"]),
        ("private.xml", ["no .xml files are read", "indistinct tree"]),
    ],
)
def test_data_of_another_kind(workshop, name, fragments):
    workshop.path(name).write_bytes(b"PK\x03\x04\x14\x00 name,zip\n1,\xd8\xff,3\n")
    check_refused(workshop, [name, *fragments], source=name)


@pytest.mark.parametrize(
    "content",
    [b"\x7fELF\x02\x01\x01\x00\x00,\xd8\xf0\n1,2,\xff\n", bytes(range(256)) * 20],
)
def test_a_file_that_is_no_text(workshop, content):
    workshop.data = content
    check_refused(workshop, ["private.csv", "it is not text", "CSV or Parquet"])


def test_a_ragged_row_that_is_no_utf8(workshop):
    """pyarrow prints a trace of its own when it cannot decode such a row."""
    workshop.data = workshop.data.encode() + "Gus,Zoé\n".encode("latin-1")
    workshop.prepare()
    ran = real_command(
        workshop, "anonymize", "private.csv", "--plan", "plan.json", "--out", "release.csv"
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith("indistinct: ")
    assert "line 8: byte 7 (0xe9) is not utf-8" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_file_without_a_header_shows_no_row(workshop):
    workshop.data = workshop.data.split("\n", 1)[1]
    check_refused(
        workshop,
        ["data", "no column that the plan names", "5 columns", "The first line", "delimiter"],
    )
    told = workshop.anonymize().err.replace(str(workshop.path("private.csv")), "")
    assert not any(word in told for word in ("Ann", "22030", "31", "married", "flu"))


def test_broken_parquet(workshop):
    workshop.path("private.parquet").write_bytes(b"PAR1 this is not one PAR1")
    check_refused(workshop, ["private.parquet", "Parquet"], source="private.parquet")


@pytest.mark.parametrize(
    ("out", "fragments"),
    [
        ("nowhere/release.csv", ["nowhere", "no folder", "Create it"]),
        ("marital.csv/release.csv", ["no folder"]),
        ("folder", ["it is a folder", "Name a file"]),
        ("pipe", ["device or a pipe"]),
        ("private.csv", ["private.csv", "output is an input", "another name"]),
        ("plan.json", ["plan.json", "output is an input"]),
        ("marital.csv", ["marital.csv", "output is an input"]),
        ("link.csv", ["link.csv", "output is an input"]),
        ("elsewhere.csv", ["elsewhere.csv", "it is a link", "Name the file itself"]),
        ("dangling.csv", ["dangling.csv", "it is a link", "Name the file itself"]),
        ("release.csv.zip", ["release.csv.zip", "no .zip files are written", ".csv.gz"]),
        ("release.parquet.gz", ["no .parquet.gz files are written"]),
        ("x" * 256, ["file name too long", "Choose another name"]),
        ("loop/release.csv", ["loop", "symlink loop"]),
        ("release.xlsx", ["release.xlsx", "no .xlsx files are written", "Name a .csv"]),
    ],
)
def test_an_output_that_cannot_be_written(workshop, out, fragments):
    workshop.path("folder").mkdir()
    workshop.path("link.csv").symlink_to(workshop.path("private.csv"))
    workshop.path("loop").symlink_to(workshop.path("loop"))
    workshop.path("old.csv").write_text("old")
    workshop.path("elsewhere.csv").symlink_to(workshop.path("old.csv"))
    workshop.path("dangling.csv").symlink_to(workshop.path("nobody.csv"))
    os.mkfifo(workshop.path("pipe"))
    check_refused(workshop, fragments, out=out)


def test_nothing_comes_from_standard_input_or_goes_to_standard_output(workshop, monkeypatch):
    monkeypatch.chdir(workshop.folder)
    workshop.prepare()
    before = workshop.files()
    plan = ["--plan", workshop.plan_path]
    out = workshop.command("anonymize", "private.csv", *plan, "--out", "-")
    assert (out.code, workshop.files()) == (2, before)
    assert "standard output" in out.err
    assert "Name a file" in out.err
    read = workshop.command("anonymize", "-", *plan, "--out", "release.csv")
    assert (read.code, workshop.files()) == (2, before)
    assert "standard input" in read.err
    assert "Save it as a file" in read.err


def test_data_in_a_pipe(workshop):
    os.mkfifo(workshop.path("pipe"))
    check_refused(workshop, ["pipe", "a device or a pipe", "Save it as a file"], source="pipe")


def test_an_unwritable_folder(workshop, monkeypatch):
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    check_refused(workshop, ["release.csv", "its folder is not writable"])


@pytest.mark.parametrize("other", ["--report", "--certificate"])
@pytest.mark.parametrize("name", ["release.csv", "private.csv", "plan.json", "no/where"])
def test_other_outputs_are_checked_too(workshop, other, name):
    check_refused(workshop, [name], other, workshop.path(name))


def full_disk(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


def old_outputs(shop):
    for name in ("release.csv", "report.html", "certificate.json"):
        shop.path(name).write_text(f"old {name}")
    report, certificate = shop.path("report.html"), shop.path("certificate.json")
    return ["--report", report, "--certificate", certificate]


def test_a_disk_that_fills_while_the_release_is_written(workshop, monkeypatch):
    more = old_outputs(workshop)
    monkeypatch.setattr("indistinct.io.csv.write_csv", full_disk)
    check_refused(workshop, ["release.csv", "no space left on device"], *more)


@pytest.mark.parametrize("name", ["report.html", "certificate.json"])
def test_a_disk_that_fills_while_another_output_is_written(workshop, monkeypatch, name):
    more = old_outputs(workshop)
    opened = Path.open

    def fills(path, *args, **kwargs):
        if path.name.startswith(f".{name}"):
            full_disk()
        return opened(path, *args, **kwargs)

    monkeypatch.setattr(Path, "open", fills)
    check_refused(workshop, [f"{name}: it cannot be written: no space left on device"], *more)


def test_a_release_that_cannot_take_its_place_takes_no_paper_with_it(workshop, monkeypatch):
    more = old_outputs(workshop)
    replace = Path.replace

    def fails(path, target):
        if target.name == "release.csv":
            full_disk()
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", fails)
    check_refused(workshop, ["release.csv: it cannot be written: no space left"], *more)


def test_a_disk_that_fails_when_the_draft_is_made_safe(workshop, monkeypatch):
    more = old_outputs(workshop)
    monkeypatch.setattr(os, "fsync", full_disk)
    check_refused(workshop, ["no space left on device"], *more)


def real_command(shop, *args, **kwargs):
    return subprocess.run(
        [sys.executable, "-c", "from indistinct.cli import main; main()", *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
        cwd=shop.folder,
        **kwargs,
    )


def test_a_file_size_limit_of_the_system(workshop):
    workshop.data += "Hal,22047,57,widow,flu\n" * 4000
    more = old_outputs(workshop)
    workshop.prepare()
    before = workshop.files()
    ran = real_command(
        workshop, "anonymize", "private.csv", "--plan", "plan.json", "--out", "release.csv", *more,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)),
    )  # fmt: skip
    assert ran.returncode == 2
    assert "release.csv: it cannot be written: file too large" in ran.stderr
    assert workshop.files() == before


@pytest.mark.parametrize("moment", ["io.files.FileSink.read_back", "disk.drafts.os.fsync"])
def test_a_kill_half_way_leaves_the_old_release_whole(workshop, moment, caplog, tmp_path):
    more = old_outputs(workshop)
    workshop.prepare()
    before = workshop.files()
    script = f"""
        import os
        from unittest import mock
        from indistinct.cli import main
        def dies(*args, **kwargs):
            os._exit(137)
        with mock.patch("indistinct.{moment}", dies):
            main()
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), "anonymize", "private.csv",
         "--plan", "plan.json", "--out", "release.csv", *more],
        capture_output=True, text=True, check=False, cwd=workshop.folder,
    )  # fmt: skip
    assert ran.returncode == 137, ran.stderr
    after = workshop.files()
    drafts = {name for name in after if name not in before}
    assert any(name.startswith(".release.csv.") for name in drafts)
    assert all(name.endswith((".tmp.csv", ".tmp.html", ".tmp.json")) for name in drafts)
    assert {name: after[name] for name in before} == before
    assert {workshop.path(name).stat().st_mode & 0o777 for name in drafts} == {0o600}
    ran = workshop.anonymize("--json")
    assert (ran.code, ran.err) == (0, "")
    assert not drafts & workshop.files().keys()
    [told] = caplog.messages
    assert told == f"indistinct removed {len(drafts)} drafts that a killed run left in {tmp_path}"


def test_the_real_command_shows_no_trace(workshop):
    put("require", 0, "k", 0)(workshop)
    workshop.prepare()
    before = workshop.files()
    ran = real_command(
        workshop, "anonymize", "private.csv", "--plan", "plan.json", "--out", "release.csv"
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.count("\n") == 1
    assert "require[1].k" in ran.stderr
    assert workshop.files() == before


def test_a_fault_of_ours_shows_no_trace_and_leaves_no_file(workshop, monkeypatch):
    workshop.prepare()
    before = workshop.files()

    def breaks(*_, **__):
        raise RuntimeError("Ann, 22030")

    monkeypatch.setattr("indistinct.pipeline.publish", breaks)
    ran = workshop.anonymize()
    assert ran.code == 70
    assert "internal error (RuntimeError)" in ran.err
    assert "Ann" not in ran.err
    assert workshop.files() == before
    told = workshop.anonymize("--json")
    assert (told.code, told.err, told.json["error"]) == (70, "", "InternalError")
    monkeypatch.setenv("INDISTINCT_DEBUG", "1")
    with pytest.raises(RuntimeError):
        workshop.anonymize()


def test_an_interrupt_leaves_no_file(workshop, monkeypatch):
    workshop.prepare()
    before = workshop.files()

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("indistinct.report.certificate.hash_of", interrupted)
    monkeypatch.setattr("indistinct.verbs.anonymize.Work.check", interrupted)
    ran = workshop.anonymize()
    assert ran.code == 130
    assert "interrupted; nothing was written" in ran.err
    assert workshop.files() == before


def test_a_hierarchy_whose_name_no_file_can_have_is_not_there(workshop):
    ran = workshop.command("hierarchy", "check", f"{'é' * 127}.csv")
    assert ran.code == 2
    assert "there is no such file" in ran.err


def test_a_suggested_hierarchy_overwrites_nothing(workshop):
    workshop.prepare()
    path = workshop.path("marital.csv")
    before = path.read_bytes()
    data = workshop.path("private.csv")
    ran = workshop.command("hierarchy", "suggest", data, "--column", "zip", "--out", path)
    assert ran.code == 2
    assert "never overwritten" in ran.err
    assert path.read_bytes() == before


def test_a_sampling_fraction_that_means_more_people_than_there_are_is_refused(workshop):
    workshop.prepare()
    ran = workshop.command(
        "assess", workshop.path("private.csv"), "--columns", "zip,age", "--sampling", "1e-320"
    )
    assert ran.code == 2
    assert "would mean over 100,000,000,000 people" in ran.err


def test_tree_records_that_cannot_be_read_are_a_fault(indistinct, tmp_path, monkeypatch):
    source, plan = tmp_path / "in.jsonl", tmp_path / "plan.json"
    source.write_text('{"a": "1"}\n', encoding="utf-8")
    asked = [{"model": "k-m-n-anonymity", "k": 2, "m": 2}]
    plan.write_text(json.dumps({"tree": {"classes": ["a"]}, "require": asked}), encoding="utf-8")

    def broken(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("indistinct.trees.files.jsonl.read_lines", broken)
    ran = indistinct("tree", "assess", source, "--plan", plan)
    assert ran.code == 2
    assert "it cannot be read: input/output error" in ran.err
