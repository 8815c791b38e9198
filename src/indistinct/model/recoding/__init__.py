"""Recodings: what a method returns, before anything is published; one class for each kind."""

from indistinct.model.recoding.base import Recoding
from indistinct.model.recoding.blocks import CountedLevels, InBlocks
from indistinct.model.recoding.groups import Buckets, Partition
from indistinct.model.recoding.intervals import ColumnIntervals
from indistinct.model.recoding.levels import LevelVector
from indistinct.model.recoding.matching import Matching

__all__ = [
    "Buckets",
    "ColumnIntervals",
    "CountedLevels",
    "InBlocks",
    "LevelVector",
    "Matching",
    "Partition",
    "Recoding",
]
