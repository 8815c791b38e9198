"""The independent check, which shares nothing with whatever made the release.

It reads columns for itself, works out by itself what a published cell covers, and counts by itself;
no method, no kernel of a search, nothing that encodes, publishes or measures can be reached from
here. What it has in common with the rest decides nothing about a release: what the labels of a
hierarchy mean, how a privacy model is defined, how columns are named, and which values nobody can
read. `tests/test_imports.py` lists it, and follows every import.
"""
