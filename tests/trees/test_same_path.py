"""What is known of the same nodes (`same_path`): by brute force from written files."""

from __future__ import annotations

import json
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import CannotMeetError, DoesNotHoldError, PlanError
from indistinct.trees import anonymize, anonymize_file, assess, verify
from indistinct.trees.plan import TreePlan
from tests.profiles import examples
from tests.trees import oracle
from tests.trees.growing import CARE, CARE_BELOW, CARE_PATHS, CARE_VALUES, records
from tests.trees.test_suppression import as_json, as_nodes


def plan(k, m, n, *, suppression=0.0, **tree):
    return {
        "tree": {
            "classes": list(CARE),
            "hierarchies": {name: {"paths": paths} for name, paths in CARE_PATHS.items()},
            **tree,
        },
        "require": [{"model": "k-m-n-anonymity", "k": k, "m": m, "n": n, "same_path": True}],
        "limits": {"suppression": suppression},
        "seed": 1,
    }


def listed_nodes(nodes, above=()):
    """Nodes of a record as (label, the nodes above it by their numbers), numbered in a list."""
    found = []

    def walk(siblings, ways):
        for kind, value, below in siblings:
            found.append(((kind, value), ways))
            walk(below, (*ways, len(found) - 1))

    walk(nodes, above)
    return found


def true_of(record, one, other):
    """The facts of two nodes of a record."""
    (first, ways), (second, others) = record[one], record[other]
    if one in others:
        return {("above", first, second)}
    if other in ways:
        return {("above", second, first)}
    if ways and others and ways[-1] == others[-1]:
        return {("beside", frozenset((first, second)))}
    return set()


def knowledge(record, m, n):
    """All that may be known of the same nodes of a record: labels, each once, and facts."""
    for size in range(1, m + 1):
        for chosen in combinations(range(len(record)), size):
            labels = frozenset(record[node][0] for node in chosen)
            if len(labels) < size:
                continue
            facts = set().union(*(true_of(record, a, b) for a, b in combinations(chosen, 2)))
            for known in range(min(n, len(facts)) + 1):
                for some in combinations(sorted(facts, key=repr), known):
                    yield labels, frozenset(some)


def agrees(record, labels, facts):
    """Whether a record has a node for each label so that all facts are true of these at once."""
    ordered = sorted(labels)
    places = [[i for i, (label, _) in enumerate(record) if label == one] for one in ordered]
    return any(
        facts <= set().union(*(true_of(record, a, b) for a, b in combinations(nodes, 2)))
        for nodes in product(*places)
    )


def rare(people, k, m, n):
    """Knowledge of the same nodes that fewer than k agree with."""
    every = {known for record in people for known in knowledge(record, m, n)}
    return {known for known in every if sum(agrees(record, *known) for record in people) < k}


def holds(members, k, m, n):
    trees = [as_nodes(one) for one in members]
    plain = oracle.holds([oracle.paths_of(tree) for tree in trees], k, m, n)
    return plain and not rare([listed_nodes(tree) for tree in trees], k, m, n)


ASKED = st.tuples(st.integers(2, 4), st.integers(2, 3), st.integers(1, 3))


def forests(max_size=8):
    return records(CARE_BELOW, CARE_VALUES, most=2, max_size=max_size)


@examples(40)
@given(forests(), ASKED, st.sampled_from([0.0, 0.3]))
def test_what_is_written_holds_for_the_same_nodes(tmp_path_factory, listed, asked, share):
    folder = tmp_path_factory.mktemp("same_path")
    if not any(listed):
        return
    lines = "".join(json.dumps(as_json(tree)) + "\n" for tree in listed)
    (folder / "in.jsonl").write_text(lines)
    told = plan(*asked, suppression=share)
    try:
        anonymize_file(folder / "in.jsonl", told, folder / "out.jsonl")
    except CannotMeetError:
        assert not (folder / "out.jsonl").exists()
        return
    shown = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert holds(shown, *asked)
    assert verify(folder / "out.jsonl", told).records == len(shown)


@examples(60)
@given(forests(6), ASKED)
def test_verify_says_what_the_definition_says(listed, asked):
    merged = [as_json(tree) for tree in anonymizable(listed)]
    if not any(merged):
        return
    if holds(merged, *asked):
        assert verify(merged, plan(*asked)).records == len(merged)
    else:
        with pytest.raises(DoesNotHoldError, match="of the same nodes too"):
            verify(merged, plan(*asked))


def anonymizable(listed):
    """Records as they are read: equal siblings are one node, with the children of all."""
    return [merged(tree) for tree in listed]


def merged(nodes):
    families = {}
    for kind, value, below in nodes:
        families.setdefault((kind, value), []).extend(below)
    return [(kind, value, merged(below)) for (kind, value), below in families.items()]


@examples(40)
@given(forests(6), ASKED)
def test_assess_counts_those_who_are_singled_out(listed, asked):
    trees = anonymizable(listed)
    if not any(trees):
        return
    k = asked[0]
    told = assess([as_json(tree) for tree in trees], plan(*asked)).as_json()
    people = [listed_nodes(tree) for tree in trees]
    paths = [oracle.paths_of(tree) for tree in trees]
    for case in told["singled_out"]:
        m, n = case["labels"], case["relations"]
        few = rare(people, k, m, n)
        counts = oracle.counted(paths, m, n)
        alone = sum(
            any(known in few for known in knowledge(person, m, n))
            or any(
                counts[known] < k
                for known in oracle.knowledge(*oracle.facts_of(own), m, n)
                if known[0]
            )
            for person, own in zip(people, paths, strict=True)
        )
        assert case["records"] == alone


@examples(15)
@given(forests(10), ASKED)
def test_mixed_records_hold_for_the_same_nodes_in_every_group(listed, asked):
    members = [{"sex": "fm"[place % 2], **as_json(tree)} for place, tree in enumerate(listed)]
    if len(members) < asked[0]:
        return
    told = plan(*asked)
    told["tree"]["classes"] = ["sex", *CARE]
    told["tree"]["root"] = ["sex"]
    shown = anonymize(members, told).data
    for sex in (["f"], ["m"], ["*"], None):
        group = [{**one, "sex": []} for one in shown if one.get("sex") == sex]
        assert not group or (len(group) >= asked[0] and holds(group, *asked))


def stays(*treatments):
    """Two stays in two hospitals with the same disease, and what was done in each."""
    listed = [{"value": "Flu", "treatment": list(some)} for some in treatments]
    return {"hospital": [{"value": f"H{i}", "disease": one} for i, one in enumerate(listed, 1)]}


APART = [stays(["Rest"], ["Pills"]), stays(["Pills"], ["Rest"])]
STAYS = [stays(["Rest", "Pills"], []), stays([], ["Rest", "Pills"]), *APART, *APART]


def test_two_treatments_of_one_stay_are_known_only_with_same_path():
    """Two have both in one stay, which is nothing to Definition 1."""
    told = plan(3, 2, 1)
    with pytest.raises(DoesNotHoldError, match="Rest and Pills below the same node"):
        verify(STAYS, told)
    told["require"][0]["same_path"] = False
    assert verify(STAYS, told).records == 6
    told["require"][0] |= {"same_path": True, "k": 2}
    assert verify(STAYS, told).records == 6


def test_relations_that_share_a_label_share_a_node():
    """H1 is above Flu and Flu above Rest in all; of the same Flu it is true in two alone."""
    path = {"hospital": {"value": "H1", "disease": {"value": "Flu", "treatment": "Rest"}}}
    loose = {
        "hospital": [
            {"value": "H1", "disease": ["Flu", {"value": "Bronchitis", "treatment": "Rest"}]},
            {"value": "H2", "disease": {"value": "Flu", "treatment": "Rest"}},
        ]
    }
    people = [path, path, loose, loose, loose]
    told = plan(3, 3, 2)
    with pytest.raises(DoesNotHoldError, match="all of the same nodes"):
        verify(people, told)
    told["require"][0]["same_path"] = False
    assert verify(people, told).records == 5


def test_the_promise_is_told_wherever_promises_are(tmp_path):
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in STAYS * 3))
    release = anonymize_file(
        tmp_path / "in.jsonl", plan(3, 2, 1), tmp_path / "out.jsonl",
        certificate=tmp_path / "c.json", report=tmp_path / "page.html",
    )  # fmt: skip
    [promise] = release.summary()["requirements"]
    assert promise["promised"] == "k = 3, m = 2, n = 1, of the same nodes too"
    assert "below the same node" in (tmp_path / "page.html").read_text()
    verify(tmp_path / "out.jsonl", certificate=tmp_path / "c.json")
    certificate = json.loads((tmp_path / "c.json").read_text())
    certificate["release"]["requirements"][0]["same_path"] = False
    (tmp_path / "c.json").write_text(json.dumps(certificate))
    with pytest.raises(DoesNotHoldError, match="same_path"):
        verify(tmp_path / "out.jsonl", certificate=tmp_path / "c.json")


@pytest.mark.parametrize(
    ("asked", "tree", "told"),
    [
        ((2, 1, 0), {}, "m must be 2 or more, n 1 or more"),
        ((2, 2, 0), {}, "m must be 2 or more, n 1 or more"),
        ((2, 7, 1), {}, "with same_path, m is 6 at most"),
        ((2, 2, 1), {"negative": [{"class": "disease", "value": "Flu"}]}, "goes with neither"),
    ],
)
def test_plans_that_cannot_be_kept(asked, tree, told):
    with pytest.raises(PlanError, match=told):
        TreePlan.load(plan(*asked, **tree))


def test_l_diversity_is_not_promised_with_it():
    told = plan(2, 2, 1, sensitive=["treatment"])
    told["require"].append({"model": "l-diversity", "l": 2})
    with pytest.raises(PlanError, match="goes with neither l-diversity"):
        TreePlan.load(told)


def test_patterns_are_counted_part_by_part(monkeypatch):
    """Many patterns are counted a part of the labels at a time, with the same answer."""
    from indistinct.trees import same_path

    told = plan(3, 3, 2)
    whole = assess(STAYS, told).as_json()
    monkeypatch.setattr(same_path, "AT_ONCE", 2)
    assert assess(STAYS, told).as_json() == whole
