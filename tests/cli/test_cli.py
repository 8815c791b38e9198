"""The verbs at their best: what they print, what they write, and how they end."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct._version import __version__


def rows_of(path, delimiter=","):
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8")), delimiter=delimiter))


def test_anonymize_writes_release_report_and_certificate(workshop):
    more = ["--report", workshop.path("r.html"), "--certificate", workshop.path("c.json")]
    ran = workshop.anonymize(*more)
    assert (ran.code, ran.err) == (0, "")
    assert "6 of 6 rows released in 3 classes" in ran.out
    released = rows_of(workshop.path("release.csv"))
    assert list(released[0]) == ["zip", "age", "marital", "disease"]
    assert len(released) == 6
    assert workshop.path("r.html").read_text().startswith("<!doctype html>")
    assert json.loads(workshop.path("c.json").read_text())["kind"] == "indistinct certificate"
    kept = {"private.csv", "plan.json", "marital.csv", "release.csv", "r.html", "c.json"}
    assert set(workshop.files()) == kept


def test_anonymize_as_json(workshop):
    ran = workshop.anonymize("--json")
    assert (ran.code, ran.err) == (0, "")
    told = ran.json
    assert told["method"] == "optimal"
    assert (told["input_rows"], told["released_rows"], told["suppressed_rows"]) == (6, 6, 0)
    assert told["classes"] == 3
    assert set(told["levels"]) == {"zip", "age", "marital"}
    measures = told["measures"]
    assert {"gcp", "ncp", "discernibility", "average_class_size"} <= set(measures)
    assert set(measures["ncp"]) == {"zip", "age", "marital"}
    assert measures["discernibility"] == 12
    assert measures["average_class_size"] == 2
    [required] = told["requirements"]
    assert required["model"] == "k-anonymity"
    assert (required["k"], required["measured"], required["holds"]) == (2, 2, True)
    assert set(told["seconds"]) == {
        "read", "encode", "search", "publish", "verify", "write", "compile",
    }  # fmt: skip


def test_the_old_release_is_replaced(workshop):
    workshop.path("release.csv").write_text("old")
    assert workshop.anonymize().code == 0
    assert len(rows_of(workshop.path("release.csv"))) == 6


def test_the_same_seed_gives_the_same_bytes(workshop):
    written = []
    for seed in (3, 3, 4):
        assert workshop.anonymize("--seed", seed).code == 0
        written.append(workshop.path("release.csv").read_bytes())
    assert written[0] == written[1]
    assert written[0] != written[2]
    assert sorted(written[0].splitlines()) == sorted(written[2].splitlines())


def test_keep_order(workshop):
    assert workshop.anonymize("--keep-order").code == 0
    diseases = [row["disease"] for row in rows_of(workshop.path("release.csv"))]
    assert diseases == ["flu", "asthma", "flu", "gout", "flu", "gout"]


def test_options_override_the_plan(workshop):
    workshop.data = workshop.data.replace(",", ";").replace("gout", "goût").encode("latin-1")
    workshop.plan["input"] = {"delimiter": ",", "encoding": "utf-8"}
    assert workshop.anonymize("--delimiter", ";", "--encoding", "latin-1").code == 0
    released = rows_of(workshop.path("release.csv"), ";")
    assert {row["disease"] for row in released} == {"flu", "asthma", "goût"}


def test_tsv_and_parquet_by_name(workshop):
    assert workshop.anonymize(out="release.tsv").code == 0
    assert len(rows_of(workshop.path("release.tsv"), "\t")) == 6
    assert workshop.anonymize(out="release.parquet").code == 0
    table = pq.read_table(workshop.path("release.parquet"))
    assert table.column_names == ["zip", "age", "marital", "disease"]
    assert all(pa.types.is_string(field.type) for field in table.schema)


def test_a_plan_in_another_folder_finds_its_hierarchies(workshop, monkeypatch, tmp_path_factory):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert workshop.anonymize().code == 0


def test_verify_by_certificate_and_by_plan(workshop):
    workshop.anonymize("--certificate", workshop.path("c.json"))
    release = workshop.path("release.csv")
    ran = workshop.command("verify", release, "--certificate", workshop.path("c.json"))
    assert (ran.code, ran.err) == (0, "")
    assert "the file is the certified one" in ran.out
    assert "measured 2, holds" in ran.out
    ran = workshop.command("verify", release, "--plan", workshop.plan_path, "--json")
    assert ran.code == 0
    assert (ran.json["holds"], ran.json["hash_matches"]) == (True, None)
    assert (ran.json["released_rows"], ran.json["classes"]) == (6, 3)


def test_verify_does_not_hold(workshop):
    workshop.anonymize("--certificate", workshop.path("c.json"))
    release = workshop.path("release.csv")
    release.write_text(release.read_text().replace("flu", "flx", 1))
    ran = workshop.command("verify", release, "--certificate", workshop.path("c.json"))
    assert (ran.code, ran.out) == (1, "")
    assert "SHA-256" in ran.err
    lines = release.read_text().splitlines()
    release.write_text("\n".join(lines[:-1]) + "\n")
    ran = workshop.command("verify", release, "--plan", workshop.plan_path, "--json")
    assert (ran.code, ran.err, ran.json["error"]) == (1, "", "DoesNotHoldError")
    assert "measures 1" in ran.json["faults"][0]["problem"]
    assert ran.json["faults"][0]["remedy"] == "Do not publish it."


def test_verify_says_what_it_cannot_tell(workshop):
    workshop.plan["columns"]["name"]["role"] = "respondent"
    workshop.anonymize("--certificate", workshop.path("c.json"))
    run = ["verify", workshop.path("release.csv"), "--certificate", workshop.path("c.json")]
    ran = workshop.command(*run)
    assert ran.code == 3
    assert "measured 2, cannot be decided" in ran.out
    assert workshop.command(*run, "--json").code == 3
    told = workshop.command(*run, "--json").json
    assert (told["holds"], told["requirements"][0]["holds"]) == (None, None)


def test_verify_needs_something_to_hold_a_release_to(workshop):
    workshop.anonymize()
    ran = workshop.command("verify", workshop.path("release.csv"))
    assert ran.code == 2
    assert "neither a plan nor a certificate is given. Give --plan or --certificate." in ran.err
    plan = ["--plan", workshop.plan_path]
    both = [*plan, "--certificate", workshop.path("c.json")]
    ran = workshop.command("verify", workshop.path("release.csv"), *both)
    assert ran.code == 2
    assert "both a plan and a certificate are given. Give --plan" in ran.err
    people = ["--people", workshop.path("private.csv")]
    ran = workshop.command("verify", workshop.path("release.csv"), *plan, *people)
    assert ran.code == 2
    assert "people are only used with an older release. Give --against" in ran.err


def test_verify_tells_which_of_two_files_is_wrong(workshop):
    workshop.plan["method"] = {"name": "anatomy"}
    workshop.plan["require"] = [{"model": "l-diversity", "l": 2}]
    illnesses = workshop.path("illnesses.csv")
    assert workshop.anonymize("--sensitive-out", illnesses).code == 0
    run = ["verify", workshop.path("release.csv"), "--plan", workshop.plan_path]
    assert workshop.command(*run, "--sensitive-table", illnesses).code == 0
    ran = workshop.command(*run)
    assert ran.code == 2
    assert "'disease', which was promised" in ran.err
    assert "Give --sensitive-table" in ran.err
    ran = workshop.command(*run, "--sensitive-table", workshop.path("private.csv"))
    assert ran.code == 2
    assert "sensitive table: no column 'group'. Give the two files of one release." in ran.err
    ran = workshop.command(*run, "--sensitive-table", workshop.path("release.csv"))
    assert ran.code == 2
    assert "sensitive table: it holds 'zip', 'age', 'marital', which the release holds" in ran.err


def test_verify_names_the_column_of_a_promise(workshop):
    workshop.plan["columns"]["name"]["role"] = "sensitive"
    workshop.plan["accept"] = [{"column": "name", "reason": "these people never lived"}]
    workshop.plan["require"].append({"model": "l-diversity", "l": 2})
    workshop.anonymize()
    told = workshop.command(
        "verify", workshop.path("release.csv"), "--plan", workshop.plan_path
    ).out
    assert "l-diversity of disease (distinct, l = 2): measured 2, holds" in told
    assert "l-diversity of name (distinct, l = 2): measured 2, holds" in told


def test_assess(workshop):
    workshop.prepare()
    ran = workshop.command("assess", workshop.path("private.csv"))
    assert (ran.code, ran.err) == (0, "")
    assert "6 rows" in ran.out
    assert "'name' looks like an identifier" in ran.out
    ran = workshop.command(
        "assess", workshop.path("private.csv"), "--columns", "zip, marital", "--json"
    )
    assert ran.json["columns"] == ["zip", "marital"]
    assert ran.json["unique_rows"] == 2
    ran = workshop.command("assess", workshop.path("private.csv"), "--plan", workshop.plan_path,
                           "--json")  # fmt: skip
    assert ran.json["columns"] == ["zip", "age", "marital"]


def test_assess_bad_input(workshop):
    workshop.prepare()
    ran = workshop.command("assess", workshop.path("private.csv"), "--columns", "zp")
    assert (ran.code, ran.out) == (2, "")
    assert "no column 'zp'. Closest: 'zip'" in ran.err
    ran = workshop.command("assess", workshop.path("nope.csv"), "--json")
    assert (ran.code, ran.err, ran.json["error"]) == (2, "", "DataError")


@pytest.mark.parametrize(
    "verb", [["assess", "--columns", "age,marital"], ["hierarchy", "suggest", "--column", "age"]]
)
def test_a_file_without_a_header_shows_no_row(workshop, verb):
    workshop.data = workshop.data.split("\n", 1)[1]
    workshop.prepare()
    ran = workshop.command(*verb, workshop.path("private.csv"))
    assert ran.code == 2
    assert "no column 'age'" in ran.err
    assert "it has 5 columns. The first line must hold the names of the columns." in ran.err
    told = ran.err.replace(str(workshop.path("private.csv")), "")
    assert not any(word in told for word in ("Ann", "22030", "31", "married", "flu"))


def test_hierarchy_verbs(workshop):
    workshop.prepare()
    ran = workshop.command("hierarchy", "show", workshop.path("marital.csv"))
    assert ran.code == 0
    assert "widow" in ran.out
    ran = workshop.command("hierarchy", "show", workshop.path("marital.csv"), "--json")
    assert ran.json["levels"] == 2
    ran = workshop.command(
        "hierarchy", "check", workshop.path("marital.csv"),
        "--data", workshop.path("private.csv"), "--column", "marital", "--json",
    )  # fmt: skip
    assert ran.json == {"ok": True, "values": 4, "levels": 2}
    ran = workshop.command(
        "hierarchy", "suggest", workshop.path("private.csv"), "--column", "zip",
        "--out", workshop.path("zip.csv"), "--json",
    )  # fmt: skip
    assert ran.code == 0
    ran = workshop.command("hierarchy", "check", workshop.path("zip.csv"), "--json")
    assert ran.json["values"] == 4


def test_hierarchy_faults(workshop):
    workshop.marital.append(["widow", "never", "*"])
    workshop.prepare()
    before = workshop.files()
    ran = workshop.command("hierarchy", "check", workshop.path("marital.csv"))
    assert (ran.code, ran.out) == (2, "")
    assert "'widow' has 2 parents" in ran.err
    ran = workshop.command("hierarchy", "check", workshop.path("zip.csv"), "--column", "zip")
    assert ran.code == 2
    assert "--data and --column go together" in ran.err
    ran = workshop.command("hierarchy", "check", workshop.path("nope.csv"))
    assert (
        ran.err
        == f"indistinct: {workshop.path('nope.csv')}: there is no such file. Check the path.\n"
    )
    for out in ("private.csv", "no/where.csv", "zip.xlsx"):
        ran = workshop.command(
            "hierarchy", "suggest", workshop.path("private.csv"), "--column", "zip",
            "--out", workshop.path(out),
        )  # fmt: skip
        assert ran.code == 2
    ran = workshop.command(
        "hierarchy", "suggest", workshop.path("private.csv"), "--column", "zp", "--json"
    )
    assert (ran.code, ran.err) == (2, "")
    assert "Closest: 'zip'" in ran.json["faults"][0]["remedy"]
    assert workshop.files() == before


def test_hierarchy_of_a_file_in_another_encoding(workshop):
    workshop.data = workshop.data.replace("widow", "veuvé").replace(",", ":").encode("latin-1")
    workshop.marital[2][0] = "veuvé"
    workshop.prepare()
    how = ["--column", "marital", "--encoding", "latin-1", "--delimiter", ":"]
    private, ladder = workshop.path("private.csv"), workshop.path("marital.csv")
    assert "veuvé" in workshop.command("hierarchy", "suggest", private, *how).out
    ran = workshop.command("hierarchy", "check", ladder, "--data", private, *how)
    assert (ran.code, ran.out) == (0, "fine: 4 values, 2 levels above them\n")


def test_methods(indistinct):
    assert "samarati" in indistinct("methods").out
    told = indistinct("methods", "--json").json["methods"]
    assert {"optimal", "samarati"} <= {method["name"] for method in told}


def test_version_and_help(indistinct):
    assert indistinct("--version").out == f"indistinct {__version__}\n"
    assert "anonymize" in indistinct("--help").out
    for verb in ("anonymize", "verify", "assess", "methods", "demo"):
        ran = indistinct(verb, "--help")
        assert (ran.code, "--json" in ran.out) == (0, True)


@pytest.mark.parametrize(
    "args", [["--sede", "3"], ["--seed", "x"], ["anonymise"], ["demo", "--rows", "3"]]
)
def test_a_wrong_command_line(indistinct, args):
    ran = indistinct(*args) if args[0] == "demo" else indistinct("anonymize", "in.csv", *args)
    assert (ran.code, ran.out) == (2, "")
    assert "Usage" in ran.err
    told = (
        indistinct(*args, "--json")
        if args[0] == "demo"
        else indistinct("anonymize", *args, "--json")
    )
    assert (told.code, told.err) == (2, "")
    assert told.json["error"] == "UsageError"


def test_no_verb_shows_the_help(indistinct):
    ran = indistinct()
    assert ran.code == 2
    assert "anonymize" in ran.out + ran.err


def test_demo(indistinct, tmp_path):
    ran = indistinct("demo", "--out", tmp_path / "demo", "--rows", 300, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert all(required["holds"] for required in ran.json["requirements"])
    written = {path.name for path in (tmp_path / "demo").iterdir()}
    assert written == {
        "private.csv", "plan.toml", "hierarchies", "release.csv", "report.html", "certificate.json"
    }  # fmt: skip


def test_a_demo_replaces_no_data_but_its_own(indistinct, tmp_path):
    for name in ("private.csv", "plan.toml"):
        (tmp_path / name).write_text("mine")
    ran = indistinct("demo", "--rows", 200, "--out", tmp_path)
    assert ran.code == 2
    assert f"{tmp_path}: it holds private.csv, plan.toml, which no demo wrote" in ran.err
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "private.csv": "mine",
        "plan.toml": "mine",
    }
    for _ in range(2):
        assert indistinct("demo", "--rows", 200, "--out", tmp_path / "demo").code == 0


def test_demo_into_what_is_no_folder(indistinct, tmp_path):
    (tmp_path / "demo").write_text("a file")
    ran = indistinct("demo", "--out", tmp_path / "demo", "--rows", 300)
    assert (ran.code, ran.out) == (2, "")
    assert "file exists. Name a folder." in ran.err


def test_a_reader_that_goes_away_is_no_error(workshop):
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [sys.executable, "-c", "from indistinct.cli import main; main()", "methods"],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert "Traceback" not in ran.stderr
    assert ran.returncode in (0, 1)


def test_reports_for_both_audiences_as_pages_and_numbers(workshop):
    names = {
        "--report": "r.html",
        "--public-report": "p.html",
        "--report-json": "r.json",
        "--public-json": "p.json",
    }
    paths = [part for option, name in names.items() for part in (option, workshop.path(name))]
    ran = workshop.anonymize(*paths, "--frontier", "2,3", "--json")
    assert ran.code == 0
    internal, public = (json.loads(workshop.path(n).read_text()) for n in ("r.json", "p.json"))
    assert (internal["audience"], public["audience"]) == ("internal", "public")
    assert [cell["k"] for cell in internal["frontier"]] == [2, 3]
    assert "plan" in internal
    assert not {"plan", "provenance", "frontier", "associations"} & set(public)
    assert "Loss against k" in workshop.path("r.html").read_text()
    assert "Public report" in workshop.path("p.html").read_text()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--frontier", "2,x", "--report", "r.html"], "frontier: 'x' is not"),
        (["--frontier", "1", "--report", "r.html"], "frontier: 1 is not"),
        (["--frontier", "2,3"], "--report"),
        (["--public-json", "private.csv"], "private.csv"),
        (["--report", "r.html", "--public-report", "r.html"], "r.html"),
        (["--report-json", "no/such/folder/r.json"], "no/such/folder"),
        (["--classify", "zip"], "no sensitive column 'zip'"),
    ],
)
def test_bad_options_of_the_report_write_nothing(workshop, monkeypatch, more, said):
    workshop.prepare()
    before = workshop.files()
    monkeypatch.chdir(workshop.folder)
    ran = workshop.anonymize(*more)
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert workshop.files() == before


def test_a_classifier_is_told_where_it_is_asked_for(workshop):
    workshop.data += "".join(
        f"P{n},220{n % 90 + 10},{20 + n % 60},married,{'flu' if n % 2 else 'gout'}\n"
        for n in range(60)
    )
    ran = workshop.anonymize("--classify", "disease", "--report-json", workshop.path("r.json"))
    assert ran.code == 0
    assert "a classifier of 'disease' is right for" in ran.out
    told = json.loads(workshop.path("r.json").read_text())
    kept = told["classifier"]["kept"]
    assert told["losses"]["classifier_accuracy_kept"] == kept
    assert (
        kept
        == told["classifier"]["by_release"]["share"] / (told["classifier"]["by_private"]["share"])
    )


def test_warnings_stand_above_the_verdict(workshop):
    workshop.plan["require"] = [{"model": "k-anonymity", "k": 6}]
    shown = workshop.anonymize().out
    assert shown.index("warning: the release is a single class") < shown.index("rows released")


def test_an_engine_and_its_limit_are_options(indistinct, tmp_path):
    import pyarrow.parquet as pq

    from indistinct.datasets import census

    pq.write_table(census(200, seed=1).select(["age", "gender"]), tmp_path / "people.parquet")
    columns = {"age": {"role": "quasi"}, "gender": {"role": "quasi"}}
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"columns": columns, "require": [{"model": "k-anonymity", "k": 3}]}))
    out = tmp_path / "release.parquet"
    given = ("--plan", plan, "--out", out, "--engine", "duckdb", "--memory-limit", "300MB")
    ran = indistinct("anonymize", tmp_path / "people.parquet", *given, "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["released_rows"] == pq.read_table(out).num_rows == 200
    refused = indistinct("anonymize", tmp_path / "people.parquet", *given[:-1], "plenty")
    assert refused.code == 2
    assert "'plenty' is not an amount of memory. Say it as 2GB or 500MB" in refused.err
