"""The hot loops: small typed numba functions over arrays, compiled once and cached on disk.

Importing a module of this room compiles it if no cache is there; nothing outside may import one
at its own top level, so that start-up stays fast.
"""
