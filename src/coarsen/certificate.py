"""The certificate: what was promised and measured for a file, so that anyone can check it again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coarsen.errors import DataError, Fault
from coarsen.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future
    from pathlib import Path

    from coarsen.frames.files import FileFormat
    from coarsen.release import Release
    from coarsen.verification.rows import Verified

KIND = "coarsen certificate"
_REMEDY = "Give the file that --certificate wrote with this release, unchanged."
_EQUAL = 1e-9
_NEEDED: dict[str, type] = {
    "plan": dict,
    "output.sha256": str,
    "output.format": str,
    "output.delimiter": str,
    "release.input_rows": int,
    "release.released_rows": int,
    "release.suppressed_rows": int,
    "release.classes": int,
    "release.requirements": list,
}


@dataclass(frozen=True)
class FileFacts:
    """A file by its name, content hash and size; never by its place."""

    name: str
    sha256: Future[str]
    rows: int
    form: FileFormat

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "name": self.name,
            "sha256": self.sha256.result(),
            "rows": self.rows,
            "format": self.form.kind,
            "delimiter": self.form.delimiter,
        }


def certificate_of(
    release: Release,
    private: FileFacts | None,
    public: FileFacts,
    sensitive: FileFacts | None = None,
) -> dict[str, Any]:
    """Put together what a certificate says; `sensitive` is the second file of buckets, if any."""
    facts = release.summary()
    facts["search"] = {key: told for key, told in facts["search"].items() if _is_plain(told)}
    return {
        "kind": KIND,
        "version": facts.pop("version"),
        "plan": release.plan.public(),
        "input": private.as_json() if private else None,
        "output": public.as_json(),
        **({"sensitive_output": sensitive.as_json()} if sensitive else {}),
        "release": facts,
    }


def _is_plain(told: object) -> bool:
    """Tell whether something is a number or a word; lists may speak of single rows."""
    return told is None or isinstance(told, bool | int | float | str)


def read_certificate(path: Path) -> tuple[dict[str, Any], Plan]:
    """Read a certificate back, with the plan in it."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise DataError(Fault(str(path), reason, "Check the path.")) from None
    except ValueError:
        raise DataError(Fault(str(path), "it is not JSON", _REMEDY)) from None
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise DataError(Fault(str(path), "it is not a certificate", _REMEDY))
    absent = [key for key in _NEEDED if not isinstance(_found(content, key), _NEEDED[key])]
    if absent:
        raise DataError(Fault(str(path), f"it lacks {', '.join(absent)}", _REMEDY))
    return content, Plan.load(content["plan"])


def certified_files(content: dict[str, Any]) -> list[dict[str, Any]]:
    """List the facts of the one file, or two, that a certificate is about."""
    return [content[key] for key in ("output", "sensitive_output") if key in content]


def _found(content: Any, key: str) -> Any:
    for part in key.split("."):
        content = content.get(part) if isinstance(content, dict) else None
    return content


def disagreements(content: dict[str, Any], verified: Verified, place: str) -> list[Fault]:
    """Tell where a certificate states something else than the published rows show."""
    stated = content["release"]
    counts = [
        ("released_rows", stated["released_rows"], verified.released_rows),
        ("input_rows", stated["input_rows"], verified.released_rows + stated["suppressed_rows"]),
        ("classes", stated["classes"], int(verified.class_sizes.size)),
        *_measured(stated["requirements"], verified),
    ]
    return [
        Fault(place, f"it states {name} = {said}, but the release shows {shown}", _REMEDY)
        for name, said, shown in counts
        if not isinstance(said, int | float) or abs(said - shown) > _EQUAL
    ]


def _measured(stated: list[Any], verified: Verified) -> Iterator[tuple[str, Any, float]]:
    """Pair what is stated of each requirement with what was measured, where that is comparable."""
    said = [part.get("measured") if isinstance(part, dict) else None for part in stated]
    said += [None] * (len(verified.evidence) - len(said))
    for measured, found in zip(said, verified.evidence, strict=False):
        if found.holds is not None and not found.note:
            yield f"{found.requirement.model} measured", measured, found.measured
