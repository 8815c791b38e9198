"""The file of a ledger: held by one run at a time, read with every fault named, of one plan."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from indistinct.disk import documents
from indistinct.errors import DataError, Fault, PlanError
from indistinct.hierarchy.spec import FromCsv
from indistinct.series.ledger import KIND, Ledger

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indistinct.plan import Plan
    from indistinct.plan.series import Series

REMEDY = "Give the ledger that anonymize --series wrote, unchanged."
_NO_SERIES = Fault(
    "plan",
    "it does not say who is who from release to release",
    'Add [series] with person = "...", the column that says which person each row belongs to.',
)


def as_text(ledger: Ledger) -> str:
    """Write a ledger as JSON."""
    content = ledger.model_dump(mode="json")
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def read_ledger(source: Ledger | str | Path) -> Ledger:
    """Take a ledger, or read its file."""
    if isinstance(source, Ledger):
        return source
    path = Path(source)
    content = documents.parsed(path, REMEDY)
    if documents.kind_of(content) != KIND:
        raise DataError(Fault(str(path), "it is not a ledger", REMEDY))
    try:
        return Ledger.model_validate(content)
    except ValidationError as error:
        problems = dict.fromkeys(_problem(detail) for detail in error.errors())
        raise DataError([Fault(str(path), problem, REMEDY) for problem in problems]) from None


def _problem(detail: Any) -> str:
    """Say what is wrong without what stands there: it is about people."""
    place = ".".join(str(part) for part in detail["loc"] if isinstance(part, str))
    message = str(detail["msg"]).removeprefix("Value error, ")
    return f"{place}: {message}" if place else message


@contextmanager
def held(path: Path, *, first: bool) -> Iterator[Ledger]:
    """Read the ledger of a series for its next release, and keep other runs from it meanwhile.

    Two runs that read the same ledger would each publish without knowing of the other.

    Parameters
    ----------
    first
        Whether a series begins: there must be no ledger yet.
    """
    if first or not path.exists():
        _refuse_beginning(path, first=first)
        yield Ledger()
        return
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError as error:
        problem = (error.strerror or "it cannot be read").lower()
        raise DataError(Fault(str(path), problem, "Check the path.")) from None
    try:
        _lock(handle, path)
        yield read_ledger(path)
    finally:
        os.close(handle)


def _refuse_beginning(path: Path, *, first: bool) -> None:
    if first and path.exists():
        problem = "there is a ledger already, and a series has one first release"
        raise DataError(Fault(str(path), problem, "Leave --first out, or name another file."))
    if not first:
        problem = "there is no such ledger"
        raise DataError(Fault(str(path), problem, "Check the path, or begin a series: --first."))


def _lock(handle: int, path: Path) -> None:
    """Hold the ledger; raise if another run does, or has replaced it since it was opened."""
    busy = Fault(str(path), "another run is making a release of this series", "Wait for it.")
    if sys.platform != "win32":
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DataError(busy) from None
        except OSError:  # some network folders have no locks
            return
    if os.fstat(handle).st_ino != path.stat().st_ino:
        raise DataError(busy)


def series_of(plan: Plan) -> Series:
    """Return what a plan says of its series; raise if it says nothing."""
    if plan.series is None:
        raise PlanError(_NO_SERIES)
    return plan.series


def terms_of(plan: Plan) -> dict[str, str]:
    """Hash each setting of a plan that must stay as it is from release to release."""
    terms = {"series.person": series_of(plan).person, "sets": _dumped(plan, "sets")}
    terms["require"] = _dumped(plan, "require")
    for name, column in plan.columns.items():
        if column.role in {"quasi", "sensitive"}:
            terms[f"columns.{name}"] = column.role
        if column.hierarchy is not None:
            terms[f"columns.{name}.hierarchy"] = _hierarchy(plan, name)
    return {key: hashlib.sha256(value.encode()).hexdigest() for key, value in terms.items()}


def _dumped(plan: Plan, setting: str) -> str:
    return json.dumps(plan.model_dump(mode="json", include={setting}), sort_keys=True)


def _hierarchy(plan: Plan, name: str) -> str:
    """State a hierarchy; one in a file by what the file holds, wherever it lies."""
    spec = plan.columns[name].hierarchy
    if isinstance(spec, FromCsv):
        try:
            held = documents.content_of(plan.base / spec.csv)
        except documents.UnreadableError:
            return "unreadable"  # whoever builds it says why
        return hashlib.sha256(held).hexdigest()
    return json.dumps(spec.model_dump(mode="json") if spec else None, sort_keys=True)


def refuse_other_terms(plan: Plan, ledger: Ledger) -> dict[str, str]:
    """Return the terms of a plan; raise if they are not those of the ledger, each by its name."""
    terms = terms_of(plan)
    if not ledger.releases:
        return terms
    faults = [
        Fault(f"plan, {setting}", problem, "Keep it as it was, or begin another series.")
        for setting in sorted({*terms, *ledger.terms})
        if (problem := _changed(terms.get(setting), ledger.terms.get(setting)))
    ]
    if faults:
        raise PlanError(faults)
    return terms


def _changed(now: str | None, then: str | None) -> str | None:
    if now == then:
        return None
    if then is None:
        return "it was not there in the earlier releases of this series"
    if now is None:
        return "it was there in the earlier releases of this series"
    return "it was otherwise in the earlier releases of this series"
