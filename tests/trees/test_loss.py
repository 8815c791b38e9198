"""The share of information lost, against a plain count over nested records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.trees.measures.kept import align
from indistinct.trees.measures.loss import label_losses, loss_of
from indistinct.trees.operations import recoded
from tests.profiles import examples
from tests.trees import oracle
from tests.trees.growing import CARE, CARE_BELOW, CARE_PATHS, CARE_VALUES, care, records


def ncp(kind, value):
    """The share of a class's values that a label may stand for; nothing for a value itself."""
    paths = CARE_PATHS[kind]
    under = [path for path in paths if value in path]
    return 0.0 if value in CARE_VALUES[kind] else len(under) / len(paths)


def shown_as(label, published):
    """The most special published label that generalizes one, or None."""
    kind, value = label
    path = next(path for path in CARE_PATHS[kind] if path[0] == value)
    return next(((kind, form) for form in path if (kind, form) in published), None)


def counted(private, published, weights):
    """What is lost, by the definition."""
    told = {kind: [] for kind in CARE}
    broken = []
    for own, shown in zip(private, published, strict=True):
        labels, relations = oracle.labels_of(shown), oracle.relations_of(shown)

        def left(label, labels=labels):
            version = shown_as(label, labels)
            return version, 0.0 if version is None else 1.0 - ncp(*version)

        for path in own:
            told[path[-1][0]].append(1.0 - left(path[-1])[1])
            for upper in path[:-1]:
                (a, worth_a), (b, worth_b) = left(upper), left(path[-1])
                broken.append(0.0 if (a, b) in relations else worth_a * worth_b)
    means = {kind: sum(lost) / len(lost) for kind, lost in told.items() if lost}
    weight = {kind: weights[CARE.index(kind)] for kind in means}
    of_relations = sum(broken) / len(broken) if broken else 0.0
    total = sum(weight[kind] * mean for kind, mean in means.items()) + of_relations
    return total / (sum(weight.values()) + 1), means, of_relations


@examples(60)
@given(
    records(CARE_BELOW, CARE_VALUES, max_size=6),
    st.integers(0, 2**32 - 1),
    st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=3, max_size=3),
)
def test_loss_is_what_a_plain_count_says(listed, seed, weights):
    forest, hierarchies = care(listed)
    generator = np.random.default_rng(seed)
    image = _some_image(hierarchies, generator)
    codes = np.arange(len(hierarchies.labels))
    pairs = [tuple(sorted(generator.choice(codes, 2).tolist())) for _ in range(3)]
    published = recoded(forest, image, pairs)
    loss = loss_of(align(forest, published, hierarchies), np.array(weights))
    total, means, broken = counted(oracle.records_of(forest), oracle.records_of(published), weights)
    assert loss.total == pytest.approx(total)
    assert loss.of_class == pytest.approx(means)
    assert loss.of_relations == pytest.approx(broken)


def _some_image(hierarchies, generator):
    """Publish each label as itself, as some label above it, or not at all."""
    image = np.full(len(hierarchies.labels), -1, dtype=np.int32)
    for code in range(image.size):
        above = [code]
        while hierarchies.parent[above[-1]] >= 0:
            above.append(int(hierarchies.parent[above[-1]]))
        image[code] = generator.choice([*above, -1])
    return image


def test_a_star_loses_everything_and_a_value_nothing():
    _, hierarchies = care([])
    losses = dict(zip(hierarchies.labels.values, label_losses(hierarchies).tolist(), strict=True))
    assert losses["any disease"] == 1.0
    assert losses["General"] == 0.5
    assert losses["Flu"] == 0.0
    assert losses["Lung"] == pytest.approx(2 / 3)


def test_relations_between_stars_are_none_that_is_kept():
    listed = [[("hospital", "H1", [("disease", "Flu", [])])]]
    forest, hierarchies = care(listed)
    tops = hierarchies.tops[hierarchies.labels.of_class]
    assert align(forest, recoded(forest, tops, ()), hierarchies).relations == 0.0
    assert align(forest, forest, hierarchies).relations == 1.0
