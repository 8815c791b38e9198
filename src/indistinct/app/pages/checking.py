"""Check: a release and its certificate in, the verdict out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse

from indistinct.app.project import plain_name
from indistinct.app.web import (
    WRONG,
    get,
    jobs_of,
    page,
    post,
    project_of,
    received,
    to,
    upload,
)
from indistinct.app.worker import VERDICT
from indistinct.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from indistinct.app.project import Project

PARTS = {"release": "release.csv", "certificate": "certificate.json"}


def part_of(project: Project, part: str) -> Path | None:
    """Return the file that was given as one part; None if none was."""
    folder = project.folder / "check" / part
    return next(folder.iterdir(), None) if folder.exists() else None


async def show(request: Request) -> Response:
    """Show what was given, and the verdict."""
    project, job = project_of(request), jobs_of(request).of("check")
    ended = job.ended if job else None
    failed = ended["faults"] if ended and ended["kind"] == "failed" else []
    given = {part: part_of(project, part) for part in PARTS}
    return page(
        request,
        "check",
        given={part: place.name if place else None for part, place in given.items()},
        runs=bool(job and job.runs),
        failed=project.shown(Fault(*fault) for fault in failed),
        broken=bool(ended and ended.get("met") == 1),
        verdict=project.outcome(f"check/{VERDICT}"),
    )


async def take(request: Request) -> Response:
    """Take one of the two files."""
    project = project_of(request)
    part = request.query_params.get("part", "")
    if part not in PARTS:
        return JSONResponse({"faults": ["There is no such part."]}, WRONG)
    (project.folder / "check" / VERDICT).unlink(missing_ok=True)
    project.empty(f"check/{part}")
    name = plain_name(request.query_params.get("name", ""), PARTS[part])
    await received(request, project.folder / "check" / part / name)
    jobs_of(request).forget("check")
    return JSONResponse({"to": "/check"})


async def run(request: Request, fields: Mapping[str, str]) -> Response:
    """Hold the release to its certificate."""
    del fields
    project = project_of(request)
    given = {part: part_of(project, part) for part in PARTS}
    if all(given.values()):
        asked = {part: str(place) for part, place in given.items()}
        asked["folder"] = str(project.folder / "check")
        job = await jobs_of(request).start("check", asked, project.folder)
        await job.done()
    return to("/check")


ROUTES = [get("/check", show), upload("/check/file", take), post("/check", run, any_plan=True)]
