"""The documentation runs: its code, its plans, its commands, its links and its tables."""

from __future__ import annotations

import doctest
import random
import re
import runpy
import shlex
import subprocess
import tomllib

import pytest
from typer.testing import CliRunner

from indistinct import anonymize_file
from indistinct.cli import app
from indistinct.datasets import write_fhir
from indistinct.hierarchy import Domain
from indistinct.hierarchy.spec import _KINDS
from indistinct.measures.catalogue import MEASURES
from indistinct.methods import METHODS
from indistinct.plan import Input, Limits, Plan
from indistinct.plan.columns import Column, Pseudonym, QuasiSetSpec
from indistinct.requirements import MODELS
from indistinct.trees.methods import TREE_METHODS
from indistinct.trees.plan import Negative, Tree, TreePlan
from indistinct.trees.requirements import TREE_MODELS
from tests.docs.blocks import ALONE, DOCS, EVERY_PAGE, FENCE, PAGES, ROOT, WALKTHROUGHS, blocks


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_files(page, folder):
    """Write the blocks of a page that are files."""
    for block in blocks("toml", "csv", pages=[page]):
        if block.file:
            (folder / block.file).write_text(block.text, encoding="utf-8")


def write_patients(path, seed=1):
    draw = random.Random(seed)
    lines = ["name,zip,age,marital,disease"]
    lines += [
        f"P{number},{draw.choice(['22030', '22031', '22041'])},{draw.randint(18, 60)},"
        f"{draw.choice(['married', 'divorced', 'widowed', 'single'])},{draw.choice(['flu', 'HIV'])}"
        for number in range(200)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("block", blocks("python", pages=ALONE), ids=str)
def test_python_runs(block, folder):
    write_files(block.page, folder)
    if ">>>" in block.text:
        run = doctest.DocTestRunner(verbose=False)
        parsed = doctest.DocTestParser().get_doctest(
            block.text, {}, str(block), str(block.page), block.line
        )
        told = []
        run.run(parsed, out=told.append)
        assert not run.failures, "".join(told)
    else:
        exec(compile(block.text, str(block), "exec"), {})  # noqa: S102 - our own documentation


@pytest.mark.parametrize("block", blocks("toml", pages=ALONE), ids=str)
def test_plan_is_a_plan(block):
    content = tomllib.loads(block.text)
    if "tree" in content:
        TreePlan.load(content)
        return
    columns = content.get("columns", {})
    if not any(column["role"] == "quasi" for column in columns.values()):
        columns = {**columns, "zip": {"role": "quasi"}}
    if not any(column["role"] == "sensitive" for column in columns.values()):
        columns = {**columns, "ill": {"role": "sensitive"}}
    content["columns"] = columns
    if "preset" not in content:
        content.setdefault("require", [{"model": "k-anonymity", "k": 2}])
    Plan.load(content)


def commands(page):
    lines = [line for block in blocks("sh", pages=[page]) for line in block.text.splitlines()]
    return [shlex.split(line, comments=True) for line in lines]


PAGES_WITH_COMMANDS = {
    "README.md": {"anonymize", "verify", "assess", "hierarchy", "compare", "plan"},
    "docs/plan.md": {"plan"},
    "docs/compare.md": {"compare", "frontier"},
    "docs/apply.md": {"anonymize", "apply"},
}


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS)
def test_commands_run(page, folder):
    write_files(ROOT / page, folder)
    if page == "README.md":
        [block] = [b for b in blocks("python", pages=[ROOT / page]) if "in.csv" in b.text]
        exec(compile(block.text, str(block), "exec"), {})  # noqa: S102 - our own documentation
    else:
        write_patients(folder / "in.csv")
        write_patients(folder / "next_month.csv", seed=2)
    ran = [command[1:] for command in commands(ROOT / page) if command[:1] == ["indistinct"]]
    for arguments in ran:
        if any("shared/" in argument for argument in arguments):
            continue  # needs data that is not in this repository
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, (arguments, result.output, result.exception)
    assert {arguments[0] for arguments in ran} >= PAGES_WITH_COMMANDS[page]


ON_DATABASES = ROOT / "docs" / "databases.md"


@pytest.mark.services("postgresql")
def test_commands_on_databases_run(folder, server, schema, monkeypatch):
    """The page's service is the server of the tests, its tables are in a schema of their own."""
    (folder / "services").write_text(
        f"[clinic]\nhost=127.0.0.1\nport={server.port}\ndbname=postgres\nuser=postgres\n"
        f"options=-csearch_path={schema}\n"
    )
    monkeypatch.setenv("PGSERVICEFILE", str(folder / "services"))
    (folder / "plan.toml").write_text(
        "columns.age = { role = 'quasi', hierarchy = { intervals = [10] } }\n"
        "columns.ill = { role = 'sensitive' }\n"
        "[[require]]\nmodel = 'k-anonymity'\nk = 2\n"
    )
    rows = "SELECT 20 + n % 4 AS age, n % 3 AS ill FROM generate_series(1, 60) n"
    server.run(f"CREATE TABLE {schema}.visits AS {rows}")
    ran = [command[1:] for command in commands(ON_DATABASES) if command[:1] == ["indistinct"]]
    for arguments in ran:
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, (arguments, result.output, result.exception)
    assert {arguments[0] for arguments in ran} == {"plan", "anonymize", "verify"}


EVIDENCE = {
    "docs/attacks.md": {"attack", "verify"},
    "docs/report.md": {"anonymize"},
    "docs/risk.md": {"assess"},
}
HOUSE = """
unlisted = "drop"
[columns.zip]
role = "quasi"
hierarchy = { mask = "right" }
[columns.dob]
role = "quasi"
hierarchy = { dates = ["year", "decade"] }
[columns.sex]
role = "quasi"
[columns.disease]
role = "sensitive"
[method]
name = "optimal"
[[require]]
model = "k-anonymity"
"""


def write_house(folder):
    """A private table, its plan, two releases of it, and a list of voters."""
    draw = random.Random(3)
    lines = [
        f"{draw.choice(['94138', '94139'])},{draw.randint(1950, 1969)}-03-{day % 28 + 1:02},"
        f"{draw.choice('fm')},{draw.choice(['flu', 'HIV', 'gout'])}"
        for day in range(120)
    ]
    private = "\n".join(["zip,dob,sex,disease", *lines]) + "\n"
    for name in ("in.csv", "private.csv"):
        (folder / name).write_text(private, encoding="utf-8")
    (folder / "voters.csv").write_text("zip,DOB,sex,who\n94138,1961-03-05,f,Sue\n")
    for name, k in (("last_year", 120), ("plan", 4)):
        plan, out = folder / f"{name}.toml", folder / f"{name}.csv"
        plan.write_text(f"{HOUSE}k = {k}\n", encoding="utf-8")
        anonymize_file(folder / "in.csv", plan, out)
    (folder / "plan.csv").rename(folder / "release.csv")


@pytest.mark.parametrize("page", EVIDENCE)
def test_commands_on_a_release_run(page, folder):
    write_house(folder)
    ran = [command[1:] for command in commands(ROOT / page) if command[:1] == ["indistinct"]]
    for arguments in ran:
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, (arguments, result.output, result.exception)
    assert {arguments[0] for arguments in ran} == EVIDENCE[page]


ON_EXPORTS = ROOT / "docs" / "trees.md"


def test_commands_on_an_export_run(folder):
    """From the raw file to a release that holds, in five commands."""
    write_fhir(folder / "export.json", 200)
    ran = commands(ON_EXPORTS)
    assert len(ran) == 5
    for program, *arguments in ran:
        if program == "sed":
            subprocess.run(["sed", *arguments], check=True)
            continue
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, (arguments, result.output, result.exception)
    assert "k = 11" in (folder / "plan.toml").read_text("utf-8")
    assert len((folder / "release.jsonl").read_text("utf-8").splitlines()) == 200


def test_every_page_with_commands_is_run():
    run = {ROOT / page for page in (*PAGES_WITH_COMMANDS, *EVIDENCE)} | {
        ON_EXPORTS,
        *WALKTHROUGHS,
        ON_DATABASES,
    }
    told = {page for page in PAGES if any(c[:1] == ["indistinct"] for c in commands(page))}
    assert told - run == set()


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.name)
def test_make_targets_exist(page):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in commands(page):
        if command and command[0] == "make":
            assert re.search(rf"^{command[1]}:", makefile, re.MULTILINE), command


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        if link.startswith("http"):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


IN_QUOTES = re.compile(r"`([\w./*<>-]+)`")
PACKAGES = ROOT / "src" / "indistinct"


def named_files(page):
    """List what a page names in backticks that is a file or folder of ours, not of an example."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    folders = {path.name for root in (ROOT, PACKAGES) for path in root.iterdir() if path.is_dir()}
    for name in IN_QUOTES.findall(text):
        if name.endswith((".py", ".md")) or ("/" in name and name.split("/")[0] in folders):
            yield name


@pytest.mark.parametrize("page", [*DOCS, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_files_that_are_named_exist(page):
    """`<name>` and `*` stand for anything."""
    roots = [ROOT, PACKAGES, ROOT / "docs", ROOT / "benchmarks"]
    wild = {name: re.sub(r"<\w+>", "*", name) for name in named_files(page)}
    missing = [
        name
        for name, pattern in wild.items()
        if not any((root / name).exists() for root in roots)
        and not ("*" in pattern and any(any(root.rglob(pattern)) for root in roots))
    ]
    assert not missing


def anchors(page):
    """The anchors that a Markdown viewer gives to headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_nobody_is_told_to_install_our_name_from_an_index():
    """Whoever takes the name there first would be run by our readers."""
    asked = re.compile(r"pip3?\s+install\s+(?:-\S+\s+)*[\"'`]?indistinct\b", re.IGNORECASE)
    assert asked.search("pip install 'indistinct[attacks]'")
    told = [path for room in ("src", "docs", "benchmarks") for path in (ROOT / room).rglob("*.*")]
    texts = [path for path in told if path.suffix in {".py", ".md", ".j2", ".toml", ".svg"}]
    pages = [*EVERY_PAGE, ROOT / "Makefile", *texts]
    assert [path for path in pages if asked.search(path.read_text(encoding="utf-8"))] == []


def test_files_that_contributing_names_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:src|tests|docs|benchmarks)/[\w/.-]*)`", text)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


PARTS = [Plan, Column, Pseudonym, QuasiSetSpec, Limits, Input, *_KINDS.values(), *MODELS.values()]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_every_key_of_a_plan_is_told(part):
    text = (ROOT / "docs" / "plan.md").read_text(encoding="utf-8")
    assert [key for key in part.model_fields if not re.search(rf"\b{key}\b", text)] == []


@pytest.mark.parametrize("name", [*METHODS, *MODELS])
def test_every_method_and_model_is_told(name):
    assert f"| `{name}` |" in (ROOT / "docs" / "plan.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("part", [TreePlan, Tree, Negative, *TREE_MODELS.values()])
def test_every_key_of_a_plan_for_trees_is_told(part):
    text = (ROOT / "docs" / "trees.md").read_text(encoding="utf-8")
    keys = [field.alias or key for key, field in part.model_fields.items()]
    assert [key for key in keys if not re.search(rf"\b{key}\b", text)] == []


@pytest.mark.parametrize("name", [*TREE_METHODS, *TREE_MODELS])
def test_every_method_and_model_for_trees_is_told(name):
    assert f"| `{name}` |" in (ROOT / "docs" / "trees.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("method", TREE_METHODS.values())
def test_every_option_of_a_method_for_trees_is_told(method):
    text = (ROOT / "docs" / "trees.md").read_text(encoding="utf-8")
    [row] = [line for line in text.splitlines() if line.startswith(f"| `{method().name}` |")]
    assert [key for key in method.model_fields if key != "name" and f"`{key}`" not in row] == []


def builder_rows():
    """The rows of the table of hierarchies: what a plan says, values, labels of each level."""
    text = (ROOT / "docs" / "plan.md").read_text(encoding="utf-8")
    table = text.partition("| `hierarchy =` |")[2].partition("\n\n")[0]
    rows = [line.strip("|").split(" | ") for line in table.splitlines()[2:]]
    return [(code(spec)[0], code(values), levels.split("<br>")) for spec, values, levels in rows]


def code(cell):
    texts = re.findall(r"`([^`]*)`", cell)
    return [None if text == "(missing)" else text for text in texts]


@pytest.mark.parametrize(("spec", "values", "levels"), builder_rows(), ids=str)
def test_builder_gives_the_levels_told(spec, values, levels, folder):
    write_files(ROOT / "docs" / "plan.md", folder)
    content = tomllib.loads(f"[columns.c]\nrole = 'quasi'\nhierarchy = {spec}")
    plan = Plan.load({**content, "require": [{"model": "k-anonymity", "k": 2}]})
    built = plan.columns["c"].hierarchy.build(Domain.of(values), place="c", base=folder)
    assert [list(labels) for labels in built.labels[1:]] == [code(level) for level in levels]


def test_every_builder_is_in_the_table():
    written = " ".join(spec for spec, _, _ in builder_rows())
    assert [kind for kind in _KINDS if f"{{ {kind} =" not in written] == []


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_is_told(name):
    assert f"| `{name}` |" in (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")


def test_every_page_is_in_the_index():
    index = ROOT / "docs" / "README.md"
    text = index.read_text(encoding="utf-8")
    pages = [page.relative_to(index.parent).as_posix() for page in DOCS if page != index]
    assert [name for name in pages if f"]({name})" not in text] == []


def test_the_picture_and_the_page_of_the_architecture_name_what_is_there():
    source = ROOT / "src" / "indistinct"
    stages = runpy.run_path(str(ROOT / "docs" / "picture.py"))["STAGES"]
    drawn = {name for stage in stages for name in stage}
    assert [name for name in drawn if not list(source.glob(name))] == []
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = {path.parent.name for path in source.glob("*/__init__.py")}
    assert [room for room in sorted(rooms) if f"| `{room}/` |" not in text] == []
    named = re.findall(r"`([\w*]+(?:/[\w*]+)*(?:\.py|/))`", text)
    places = (source, source / "methods", source / "risk", ROOT)
    assert [n for n in named if not any(list(place.glob(n)) for place in places)] == []


def section(page, name):
    """What a page says under a heading, up to the next of the same rank."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    [told] = re.findall(rf"^## {name}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return told


@pytest.mark.parametrize("name", [name for name in METHODS if name != "auto"])
def test_every_method_says_when_to_take_it_and_what_it_costs(name):
    told = section("methods.md", name)
    assert len(told.partition("**When:**")[0].split()) > 8, "what it does comes first"
    assert "**When:**" in told
    assert re.search(r"\*\*(Option and cost|Cost):\*\*", told)
    assert re.search(r"\b(?:19|20)\d\d\b|paper|Our own", told), "where it was published"
    assert f"](figures/methods/{name}.svg)" in told


@pytest.mark.parametrize("name", MODELS)
def test_every_model_says_what_it_measures_and_where_it_was_published(name):
    told = section("requirements.md", name)
    assert "**Measured**" in told
    assert re.search(r"\b20\d\d\b", told)
    assert name in section("requirements.md", "Which one to choose")
    assert f"](figures/requirements/{name}.svg)" in told


@pytest.mark.parametrize("name", ["mondrian", "samarati", "anatomy", "t-closeness"])
def test_figures_are_what_the_code_draws(name):
    drawn = runpy.run_path(str(ROOT / "docs" / "method_figures.py"))["drawn"]([name])
    assert drawn
    for path, text in drawn.items():
        assert path.read_text(encoding="utf-8") == text
