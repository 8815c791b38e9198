"""Releases that follow each other: what was published for whom, and who may be published again."""
