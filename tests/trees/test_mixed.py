"""Mixed records: all root classes are known beside m labels; by brute force from written files."""

from __future__ import annotations

import csv
import json
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import CannotMeetError, DataError, DoesNotHoldError, PlanError
from indistinct.running.progress import Progress
from indistinct.trees import anonymize, anonymize_file, assess, verify
from indistinct.trees.pipeline import TreeWork
from indistinct.trees.plan import TreePlan
from tests.profiles import examples
from tests.trees import oracle
from tests.trees.growing import CARE, CARE_BELOW, CARE_PATHS, CARE_VALUES, nodes
from tests.trees.test_suppression import as_json, as_nodes

ROOT_PATHS = {
    "age": [["31", "30s", "*"], ["38", "30s", "*"], ["44", "40s", "*"], ["47", "40s", "*"]],
    "sex": [["f", "*"], ["m", "*"]],
}
ROOT = tuple(ROOT_PATHS)
PATHS = {**ROOT_PATHS, **CARE_PATHS}


def roots():
    return st.fixed_dictionaries(
        {},
        optional={
            name: st.sampled_from([path[0] for path in paths]) for name, paths in ROOT_PATHS.items()
        },
    )


def people(max_size=10, most=2):
    tree = nodes(CARE_BELOW, CARE_VALUES, None, most)
    return st.lists(st.tuples(roots(), tree), min_size=2, max_size=max_size)


def plan(k, m, n, *, suppression=0.0, require=(), method=None, **tree):
    content = {
        "tree": {
            "classes": [*ROOT, *CARE],
            "root": list(ROOT),
            "hierarchies": {name: {"paths": paths} for name, paths in PATHS.items()},
            **tree,
        },
        "require": [{"model": "k-m-n-anonymity", "k": k, "m": m, "n": n}, *require],
        "limits": {"suppression": suppression},
        "seed": 1,
    }
    return content if method is None else {**content, "root_method": {"name": method}}


def grouped(records):
    """Published records by all they say at the root, from what stands in a file."""
    groups = defaultdict(list)
    for record in records:
        root = tuple(json.dumps(record.get(name)) for name in ROOT)
        below = {name: inner for name, inner in record.items() if name not in ROOT}
        groups[root].append(oracle.paths_of(as_nodes(below)))
    return groups


def holds(records, k, m, n, **more):
    """The joint promise, by its definition: any root, and any knowledge of the rest beside it."""
    return all(
        len(group) >= k and oracle.holds(group, k, m, n, **more)
        for group in grouped(records).values()
    )


def written(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def as_lines(listed):
    return "".join(json.dumps({**root, **as_json(tree)}) + "\n" for root, tree in listed)


ASKED = st.tuples(st.integers(2, 4), st.integers(1, 3), st.integers(0, 2))


@examples(40)
@given(people(), ASKED, st.sampled_from([0.0, 0.2, 1.0]))
def test_what_is_written_keeps_the_joint_promise(tmp_path_factory, listed, asked, share):
    folder = tmp_path_factory.mktemp("mixed")
    if not any(root or tree for root, tree in listed):
        return
    (folder / "in.jsonl").write_text(as_lines(listed))
    told = plan(*asked, suppression=share)
    try:
        release = anonymize_file(folder / "in.jsonl", told, folder / "out.jsonl")
    except CannotMeetError:
        assert not (folder / "out.jsonl").exists()
        return
    shown = written(folder / "out.jsonl")
    assert holds(shown, *asked)
    summary = release.summary()
    assert len(listed) - len(shown) == summary["suppressed"]["records"] <= share * len(listed)
    sizes = [len(group) for group in grouped(shown).values()]
    assert summary["root"]["groups"] <= len(sizes) or not sizes
    assert all(size >= asked[0] for size in sizes)
    if any(shown):
        assert verify(folder / "out.jsonl", told).records == len(shown)


@examples(30)
@given(people(), ASKED)
def test_every_published_record_is_true(listed, asked):
    if not any(root or tree for root, tree in listed) or len(listed) < asked[0]:
        return
    work = TreeWork(TreePlan.load(plan(*asked)), Progress())
    work.recode([{**root, **as_json(tree)} for root, tree in listed])
    work.repair()

    def above(upper, lower):
        path = next(path for path in PATHS[lower[0]] if lower[1] in path)
        return upper[0] == lower[0] and upper[1] in path[path.index(lower[1]) :]

    for (root, tree), shown in zip(listed, work.recoding.forest.records(), strict=True):
        own = oracle.paths_of(tree) | {((name, value),) for name, value in root.items()}
        said = oracle.paths_of(shown)
        for name in ROOT:  # who lacks a root value may be shown as one of all
            if name not in root:
                said -= {((name, "*"),)}
        assert oracle.truthful(own, said, above)


@examples(60)
@given(people(max_size=7), ASKED)
def test_verify_says_what_the_definition_says(listed, asked):
    records = [{**root, **as_json(tree)} for root, tree in listed]
    if not any(records):
        return
    if holds(records, *asked):
        assert verify(records, plan(*asked)).records == len(records)
    else:
        with pytest.raises(DoesNotHoldError, match="beside age and sex"):
            verify(records, plan(*asked))


@examples(40)
@given(people(max_size=7), ASKED)
def test_assess_counts_those_who_are_singled_out(listed, asked):
    records = [{**root, **as_json(tree)} for root, tree in listed]
    if not any(records):
        return
    k, _, _ = asked
    told = assess(records, plan(*asked)).as_json()
    assert told["root"] == list(ROOT)
    for case in told["singled_out"]:
        few = 0
        for group in grouped(records).values():
            counts = oracle.counted(group, case["labels"], case["relations"])
            few += sum(
                len(group) < k
                or any(
                    counts[known] < k
                    for known in oracle.knowledge(
                        *oracle.facts_of(paths), case["labels"], case["relations"]
                    )
                )
                for paths in group
            )
        assert case["records"] == few
    assert told["singled_out"][0]["labels"] == 0


@examples(25)
@given(people(max_size=12), ASKED, st.integers(2, 3))
def test_sensitive_classes_are_diverse_in_every_group(tmp_path_factory, listed, asked, least):
    folder = tmp_path_factory.mktemp("mixed")
    if not any(root or tree for root, tree in listed):
        return
    (folder / "in.jsonl").write_text(as_lines(listed))
    told = plan(*asked, sensitive=["treatment"], require=[{"model": "l-diversity", "l": least}])
    try:
        anonymize_file(folder / "in.jsonl", told, folder / "out.jsonl")
    except CannotMeetError:
        return
    _, m, n = asked
    for group in grouped(written(folder / "out.jsonl")).values():
        assert oracle.holds(group, *asked, hidden=("treatment",))
        assert oracle.diverse(group, m, n, least, ("treatment",))


@examples(25)
@given(people(max_size=12), ASKED)
def test_what_people_lack_is_known_beside_the_root(tmp_path_factory, listed, asked):
    folder = tmp_path_factory.mktemp("mixed")
    if not any(root or tree for root, tree in listed):
        return
    if "Flu" not in as_lines(listed):
        return
    (folder / "in.jsonl").write_text(as_lines(listed))
    told = plan(*asked, negative=[{"class": "disease", "value": "Flu"}])
    try:
        anonymize_file(folder / "in.jsonl", told, folder / "out.jsonl")
    except CannotMeetError:
        return
    for group in grouped(written(folder / "out.jsonl")).values():
        denied = oracle.present(group, [("disease", "Flu")])
        assert oracle.holds(group, *asked, absent=denied)


METHODS = [
    "auto", "best", "mondrian", "hilbert", "k-member", "topdown", "local-recoding", "optimal",
    "samarati", "incognito", "datafly",
]  # fmt: skip


def some_people(count=40):
    ages, sexes = ["31", "38", "44", "47"], ["f", "m"]
    diseases = ["Flu", "Bronchitis", "Gastritis"]
    return [
        {
            "age": ages[i % 4],
            "sex": sexes[i % 3 % 2],
            "hospital": {"value": f"H{i % 2 + 1}", "disease": diseases[i * i % 3]},
        }
        for i in range(count)
    ]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_for_tables_that_is_allowed_groups_the_roots(method):
    release = anonymize(some_people(), plan(4, 2, 1, method=method))
    assert holds(release.data, 4, 2, 1)


@pytest.mark.parametrize("name", ["greedy-cut-search", "only-cut-search", "miracle"])
def test_every_method_for_trees_recodes_the_groups(name):
    release = anonymize(some_people(), {**plan(4, 2, 1), "method": {"name": name}})
    assert holds(release.data, 4, 2, 1)


def test_a_limit_of_time_is_shared_by_the_groups():
    told = {**plan(2, 2, 1), "method": {"name": "best-cut-search", "seconds": 1e-9}}
    release = anonymize(some_people(), told)
    assert holds(release.data, 2, 2, 1)
    assert any("time" in note for note in release.notes)


def test_roots_and_trees_are_traded_against_each_other():
    """Alike trees leave the roots as fine as k allows; trees that differ much make them coarser."""
    alike = [{"age": age, "hospital": "H1"} for age in ("31", "38", "44", "47")] * 3
    told = plan(3, 2, 1)
    told["tree"] |= {"classes": ["age", "hospital"], "root": ["age"]}
    told["tree"]["hierarchies"] = {name: {"paths": PATHS[name]} for name in ("age", "hospital")}
    summary = anonymize(alike, told).summary()
    assert summary["measures"]["values_exact"] == 1.0
    assert summary["root"] == {"classes": ["age"], "groups": 4, "smallest": 3}
    mixed = [
        {"age": age, "hospital": f"H{1 + place % 4}"}
        for place, age in enumerate(["31"] * 4 + ["38"] * 4 + ["44"] * 4 + ["47"] * 4)
    ]
    told["tree"]["weights"] = {"age": 0.1, "hospital": 5}
    summary = anonymize(mixed, told).summary()
    assert summary["loss_by_class"] == {"age": 1.0, "hospital": 0.0}


def test_tables_have_root_classes_in_their_root_table(tmp_path):
    rows = [["p1", "31", "f"], ["p2", "31", "f"], ["p3", "38", ""], ["p4", "38", ""]]
    stays = [["p1", "H1"], ["p2", "H1"], ["p3", "H2"], ["p4", "H2"], ["p1", "H2"]]
    for name, header, body in (
        ("person", ["person", "age", "sex"], rows),
        ("stay", ["person", "hospital"], stays),
    ):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *body])
    (tmp_path / "out").mkdir()
    told = {
        "tree": {
            "format": "tables",
            "classes": ["age", "sex", "hospital"],
            "root": ["age", "sex"],
            "tables": {
                "person": {"key": "person", "columns": [["age", "sex"]]},
                "stay": {"parent": "person", "foreign_key": "person", "columns": ["hospital"]},
            },
        },
        "require": [{"model": "k-m-n-anonymity", "k": 2, "m": 2, "n": 0}],
    }
    anonymize_file(tmp_path, told, tmp_path / "out", certificate=tmp_path / "c.json")
    with (tmp_path / "out" / "person.csv").open() as file:
        shown = list(csv.DictReader(file))
    sizes = defaultdict(int)
    for row in shown:
        sizes[row["age"], row["sex"]] += 1
    assert len(shown) == 4
    assert min(sizes.values()) >= 2
    assert verify(tmp_path / "out", certificate=tmp_path / "c.json").records == 4
    chained = json.loads(json.dumps(told))
    chained["tree"]["tables"]["person"]["columns"] = ["age", "sex"]
    with pytest.raises(DataError) as caught:
        anonymize_file(tmp_path, chained, tmp_path / "out")
    problems = [fault.problem for fault in caught.value.faults]
    assert problems == [
        "root class 'age' has nodes below it",
        "root class 'sex' is below another node",
        "root class 'sex' has nodes below it",
    ]
    assert 'columns = [["age", "sex"]]' in caught.value.faults[0].remedy


@pytest.mark.parametrize("name", ["out.jsonl", "out.xml"])
def test_a_certificate_and_a_page_tell_what_is_known_at_the_root(tmp_path, name):
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in some_people()))
    release = anonymize_file(
        tmp_path / "in.jsonl",
        plan(4, 2, 1),
        tmp_path / name,
        certificate=tmp_path / "c.json",
        report=tmp_path / "report.html",
    )
    [promise] = verify(tmp_path / name, certificate=tmp_path / "c.json").as_json()["requirements"]
    assert promise["promised"] == "k = 4, m = 2, n = 1, beside age and sex"
    page = (tmp_path / "report.html").read_text()
    assert "Anyone who knows age and sex of a person and up to 2 labels" in page
    groups = release.summary()["root"]["groups"]
    assert f">{groups}<" in page
    certificate = json.loads((tmp_path / "c.json").read_text())
    certificate["plan"]["tree"]["root"] = ["sex"]
    (tmp_path / "c.json").write_text(json.dumps(certificate))
    with pytest.raises(DoesNotHoldError, match="promised"):
        verify(tmp_path / name, certificate=tmp_path / "c.json")


def test_one_record_changed_at_its_root_is_found_out(tmp_path):
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in some_people()))
    anonymize_file(tmp_path / "in.jsonl", plan(4, 2, 1), tmp_path / "out.jsonl")
    records = written(tmp_path / "out.jsonl")
    records[0]["age"] = ["99"]
    with pytest.raises(DoesNotHoldError, match=r"\(age 99, sex .*\) matches 1 records"):
        verify(records, plan(4, 2, 1))


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"age": ["31", "38"]}, "root class 'age' has several values"),
        ({"age": {"value": "31", "hospital": "H1"}}, "root class 'age' has nodes below it"),
        ({"age": {"value": "31", "sex": "f"}}, "root class 'sex' is below another node"),
    ],
)
def test_root_classes_stand_at_the_root_once(record, problem):
    with pytest.raises(DataError) as caught:
        verify([*some_people(8), record], plan(2, 1, 0))
    assert ("records, record 9", problem) in [(f.place, f.problem) for f in caught.value.faults]


@pytest.mark.parametrize(
    ("tree", "told"),
    [
        ({"root": ["agee"]}, "tree.root: there is no class 'agee'"),
        ({"root": ["age", "age"]}, "tree.root: a class is named twice"),
        ({"sensitive": ["age"]}, "tree.root: 'age' is sensitive"),
        ({"root": [*ROOT, *CARE]}, "tree.root: nothing is left below the root"),
        ({"root": list(ROOT), "sensitive": list(CARE)}, "tree.root: nothing is left below"),
        ({"negative": [{"class": "sex", "value": "f"}]}, "tree.root: 'sex' is known of everybody"),
        ({"entities": ["sex"], "hierarchies": {}}, "tree.root: 'sex' has no values"),
    ],
)
def test_plans_that_contradict_themselves(tree, told):
    with pytest.raises(PlanError, match=told):
        TreePlan.load(plan(2, 1, 0, **tree))


def test_a_method_for_roots_needs_roots_and_must_publish_labels():
    with pytest.raises(PlanError, match="root_method: it groups the root classes"):
        TreePlan.load(plan(2, 1, 0, root=[], method="optimal"))
    with pytest.raises(PlanError, match="anatomy"):
        TreePlan.load(plan(2, 1, 0, method="anatomy"))
