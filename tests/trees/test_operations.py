from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.trees.operations import disassociated, generalized, recoded
from tests.profiles import examples
from tests.trees import oracle
from tests.trees.growing import CARE, CARE_BELOW, CARE_VALUES, care, grow, records, sets_of

H1, H2 = ("hospital", "Hospital1"), ("hospital", "Hospital2")
GASTRITIS, FLU = ("disease", "Gastritis"), ("disease", "Flu")
BRONCHITIS, LUNG = ("disease", "Bronchitis"), ("disease", "Lung Disease")
PAIN, ANTI = ("treatment", "Pain killer"), ("treatment", "Antibiotics")
MEDICINE, STOMACH = ("treatment", "Medicine"), ("disease", "Stomach Disorder")


def node(label, *below):
    return (*label, list(below))


FIGURE_2 = [
    node(H1, node(GASTRITIS)),
    node(H2, node(FLU, node(PAIN)), node(BRONCHITIS, node(ANTI))),
]
EVERY = (H1, H2, GASTRITIS, FLU, BRONCHITIS, LUNG, PAIN, ANTI, MEDICINE, STOMACH)


@pytest.fixture
def patient():
    """The record of Figure 2, in a forest that knows all labels of the figures."""
    return grow(CARE, [FIGURE_2, [node(label) for label in EVERY]])


def codes(forest, *labels):
    return [forest.labels.codes[CARE.index(kind), value] for kind, value in labels]


def image(forest, mapping):
    found = np.arange(len(forest.labels), dtype=np.int32)
    for label, to in mapping.items():
        found[codes(forest, label)] = codes(forest, to)
    return found


def first(forest):
    return sets_of(forest)[0]


def expected(*nodes):
    return sets_of(grow(CARE, [list(nodes)]))[0]


def test_figure_5_siblings_that_become_equal_merge_with_their_subtrees(patient):
    found = generalized(patient, image(patient, {FLU: LUNG, BRONCHITIS: LUNG}))
    assert first(found) == expected(
        node(H1, node(GASTRITIS)), node(H2, node(LUNG, node(PAIN), node(ANTI)))
    )


def test_figure_6_a_leaf_moves_beside_the_hospital(patient):
    found = disassociated(patient, [tuple(codes(patient, H2, PAIN))])
    assert first(found) == expected(
        node(H1, node(GASTRITIS)),
        node(H2, node(FLU), node(BRONCHITIS, node(ANTI))),
        node(PAIN),
    )


def test_figure_7_children_of_the_moved_node_go_to_its_parent(patient):
    found = disassociated(patient, [tuple(codes(patient, H2, BRONCHITIS))])
    assert first(found) == expected(
        node(H1, node(GASTRITIS)), node(H2, node(FLU, node(PAIN)), node(ANTI)), node(BRONCHITIS)
    )


CUT_OF_FIGURE_8 = {GASTRITIS: STOMACH, PAIN: MEDICINE, ANTI: MEDICINE}


def test_figure_9_a_the_cut_alone(patient):
    assert first(generalized(patient, image(patient, CUT_OF_FIGURE_8))) == expected(
        node(H1, node(STOMACH)),
        node(H2, node(FLU, node(MEDICINE)), node(BRONCHITIS, node(MEDICINE))),
    )


def test_figure_9_b_two_relations_broken(patient):
    pairs = [tuple(codes(patient, H1, STOMACH)), tuple(codes(patient, H2, FLU))]
    assert first(recoded(patient, image(patient, CUT_OF_FIGURE_8), pairs)) == expected(
        node(H1),
        node(STOMACH),
        node(FLU),
        node(H2, node(MEDICINE), node(BRONCHITIS, node(MEDICINE))),
    )


def test_figure_9_c_every_relation_broken(patient):
    labels = (H1, H2, STOMACH, FLU, BRONCHITIS, MEDICINE)
    pairs = [tuple(codes(patient, a, b)) for a in labels for b in labels if a[0] != b[0]]
    found = recoded(patient, image(patient, CUT_OF_FIGURE_8), pairs)
    assert first(found) == expected(*map(node, labels))


PAIRS = [
    ((a, x), (b, y))
    for a, b in (("hospital", "disease"), ("hospital", "treatment"), ("disease", "treatment"))
    for x in CARE_VALUES[a]
    for y in CARE_VALUES[b]
]


@examples(150)
@given(records(CARE_BELOW, CARE_VALUES, max_size=3), st.lists(st.sampled_from(PAIRS), max_size=5))
def test_disassociation_is_definition_2_one_relation_after_the_other(listed, broken):
    forest, hierarchies = care(listed)
    by_name = hierarchies.labels.codes
    pairs = [(by_name[CARE.index(a), x], by_name[CARE.index(b), y]) for (a, x), (b, y) in broken]
    expected_paths = oracle.records_of(forest)
    for upper, lower in broken:
        expected_paths = [oracle.disassociated(paths, upper, lower) for paths in expected_paths]
    assert oracle.records_of(disassociated(forest, pairs)) == expected_paths


@examples(100)
@given(records(CARE_BELOW, CARE_VALUES, max_size=3), st.data())
def test_generalization_renames_and_leaves_out(listed, data):
    forest, hierarchies = care(listed)
    size = len(hierarchies.labels)
    chosen = np.array(
        [
            data.draw(st.sampled_from([code, -1, *_above(hierarchies, code)]))
            for code in range(size)
        ],
        dtype=np.int32,
    )
    names = [
        (CARE[kind], value)
        for kind, value in zip(
            hierarchies.labels.of_class.tolist(), hierarchies.labels.values, strict=True
        )
    ]
    to = {names[code]: names[new] if new >= 0 else None for code, new in enumerate(chosen.tolist())}
    expected_paths = [oracle.generalized(paths, to) for paths in oracle.records_of(forest)]
    found = generalized(forest, chosen)
    assert oracle.records_of(found) == expected_paths
    assert found.nodes == sum(map(len, expected_paths))


def _above(hierarchies, code):
    found = []
    while hierarchies.parent[code] >= 0:
        code = int(hierarchies.parent[code])
        found.append(code)
    return found


def test_parents_stand_before_children_in_preorder(patient):
    found = disassociated(patient, [tuple(codes(patient, H2, BRONCHITIS))])
    parents = found.parent[: int(found.starts[1])].tolist()
    open_path = [-1]
    for node_number, parent in enumerate(parents):
        while open_path[-1] != parent:
            open_path.pop()
        open_path.append(node_number)


@examples(60)
@given(records(CARE_BELOW, CARE_VALUES), st.randoms(use_true_random=False))
def test_siblings_of_a_recoded_record_do_not_tell_how_they_stood(listed, draw):
    """Equal unordered trees are published node for node the same."""

    def shuffled(nodes):
        mixed = [(kind, value, shuffled(below)) for kind, value, below in nodes]
        draw.shuffle(mixed)
        return mixed

    forest, _ = care(listed)
    other, _ = care([shuffled(record) for record in listed])
    image = np.arange(len(forest.labels), dtype=np.int32)
    one, two = generalized(forest, image), generalized(other, image)
    assert one.label.tolist() == two.label.tolist()
    assert one.parent.tolist() == two.parent.tolist()
