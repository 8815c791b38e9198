"""The whole way in a real browser, wide and narrow, light and dark."""

from __future__ import annotations

import tomllib
from urllib.parse import quote

import pyarrow.csv
import pytest

from indistinct.datasets import census
from tests.app.browsing import ask_for, choose, fits, page_of

pytestmark = pytest.mark.services("chromium")


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


def test_from_a_file_of_30000_rows_to_a_verified_release_in_12_clicks(launched, address, tmp_path):
    file = tmp_path / "people.csv"
    pyarrow.csv.write_csv(census(30_000, seed=3), file)
    page = page_of(launched, address)
    clicks = 0

    def click(role, name):
        nonlocal clicks
        clicks += 1
        page.get_by_role(role, name=name, exact=True).click()

    def give(label, path):
        nonlocal clicks
        clicks += 1
        choose(page, label, path)

    def taken(name):
        with page.expect_download() as download:
            click("link", name)
        download.value.save_as(tmp_path / name)
        return tmp_path / name

    give("Choose a file", file)
    page.wait_for_selector("text=of 30,000, 9 columns")
    click("link", "Next: Columns")
    click("link", "Next: Hierarchies")
    click("link", "Next: Goals")
    click("link", "Straight to the release")
    click("button", "Make the release")
    page.wait_for_selector("#verdict")
    release, certificate = taken("release.csv"), taken("certificate.json")
    click("link", "Next: Check")
    give("Choose the release", release)
    page.wait_for_selector("strong:has-text('release.csv')")
    give("Choose the certificate", certificate)
    page.wait_for_selector("strong:has-text('certificate.json')")
    click("button", "Check it")
    assert "It holds" in page.wait_for_selector("#verdict").inner_text()
    assert clicks <= 12
    assert page.faults == []
    assert pyarrow.csv.read_csv(release).num_rows == 30_000


def test_a_vector_is_chosen_in_the_picture_and_taken(launched, address):
    page = page_of(launched, address)
    page.get_by_role("button", name="Medical").click()
    page.get_by_role("link", name="Goals").click()
    ask_for(page, 2)
    page.get_by_role("link", name="Next: Explore").click()
    page.get_by_role("link", name="Whole columns").click()
    page.get_by_role("button", name="Count the lattice").click()
    page.get_by_role("link", name="0,1,1:").click()
    page.get_by_role("button", name="to make this one safe").click()
    page.wait_for_selector("text=in the plan")
    plan = tomllib.loads(page.input_value("#plan-text"))
    assert plan["method"]["levels"] == {"zip": 0, "marital": 1, "sex": 1}
    assert page.faults == []


def test_two_tabs_do_not_overwrite_each_other(launched, address):
    first = page_of(launched, address)
    first.get_by_role("button", name="Medical").click()
    first.get_by_role("link", name="Next: Columns").click()
    second = first.context.new_page()
    second.goto(first.url)
    second.wait_for_selector("html[data-ready]", state="attached")
    second.locator("label[for='role-2-drop']").click()
    second.wait_for_selector("text=changed by you")
    first.locator("label[for='role-3-drop']").click()
    first.wait_for_selector("text=The plan has changed meanwhile")
    columns = tomllib.loads(first.input_value("#plan-text"))["columns"]
    assert (columns["marital"]["role"], columns["sex"]["role"]) == ("drop", "quasi")
    first.get_by_role("link", name="Go on from there").click()
    assert first.locator("#role-2-drop").is_checked()


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


def test_what_is_typed_into_the_plan_is_not_lost_by_a_click(launched, address):
    page = page_of(launched, address)
    page.get_by_role("button", name="Medical").click()
    page.get_by_role("link", name="Next: Columns").click()
    page.wait_for_selector("html[data-ready]", state="attached")
    page.locator("#plan-text").press_sequentially("# mine")
    page.locator("label[for='role-2-drop']").click()
    page.wait_for_selector("#plan-typed:not([hidden])")
    assert "# mine" in page.input_value("#plan-text")
    assert page.locator("#role-2-quasi").is_checked()
    page.get_by_role("button", name="Save the plan").click()
    page.wait_for_selector("#said:has-text('Done.')", state="attached")
    page.locator("label[for='role-2-drop']").click()
    page.wait_for_selector("text=changed by you")
    assert "# mine" in page.input_value("#plan-text")


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
    name = quote(nasty, safe="")
    for step, button, there in (
        (f"hierarchies?column={name}&kind=paths", "", ".leaf"),
        ("explore/lattice", "Count the lattice", "#picture"),
        (f"explore/columns?column={name}", "Make it and look", ".pairs"),
    ):
        page.goto(f"{address.partition('?')[0]}{step}")
        if button:
            page.get_by_role("button", name=button).click()
        page.wait_for_selector(there)
        assert page.locator("main img, main script").count() == 0
        assert nasty in page.inner_text("main")
    assert page.faults == []


def hierarchy_of(page, column):
    """What the plan says once the builder's choice is taken."""
    page.get_by_role("button", name="Use it").click()
    page.wait_for_load_state()
    page.wait_for_selector("html[data-ready]", state="attached")
    return tomllib.loads(page.input_value("#plan-text"))["columns"][column]["hierarchy"]


def test_cuts_are_dragged_and_moved_by_keys(launched, address, tmp_path):
    file = tmp_path / "ages.csv"
    file.write_text("age\n" + "".join(f"{age}\n" for age in range(101)))
    page = page_of(launched, address)
    choose(page, "Choose a file", file)
    page.wait_for_selector("#preview table")
    base = address.partition("?")[0]
    page.goto(f"{base}hierarchies?column=age&kind=cuts")
    knob = page.get_by_role("slider")
    assert knob.all_inner_texts() == ["25", "50", "75"]
    knob.first.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert knob.all_inner_texts() == ["27", "50", "75"]
    track, place = page.locator(".track").bounding_box(), knob.nth(1).bounding_box()
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.mouse.down()
    page.mouse.move(track["x"] + 0.6 * track["width"], place["y"])
    page.mouse.up()
    assert knob.all_inner_texts() == ["27", "60", "75"]
    knob.last.press("Delete")
    page.get_by_role("button", name="Add a cut").click()
    assert knob.all_inner_texts() == ["27", "60", "80"]
    assert hierarchy_of(page, "age") == {"cuts": [[27, 60, 80]]}
    assert page.faults == []


def test_a_tree_is_edited_by_dragging_and_by_keys(launched, address):
    page = page_of(launched, address)
    page.get_by_role("button", name="Medical").click()
    page.goto(f"{address.partition('?')[0]}hierarchies?column=marital&kind=paths")
    tree = page.locator(".tree")
    tree.get_by_role("button", name="divorced").press("Enter")
    tree.get_by_role("button", name="single").press("Enter")
    page.get_by_label("Name of a new group").fill("alone")
    page.get_by_role("button", name="Put under a new group").press("Enter")
    assert tree.get_by_role("button", name="widow").count() == 2
    tree.get_by_role("button", name="widow").first.drag_to(tree.get_by_role("button", name="alone"))
    assert tree.get_by_role("button", name="widow").count() == 1
    assert hierarchy_of(page, "marital") == {
        "paths": [
            ["divorced", "alone", "*"],
            ["married", "married", "*"],
            ["single", "alone", "*"],
            ["widow", "alone", "*"],
        ]
    }
    assert page.faults == []
