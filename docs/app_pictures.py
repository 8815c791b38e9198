"""Take the pictures of docs/app.md: the way from a file to a checked release, in chromium."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parent / "figures"
SIZE = {"width": 1100, "height": 640}
WAY = (
    ("open", "button", "Medical", "#preview table"),
    ("columns", "link", "Next: Columns", ".column-list"),
    ("hierarchies", "link", "Next: Hierarchies", ".levels"),
    ("goals", "link", "Next: Goals", "#k"),
    ("release", "link", "Straight to the release", ".run"),
    ("verdict", "button", "Make the release", "#verdict"),
)


def main() -> None:
    """Go the way and take a picture after each step."""
    command = [sys.executable, "-m", "indistinct", "app", "--no-browser"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as app,  # noqa: S603
        sync_playwright() as play,
    ):
        address = app.stdout.readline().strip() if app.stdout else ""
        options = {"executable_path": shutil.which("chromium"), "args": ["--no-sandbox"]}
        browser = play.chromium.launch(**options)
        page = browser.new_page(viewport=SIZE)
        page.goto(address)
        for name, role, what, there in WAY:
            page.get_by_role(role, name=what).click()
            page.wait_for_selector(there, timeout=90_000)
            page.screenshot(path=FOLDER / f"app-{name}.png")
        browser.close()
        app.terminate()


if __name__ == "__main__":
    main()
