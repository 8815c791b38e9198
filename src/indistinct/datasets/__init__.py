"""Seeded generators and small worked examples, with the ladders of their quasi-identifiers."""

from __future__ import annotations

from indistinct.datasets.census import census, census_ladders
from indistinct.datasets.fhir import fhir_bundle, fhir_resources, write_fhir
from indistinct.datasets.hospital import hospital, hospital_hierarchies, hospital_layout
from indistinct.datasets.medical import medical, medical_ladders, medical_plan
from indistinct.datasets.medical_trees import medical_tree_ladders, medical_trees
from indistinct.datasets.tpch import tpch, tpch_ladders, tpch_layout, tpch_tables
from indistinct.datasets.zipf_trees import zipf_trees

__all__ = [
    "census",
    "census_ladders",
    "fhir_bundle",
    "fhir_resources",
    "hospital",
    "hospital_hierarchies",
    "hospital_layout",
    "medical",
    "medical_ladders",
    "medical_plan",
    "medical_tree_ladders",
    "medical_trees",
    "tpch",
    "tpch_ladders",
    "tpch_layout",
    "tpch_tables",
    "write_fhir",
    "zipf_trees",
]
