"""The hot loops: small typed numba functions over arrays, compiled once and cached on disk.

Importing anything of this room loads numba; nothing outside may do so at its own top level, so that
start-up stays fast. `keeping` says where they are cached; each of them takes `njit` from there.
"""
