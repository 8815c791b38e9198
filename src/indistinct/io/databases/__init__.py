"""Tables of databases: read in one snapshot, and replaced in one transaction.

`base.py` says what a database must do; each kind is one file, and a line in `registry.py`.
"""
