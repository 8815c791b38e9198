"""The plan at the side: edited as text, and kept if it is TOML."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from indistinct.app.web import STEPS, WRONG, Faulty, attempted, page, post, project_of, to

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


def own_address(address: str) -> str:
    """Return an address if it is one of our pages; the first page otherwise.

    >>> own_address("/goals"), own_address("https://evil.example/goals"), own_address("//evil/x")
    ('/goals', '/open', '/open')
    """
    parts = urlsplit(address)
    ours = parts.path in dict(STEPS) and not parts.scheme and not parts.netloc
    return address if ours else "/open"


ROUTES = [post("/plan", save)]
