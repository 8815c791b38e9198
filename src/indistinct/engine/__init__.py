"""Engines: who counts and rewrites rows that do not fit into memory, or lie elsewhere."""
