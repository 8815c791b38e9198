"""Take the pictures of docs/app.md in chromium: each page, and the whole way as a film strip."""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import pyarrow.csv
from playwright.sync_api import sync_playwright

from indistinct.datasets import census

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

FIGURES = Path(__file__).parent / "figures"
SIZE = {"width": 1100, "height": 700}
SLOW = 120_000
PAGES = (
    ("open", "/open", "", "#preview table"),
    ("columns", "/columns", "", ".column-list"),
    ("hierarchies", "/hierarchies?column=zip", "", ".levels"),
    ("goals", "/goals", "", "#k"),
    ("explore", "/explore", "Work it out", "#points tbody tr"),
    ("lattice", "/explore/lattice", "Count the lattice", "#picture"),
    ("before-after", "/explore/columns", "Make it and look", ".pairs"),
    ("verdict", "/release", "Make the release", "#verdict"),
)
STRIP = """<!doctype html><style>
body {{ margin: 0; padding: 12px; display: grid; grid-template-columns: repeat(4, 340px); gap: 12px;
  font: 14px system-ui, sans-serif; background: #222; color: #fff; width: max-content }}
figure {{ margin: 0 }} img {{ width: 340px; display: block; border-radius: 4px }}
figcaption {{ padding: 4px 2px }}</style>{frames}"""


@contextmanager
def app(browser: Browser) -> Iterator[Page]:
    """Start the app, and open it in a page."""
    command = [sys.executable, "-m", "indistinct", "app", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        page = browser.new_page(viewport=SIZE)
        page.set_default_timeout(SLOW)
        page.goto(process.stdout.readline().strip() if process.stdout else "")
        yield page
        page.close()
        process.terminate()


def pages(browser: Browser) -> None:
    """Take a picture of each page, on the small example."""
    with app(browser) as page:
        page.get_by_role("button", name="Medical").click()
        page.wait_for_selector("#preview table")
        page.goto(urljoin(page.url, "/goals"))
        page.fill("#k", "2")
        page.get_by_role("button", name="Put it into the plan").click()
        page.wait_for_selector("#said:has-text('Done.')", state="attached")
        for name, address, button, there in PAGES:
            page.goto(urljoin(page.url, address))
            if button:
                page.get_by_role("button", name=button).click()
            page.wait_for_selector(there)
            page.wait_for_selector("#running", state="detached")
            page.screenshot(path=FIGURES / f"app-{name}.png")


def strip(browser: Browser, folder: Path) -> None:
    """Go from a file of 30,000 rows to a verified release, with a picture after each click."""
    file = folder / "people.csv"
    pyarrow.csv.write_csv(census(30_000, seed=3), file)
    frames: list[tuple[str, bytes]] = []
    with app(browser) as page:

        def click(role: str, name: str, there: str) -> None:
            page.get_by_role(role, name=name, exact=True).click()
            page.wait_for_selector(there)
            frames.append((name, page.screenshot()))

        def give(label: str, path: Path, there: str) -> None:
            page.wait_for_selector("html[data-ready]", state="attached")
            with page.expect_file_chooser() as dialog:
                page.get_by_text(label, exact=True).click()
            dialog.value.set_files(path)
            page.wait_for_selector(there)
            frames.append((label, page.screenshot()))

        def take(name: str) -> Path:
            with page.expect_download() as download:
                click("link", name, "#verdict")
            download.value.save_as(folder / name)
            return folder / name

        give("Choose a file", file, "#preview table")
        click("link", "Next: Columns", ".column-list")
        click("link", "Next: Hierarchies", ".levels")
        click("link", "Next: Goals", "#k")
        click("link", "Straight to the release", ".run")
        click("button", "Make the release", "#verdict")
        release, certificate = take("release.csv"), take("certificate.json")
        click("link", "Next: Check", "#release")
        give("Choose the release", release, "strong:has-text('release.csv')")
        give("Choose the certificate", certificate, "strong:has-text('certificate.json')")
        click("button", "Check it", "#verdict")
    framed = "".join(
        f'<figure><img src="data:image/png;base64,{base64.b64encode(picture).decode()}">'
        f"<figcaption>{number}. {words}</figcaption></figure>"
        for number, (words, picture) in enumerate(frames, start=1)
    )
    page = browser.new_page(viewport={"width": 1444, "height": 400})
    page.set_content(STRIP.format(frames=framed))
    page.screenshot(path=FIGURES / "app-way.png", full_page=True)


def main() -> None:
    """Take all of them."""
    options = {"executable_path": shutil.which("chromium"), "args": ["--no-sandbox"]}
    with sync_playwright() as play, tempfile.TemporaryDirectory() as folder:
        browser = play.chromium.launch(**options)
        pages(browser)
        strip(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
