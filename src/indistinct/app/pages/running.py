"""What runs: its events as they come, the way to cancel it, and the way to end the app."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse

from indistinct.app.web import FOLDER, get, jobs_of, own_address, page, post, project_of, to

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from starlette.requests import Request

    from indistinct.app.jobs import Job

KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
STATIC = {path.name: path for path in (FOLDER / "static").iterdir() if path.suffix in KINDS}


async def events(request: Request) -> Response:
    """Tell what the running job says, from where the browser left off."""
    job = jobs_of(request).last
    if job is None:
        return Response(status_code=204)
    seen = request.headers.get("last-event-id", "0")
    begin = int(seen) if seen.isdecimal() else 0
    return StreamingResponse(_lines(job, begin), media_type="text/event-stream")


async def _lines(job: Job, begin: int) -> AsyncIterator[str]:
    async for place, event in job.said(begin):
        shown = {key: value for key, value in event.items() if key != "faults"}
        yield f"id: {place}\ndata: {json.dumps({'job': job.name, **shown})}\n\n"


async def cancel(request: Request, fields: Mapping[str, str]) -> Response:
    """End what runs now; nothing half made stays."""
    job = jobs_of(request).of("release")
    running = job is not None and job.runs
    await jobs_of(request).cancel()
    if running:
        project_of(request).empty("release")
    return to(own_address(fields.get("back", "")))


async def leave(request: Request, fields: Mapping[str, str]) -> Response:
    """Say goodbye, and end the app."""
    del fields
    answer = page(request, "goodbye")
    await jobs_of(request).cancel()
    request.app.state.stop()
    return answer


async def static(request: Request) -> Response:
    """Return a style sheet or a script of our own."""
    place = STATIC.get(request.path_params["name"])
    if place is None:
        return PlainTextResponse("There is no such file.", 404)
    return FileResponse(place, media_type=KINDS[place.suffix])


async def front(request: Request) -> Response:
    """Begin with the first page."""
    del request
    return to("/open")


ROUTES = [
    get("/", front),
    get("/events", events),
    post("/cancel", cancel, any_plan=True),
    post("/quit", leave, any_plan=True),
    get("/static/{name}", static),
]
