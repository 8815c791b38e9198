"""Published algorithms and our own, one file each, in rooms by what they decide."""

from coarsen.methods.base import Method, Problem
from coarsen.methods.catalogue import METHODS, MethodSpec

__all__ = ["METHODS", "Method", "MethodSpec", "Problem"]
