"""What all pages share: templates, forms that prove they are ours, and faults beside fields."""

from __future__ import annotations

from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from starlette.routing import Route

from indistinct.errors import Fault, IndistinctError, counted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from jinja2 import Environment
    from starlette.requests import Request
    from starlette.responses import Response

    from indistinct.app.guard import Keys
    from indistinct.app.jobs import Jobs
    from indistinct.app.project import Project

    Handler = Callable[[Request], Awaitable[Response]]
    FormHandler = Callable[[Request, Mapping[str, str]], Awaitable[Response]]

STEPS = (
    ("/open", "Open"),
    ("/columns", "Columns"),
    ("/hierarchies", "Hierarchies"),
    ("/goals", "Goals"),
    ("/explore", "Explore"),
    ("/release", "Release"),
    ("/check", "Check"),
)
EXPLORING = (
    ("/explore", "What each k costs"),
    ("/explore/lattice", "Whole columns"),
    ("/explore/columns", "Before and after"),
)
ADDRESSES = frozenset({*dict(STEPS), *dict(EXPLORING)})
WRONG, STALE = 422, 409
FOLDER = Path(__file__).parent


def project_of(request: Request) -> Project:
    """Return the files of the job."""
    project: Project = request.app.state.project
    return project


def jobs_of(request: Request) -> Jobs:
    """Return what runs."""
    jobs: Jobs = request.app.state.jobs
    return jobs


def keys_of(request: Request) -> Keys:
    """Return what lets a browser in."""
    keys: Keys = request.app.state.keys
    return keys


@cache
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"steps": STEPS, "exploring": EXPLORING, "counted": counted}
    made.filters |= {"query": lambda text: quote(str(text), safe="")}
    return made


def rendered(template: str, /, **content: Any) -> str:
    """Fill in a template."""
    return _templates().get_template(template).render(**content)


def page(request: Request, template: str, /, *, status: int = 200, **content: Any) -> Response:
    """Show a page, with the plan at its side."""
    project = project_of(request)
    side: dict[str, Any] = {"text": project.text, "faults": [], "unsaved": None, "problems": []}
    if project.text:
        side["faults"] = project.shown(project.faults())
    side |= content.pop("side", {})
    here = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
    back = content.pop("back", None) or here
    shown = {
        "form_token": keys_of(request).mark(project.state),
        "path": request.url.path,
        "back": back,
        "side": side,
        "source": project.source.name if project.source else None,
        "job": jobs_of(request).last,
        **content,
    }
    return HTMLResponse(rendered(f"{template}.html.j2", **shown), status)


def get(path: str, handler: Handler) -> Route:
    """Show something; it changes nothing."""
    return Route(path, handler, methods=["GET"])


def post(path: str, handler: FormHandler, *, any_plan: bool = False) -> Route:
    """Change something by a form, which must bring our token.

    A form that was made for another state of the plan is refused, unless it is about `any_plan`:
    two tabs do not overwrite what the other has chosen.
    """

    @wraps(handler)
    async def checked(request: Request) -> Response:
        form = await request.form()
        fields = {key: value for key, value in form.multi_items() if isinstance(value, str)}
        state = keys_of(request).state_of(fields.pop("form_token", None))
        if state is None:
            return PlainTextResponse("The form is not one of this app's. Load the page again.", 403)
        if not any_plan and state != project_of(request).state:
            return page(request, "plan_moved", status=STALE, back=_page_of(path))
        return await handler(request, fields)

    return Route(path, checked, methods=["POST"])


def upload(path: str, handler: Handler) -> Route:
    """Take a file as the body of a request, which must bring our token in a header."""

    @wraps(handler)
    async def checked(request: Request) -> Response:
        if keys_of(request).state_of(request.headers.get("x-form-token")) is None:
            return PlainTextResponse("The upload does not come from this app's pages.", 403)
        return await handler(request)

    return Route(path, checked, methods=["POST"])


def _page_of(path: str) -> str:
    """Return the page that a form stands on, by where it is sent.

    >>> _page_of("/columns/role"), _page_of("/explore/lattice/take"), _page_of("/plan")
    ('/columns', '/explore/lattice', '/open')
    """
    above = [address for address in ADDRESSES if path.startswith(address)]
    return max(above, key=len, default="/open")


def own_address(address: str) -> str:
    """Return an address if it is one of our pages; the first page otherwise.

    >>> own_address("/goals"), own_address("https://evil.example/goals"), own_address("//evil/x")
    ('/goals', '/open', '/open')
    """
    parts = urlsplit(address)
    ours = parts.path in ADDRESSES and not parts.scheme and not parts.netloc
    return address if ours else "/open"


async def received(request: Request, place: Path) -> None:
    """Write the body of a request to a file, piece by piece."""
    with place.open("wb") as file:
        async for piece in request.stream():
            await run_in_threadpool(file.write, piece)


def ending(request: Request, name: str) -> dict[str, Any]:
    """Say of the last job, if it is of this kind, whether it runs, failed or was cancelled."""
    job = jobs_of(request).of(name)
    ended = (job.ended if job else None) or {"kind": ""}
    faults = ended["faults"] if ended["kind"] == "failed" else []
    return {
        "runs": bool(job and job.runs),
        "failed": project_of(request).shown(Fault(*fault) for fault in faults),
        "cancelled": ended["kind"] == "cancelled",
    }


def to(address: str) -> Response:
    """Show another page next."""
    return RedirectResponse(address, 303)


async def attempted(request: Request, work: Callable[..., Any], *args: Any) -> Any:
    """Do some work on another thread; return its result, or the faults as they are shown."""
    try:
        return await run_in_threadpool(work, *args)
    except IndistinctError as error:
        return Faulty(project_of(request).shown(error.faults))


class Faulty:
    """Work that could not be done, and why."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = list(faults)


def beside(faults: Sequence[Fault], fields: Mapping[str, str]) -> dict[str, list[Fault]]:
    """Sort faults to the fields that they are about, by the ends of their places; "" for others.

    Parameters
    ----------
    fields
        For each setting that may stand in a fault's place, the field of the form.
    """
    sorted_: dict[str, list[Fault]] = {}
    for fault in faults:
        named = [field for setting, field in fields.items() if setting in fault.place]
        sorted_.setdefault(named[0] if named else "", []).append(fault)
    return sorted_
