"""`indistinct tree`: the whole way from a file to a checked release, and what can go wrong."""

from __future__ import annotations

import json
import tomllib

import numpy as np
import pyarrow as pa
import pytest
from markupsafe import escape

from indistinct.report.words import percent

PLAN = """
seed = 5
[tree]
classes = ["hospital", "disease", "treatment"]
[tree.hierarchies]
disease = { tree = { Lung = ["Flu", "Bronchitis"], Stomach = ["Gastritis"] } }
[[require]]
model = "k-m-n-anonymity"
k = 2
m = 2
n = 1
"""
PEOPLE = [
    {"id": "Ann", "hospital": {"value": "H1", "disease": {"value": "Flu", "treatment": "Rest"}}},
    {"id": "Bob", "hospital": {"value": "H1", "disease": ["Flu", "Gastritis"]}},
    {"id": "Cyd", "hospital": ["H1", {"value": "H2", "disease": "Bronchitis"}]},
    {"id": "Dan", "hospital": [{"value": "H2", "disease": "Gastritis"}], "treatment": "Rest"},
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    lines = "".join(json.dumps(person) + "\n" for person in PEOPLE)
    (tmp_path / "in.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


def anonymize(indistinct, folder, *more, source="in.jsonl", out="out.jsonl", plan="plan.toml"):
    return indistinct(
        "tree", "anonymize", folder / source, "--plan", folder / plan, "--out", folder / out, *more
    )


def test_a_release_is_written_checked_and_told(indistinct, folder):
    ran = anonymize(indistinct, folder, "--json")
    assert ran.code == 0, ran.out
    assert ran.json["released_records"] == 4
    asked = {"model": "k-m-n-anonymity", "k": 2, "m": 2, "n": 1}
    promised = {"promised": "k = 2, m = 2, n = 1", "holds": True}
    assert ran.json["requirements"] == [asked | promised]
    released = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert len(released) == 4
    assert all(set(record) <= {"hospital", "disease", "treatment"} for record in released)
    ran = indistinct(
        "tree", "verify", folder / "out.jsonl", "--plan", folder / "plan.toml", "--json"
    )
    assert (ran.code, ran.json["holds"]) == (0, True)


@pytest.mark.parametrize(
    ("source", "out"), [("in.jsonl.gz", "out.xml.gz"), ("in.jsonl.zst", "out.jsonl.bz2")]
)
def test_packed_files_say_the_same(indistinct, folder, source, out):
    with pa.output_stream(folder / source, compression="detect") as handle:
        handle.write((folder / "in.jsonl").read_bytes())
    certificate = folder / "c.json"
    ran = anonymize(indistinct, folder, "--certificate", certificate, source=source, out=out)
    assert ran.code == 0, ran.err
    kept = folder / out.rpartition(".")[0]
    assert anonymize(indistinct, folder, out=kept.name).code == 0
    with pa.input_stream(folder / out, compression="detect") as handle:
        assert handle.read() == kept.read_bytes()
    ran = indistinct("tree", "verify", folder / out, "--certificate", certificate)
    assert ran.code == 0, ran.err
    cut = (folder / source).read_bytes()[:-20]
    (folder / source).write_bytes(cut)
    ran = anonymize(indistinct, folder, source=source, out="again.jsonl")
    assert (ran.code, (folder / "again.jsonl").exists()) == (2, False)
    assert f"{source}: it cannot be unpacked" in ran.err


def test_people_are_told_too(indistinct, folder):
    ran = anonymize(indistinct, folder)
    assert ran.code == 0
    assert "4 records with" in ran.out
    assert "relations kept" in ran.out
    ran = indistinct("tree", "verify", folder / "out.jsonl", "--plan", folder / "plan.toml")
    assert "k-m-n-anonymity (k = 2, m = 2, n = 1): holds" in ran.out


def test_private_records_do_not_pass(indistinct, folder):
    ran = indistinct("tree", "verify", folder / "in.jsonl", "--plan", folder / "plan.toml")
    assert ran.code == 1
    assert "in.jsonl, line 1: it holds a key 'id', which the plan does not know" in ran.err
    nameless = [{key: value for key, value in one.items() if key != "id"} for one in PEOPLE]
    lines = "".join(json.dumps(person) + "\n" for person in nameless)
    (folder / "in.jsonl").write_text(lines, encoding="utf-8")
    ran = indistinct("tree", "verify", folder / "in.jsonl", "--plan", folder / "plan.toml")
    assert ran.code == 1
    assert "does not hold: (Bronchitis) matches 1 records" in ran.err


@pytest.mark.parametrize("verb", ["anonymize", "assess", "verify"])
@pytest.mark.parametrize(
    ("name", "content"),
    [("in.jsonl", '{"hospitals": "H1"}\n{}\n'), ("in.xml", "<a><b><ward value='x'/></b><b/></a>")],
)
def test_a_file_without_any_known_class_is_no_input(indistinct, folder, verb, name, content):
    (folder / name).write_text(content)
    if verb == "verify":  # which would refuse the unknown names first
        (folder / name).write_text("{}\n{}\n" if name == "in.jsonl" else "<a><b/><b/></a>")
    more = ["--out", folder / "out.jsonl"] if verb == "anonymize" else []
    ran = indistinct("tree", verb, folder / name, "--plan", folder / "plan.toml", *more)
    assert ran.code == 2
    assert "none of its records has a node of any class" in ran.err
    assert "Check the names of the plan's classes: hospital, disease, treatment." in ran.err
    assert not (folder / "out.jsonl").exists()


def test_more_relations_than_labels_are_assessed(indistinct, folder):
    plan = PLAN.replace("m = 2", "m = 4").replace("n = 1", "n = 9")
    (folder / "plan.toml").write_text(plan, encoding="utf-8")
    ran = indistinct(
        "tree", "assess", folder / "in.jsonl", "--plan", folder / "plan.toml", "--json"
    )
    known = {(case["labels"], case["relations"]) for case in ran.json["singled_out"]}
    assert known == {(m, n) for m in range(1, 5) for n in range(m * (m - 1) // 2 + 1)}


def test_the_risk_is_told_by_knowledge(indistinct, folder):
    ran = indistinct(
        "tree", "assess", folder / "in.jsonl", "--plan", folder / "plan.toml", "--json"
    )
    assert ran.code == 0
    cases = {(c["labels"], c["relations"]): c["records"] for c in ran.json["singled_out"]}
    assert cases == {(1, 0): 1, (2, 0): 4, (2, 1): 4}
    assert ran.json["distinct_records"] == 4
    shown = indistinct("tree", "assess", folder / "in.jsonl", "--plan", folder / "plan.toml")
    assert "4 (100.0%)" in shown.out


def test_the_same_seed_gives_the_same_bytes_and_another_another_order(indistinct, folder):
    first = anonymize(indistinct, folder, out="a.jsonl")
    second = anonymize(indistinct, folder, out="b.jsonl")
    assert first.code == second.code == 0
    a, b = (folder / "a.jsonl").read_bytes(), (folder / "b.jsonl").read_bytes()
    assert a == b
    orders = set()
    for seed in range(12):
        anonymize(indistinct, folder, "--seed", seed, out="c.jsonl")
        orders.add((folder / "c.jsonl").read_bytes())
    assert len(orders) > 1
    assert {tuple(sorted(text.splitlines())) for text in orders} == {tuple(sorted(a.splitlines()))}


@pytest.mark.parametrize("out", ["out.xml", "out.jsonl"])
def test_a_release_may_be_written_in_another_format(indistinct, folder, out):
    assert anonymize(indistinct, folder, out=out).code == 0
    ran = indistinct("tree", "verify", folder / out, "--plan", folder / "plan.toml", "--json")
    assert (ran.code, ran.json["released_records"]) == (0, 4)


@pytest.mark.parametrize("out", ["out.csv", "out.xlsx", "out.parquet", "out"])
def test_a_name_that_says_another_kind_of_file_is_refused(indistinct, folder, out):
    before = sorted(path.name for path in folder.iterdir())
    ran = anonymize(indistinct, folder, out=out)
    assert ran.code == 2
    assert f"{out}: records are written as JSON Lines or XML. Name it .jsonl or .xml." in ran.err
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize("place", ["--out", "--report-json"])
def test_the_plan_is_never_overwritten(indistinct, folder, place):
    plan = folder / "plan.json"
    plan.write_text(json.dumps(tomllib.loads(PLAN)), encoding="utf-8")
    before = plan.read_bytes()
    outputs = {"--out": folder / "out.jsonl", "--report-json": folder / "report.json", place: plan}
    options = [part for pair in outputs.items() for part in pair]
    ran = indistinct("tree", "anonymize", folder / "in.jsonl", "--plan", plan, *options)
    assert (ran.code, plan.read_bytes()) == (2, before)
    assert "plan.json: the output is an input" in ran.err
    assert sorted(path.name for path in folder.iterdir()) == ["in.jsonl", "plan.json", "plan.toml"]


def test_a_plan_for_the_other_kind_of_data_is_told(indistinct, folder):
    ran = indistinct(
        "anonymize", folder / "in.csv", "--plan", folder / "plan.toml", "--out", "x.csv"
    )
    assert ran.code == 2
    assert "plan.toml: it is a plan for records that are trees. Run indistinct tree" in ran.err
    assert ran.err.count("\n") == 1


BAD_DATA = {
    "half a character": ('{"hospital": "\\ud800"}', "line 5: it holds half a character"),
    "a line that is no JSON": ('{"hospital": [', "line 5: it is not JSON"),
    "a key that stands twice": (
        '{"hospital": "H1", "hospital": "H2"}',
        "line 5: key 'hospital' occurs twice in one object",
    ),
    "an unknown label": ('{"disease": "Fluu"}', "value 'Fluu' (1 node), first in line 5"),
    "a class twice on a path": (
        '{"hospital": {"value": "H1", "hospital": "H2"}}',
        "line 5: class 'hospital' occurs twice on one path",
    ),
}


@pytest.mark.parametrize(("line", "told"), BAD_DATA.values(), ids=BAD_DATA)
def test_bad_records_are_told_by_line_and_nothing_is_written(indistinct, folder, line, told):
    with (folder / "in.jsonl").open("a", encoding="utf-8") as handle:
        handle.write(line + "\n")
    before = sorted(path.name for path in folder.iterdir())
    ran = anonymize(indistinct, folder)
    assert ran.code == 2
    assert told in ran.err
    assert sorted(path.name for path in folder.iterdir()) == before


BAD_PLANS = {
    "no tree": ("[tree", "[other", "it has no [tree]"),
    "an unknown class": ("disease = {", "diseas = {", "there is no class 'diseas'. Closest: 'dise"),
    "no k": ("k = 2", "", "require[1].k: it is required but absent"),
    "too small a k": ("k = 2", "k = 1", "require[1].k: it should be greater than or equal to 2"),
    "an unknown method": (
        "[[require]]",
        '[method]\nname = "ocs"\n[[require]]',
        "there is no 'ocs'",
    ),
    "diversity of nothing": (
        "n = 1",
        'n = 1\n[[require]]\nmodel = "l-diversity"\nl = 2',
        "l-diversity needs sensitive classes",
    ),
    "a denied label that is not there": (
        "[tree.hierarchies]",
        '[[tree.negative]]\nclass = "disease"\nvalue = "Lung"\n[tree.hierarchies]',
        "tree.negative[1]: class 'disease' has no ground label 'Lung'",
    ),
    "keys of XML": (
        "[tree]",
        '[tree]\nformat = "xml"\nkeys = { id = "other" }',
        "only JSON records have keys",
    ),
    "a class as a key": (
        "[tree]",
        '[tree]\nkeys = { disease = "other" }',
        "tree.keys: 'disease' is a class",
    ),
    "tables without tables": ("[tree]", '[tree]\nformat = "tables"', "go together"),
    "no anonymity": (
        'model = "k-m-n-anonymity"\nk = 2\nm = 2\nn = 1',
        'model = "l-diversity"\nl = 2',
        "0 times k-m-n-anonymity",
    ),
}


@pytest.mark.parametrize(("old", "new", "told"), BAD_PLANS.values(), ids=BAD_PLANS)
def test_a_bad_plan_is_told_by_setting(indistinct, folder, old, new, told):
    assert old in PLAN
    (folder / "plan.toml").write_text(PLAN.replace(old, new), encoding="utf-8")
    ran = anonymize(indistinct, folder)
    assert ran.code == 2
    assert told in ran.err
    assert not (folder / "out.jsonl").exists()


def test_the_input_is_never_overwritten(indistinct, folder):
    before = (folder / "in.jsonl").read_bytes()
    ran = anonymize(indistinct, folder, out="in.jsonl")
    assert (ran.code, (folder / "in.jsonl").read_bytes()) == (2, before)
    assert "the output is an input" in ran.err


def test_what_cannot_be_met_exits_1(indistinct, folder):
    (folder / "plan.toml").write_text(PLAN.replace("k = 2", "k = 9"), encoding="utf-8")
    ran = anonymize(indistinct, folder)
    assert ran.code == 1
    assert "k is 9, but there are only 4 records" in ran.err
    assert not (folder / "out.jsonl").exists()


def test_sensitive_classes_and_denied_labels_from_the_plan(indistinct, folder):
    plan = (
        PLAN.replace(
            "[tree.hierarchies]",
            'sensitive = ["treatment"]\n[[tree.negative]]\nclass = "hospital"\nvalue = "H2"\n'
            '[[tree.negative]]\nclass = "disease"\nvalue = "Flu"\n'
            'below = { class = "hospital", value = "H1" }\n[tree.hierarchies]',
        )
        + '[[require]]\nmodel = "l-diversity"\nl = 2\n'
    )
    (folder / "plan.toml").write_text(plan, encoding="utf-8")
    ran = anonymize(indistinct, folder, "--json")
    assert ran.code == 0, ran.out
    assert [asked["model"] for asked in ran.json["requirements"]] == [
        "k-m-n-anonymity",
        "l-diversity",
    ]
    released = (folder / "out.jsonl").read_text(encoding="utf-8")
    assert released.count("Rest") == 2
    ran = indistinct("tree", "verify", folder / "out.jsonl", "--plan", folder / "plan.toml")
    assert ran.code == 0, ran.err


def test_keys_with_a_role_are_released_or_left_out(indistinct, folder):
    keys = '[tree]\nkeys = { id = "identifier", year = "other" }\nunlisted = "error"'
    (folder / "plan.toml").write_text(PLAN.replace("[tree]", keys), encoding="utf-8")
    people = [{**person, "year": 1980 + place} for place, person in enumerate(PEOPLE)]
    lines = "".join(json.dumps(person) + "\n" for person in people)
    (folder / "in.jsonl").write_text(lines, encoding="utf-8")
    ran = anonymize(indistinct, folder, "--json")
    assert ran.code == 0, ran.err
    released = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert sorted(record["year"] for record in released) == [1980, 1981, 1982, 1983]
    assert not any("id" in record for record in released)
    assert "key 'year' is released as it is" in ran.json["warnings"][0]
    ran = indistinct("tree", "verify", folder / "out.jsonl", "--plan", folder / "plan.toml")
    assert ran.code == 0
    ran = anonymize(indistinct, folder, out="out.xml")
    assert ran.code == 2
    assert "can only be written as JSON Lines" in ran.err


@pytest.mark.parametrize("out", ["out.jsonl", "out.xml"])
def test_what_stands_in_the_file_is_judged(indistinct, folder, out, monkeypatch):
    """A writer that leaves out every other record is found out, and nothing is put in place."""
    from indistinct.trees.files import jsonl_writing, xml

    for module in (jsonl_writing, xml):
        monkeypatch.setattr(module, "write_draft", _half(module.write_draft))
    before = sorted(path.name for path in folder.iterdir())
    ran = anonymize(indistinct, folder, out=out)
    assert ran.code == 2
    assert "the written file does not hold what was meant" in ran.err
    assert sorted(path.name for path in folder.iterdir()) == before


def _half(write):
    def wrong(forest, path):
        write(forest.taken(np.arange(0, forest.size, 2)), path)

    return wrong


def test_a_draft_that_does_not_hold_is_repaired_and_written_again(indistinct, folder, monkeypatch):
    """The search is not trusted: one that publishes everything as it is gets mended."""
    from indistinct.trees.methods import BestCutSearch, TreeRecoding

    def careless(_, problem):
        return TreeRecoding(problem.forest, None)

    monkeypatch.setattr(BestCutSearch, "search", careless)
    ran = anonymize(indistinct, folder, "--json")
    assert ran.code == 0, ran.err
    assert ran.json["disassociated"]
    ran = indistinct("tree", "verify", folder / "out.jsonl", "--plan", folder / "plan.toml")
    assert ran.code == 0


def test_the_report_says_what_the_summary_says(indistinct, folder):
    ran = anonymize(indistinct, folder, "--json", "--report-json", folder / "report.json")
    assert ran.code == 0, ran.err
    told = json.loads((folder / "report.json").read_text())
    assert told == ran.json
    assert told["requirements"][0]["holds"] is True


def test_the_page_tells_the_same_without_the_seed_or_a_person(indistinct, folder):
    plan = PLAN.replace("seed = 5", "seed = 987654321").replace("Gastritis", "<b>Gas</b>")
    (folder / "plan.toml").write_text(plan, encoding="utf-8")
    data = (folder / "in.jsonl").read_text("utf-8").replace("Gastritis", "<b>Gas</b>")
    (folder / "in.jsonl").write_text(data, encoding="utf-8")
    ran = anonymize(indistinct, folder, "--json", "--report", folder / "report.html")
    assert ran.code == 0, ran.err
    page = (folder / "report.html").read_text("utf-8")
    assert "Promise kept" in page
    assert (
        "knows up to 2 labels of a record and up to 1 relation between them finds no record, "
        "or at least 2." in page
    )
    for share in ("values_exact", "values_present", "relations_kept"):
        assert percent(ran.json["measures"][share]) in page
    for labels in ran.json["cut"].values():
        assert escape(", ".join(labels)) in page
    for pair in ran.json["disassociated"]:
        upper, lower = (f"{end['class']} {escape(end['value'])}" for end in pair.values())
        assert f"{upper} and {lower}" in page
    assert "<b>" not in page
    assert "<script" not in page
    assert "987654321" not in page
    assert not [person["id"] for person in PEOPLE if person["id"] in page]


@pytest.mark.parametrize("option", ["--report", "--report-json"])
def test_the_report_is_no_input_and_not_the_release(indistinct, folder, option):
    for name in ("in.jsonl", "out.jsonl"):
        ran = anonymize(indistinct, folder, option, folder / name)
        assert ran.code == 2
        assert "out" in ran.err
        assert not (folder / "out.jsonl").exists()


def certified(indistinct, folder, out="out.jsonl"):
    ran = anonymize(indistinct, folder, "--certificate", folder / "c.json", out=out)
    assert (ran.code, ran.err) == (0, "")
    return "tree", "verify", folder / out, "--certificate", folder / "c.json"


@pytest.mark.parametrize("out", ["out.xml", "out.jsonl"])
def test_a_release_is_checked_by_its_certificate(indistinct, folder, out):
    command = certified(indistinct, folder, out)
    (folder / "in.jsonl").unlink()
    (folder / "plan.toml").unlink()
    ran = indistinct(*command)
    assert (ran.code, ran.err) == (0, "")
    assert "the file is the certified one" in ran.out
    assert "k-m-n-anonymity (k = 2, m = 2, n = 1): holds" in ran.out
    ran = indistinct(*command, "--json")
    assert (ran.json["holds"], ran.json["hash_matches"]) == (True, True)
    with (folder / out).open("a") as handle:
        handle.write("\n")
    ran = indistinct(*command)
    assert (ran.code, ran.out) == (1, "")
    assert "changed after it was certified" in ran.err


def test_all_that_a_certificate_states_wrongly_is_told_at_once(indistinct, folder):
    command = certified(indistinct, folder)
    content = json.loads((folder / "c.json").read_text())
    content["output"]["records"] = 40
    content["release"]["requirements"][0]["k"] = 20
    (folder / "c.json").write_text(json.dumps(content))
    ran = indistinct(*command, "--json")
    assert (ran.code, ran.json["error"]) == (1, "DoesNotHoldError")
    told = [fault["problem"] for fault in ran.json["faults"]]
    assert told == [
        "it states output.records = 40, but the release shows 4",
        "it states k-m-n-anonymity k = 20, but its plan says 2",
    ]


def test_verify_needs_a_plan_or_a_certificate(indistinct, folder):
    command = certified(indistinct, folder)
    none = indistinct(*command[:3])
    assert (none.code, none.out) == (2, "")
    assert "verify: neither a plan nor a certificate is given. Give --plan" in none.err
    both = indistinct(*command, "--plan", folder / "plan.toml")
    assert (both.code, both.out) == (2, "")
    assert (
        "verify: both a plan and a certificate are given. Give --plan or --certificate." in both.err
    )


def test_the_certificate_is_no_input_and_not_the_release(indistinct, folder):
    for name in ("in.jsonl", "plan.toml", "out.jsonl"):
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        ran = anonymize(indistinct, folder, "--certificate", folder / name)
        assert ran.code == 2
        assert name in ran.err
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_certificate_of_the_other_kind_is_told_with_the_right_command(
    indistinct, folder, workshop
):
    command = certified(indistinct, folder)
    ran = indistinct(*command[1:])
    assert ran.code == 2
    assert "it certifies tree records, not a table. Use indistinct tree verify" in ran.err
    workshop.anonymize("--certificate", workshop.path("table.json"))
    ran = indistinct(*command[:-1], workshop.path("table.json"))
    assert ran.code == 2
    assert "it certifies a table, not tree records. Use indistinct verify" in ran.err


def test_small_losses_are_shown(indistinct, folder, monkeypatch):
    monkeypatch.setattr("indistinct.trees.measures.evidence.rpd", lambda *_: 1.23456e-7)
    assert "1.23e-07 (1.23e-07)" in anonymize(indistinct, folder).out


def test_what_is_known_at_the_root_is_told(indistinct, folder):
    mixed = PLAN.replace('["hospital"', '["sex", "hospital"').replace(
        "[tree.hierarchies]", 'root = ["sex"]\n[tree.hierarchies]'
    )
    (folder / "plan.toml").write_text(mixed, encoding="utf-8")
    people = [{"sex": "f", **person} for person in PEOPLE] * 2
    lines = "".join(json.dumps(person) + "\n" for person in people)
    (folder / "in.jsonl").write_text(lines, encoding="utf-8")
    ran = anonymize(indistinct, folder)
    assert ran.code == 0, ran.out
    assert "alike in sex: 1 groups of 8 records or more, each recoded by itself" in ran.out
    assert "beside sex" in ran.out
    ran = indistinct("tree", "assess", folder / "in.jsonl", "--plan", folder / "plan.toml")
    assert "known beside the labels: sex" in ran.out
