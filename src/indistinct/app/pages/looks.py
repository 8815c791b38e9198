"""Explore, before and after: what the plan makes of each column, and the smallest classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indistinct.app.project import LOOK
from indistinct.app.web import ending, get, jobs_of, page, post, project_of, to

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response


async def show(request: Request) -> Response:
    """Show one column before and after, and the smallest classes."""
    project = project_of(request)
    if project.source is None:
        return page(request, "nothing_open")
    look = project.outcome(LOOK)
    columns = {column["column"]: column for column in look["columns"]} if look else {}
    name = request.query_params.get("column", next(iter(columns), ""))
    return page(
        request,
        "looks",
        look=look,
        columns=columns,
        chosen=columns.get(name),
        most=_most(columns.get(name)),
        stale=bool(look and look["plan"] != project.text),
        **ending(request, "look"),
    )


def _most(column: Mapping[str, Any] | None) -> float:
    """Return the largest share of a column, which has the longest bar."""
    bars = column["bars"] if column else []
    return max((max(bar["before"], bar["after"]) for bar in bars), default=0.0) or 1.0


async def start(request: Request, fields: Mapping[str, str]) -> Response:
    """Begin to make a release in memory, to look at it."""
    del fields
    project = project_of(request)
    if project.source is None:
        return to("/open")
    await jobs_of(request).start("look", project.asked(text=project.text), project.folder)
    return to("/explore/columns")


ROUTES = [get("/explore/columns", show), post("/explore/columns", start)]
