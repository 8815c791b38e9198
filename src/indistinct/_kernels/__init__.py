"""The hot loops: small typed numba functions over arrays, compiled once and cached on disk.

Importing anything of this room loads numba; nothing outside may do so at its own top level, so that
start-up stays fast.
"""

from indistinct._kernels.keeping import keep_by_sources

keep_by_sources()
