"""The whole way in a real browser, wide and narrow, light and dark."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib

import pytest

from tests.services import chromium

pytestmark = pytest.mark.services("chromium")
SLOW = 60_000


@pytest.fixture
def address(tmp_path):
    """A running app."""
    command = [sys.executable, "-m", "indistinct", "app", "--no-browser"]
    env = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as app:
        yield app.stdout.readline().strip()
        app.terminate()
        app.stdout.read()


@pytest.fixture
def launched():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium.program(), args=chromium.ARGUMENTS)
        yield browser
        browser.close()


def page_of(launched, address, width=1400, scheme="light"):
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


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (400, "dark")])
def test_from_the_example_to_a_checked_release(launched, address, tmp_path, width, scheme):
    page = page_of(launched, address, width, scheme)
    clicks = 0

    def click(role, name):
        nonlocal clicks
        clicks += 1
        page.get_by_role(role, name=name).click()
        page.wait_for_load_state()
        assert fits(page), name

    click("button", "Medical")
    page.wait_for_selector("#preview table")
    click("link", "Next: Columns")
    click("link", "Next: Hierarchies")
    click("link", "Next: Goals")
    page.fill("#k", "1")
    page.get_by_role("button", name="Put it into the plan").click()
    assert "2 or more" in page.wait_for_selector("#wrong-k").inner_text()
    page.fill("#k", "3")
    page.get_by_role("button", name="Put it into the plan").click()
    page.wait_for_selector("#wrong-k", state="detached")
    page.reload()
    assert page.input_value("#k") == "3"
    click("link", "Straight to the release")
    click("button", "Make the release")
    page.wait_for_selector("#verdict")
    files = {}
    for name in ("release.csv", "certificate.json", "plan.toml"):
        with page.expect_download() as download:
            click("link", name) if name != "plan.toml" else page.locator(
                ".files a[href='/download/plan.toml']"
            ).click()
        files[name] = tmp_path / name
        download.value.save_as(files[name])
    plan = tomllib.loads(files["plan.toml"].read_text())
    assert plan["require"][0] == {"model": "k-anonymity", "k": 3}
    click("link", "Next: Check")
    for part in ("release.csv", "certificate.json"):
        page.wait_for_selector("html[data-ready]", state="attached")
        page.set_input_files(f"#{part.partition('.')[0]}", files[part])
        page.wait_for_selector(f"strong:has-text('{part}')")
    click("button", "Check it")
    assert "It holds" in page.wait_for_selector("#verdict").inner_text()
    assert clicks <= 12
    assert [fault for fault in page.faults if "422" not in fault] == []


def test_a_role_is_one_click_and_the_plan_follows(launched, address):
    page = page_of(launched, address)
    page.get_by_role("button", name="Medical").click()
    page.get_by_role("link", name="Next: Columns").click()
    page.wait_for_selector("html[data-ready]", state="attached")
    page.locator("label[for='role-2-drop']").click()
    page.wait_for_selector("text=changed by you")
    assert tomllib.loads(page.input_value("#plan-text"))["columns"]["marital"] == {"role": "drop"}
    page.go_back()
    page.go_forward()
    assert page.locator("#role-2-drop").is_checked()
    assert page.faults == []


def test_cancel_and_a_second_browser(launched, address):
    page = page_of(launched, address)
    page.get_by_role("button", name="Census").click()
    page.wait_for_selector("#preview table")
    page.goto(f"{address.partition('?')[0]}release")
    page.get_by_role("button", name="Make the release").click()
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_selector("#cancelled")
    other = launched.new_context().new_page()
    assert other.goto(address).status == 403


def test_a_hostile_file_runs_nothing(launched, address, tmp_path):
    nasty = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
    quoted = nasty.replace('"', '""')
    file = tmp_path / "nasty.csv"
    file.write_text(f'"{quoted}",zip\n' + f'"{quoted}",1\n' * 6 + '"b",2\n' * 6)
    page = page_of(launched, address)
    page.set_input_files("#file", file)
    page.wait_for_selector("#preview table")
    for step in ("columns", "hierarchies", "goals", "release"):
        page.goto(f"{address.partition('?')[0]}{step}")
        assert page.locator("main img, main script").count() == 0
    assert page.faults == []
