"""Hierarchies: how each quasi column coarsens, with its values and rows at every level."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.responses import FileResponse

from indistinct.app import edits, looking
from indistinct.app.looker import aside
from indistinct.app.web import WRONG, Faulty, attempted, get, page, post, project_of, to
from indistinct.errors import Fault, PlanError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from indistinct.app.project import Project

KINDS = {
    "flat": "The value, or *",
    "intervals": "Intervals of equal width",
    "cuts": "Intervals between cut points",
    "mask": "Mask characters of a code",
    "dates": "Parts of a date",
    "ordinal": "Categories in an order",
    "paths": "A list, pasted or from a CSV file",
    "suggest": "Whatever suits the values",
}
OTHER = "as the plan at the side says"
PARTS = ("week", "month", "quarter", "year", "decade", "century")


def fields_of(content: Any) -> dict[str, str]:
    """Return a hierarchy of a plan as the form shows it."""
    content = {content: True} if isinstance(content, str) else dict(content or {"suggest": True})
    kind = next((name for name in KINDS if name in content), "other")
    fields = {"kind": kind}
    for key, value in content.items():
        fields[key] = _written(value) if key != "paths" else _as_csv(value)
    return fields


def _written(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "\n".join(map(_written, value))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _as_csv(paths: list[list[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=";", lineterminator="\n").writerows(paths)
    return out.getvalue()


def spec_of(fields: Mapping[str, str]) -> Any:
    """Return what a form describes, as a plan states it; raise with what cannot be read."""
    kind = fields.get("kind", "")
    return _SPECS[kind](fields) if kind in _SPECS else "flat" if kind == "flat" else "suggest"


def _mask(fields: Mapping[str, str]) -> dict[str, Any]:
    steps, keep = _numbers(fields, "steps"), _numbers(fields, "keep")[:1]
    spec = {"mask": fields.get("mask", "right"), "keep": keep[0] if keep else 0}
    return spec | ({"steps": steps} if steps else {})


def _dates(fields: Mapping[str, str]) -> dict[str, Any]:
    form = fields.get("format", "").strip()
    return {"dates": _texts(fields, "dates")} | ({"format": form} if form else {})


def _ordinal(fields: Mapping[str, str]) -> dict[str, Any]:
    widths = _numbers(fields, "widths")
    return {"ordinal": _texts(fields, "ordinal")} | ({"widths": widths} if widths else {})


def _cuts(fields: Mapping[str, str]) -> dict[str, Any]:
    lines = [line for line in fields.get("cuts", "").splitlines() if line.strip()]
    return {"cuts": [_numbers({"cuts": line}, "cuts") for line in lines]}


def _paths(fields: Mapping[str, str]) -> dict[str, Any]:
    """Read a pasted hierarchy, a line for each value."""
    text = fields.get("paths", "")
    mark = next((mark for mark in ";\t," if mark in text), ";")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    return {"paths": [[label or None for label in row] for row in rows if any(row)]}


def _intervals(fields: Mapping[str, str]) -> dict[str, Any]:
    spec: dict[str, Any] = {"intervals": _numbers(fields, "intervals")}
    for name in ("origin", "bottom", "top"):
        if number := _numbers(fields, name)[:1]:
            spec[name] = number[0]
    return spec


def _numbers(fields: Mapping[str, str], name: str) -> list[Any]:
    """Read numbers with commas between them."""
    numbers: list[Any] = []
    for text in _texts(fields, name):
        try:
            numbers.append(int(text) if text.lstrip("-").isdecimal() else float(text))
        except ValueError:
            problem = f"{text!r} is not a number"
            raise PlanError(Fault(name, problem, "Put commas between numbers.")) from None
    return numbers


def _texts(fields: Mapping[str, str], name: str) -> list[str]:
    return [part.strip() for part in fields.get(name, "").split(",") if part.strip()]


_SPECS: dict[str, Callable[[Mapping[str, str]], dict[str, Any]]] = {
    "intervals": _intervals,
    "cuts": _cuts,
    "mask": _mask,
    "dates": _dates,
    "ordinal": _ordinal,
    "paths": _paths,
}


async def show(request: Request) -> Response:
    """Show the quasi columns, or the builder of one of them, with what is typed into it."""
    project = project_of(request)
    if project.source is None:
        return page(request, "nothing_open")
    asked = dict(request.query_params)
    return await _shown(request, asked)


async def _shown(request: Request, asked: dict[str, str], status: int = 200) -> Response:
    project = project_of(request)
    settings = project.settings()
    quasi = {n: c for n, c in settings.get("columns", {}).items() if c.get("role") == "quasi"}
    name = asked.get("column", next(iter(quasi), ""))
    if name not in quasi:
        return page(request, "hierarchies", quasi=quasi, name=None, kinds=KINDS)
    kept = fields_of(quasi[name].get("hierarchy"))
    typed = len(asked.keys() - {"column"}) > 0
    fields = asked if typed else kept
    if set(asked) == {"column", "kind"} and asked["kind"] == kept["kind"]:
        fields = kept
    begun = await attempted(request, _begun, project, settings, name, fields, quasi[name])
    fields, span = (fields, None) if isinstance(begun, Faulty) else begun
    built = await attempted(request, _levels, project, settings, name, fields, quasi[name])
    faulty = isinstance(built, Faulty)
    return page(
        request,
        "hierarchies",
        status=status,
        quasi=quasi,
        name=name,
        kinds=KINDS | ({"other": OTHER} if fields.get("kind") == "other" else {}),
        parts=PARTS,
        fields={"kind": "flat", **fields},
        faults=built.faults if faulty else [],
        levels=[] if faulty else built,
        unsaved=fields.get("kind") != kept["kind"] or (typed and fields is not kept),
        most=looking.MOST_NODES,
        span=span,
        back=f"/hierarchies?column={_quoted(name)}",
    )


def _quoted(name: str) -> str:
    return quote(name, safe="")


def _begun(
    project: Project,
    settings: Mapping[str, Any],
    name: str,
    fields: Mapping[str, str],
    column: Mapping[str, Any],
) -> tuple[Mapping[str, str], tuple[float, float] | None]:
    """Fill in what an empty list or line of cuts may begin with; return the ends of numbers too."""
    options, kind = looking.input_of(settings), fields.get("kind")
    if kind == "paths" and "paths" not in fields:
        rows = looking.paths_of(project, options, name, column.get("hierarchy", "suggest"))
        return {**fields, "paths": _as_csv(rows)}, None
    if kind != "cuts":
        return fields, None
    span = looking.span_of(project, options, name)
    if span is not None and "cuts" not in fields:
        low, high = span
        quarters = [low + part * (high - low) / 4 for part in (1, 2, 3)]
        whole = low.is_integer() and high.is_integer()
        cuts = dict.fromkeys(f"{round(cut)}" if whole else f"{cut:.4g}" for cut in quarters)
        return {**fields, "cuts": ", ".join(cuts)}, span
    return fields, span


def _levels(
    project: Project,
    settings: Mapping[str, Any],
    name: str,
    fields: Mapping[str, str],
    column: Mapping[str, Any],
) -> list[looking.Level]:
    other = fields.get("kind") == "other"
    content = column.get("hierarchy", "suggest") if other else spec_of(fields)
    return looking.levels_of(project, looking.input_of(settings), name, content)


async def save(request: Request, fields: Mapping[str, str]) -> Response:
    """Put a hierarchy into the plan, if it fits the values."""
    project = project_of(request)
    name, settings = fields.get("column", ""), project.settings()
    column = settings.get("columns", {}).get(name)
    if column is None or fields.get("kind") not in KINDS:
        return to("/hierarchies")
    built = await attempted(request, _levels, project, settings, name, fields, column)
    if isinstance(built, Faulty):
        return await _shown(request, dict(fields), WRONG)
    document = project.document()
    edits.set_hierarchy(document, name, spec_of(fields))
    project.write(document)
    return to(f"/hierarchies?column={_quoted(name)}")


async def as_csv(request: Request) -> Response:
    """Hand the hierarchy of a column out as a CSV file."""
    project = project_of(request)
    name = request.query_params.get("column", "")
    written = await attempted(request, _written_csv, project, name)
    if isinstance(written, Faulty):
        return await _shown(request, {"column": name}, WRONG)
    return FileResponse(written, filename="hierarchy.csv", media_type="text/csv")


@aside
def _written_csv(project: Project, name: str) -> Path:
    from indistinct.hierarchy import write_csv

    settings = project.settings()
    content = settings.get("columns", {}).get(name, {}).get("hierarchy", "suggest")
    place = project.folder / "hierarchy.csv"
    built = looking.hierarchy_of(project, looking.input_of(settings), name, content)
    write_csv(built, place, private=True)
    return place


ROUTES = [
    get("/hierarchies", show),
    post("/hierarchies", save),
    get("/hierarchies/csv", as_csv),
]
