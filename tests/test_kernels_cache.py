"""What is told while kernels are compiled: once, and only if the cache does not hold them."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import threading
from coarsen._kernels.cache import tell_when_compiling

tell_when_compiling(lambda: print("compiling"))
for thread in threading.enumerate():
    if thread is not threading.main_thread():
        thread.join()
from coarsen._kernels import quoting, uniqueness
"""


def test_compiling_is_told_once_and_not_when_cached(tmp_path):
    def told():
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout.splitlines()

    assert [told(), told()] == [["compiling"], []]
