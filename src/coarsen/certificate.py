"""The certificate: what was promised and measured for a file, so that anyone can check it again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from coarsen.errors import DataError, Fault
from coarsen.plan import Plan

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

    from coarsen.frames.files import FileFormat
    from coarsen.release import Release

KIND = "coarsen certificate"


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


def certificate(release: Release, private: FileFacts | None, public: FileFacts) -> dict[str, Any]:
    """Put together what a certificate says."""
    facts = release.summary()
    return {
        "kind": KIND,
        "version": facts.pop("version"),
        "plan": release.plan.public(),
        "input": private.as_json() if private else None,
        "output": public.as_json(),
        "release": facts,
    }


def read_certificate(path: Path) -> tuple[dict[str, Any], Plan]:
    """Read a certificate back, with the plan in it."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise DataError(Fault(str(path), reason, "Check the path.")) from None
    except ValueError as error:
        raise DataError(Fault(str(path), f"it is not JSON: {error}")) from None
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise DataError(
            Fault(str(path), "it is not a certificate", "Give the file written by --certificate.")
        )
    return content, Plan.load(content["plan"])
