"""What hot loops share: how they are compiled and kept, and the few that many packages call.

Every other hot loop stands beside the method that uses it, in a file that ends with `_kernel`.
Importing one loads numba; nothing else may do so at its own top level, so that start-up stays
fast.
"""
