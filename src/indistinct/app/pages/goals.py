"""Goals: what the release must satisfy, within what limits, and what matters most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indistinct.app import edits
from indistinct.app.web import WRONG, beside, get, page, post, project_of, to
from indistinct.errors import Fault
from indistinct.plan.presets import PRESETS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response
    from tomlkit import TOMLDocument

MODELS = {"k-anonymity": "k", "l-diversity": "l", "t-closeness": "t"}
NUMBERS = {"k": int, "l": int, "t": float, "suppression": float, "seed": int}
DEFAULTS = {"k": "5", "l": "2", "t": "0.2", "suppression": "0", "seed": ""}


def fields_of(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return what a plan says, as the form shows it."""
    fields = dict(DEFAULTS)
    for part in settings.get("require", []):
        if number := MODELS.get(part.get("model", "")):
            fields[number] = str(part.get(number, ""))
            fields[f"{number}_on"] = "on"
    share = settings.get("limits", {}).get("suppression", 0)
    fields["suppression"] = f"{100 * share:g}" if isinstance(share, int | float) else str(share)
    fields["preset"] = str(settings.get("preset", ""))
    fields["seed"] = str(settings.get("seed", ""))
    fields["method"] = str(settings.get("method", {}).get("name", "auto"))
    for name, column in settings.get("columns", {}).items():
        if column.get("role") == "quasi":
            fields[f"weight:{name}"] = str(column.get("weight", 1))
    return fields


async def show(request: Request) -> Response:
    """Show what the plan asks for."""
    project = project_of(request)
    if project.source is None:
        return page(request, "nothing_open")
    return _shown(request, fields_of(project.settings()), {})


def _shown(
    request: Request, fields: Mapping[str, str], faults: Mapping[str, Any], status: int = 200
) -> Response:
    from indistinct.methods import METHODS

    settings = project_of(request).settings()
    asked = [part.get("model", "") for part in settings.get("require", [])]
    quasi = [n for n, c in settings.get("columns", {}).items() if c.get("role") == "quasi"]
    return page(
        request,
        "goals",
        status=status,
        back="/goals",
        fields={**DEFAULTS, "preset": "", "method": "auto", **fields},
        beside=faults,
        presets=PRESETS,
        methods={name: _summary(method) for name, method in METHODS.items()},
        others=[model for model in asked if model not in MODELS],
        quasi=quasi,
        sensitive=any(c.get("role") == "sensitive" for c in settings.get("columns", {}).values()),
    )


def _summary(method: type) -> str:
    return (method.__doc__ or "").strip().splitlines()[0].rstrip(".").replace("`", "")


async def save(request: Request, fields: Mapping[str, str]) -> Response:
    """Write what is asked for into the plan, if all of it can be."""
    project = project_of(request)
    if project.source is None:
        return to("/open")
    numbers, faults = _numbers(fields)
    if not faults:
        before = {fault.problem for fault in project.faults()}
        document = _changed(project.document(), fields, numbers)
        settings = document.unwrap()
        new = [fault for fault in project.faults(settings) if fault.problem not in before]
        faults = beside(new, _places(settings))
        if not faults:
            project.write(document)
            return to("/goals")
    return _shown(request, fields, faults, WRONG)


def _numbers(fields: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, list[Fault]]]:
    """Read the numbers of the form; say beside each field what is none."""
    numbers: dict[str, Any] = {}
    faults: dict[str, list[Fault]] = {}
    wanted = {name: kind for name, kind in NUMBERS.items() if fields.get(name, "").strip()}
    wanted |= {name: float for name in fields if name.startswith("weight:")}
    for name, kind in wanted.items():
        text = fields[name].strip()
        try:
            numbers[name] = kind(text)
        except ValueError:
            whole = "a whole number" if kind is int else "a number"
            faults[name] = [Fault(name.partition(":")[2] or name, f"{text!r} is not {whole}")]
    missing = [n for n in MODELS.values() if f"{n}_on" in fields and not fields.get(n, "").strip()]
    faults |= {name: [Fault(name, "it is empty", "Give a number.")] for name in missing}
    return numbers, faults


def _changed(
    document: TOMLDocument, fields: Mapping[str, str], numbers: Mapping[str, Any]
) -> TOMLDocument:
    for model, name in MODELS.items():
        wanted = f"{name}_on" in fields and name in numbers
        edits.set_requirement(document, model, {name: numbers[name]} if wanted else None)
    share = numbers.get("suppression", 0) / 100
    edits.set_section(document, "limits", {"suppression": share or None})
    method = fields.get("method", "auto")
    if method != document.get("method", {}).get("name", "auto"):
        document.pop("method", None)
        edits.set_section(document, "method", {"name": None if method == "auto" else method})
    for name, weight in numbers.items():
        if name.startswith("weight:") and name[7:] in document.get("columns", {}):
            edits.set_weight(document, name[7:], weight)
    document = edits.set_top(document, "preset", fields.get("preset") or None)
    return edits.set_top(document, "seed", numbers.get("seed"))


def _places(settings: Mapping[str, Any]) -> dict[str, str]:
    """Name the field of each setting that a fault may be about."""
    places = {
        f"require[{place}]": MODELS[part["model"]]
        for place, part in enumerate(settings.get("require", []), start=1)
        if part.get("model") in MODELS
    }
    places |= {f"columns.{name}.weight": f"weight:{name}" for name in settings.get("columns", {})}
    return places | {
        "limits": "suppression",
        "preset": "preset",
        "method": "method",
        "seed": "seed",
        "require": "k",
    }


ROUTES = [get("/goals", show), post("/goals", save)]
