"""Encoding: columns of values become the integers of a `Table`, as a plan says."""
