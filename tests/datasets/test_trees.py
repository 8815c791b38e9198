"""TPC-H customers have the shape of the paper's Table I; the made-up patients have hierarchies."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow.parquet as pq
import pytest

from indistinct.datasets import medical_tree_ladders, medical_trees, tpch_ladders
from indistinct.datasets.tpch import CLASSES, MOST_ITEMS, MOST_ORDERS, tpch, tpch_tables
from indistinct.trees.forest import ForestBuilder
from tests.trees.growing import sets_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tpch")


@pytest.fixture(scope="module")
def customers(folder):
    return tpch(folder, 900)


def test_customers_have_the_shape_of_table_1(customers):
    assert customers.size == 900
    assert customers.nodes / customers.size == pytest.approx(12, abs=1)
    depth = np.zeros(customers.nodes, dtype=int)
    for node, above in enumerate(customers.parent.tolist()):
        depth[node] = 1 if above < 0 else depth[above] + 1
    assert depth.max() == 4
    assert customers.classes == CLASSES


def test_every_label_of_a_customer_has_a_ladder(customers):
    ladders = tpch_ladders()
    for code in np.unique(customers.label).tolist():
        kind = customers.classes[customers.labels.of_class[code]]
        assert customers.labels.values[code] in {path[0] for path in ladders[kind]}


def test_customers_have_at_most_two_orders_of_three_items(folder):
    tables = {name: pq.read_table(path) for name, path in tpch_tables(folder, 900).items()}
    orders = Counter(tables["orders"]["customer"].to_pylist())
    items = Counter(tables["items"]["order"].to_pylist())
    assert set(orders.values()) == set(range(1, MOST_ORDERS + 1))
    assert set(items.values()) == set(range(1, MOST_ITEMS + 1))
    assert set(items) == set(tables["orders"]["order"].to_pylist())


def test_the_same_seed_gives_the_same_customers(customers, tmp_path):
    assert sets_of(tpch(tmp_path, 900)) == sets_of(customers)


def test_ladders_have_a_fanout_of_about_five_over_the_paper_s_276_labels():
    groups = Counter()
    labels = 0
    for paths in tpch_ladders().values():
        labels += len({path[0] for path in paths})
        edges = {edge for path in paths for edge in pairwise(path)}
        groups.update(Counter(above for _, above in edges).values())
    fanout = sum(size * count for size, count in groups.items()) / sum(groups.values())
    assert labels == 276
    assert fanout == pytest.approx(5, abs=0.5)


def test_the_patients_have_ladders():
    ladders = medical_tree_ladders()
    builder = ForestBuilder(tuple(ladders))
    for record in medical_trees():
        builder.add(record)
    forest = builder.build()
    assert forest.size == 12
    for kind, value in zip(forest.labels.of_class, forest.labels.values, strict=True):
        assert value in {path[0] for path in ladders[forest.classes[kind]]}
