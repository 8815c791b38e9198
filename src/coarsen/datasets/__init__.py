"""Seeded generators and small worked examples, with the ladders of their quasi-identifiers."""

from __future__ import annotations

from coarsen.datasets.census import census, census_ladders
from coarsen.datasets.medical import medical, medical_ladders

__all__ = ["census", "census_ladders", "medical", "medical_ladders"]
