"""Building, reading, checking and writing hierarchies."""

from coarsen.hierarchy.core import TOP, Hierarchy
from coarsen.hierarchy.domain import Domain
from coarsen.hierarchy.files import read_csv, write_csv
from coarsen.hierarchy.spec import HierarchySpec
from coarsen.hierarchy.suggest import suggest

__all__ = ["TOP", "Domain", "Hierarchy", "HierarchySpec", "read_csv", "suggest", "write_csv"]
