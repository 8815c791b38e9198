"""Building, reading, checking and writing hierarchies."""

from coarsen.hierarchy.core import TOP, Hierarchy

__all__ = ["TOP", "Hierarchy"]
