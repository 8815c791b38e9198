"""The way through the pages: what is clicked stands in the plan, and the plan is what is run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib

import duckdb
import pytest

EXPLORING = ("/explore", "/explore/lattice", "/explore/columns")
HOSTILE = "<script>alert(1)</script>"
FILE = "zip,sex,disease\n" + "".join(
    f"2203{n % 2},{'MF'[n % 2]},{('flu', 'gout', 'cold')[n % 3]}\n" for n in range(24)
)


@pytest.fixture
def medical(browser):
    browser.post("/open/example", example="medical")
    return browser


@pytest.fixture
def opened(browser):
    assert browser.send("/open/file?name=people.csv", FILE).json() == {"to": "/open"}
    return browser


def test_pages_say_that_nothing_is_open(browser):
    for address in ("/columns", "/hierarchies", "/goals", "/release", *EXPLORING):
        assert "No file is open" in browser.get(address).text


@pytest.mark.parametrize(
    "address", ["/open", "/columns", "/columns?together=1", "/hierarchies", "/goals", *EXPLORING]
)
def test_pages_of_an_example(medical, address):
    answer = medical.get(address)
    assert answer.status_code == 200
    assert "k-anonymity" in answer.text  # the plan at the side


def test_an_upload_gets_a_plan(opened):
    assert (opened.folder / "data" / "people.csv").read_text() == FILE
    assert tomllib.loads(opened.plan)["columns"]["disease"]["role"] == "sensitive"
    assert "Rows 1 to 24 of 24" in opened.get("/open").text


def test_records_that_are_trees_are_sent_to_their_command(browser):
    answer = browser.send("/open/file?name=x.json", "[]")
    assert answer.status_code == 422
    assert "indistinct tree" in answer.json()["faults"][0]
    assert list((browser.folder / "data").iterdir()) == []


@pytest.mark.parametrize("name", ["../../plan.toml", "..", "/etc/passwd", "a\\..\\b.csv", "%00"])
def test_names_of_files_lead_nowhere(browser, name):
    browser.client.post(
        "/open/file",
        params={"name": name},
        content=FILE,
        headers={"Origin": browser.keys.origin, "X-Form-Token": browser.keys.form},
    )
    (kept,) = (browser.folder / "data").iterdir()
    assert kept.read_text() == FILE


def test_a_hostile_file_is_text(browser):
    text = f'"{HOSTILE}","zip{HOSTILE}"\n' + f'"{HOSTILE}",1\n' * 6 + '"b",2\n' * 6
    browser.send(f"/open/file?name={HOSTILE}.csv", text)
    for address in ("/open", "/columns", "/hierarchies", "/goals", "/release"):
        shown = browser.get(address).text
        assert "alert(1)" in shown or address == "/goals"
        assert "<script>alert" not in shown


def test_how_the_file_is_read_is_shown_before_it_is_kept(opened):
    before = opened.plan
    assert "cannot be read so" in opened.get("/open/preview?delimiter=|").text
    assert opened.plan == before
    opened.post("/open/reading", delimiter=",", missing="NA")
    assert tomllib.loads(opened.plan)["input"] == {"delimiter": ",", "missing": ["", "NA"]}


def test_wrong_reading_is_said_beside_its_field(opened):
    before = opened.plan
    answer = opened.post("/open/reading", encoding="klingon")
    assert answer.status_code == 422
    assert 'id="wrong-encoding"' in answer.text
    assert opened.plan == before


def test_a_role_is_one_click(opened):
    opened.post("/columns/role", column="sex", role="drop")
    assert tomllib.loads(opened.plan)["columns"]["sex"] == {"role": "drop"}
    assert "# quasi: its name suggests sex." in opened.plan  # comments stay
    opened.post("/columns/role", column="sex", role="quasi")
    assert tomllib.loads(opened.plan)["columns"]["sex"] == {"role": "quasi", "hierarchy": "flat"}


def test_a_hierarchy_is_previewed_and_then_kept(opened):
    before = opened.plan
    shown = opened.get("/hierarchies?column=zip&kind=mask&mask=right&keep=2").text
    assert "220**" in shown.replace("2203*", "") or "2203*" in shown
    assert "not in the plan yet" in shown
    assert opened.plan == before
    opened.post("/hierarchies", column="zip", kind="mask", mask="right", keep="2")
    assert tomllib.loads(opened.plan)["columns"]["zip"]["hierarchy"] == {"mask": "right", "keep": 2}


def test_a_hierarchy_is_pasted_and_handed_out(opened):
    opened.post("/hierarchies", column="sex", kind="paths", paths="M;*\nF;*\n")
    assert tomllib.loads(opened.plan)["columns"]["sex"]["hierarchy"]["paths"]
    assert opened.get("/hierarchies/csv?column=sex").text == "M;*\nF;*\n"


def test_a_hierarchy_that_lacks_a_value_is_refused_at_it(opened):
    before = opened.plan
    answer = opened.post("/hierarchies", column="sex", kind="paths", paths="M;*\n")
    assert answer.status_code == 422
    assert "&#39;F&#39;" in answer.text
    assert opened.plan == before
    answer = opened.post("/hierarchies", column="zip", kind="intervals", intervals="5, x")
    assert "is not a number" in answer.text


def test_goals_go_into_the_plan(opened):
    answer = opened.post(
        "/goals",
        k_on="on",
        k="3",
        t_on="on",
        t="0.5",
        suppression="5",
        seed="7",
        **{"method": "mondrian", "weight:zip": "2"},
    )
    assert answer.status_code == 200
    plan = tomllib.loads(opened.plan)
    asked = {part["model"]: part for part in plan["require"]}
    assert asked.keys() == {"k-anonymity", "t-closeness"}
    assert (asked["k-anonymity"]["k"], asked["t-closeness"]["t"]) == (3, 0.5)
    assert (plan["seed"], plan["limits"], plan["method"]) == (
        7,
        {"suppression": 0.05},
        {"name": "mondrian"},
    )
    assert plan["columns"]["zip"]["weight"] == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [("k", "1"), ("k", "five"), ("l", "0"), ("t", "2"), ("suppression", "200"), ("seed", "x")],
)
def test_wrong_goals_are_said_beside_their_fields(opened, field, value):
    before = opened.plan
    goals = {"k_on": "on", "k": "5", "l_on": "on", "l": "2", "t_on": "on", "t": "0.5"}
    answer = opened.post("/goals", **(goals | {field: value}))
    assert answer.status_code == 422
    assert f'id="wrong-{field}"' in answer.text
    assert opened.plan == before


def test_the_plan_is_edited_at_the_side(opened):
    text = opened.plan.replace("k = 5", "k = 4") + "# mine\n"
    opened.post("/plan", text=text.replace("\n", "\r\n"), back="/goals")
    assert opened.plan == text
    assert 'value="4"' in opened.get("/goals").text


def test_what_is_no_toml_is_not_kept(opened):
    before = opened.plan
    answer = opened.post("/plan", text="k = = 5", back="/goals")
    assert answer.status_code == 422
    assert "k = = 5" in answer.text
    assert "not valid TOML" in answer.text
    assert opened.plan == before


def test_a_plan_that_cannot_be_run_says_so(opened):
    opened.post("/columns/role", column="disease", role="drop")
    assert "needs a sensitive column" in opened.get("/columns").text
    opened.post("/release")
    assert opened.wait() == "failed"
    assert "needs a sensitive column" in opened.get("/release").text
    assert list((opened.folder / "release").iterdir()) == []


def test_the_release_is_the_one_that_the_command_makes(opened, tmp_path_factory):
    opened.post("/goals", k_on="on", k="3", l_on="on", l="2", seed="7")
    opened.post("/release", format="csv")
    assert opened.wait() == "done"
    shown = opened.get("/release").text
    assert "every promise holds" in shown
    assert "indistinct anonymize people.csv --plan plan.toml --out release.csv" in shown
    made = opened.get("/download/release.csv").content
    folder = tmp_path_factory.mktemp("command")
    (folder / "people.csv").write_text(FILE)
    (folder / "plan.toml").write_bytes(opened.get("/download/plan.toml").content)
    command = ["anonymize", "people.csv", "--plan", "plan.toml", "--out", "release.csv"]
    subprocess.run([sys.executable, "-m", "indistinct", *command], cwd=folder, check=True)
    assert (folder / "release.csv").read_bytes() == made
    report = opened.get("/report/report.html")
    assert "sandbox" in report.headers["content-security-policy"]
    opened.post("/release/attack")
    assert opened.wait() == "done"
    assert 'class="attack"' in opened.get("/release").text
    certificate = opened.get("/download/certificate.json").content
    opened.send("/check/file?part=release&name=release.csv", made)
    opened.send("/check/file?part=certificate&name=certificate.json", certificate)
    assert "It holds." in opened.post("/check").text
    opened.send("/check/file?part=release&name=release.csv", made.replace(b"flu", b"gout"))
    assert "It does not hold" in opened.post("/check").text


def test_the_curve_is_kept_and_a_point_can_be_taken(opened):
    opened.post("/explore", **{"k": "2, 3", "method:mondrian": "on"})
    assert opened.wait() == "done"
    assert [point["k"] for point in opened.get("/explore/points").json()] == [2, 3]
    opened.post("/explore/take", k="3", method="mondrian")
    plan = tomllib.loads(opened.plan)
    assert plan["method"] == {"name": "mondrian"}
    assert plan["require"][0] == {"model": "k-anonymity", "k": 3}


def test_a_vector_of_the_lattice_is_taken_and_made_safe(medical):
    medical.post("/goals", k_on="on", k="2", seed="1")
    medical.post("/explore/lattice")
    assert medical.wait() == "done"
    shown = medical.get("/explore/lattice?levels=0,1,1").text
    assert "All 16 vectors were counted" in shown
    assert shown.count("<rect") == 16
    assert "Suppress 1 row to make this one safe" in shown
    medical.post("/explore/lattice/take", levels="0,1,1")
    plan = tomllib.loads(medical.plan)
    assert plan["method"] == {"name": "optimal", "levels": {"zip": 0, "marital": 1, "sex": 1}}
    assert plan["limits"] == {"suppression": 0.1}
    assert "in the plan</span>" in medical.get("/explore/lattice").text
    medical.post("/release")
    assert medical.wait() == "done"
    summary = json.loads((medical.folder / "release" / "summary.json").read_text())
    assert summary["levels"] == {"zip": 0, "marital": 1, "sex": 1}
    assert summary["suppressed_rows"] == 1


@pytest.mark.parametrize("levels", ["", "9,9,9", "0,1", "x,y,z", "0,0,0,0"])
def test_vectors_that_do_not_exist_are_not_taken(medical, levels):
    medical.post("/goals", k_on="on", k="2")
    medical.post("/explore/lattice")
    medical.wait()
    before = medical.plan
    assert medical.get(f"/explore/lattice?levels={levels}").status_code == 200
    medical.post("/explore/lattice/take", levels=levels)
    assert medical.plan == before


def test_columns_are_seen_before_and_after_with_the_smallest_classes(medical):
    medical.post("/goals", k_on="on", k="3")
    medical.post("/explore/columns")
    assert medical.wait() == "done"
    shown = medical.get("/explore/columns?column=disease").text
    assert "Distribution of disease" in shown
    assert "hypertension" in shown
    assert "3 smallest of 3 classes" in shown
    medical.post("/goals", k_on="on", k="2")
    assert "earlier state of the plan" in medical.get("/explore/columns").text


def test_what_came_of_a_file_goes_with_it(medical):
    medical.post("/explore", **{"k": "2", "method:mondrian": "on"})
    medical.wait()
    medical.post("/explore/lattice")
    medical.wait()
    medical.send("/open/file?name=people.csv", FILE)
    assert medical.get("/explore/points").json() == []
    assert "Count the lattice" in medical.get("/explore/lattice").text


def test_wrong_k_is_said_beside_its_field(opened):
    answer = opened.post("/explore", k="2, many")
    assert answer.status_code == 422
    assert 'id="wrong-k"' in answer.text


def test_cancel_ends_the_job_and_leaves_nothing(opened):
    opened.post("/release")
    opened.post("/cancel", back="/release")
    assert opened.wait() == "cancelled"
    assert list((opened.folder / "release").iterdir()) == []
    assert "nothing was written" in opened.get("/release").text


def test_a_large_table_is_looked_at_by_a_process_of_its_own(browser, monkeypatch):
    """The server itself reads nothing of it; pages, faults and all are the same."""
    monkeypatch.setattr("indistinct.app.project.LARGE", 10)
    browser.send("/open/file?name=people.csv", FILE)
    monkeypatch.setattr("indistinct.app.looking.file_source", None)
    assert "Rows 1 to 24 of 24" in browser.get("/open").text
    assert "22030" in browser.get("/hierarchies?column=zip").text
    assert "cannot be read so" in browser.get("/open/preview?delimiter=|").text
    assert "differ from every other row" in browser.get("/columns?together=1").text
    answer = browser.post("/hierarchies", column="sex", kind="paths", paths="M;*\n")
    assert answer.status_code == 422
    assert "&#39;F&#39;" in answer.text
    assert "Make the release" in browser.get("/release").text
    looker = browser.client.app._app.state.project.looker
    process = looker._process
    assert process.poll() is None
    browser.send("/open/file?name=others.csv", FILE)
    assert process.poll() is not None


def test_a_table_of_a_database_is_copied(browser, tmp_path_factory):
    database = tmp_path_factory.mktemp("clinic") / "clinic.duckdb"
    with duckdb.connect(str(database)) as clinic:
        clinic.execute(
            "CREATE TABLE visits AS SELECT 20 + i % 4 AS age, 'flu' AS disease FROM range(60) t(i)"
        )
    answer = browser.post("/open/table", address=f"{database}?table=visits")
    assert "Rows 1 to 60 of 60" in answer.text
    assert tomllib.loads(browser.plan)["columns"]["age"]["role"] == "quasi"
    assert [path.name for path in (browser.folder / "data").iterdir()] == ["visits.parquet"]
    kept = [path for path in browser.folder.rglob("*") if path.is_file()]
    assert all(str(database).encode() not in path.read_bytes() for path in kept)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("", "not the address of a table"),
        ("/etc/passwd", "not the address of a table"),
        ("postgresql://me:secret@host/db?table=visits", "password"),
        ("nowhere.duckdb?table=visits", "no such file"),
    ],
)
def test_wrong_addresses_are_said_beside_their_field(opened, address, said):
    before = opened.plan
    answer = opened.post("/open/table", address=address)
    assert answer.status_code == 422
    assert said in re.search(r'id="wrong-address">(.*?)</p>', answer.text, re.DOTALL)[1]
    assert opened.plan == before
    assert (opened.folder / "data" / "people.csv").exists()
    assert "secret" not in answer.text
