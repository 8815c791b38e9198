"""The plan at the side: edited as text, and kept if it is TOML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.app.web import (
    WRONG,
    Faulty,
    attempted,
    own_address,
    page,
    post,
    project_of,
    to,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response


async def save(request: Request, fields: Mapping[str, str]) -> Response:
    """Write the plan as it was typed."""
    project = project_of(request)
    text, back = fields.get("text", ""), own_address(fields.get("back", ""))
    if project.source is None:
        return to("/open")
    saved = await attempted(request, project.write, text)
    if isinstance(saved, Faulty):
        side = {"text": text, "unsaved": saved.faults}
        return page(request, "plan_unsaved", status=WRONG, side=side, back=back)
    return to(back)


ROUTES = [post("/plan", save)]
