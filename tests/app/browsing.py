"""A page in a real browser, and what is done there over and over."""

from __future__ import annotations

SLOW = 300_000


def page_of(launched, address, width=1400, scheme="light"):
    """Open the app in a browser of its own; `faults` gathers what goes wrong in it."""
    context = launched.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(SLOW)
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("dialog", lambda dialog: page.faults.append(dialog.message))
    page.on("console", lambda said: said.type == "error" and page.faults.append(said.text))
    page.goto(address)
    return page


def fits(page):
    """Tell whether nothing sticks out at the side."""
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def ask_for(page, k):
    """Put another k into the plan."""
    page.wait_for_selector("html[data-ready]", state="attached")
    page.fill("#k", str(k))
    page.get_by_role("button", name="Put it into the plan").click()
    page.wait_for_selector("#said:has-text('Done.')", state="attached")


def choose(page, label, path):
    """Click on what opens the dialog for a file, and choose one there."""
    page.wait_for_selector("html[data-ready]", state="attached")
    with page.expect_file_chooser() as dialog:
        page.get_by_text(label, exact=True).click()
    dialog.value.set_files(path)
