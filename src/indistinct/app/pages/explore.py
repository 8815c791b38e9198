"""Explore: what each k costs, by one method or several, drawn while it is worked out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse

from indistinct.app import edits
from indistinct.app.project import CURVE
from indistinct.app.web import WRONG, ending, get, jobs_of, page, post, project_of, to
from indistinct.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from indistinct.app.project import Project

KS = "2, 3, 5, 8, 11, 20, 50"
BESIDE = ("best", "mondrian", "hilbert", "optimal")
FIRST = "mondrian"
FREE = ("method", "seed", "k-anonymity")


def _method(project: Project) -> str:
    return str(project.settings().get("method", {}).get("name", "auto"))


async def show(request: Request) -> Response:
    """Show the points that are known."""
    project = project_of(request)
    if project.source is None:
        return page(request, "nothing_open")
    return _shown(request, {"k": KS, "methods": ",".join({_method(project), FIRST})}, {})


def _shown(
    request: Request, fields: Mapping[str, str], faults: Mapping[str, Any], status: int = 200
) -> Response:
    project = project_of(request)
    known = project.outcome(CURVE)
    own = _method(project)
    return page(
        request,
        "explore",
        status=status,
        back="/explore",
        fields=fields,
        beside=faults,
        methods=list(dict.fromkeys([own, *BESIDE])),
        **ending(request, "explore"),
        points=_points(request),
        stale=bool(known and known["basis"] != project.basis(*FREE)),
    )


def _points(request: Request) -> list[dict[str, Any]]:
    """Return the points of the last curve, or of the one that is being worked out."""
    job = jobs_of(request).of("explore")
    if job is not None:
        return [event for event in job.events if event["kind"] == "point"]
    known = project_of(request).outcome(CURVE)
    return known["points"] if known else []


async def points(request: Request) -> Response:
    """Return the points as JSON, for the drawing."""
    return JSONResponse(_points(request))


async def start(request: Request, fields: Mapping[str, str]) -> Response:
    """Begin to work out the curve."""
    from indistinct.comparing.grid import checked_k
    from indistinct.methods import METHODS

    project = project_of(request)
    if project.source is None:
        return to("/open")
    chosen = [name for name in METHODS if f"method:{name}" in fields] or [_method(project)]
    texts = [part.strip() for part in fields.get("k", "").split(",") if part.strip()]
    try:
        asked = checked_k([int(text) if text.isdecimal() else text for text in texts])
    except PlanError as error:
        shown = {"k": fields.get("k", ""), "methods": ",".join(chosen)}
        return _shown(request, shown, {"k": list(error.faults)}, WRONG)
    given = project.asked(basis=project.basis(*FREE), methods=chosen, k=list(asked))
    await jobs_of(request).start("explore", given, project.folder)
    return to("/explore")


async def take(request: Request, fields: Mapping[str, str]) -> Response:
    """Put the k and the method of a point into the plan."""
    project = project_of(request)
    k, method = fields.get("k", ""), fields.get("method", "")
    if project.source is not None and k.isdecimal():
        document = project.document()
        edits.set_requirement(document, "k-anonymity", {"k": int(k)})
        if method and method != _method(project):
            document.pop("method", None)
            edits.set_section(document, "method", {"name": None if method == "auto" else method})
        project.write(document)
    return to("/explore")


ROUTES = [
    get("/explore", show),
    get("/explore/points", points),
    post("/explore", start),
    post("/explore/take", take),
]
