"""Published algorithms and our own, one file each, in packages by what they decide."""

from indistinct.methods.base import Method, Problem
from indistinct.methods.catalogue import METHODS, MethodSpec

__all__ = ["METHODS", "Method", "MethodSpec", "Problem"]
