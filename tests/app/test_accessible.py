"""No page has what axe-core calls a serious or critical fault, light or dark, wide or narrow."""

from __future__ import annotations

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from tests.app.browsing import ask_for, fits, page_of

pytestmark = pytest.mark.services("chromium")
LOOKS = [(1400, "light"), (1400, "dark"), (400, "light"), (400, "dark")]
BUILDERS = [f"hierarchies?column=zip&kind={kind}" for kind in ("mask", "cuts", "paths", "dates")]
RUN = "axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations)"


@pytest.fixture
def page(launched, address):
    page = page_of(launched, address)
    page.base = address.partition("?")[0]
    return page


def complaints(page):
    """What axe-core finds on a page, however it is looked at."""
    page.wait_for_selector("html[data-ready]", state="attached")
    page.evaluate(AXE_SCRIPT)
    worst = []
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        worst += [
            (page.url, width, scheme, fault["id"], fault["nodes"][0]["html"])
            for fault in page.evaluate(RUN)
            if fault["impact"] in {"serious", "critical"}
        ]
        if not fits(page):
            worst.append((page.url, width, scheme, "sticks out"))
    return worst


def test_faults_are_found(page):
    page.evaluate("document.querySelector('h1').innerHTML = '<img src=/static/icon.svg>'")
    assert {fault[3] for fault in complaints(page)} == {"image-alt"}


def test_pages_before_a_file_is_open(page):
    found = complaints(page)
    for step in ("columns", "check"):
        page.goto(page.base + step)
        found += complaints(page)
    assert found == []


def test_pages_on_the_way(page):
    page.get_by_role("button", name="Medical").click()
    found = []
    for step in ("open", "columns?together=1", *BUILDERS, "goals", "release"):
        page.goto(page.base + step)
        found += complaints(page)
    assert found == []


def test_pages_that_complain(page):
    page.get_by_role("button", name="Medical").click()
    page.goto(page.base + "goals")
    page.fill("#k", "1")
    page.get_by_role("button", name="Put it into the plan").click()
    page.wait_for_selector("#wrong-k")
    found = complaints(page)
    page.goto(page.base + "columns")
    page.fill("#plan-text", "k = = 5")
    page.get_by_role("button", name="Save the plan").click()
    page.wait_for_selector("text=The plan was not saved")
    found += complaints(page)
    page.goto(page.base + "hierarchies?column=zip&kind=intervals&intervals=5,x")
    found += complaints(page)
    assert found == []


def test_pages_with_what_came_of_it(page):
    page.get_by_role("button", name="Medical").click()
    page.goto(page.base + "goals")
    ask_for(page, 2)
    found = []
    for step, button, there in (
        ("explore", "Work it out", "#points tbody tr"),
        ("explore/lattice", "Count the lattice", "#picture"),
        ("explore/columns", "Make it and look", ".pairs"),
        ("release", "Make the release", "#verdict"),
    ):
        page.goto(page.base + step)
        page.get_by_role("button", name=button).click()
        page.wait_for_selector(there)
        page.wait_for_selector("#running", state="detached")
        found += complaints(page)
    page.get_by_role("button", name="Attack it").click()
    page.wait_for_selector(".attack")
    assert found + complaints(page) == []
