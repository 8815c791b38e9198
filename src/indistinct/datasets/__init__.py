"""Seeded generators and small worked examples, with the ladders of their quasi-identifiers."""

from __future__ import annotations

from indistinct.datasets.census import census, census_ladders
from indistinct.datasets.medical import medical, medical_ladders, medical_plan
from indistinct.datasets.medical_trees import medical_tree_ladders, medical_trees
from indistinct.datasets.tpch import tpch, tpch_ladders, tpch_layout, tpch_tables

__all__ = [
    "census",
    "census_ladders",
    "medical",
    "medical_ladders",
    "medical_plan",
    "medical_tree_ladders",
    "medical_trees",
    "tpch",
    "tpch_ladders",
    "tpch_layout",
    "tpch_tables",
]
