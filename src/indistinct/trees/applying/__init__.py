"""A recoding of tree records kept, and put on later records."""
