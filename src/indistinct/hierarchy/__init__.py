"""Building, reading, checking and writing hierarchies."""

from indistinct.hierarchy.core import TOP, Hierarchy
from indistinct.hierarchy.csv_files import read_csv, write_csv
from indistinct.hierarchy.domain import Domain
from indistinct.hierarchy.spec import HierarchySpec
from indistinct.hierarchy.suggest import suggest

__all__ = ["TOP", "Domain", "Hierarchy", "HierarchySpec", "read_csv", "suggest", "write_csv"]
