"""Doors to data: frames and files in and out; only here are data-frame libraries known.

`base.py` says what a source, a sink and a file format are. Each format is one file and one line in
`registry.py`.
"""
