"""Release: run the plan, see the verdict, have it attacked, and take the files away."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from starlette.responses import FileResponse, PlainTextResponse

from indistinct.app.guard import REPORT_POLICY
from indistinct.app.looker import aside
from indistinct.app.web import Faulty, attempted, get, jobs_of, page, post, project_of, to
from indistinct.app.worker import ATTACKS, SUMMARY
from indistinct.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from indistinct.app.project import Project

OUTS = {"csv": "release.csv", "parquet": "release.parquet"}
FILES = {
    "release.csv": "The release",
    "release.parquet": "The release",
    "certificate.json": "Certificate, to go with it",
    "public-report.html": "Report for the public",
    "report.html": "Report for you; keep it private",
    "recoding.json": "Recoding, for later rows; keep it private",
}
REPORTS = ("report.html", "public-report.html")


def place_of(project: Project, name: str) -> Path | None:
    """Return where a file lies that may be taken away; None if there is none."""
    if name == "plan.toml":
        return project.plan_file if project.plan_file.exists() else None
    place = project.folder / "release" / name
    return place if name in FILES and place.exists() else None


async def show(request: Request) -> Response:
    """Show what stands: what speaks against the plan, the run, or what came of it."""
    project, job = project_of(request), jobs_of(request).of("release", "attack")
    if project.source is None:
        return page(request, "nothing_open")
    ended = job.ended if job else None
    checked: Any = None
    if not (job and job.runs):
        checked = await attempted(request, _checked, project)
    faulty = isinstance(checked, Faulty)
    summary = project.outcome(f"release/{SUMMARY}")
    failed = ended["faults"] if ended and ended["kind"] == "failed" else []
    return page(
        request,
        "release",
        runs=job.name if job and job.runs else None,
        ended=ended["kind"] if ended else None,
        failed=project.shown(Fault(*fault) for fault in failed),
        plan_faults=checked.faults if faulty else [],
        notes=() if faulty or checked is None else (*checked.notes, *checked.warnings),
        summary=summary,
        stale=bool(summary and summary["plan"] != project.text),
        attacks=project.outcome(f"release/{ATTACKS}"),
        files={name: words for name, words in FILES.items() if place_of(project, name)},
        reports=REPORTS,
        command=command(project, summary["file"] if summary else OUTS["csv"]),
        python=python_lines(project, summary["file"] if summary else OUTS["csv"]),
    )


@aside
def _checked(project: Project) -> Any:
    from indistinct.verbs.check_plan import check_plan

    key = ("checked", project.text)
    return project.kept(key, lambda: check_plan(project.plan_file, project.data))


def command(project: Project, out: str) -> str:
    """Write the command that does the same."""
    words = ["indistinct", "anonymize", project.data.name, "--plan", "plan.toml", "--out", out]
    papers = ["--report", "report.html", "--certificate", "certificate.json"]
    return shlex.join([*words, *papers])


def python_lines(project: Project, out: str) -> str:
    """Write the Python that does the same."""
    return (
        "from indistinct import anonymize_file\n"
        f'release = anonymize_file("{project.data.name}", "plan.toml", "{out}",\n'
        '    report="report.html", certificate="certificate.json")\n'
        "print(release)"
    )


async def run(request: Request, fields: Mapping[str, str]) -> Response:
    """Begin to make a release."""
    project = project_of(request)
    if project.source is None:
        return to("/open")
    await jobs_of(request).cancel()
    project.empty("release")
    await jobs_of(request).start(
        "release", _asked(project, OUTS.get(fields.get("format", ""), OUTS["csv"])), project.folder
    )
    return to("/release")


async def attack(request: Request, fields: Mapping[str, str]) -> Response:
    """Begin to attack the release."""
    del fields
    project = project_of(request)
    summary = project.outcome(f"release/{SUMMARY}")
    if summary is not None:
        asked = _asked(project, summary["file"])
        await jobs_of(request).start("attack", asked, project.folder)
    return to("/release")


def _asked(project: Project, out: str) -> dict[str, Any]:
    return project.asked(folder=str(project.folder / "release"), text=project.text, out=out)


async def download(request: Request) -> Response:
    """Hand out a file."""
    name = request.path_params["name"]
    place = place_of(project_of(request), name)
    if place is None:
        return PlainTextResponse("There is no such file. Make a release first.", 404)
    return FileResponse(place, filename=name, media_type="application/octet-stream")


async def report(request: Request) -> Response:
    """Show a report as a page of its own, which may run nothing."""
    name = request.path_params["name"]
    place = place_of(project_of(request), name) if name in REPORTS else None
    if place is None:
        return PlainTextResponse("There is no such report. Make a release first.", 404)
    headers = {"Content-Security-Policy": REPORT_POLICY}
    return FileResponse(place, media_type="text/html", headers=headers)


ROUTES = [
    get("/release", show),
    post("/release", run),
    post("/release/attack", attack),
    get("/download/{name}", download),
    get("/report/{name}", report),
]
