"""Columns: what each one is, why it seems so, and what it gives away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool

from indistinct.app import edits, looking
from indistinct.app.looker import aside
from indistinct.app.pages.opening import suggest
from indistinct.app.web import Faulty, attempted, get, page, post, project_of, to

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from indistinct.app.project import Project

ROLES = {
    "identifier": "names a person; never released",
    "quasi": "others may know it; made coarser",
    "sensitive": "released as it is; nobody may learn who has it",
    "other": "released as it is",
    "respondent": "says which person the row is about; never released",
    "drop": "left out",
}


async def show(request: Request) -> Response:
    """Show all columns with their roles."""
    project = project_of(request)
    if project.source is None:
        return page(request, "nothing_open")
    looked = await attempted(request, _looked, project)
    faulty = isinstance(looked, Faulty)
    return page(
        request,
        "columns",
        columns=[] if faulty else looked,
        faults=looked.faults if faulty else [],
        roles=ROLES,
        risk=await _risk(request) if "together" in request.query_params else None,
    )


def _looked(project: Project) -> list[dict[str, Any]]:
    settings = project.settings()
    options = looking.input_of(settings)
    facts = looking.column_facts(project, options)
    suggested = {column.name: column for column in looking.suggested(project, options).columns}
    stated = settings.get("columns", {})
    return [
        {
            "facts": fact,
            "role": stated.get(fact.name, {}).get("role"),
            "suggested": suggested[fact.name],
        }
        for fact in facts
    ]


async def _risk(request: Request) -> Any:
    """Measure what the quasi columns give away together."""
    return await attempted(request, _together, project_of(request))


@aside
def _together(project: Project) -> Any:
    from indistinct.verbs.assess import assess

    return assess(project.data, project.plan_file)


async def set_role(request: Request, fields: Mapping[str, str]) -> Response:
    """Give a column another role."""
    project = project_of(request)
    name, role = fields.get("column", ""), fields.get("role", "")
    known = await attempted(request, _looked, project)
    if isinstance(known, Faulty) or role not in ROLES:
        return to("/columns")
    chosen = next((column for column in known if column["facts"].name == name), None)
    if chosen is not None:
        document = project.document()
        coarser = chosen["suggested"].hierarchy
        edits.set_role(document, name, role, coarser.spec if coarser else "suggest")
        await run_in_threadpool(project.write, document)
    return to("/columns")


async def start_again(request: Request, fields: Mapping[str, str]) -> Response:
    """Throw the plan away and take the suggestion."""
    del fields
    await attempted(request, suggest, project_of(request))
    return to("/columns")


ROUTES = [
    get("/columns", show),
    post("/columns/role", set_role),
    post("/columns/suggest", start_again),
]
