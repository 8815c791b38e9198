"""Spark as the engine: a data frame, or files that a cluster reads."""

from indistinct.engine.spark.counting import Spark

__all__ = ["Spark"]
