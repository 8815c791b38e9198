"""Open: a file of one's own or an example, how it is read, and its first rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, JSONResponse

from indistinct.app import edits, looking
from indistinct.app.web import (
    WRONG,
    Faulty,
    attempted,
    get,
    jobs_of,
    page,
    post,
    project_of,
    received,
    rendered,
    to,
    upload,
)
from indistinct.errors import Fault, IndistinctError, PlanError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from indistinct.app.project import Project
    from indistinct.io.databases.address import Address

TEXTS = ("encoding", "delimiter", "sheet", "decimal", "thousands", "dates")
EXAMPLES = {
    "medical": "Ten patients of a textbook chapter: postal code, family, sex, disease",
    "census": "30,000 invented people: age, sex, education, family, origin, work, salary",
}
CENSUS_ROWS = 30_000
ADDRESS = "address"


def reading_options(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return what a form says about reading the file; None for what it leaves open."""
    options: dict[str, Any] = {name: fields.get(name, "") or None for name in TEXTS}
    marks = [mark.strip() for mark in fields.get("missing", "").split(",") if mark.strip()]
    return options | {"missing": ["", *marks] if marks else None}


def reading_fields(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return what a plan says about reading the file, as the form shows it."""
    stated = settings.get("input", {})
    fields = {name: str(stated.get(name, "")) for name in TEXTS}
    fields["delimiter"] = "tab" if fields["delimiter"] == "\t" else fields["delimiter"]
    return fields | {"missing": ", ".join(filter(None, stated.get("missing", [])))}


async def show(request: Request) -> Response:
    """Show the file that is open, or ask for one."""
    return await _shown(request)


async def _shown(
    request: Request, fields: dict[str, str] | None = None, faults: Any = (), status: int = 200
) -> Response:
    project = project_of(request)
    settings = project.settings()
    found: Any = None
    if project.source is not None:
        asked = request.query_params.get("page", "1")
        number = int(asked) if asked.isdecimal() else 1
        found = await attempted(request, _previewed, project, settings, number)
    if isinstance(found, Faulty):
        found, faults = None, [*faults, *found.faults]
    return page(
        request,
        "open",
        status=status,
        back="/open",
        examples=EXAMPLES,
        fields={"address": "", **reading_fields(settings), **(fields or {})},
        beside=_beside(faults),
        preview=found,
        look_at=_look_at(project),
        page_size=looking.PAGE,
    )


def _beside(faults: Sequence[Fault]) -> dict[str, list[Fault]]:
    """Sort faults to the fields of the form that they speak of; "" for others."""
    placed: dict[str, list[Fault]] = {}
    for fault in faults:
        words = f"{fault.place} {fault.problem} {fault.remedy}"
        named = next((name for name in (*TEXTS, "missing") if name in words), "")
        named = ADDRESS if fault.place == ADDRESS else named
        placed.setdefault(named, []).append(fault)
    return placed


def _look_at(project: Project) -> tuple[str, ...]:
    """Say what a person has to decide about the suggested plan."""
    try:
        return looking.suggested(project, looking.input_of(project.settings())).look_at
    except IndistinctError:
        return ()


def _previewed(project: Project, settings: Mapping[str, Any], number: int) -> looking.Preview:
    return looking.preview(project, looking.input_of(settings), number)


async def preview(request: Request) -> Response:
    """Show the first rows as other settings would read them; nothing is kept."""
    project = project_of(request)
    given = {k: v for k, v in reading_options(request.query_params).items() if v is not None}
    found = await attempted(request, _previewed, project, {"input": given}, 1)
    faulty = isinstance(found, Faulty)
    return HTMLResponse(
        rendered(
            "preview.html.j2",
            preview=None if faulty else found,
            beside={"": found.faults if faulty else []},
            page_size=looking.PAGE,
        )
    )


async def take_file(request: Request) -> Response:
    """Take a file as it comes, piece by piece, and suggest a plan for it."""
    await jobs_of(request).clear()
    project = project_of(request)
    place = project.place_for(request.query_params.get("name", ""))
    await received(request, place)
    refused = await attempted(request, _refuse_format, place)
    if isinstance(refused, Faulty):
        place.unlink()
        return JSONResponse({"faults": [str(fault) for fault in refused.faults]}, WRONG)
    await attempted(request, suggest, project)
    return JSONResponse({"to": "/open"})


def _refuse_format(place: Path) -> None:
    from indistinct.io.registry import format_of

    format_of(place)


def suggest(project: Project) -> None:
    """Write the suggested plan, with what was said about reading the file."""
    options = project.settings().get("input", {})
    plan = looking.suggested(project, looking.input_of({"input": options}))
    project.write(plan.toml())
    if options:
        document = project.document()
        edits.set_section(document, "input", options)
        project.write(document)


async def take_example(request: Request, fields: Mapping[str, str]) -> Response:
    """Open one of the built-in examples."""
    await jobs_of(request).clear()
    project = project_of(request)
    name = fields.get("example")
    if name in EXAMPLES:
        await run_in_threadpool(_write_example, project.place_for(f"{name}.csv"), name)
        await attempted(request, suggest, project)
    return to("/open")


def _write_example(place: Path, name: str) -> None:
    from indistinct.datasets import census, medical
    from indistinct.disk.drafts import together
    from indistinct.io.base import Rows
    from indistinct.io.files import FileSink

    sink = FileSink(place, private=True)
    with together(sink.parts):
        sink.write(Rows.all_of(medical() if name == "medical" else census(CENSUS_ROWS, seed=1)))


async def take_table(request: Request, fields: Mapping[str, str]) -> Response:
    """Copy a table of a database, and suggest a plan for it."""
    project, address = project_of(request), fields.get("address", "").strip()
    place = await attempted(request, table_at, address)
    if isinstance(place, Faulty):  # what is typed there may hold a password: it is not shown again
        return await _shown(request, {"address": ""}, place.faults, WRONG)
    copied = project.folder / "table.parquet"
    asked = {"address": address, "out": str(copied)}
    end = await (await jobs_of(request).start("table", asked, project.folder)).done()
    await jobs_of(request).clear()
    if end["kind"] != "done":
        faults = [Fault(ADDRESS, *fault[1:]) for fault in end.get("faults", [])]
        return await _shown(request, {"address": address}, faults, WRONG)
    copied.rename(project.place_for(f"{place.table.name}.parquet"))
    await attempted(request, suggest, project)
    return to("/open")


def table_at(address: str) -> Address:
    """Return where a table of a database is; raise if it is no such address."""
    from indistinct.io.databases.address import Address, place_of

    try:
        place = place_of(address)
    except IndistinctError as error:
        raise PlanError([Fault(ADDRESS, f.problem, f.remedy) for f in error.faults]) from None
    if isinstance(place, Address):
        return place
    remedy = "Write it as in postgresql://user@host/db?table=visits or visits.db?table=visits."
    raise PlanError(Fault(ADDRESS, "it is not the address of a table", remedy))


async def set_reading(request: Request, fields: Mapping[str, str]) -> Response:
    """Say how the file is read; the plan is suggested anew if that changes its columns."""
    project = project_of(request)
    document = project.document()
    options = reading_options(fields)
    edits.set_section(document, "input", options)
    tried = await attempted(request, _previewed, project, document.unwrap(), 1)
    if isinstance(tried, Faulty):
        return await _shown(request, dict(fields), tried.faults, WRONG)
    project.write(document)
    if set(tried.columns) != set(document.get("columns", {})):
        await attempted(request, suggest, project)
    return to("/open")


ROUTES = [
    get("/open", show),
    get("/open/preview", preview),
    upload("/open/file", take_file),
    post("/open/example", take_example, any_plan=True),
    post("/open/table", take_table, any_plan=True),
    post("/open/reading", set_reading),
]
