"""The measures against the paper's figures and against counting by hand."""

from __future__ import annotations

from itertools import combinations, permutations
from math import ceil

import numpy as np
import pytest
from hypothesis import given

from indistinct.hierarchy.core import Hierarchy
from indistinct.trees.hierarchies import joined
from indistinct.trees.knowledge import Knowledge
from indistinct.trees.measures.kept import align
from indistinct.trees.measures.mining import mining_loss
from indistinct.trees.measures.rpd import rpd, rpd_of_records, rpd_of_synopsis
from indistinct.trees.methods.base import TreeProblem
from indistinct.trees.methods.miracle import MiRaCle
from indistinct.trees.operations import disassociated, generalized, relabelled
from indistinct.trees.synopsis import Synopsis
from tests.profiles import examples
from tests.trees.growing import (
    CARE,
    CARE_BELOW,
    CARE_PATHS,
    CARE_VALUES,
    ancestors,
    care,
    grow,
    records,
)

FIGURE_4 = {
    "Medical Center": {
        "General Hosp.": ["Hospital1", "Hospital2"],
        "Maternity Hosp.": ["Rea", "Gaia"],
    },
    "Disease": {
        "Lung Disease": ["Flu", "Bronchitis"],
        "Stomach Disorder": ["Diarrhea", "Gastritis"],
    },
    "Treatment": {
        "Physiotherapy": ["Neurological", "Orthopedic"],
        "Medicine": ["Pain killer", "Antibiotics"],
    },
}


def node(value, *below):
    classes = {
        name: kind
        for kind, groups in FIGURE_4.items()
        for group, leaves in groups.items()
        for name in (group, *leaves)
    }
    return (classes[value], value, list(below))


def figure(*nodes):
    """A record of the paper's example with the hierarchies of its Figure 4."""
    classes = tuple(FIGURE_4)
    built = [
        Hierarchy.from_paths(
            [leaf, group, kind] for group, leaves in FIGURE_4[kind].items() for leaf in leaves
        )
        for kind in classes
    ]
    hierarchies = joined(classes, built)
    forest = grow(classes, [nodes])
    keys = zip(forest.labels.of_class.tolist(), forest.labels.values, strict=True)
    codes = np.array([hierarchies.labels.codes[key] for key in keys], dtype=np.int32)
    return relabelled(forest, hierarchies.labels, codes), hierarchies


def test_rpd_of_figures_5_and_7():
    lung = node("Lung Disease", node("Pain killer"), node("Antibiotics"))
    figure_5 = figure(node("Hospital1", node("Gastritis")), node("Hospital2", lung))
    assert rpd(*figure_5) == pytest.approx(0.00129, abs=5e-6)
    flu = node("Flu", node("Pain killer"))
    figure_7 = figure(
        node("Hospital1", node("Gastritis")),
        node("Hospital2", flu, node("Antibiotics")),
        node("Bronchitis"),
    )
    assert rpd(*figure_7) == pytest.approx(0.02259, abs=5e-6)


LEVELS = {
    name: {form: n for p in ps for n, form in enumerate(p)} for name, ps in CARE_PATHS.items()
}
ON_LEVEL = {
    level: sum(at == level for forms in LEVELS.values() for at in forms.values())
    for level in range(3)
}


def rpd_by_hand(record):
    paths = []

    def walk(nodes, depth, said):
        if not nodes:
            paths.append(1 / said)
        for kind, value, below in nodes:
            walk(below, depth + 1, said * depth * ON_LEVEL[LEVELS[kind][value]])

    walk(record, 1, 1)
    return sum(paths) / len(paths)


@given(records(CARE_BELOW, CARE_VALUES))
def test_rpd_is_the_mean_over_paths_and_records(listed):
    forest, hierarchies = care(listed)
    expected = [rpd_by_hand(record) for record in forest.records()]
    np.testing.assert_allclose(rpd_of_records(forest, hierarchies), expected)
    assert rpd(forest, hierarchies) == pytest.approx(np.mean(expected) if expected else 0)


@given(records(CARE_BELOW, CARE_VALUES))
def test_rpd_of_a_synopsis_is_that_of_its_paths(listed):
    forest, hierarchies = care(listed)
    support = {}

    def walk(nodes, above):
        for kind, value, below in nodes:
            path = (*above, (kind, value))
            support[path] = support.get(path, 0) + 1
            walk(below, path)

    for record in forest.records():
        walk(record, ())
    leaves = [p for p in support if not any(q[:-1] == p for q in support)]
    total = 0
    for path in leaves:
        said = np.prod([d * ON_LEVEL[LEVELS[k][v]] for d, (k, v) in enumerate(path, 1)])
        total += sum(support[path[: d + 1]] for d in range(len(path))) / said
    expected = total / len(leaves) / len(support) if support else 1
    assert rpd_of_synopsis(Synopsis.of(forest), hierarchies) == pytest.approx(expected)


def lifted(nodes, level):
    """A record on a level, equal siblings merged; labels above the level stay."""
    merged = {}
    for kind, value, below in nodes:
        path = next(path for path in CARE_PATHS[kind] if value in path)
        form = path[max(path.index(value), min(level, len(path) - 1))]
        merged.setdefault((kind, form), []).extend(below)
    return [(kind, form, lifted(below, level)) for (kind, form), below in merged.items()]


def usable(kind, form, level):
    return LEVELS[kind][form] <= level


def subtrees(record, level):
    """All subtrees of up to three labels, as (labels, relations), straight from the definition."""
    nodes = []

    def walk(listed, above):
        for kind, value, below in listed:
            nodes.append(((kind, value), above))
            walk(below, [*above, len(nodes) - 1])

    walk(record, [])
    good = [n for n, ((kind, value), _) in enumerate(nodes) if usable(kind, value, level)]
    found = set()
    for size in (1, 2, 3):
        for chosen in combinations(good, size):
            names = [nodes[n][0] for n in chosen]
            if len(set(names)) < size:
                continue
            true = {(a, b) for a, b in permutations(chosen, 2) if a in nodes[b][1]}
            for count in range(len(true) + 1):
                for some in combinations(sorted(true), count):
                    if is_forest(some):
                        pairs = frozenset((nodes[a][0], nodes[b][0]) for a, b in some)
                        found.add((frozenset(names), pairs))
    return found


def is_forest(pairs):
    """Whether relations are those of a forest, with all that follows from them."""
    for a, b in pairs:
        if any(c == b and (a, d) not in pairs for c, d in pairs):
            return False
        if any(d == b and c != a and (a, c) not in pairs and (c, a) not in pairs for c, d in pairs):
            return False
    return True


def counted(listed, level):
    supports = {}
    for record in listed:
        for pattern in subtrees(lifted(record, level), level):
            supports[pattern] = supports.get(pattern, 0) + 1
    return supports


def version_of(name, published):
    """The most special form of a ground value in the published record, None if there is none."""
    there = set()

    def walk(nodes):
        for kind, value, below in nodes:
            there.add((kind, value))
            walk(below)

    walk(published)
    forms = ((name[0], form) for form in ancestors(name[1], name[0], CARE_PATHS))
    return next((form for form in forms if form in there), None)


def mining_by_hand(private, published, support):
    least = max(1, ceil(support * len(private)))
    before, after, distance = 0, 0, 0.0
    for level in range(3):
        found = [p for p, n in counted(private, level).items() if n >= least]
        before += len(found)
        after += sum(n >= least for n in counted(published, level).values())
        rose, broke = occurrences(private, published, level)
        for names, pairs in found:
            distance += 0.5 * np.mean([np.mean(rose[name]) for name in names])
            if pairs:
                distance += 0.5 * np.mean([np.mean(broke[pair]) for pair in pairs])
    return before, after, distance


def occurrences(private, published, level):
    rose, broke = {}, {}
    for old, new in zip(private, published, strict=True):
        said = set()

        def speak(nodes, above, said=said):
            for kind, value, below in nodes:
                said.update((upper, (kind, value)) for upper in above)
                speak(below, [*above, (kind, value)])

        def walk(nodes, above, new=new, said=said):
            for kind, value, below in nodes:
                path = ancestors(value, kind, CARE_PATHS)
                now = version_of((kind, value), new)
                height = LEVELS[kind][now[1]] if now else len(path)
                here = (kind, path[min(level, len(path) - 1)])
                rose.setdefault(here, []).append(max(0, height - LEVELS[kind][here[1]]))
                for upper, was in above:
                    broke.setdefault((upper, here), []).append((was, now) not in said)
                walk(below, [*above, (here, now)])

        speak(new, [])
        walk(old, [])
    return rose, broke


@examples(20)
@given(records(CARE_BELOW, CARE_VALUES, max_size=5))
def test_mining_loss_is_what_counting_all_subtrees_gives(listed):
    forest, hierarchies = care(listed)
    if forest.size < 2:
        return
    problem = TreeProblem(forest, hierarchies, Knowledge(2, 1, 0), np.ones(len(CARE)))
    release = MiRaCle(climit=2).search(problem).forest
    for support in (0.2, 0.6):
        expected = mining_by_hand(list(forest.records()), list(release.records()), support)
        found = mining_loss(forest, release, hierarchies, support=support)
        before, after, distance = expected
        assert found.subtrees == before
        if before:
            assert found.ml2 == pytest.approx(1 - after / before)
            assert found.dml2 == pytest.approx(distance / before)


def test_nothing_changed_is_nothing_lost():
    record = [("hospital", "H1", [("disease", "Flu", [("treatment", "Rest", [])])])]
    forest, hierarchies = care([record] * 3)
    loss = mining_loss(forest, forest, hierarchies)
    assert (loss.ml2, loss.dml2) == (0, 0)
    kept = align(forest, forest, hierarchies)
    assert (kept.exact, kept.present, kept.relations) == (1, 1, 1)


def test_shares_of_values_and_relations():
    record = [("hospital", "H1", [("disease", "Flu", [("treatment", "Rest", [])])])]
    forest, hierarchies = care([record])
    code = {value: n for n, value in enumerate(hierarchies.labels.values) if value != "*"}
    image = np.arange(len(hierarchies.labels), dtype=np.int32)
    image[code["Flu"]] = code["Lung"]
    image[code["Rest"]] = hierarchies.parent[code["Rest"]]
    release = disassociated(generalized(forest, image), [(code["H1"], code["Lung"])])
    kept = align(forest, release, hierarchies)
    assert kept.exact == pytest.approx(1 / 3)
    assert kept.present == pytest.approx(2 / 3)
    assert kept.relations == 0.0, "a relation to a star tells nothing"
    assert kept.kept.sum() == 1
