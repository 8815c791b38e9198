"""The browser that the app's pages are tried in."""

from __future__ import annotations

import shutil

ARGUMENTS = ["--no-sandbox", "--disable-background-networking"]


def program() -> str | None:
    """Return where it is; None if there is none."""
    return shutil.which("chromium")
