"""The certificate of a release of tree records: files, promises, and how they are held to it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.errors import DataError, DoesNotHoldError, Fault
from indistinct.io.files import FileFacts
from indistinct.io.places import require_readable
from indistinct.report.certificate import (
    TREE_KIND,
    assembled,
    changes,
    contradicted,
    lacking,
    parsed,
)
from indistinct.trees.files import parts
from indistinct.trees.plan import TreePlan
from indistinct.trees.promises import kept

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indistinct.trees.forest import Forest
    from indistinct.trees.promises import TreeVerified
    from indistinct.trees.release import TreeRelease

_NEEDED: dict[str, type] = {
    "plan": dict,
    "output": dict,
    "output.records": int,
    "output.nodes": int,
    "release.input_records": int,
    "release.released_records": int,
    "release.released_nodes": int,
    "release.requirements": list,
}
_OF_PRIVATE = {"input_nodes", "rows"}
_MEASURED_ON_PRIVATE = {"rpd_private"}


@dataclass(frozen=True)
class RecordFacts:
    """What holds records, a file or a folder of tables: each file by its hash, and how many."""

    form: str
    files: list[FileFacts]
    records: int
    nodes: int

    @classmethod
    def of(cls, form: str, files: Iterable[tuple[str, Path]], forest: Forest) -> RecordFacts:
        """Begin to hash the files, which may still lie elsewhere under other names."""
        hashed = [FileFacts.of(path, name) for name, path in files]
        return cls(form, hashed, forest.size, forest.nodes)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        files = [file.as_json() for file in self.files]
        named = {"files": files} if self.form == "tables" else files[0]
        return {**named, "records": self.records, "nodes": self.nodes}

    def named(self) -> dict[str, Any]:
        """Return the names of the files alone."""
        names = [{"name": file.name} for file in self.files]
        return {"files": names} if self.form == "tables" else names[0]


def certificate_of(
    release: TreeRelease, private: RecordFacts, public: RecordFacts
) -> dict[str, Any]:
    """Put together what a certificate says.

    Of the private records it states the names of their files: a hash would confirm a guess of them.
    """
    facts = {key: fact for key, fact in release.summary().items() if key not in _OF_PRIVATE}
    facts["measures"] = {
        name: value for name, value in facts["measures"].items() if name not in _MEASURED_ON_PRIVATE
    }
    files = {"input": private.named(), "output": public.as_json()}
    return assembled(TREE_KIND, release.plan.of_release(public.form), files, facts)


def read_certificate(path: Path) -> tuple[dict[str, Any], TreePlan]:
    """Read a certificate back, with the plan in it."""
    content = parsed(path, TREE_KIND, _NEEDED)
    plan = TreePlan.of_certificate(content["plan"], path.parent, outside=False)
    plan = plan.of_release(plan.tree.format)
    hashes = _hashes(content["output"], plan)
    absent = [
        part.name
        for part, sha256 in zip(parts(Path("output"), plan), hashes, strict=True)
        if not isinstance(sha256, str)
    ]
    if absent:
        raise DataError(lacking(path, *(f"the SHA-256 of {name}" for name in absent)))
    return content, plan


def _hashes(output: dict[str, Any], plan: TreePlan) -> list[Any]:
    """Return what is certified of each part of a release; a file alone may have been renamed."""
    if plan.tree.format != "tables":
        return [output.get("sha256")]
    listed = output.get("files")
    pairs = [
        (file.get("name"), file.get("sha256"))
        for file in (listed if isinstance(listed, list) else [])
        if isinstance(file, dict)
    ]
    return [
        next((sha256 for name, sha256 in pairs if name == spec.file), None)
        for spec in plan.tree.tables.values()
    ]


def refuse_changed(release: Path, content: dict[str, Any], plan: TreePlan) -> None:
    """Raise if files of a release are not the certified ones, or are gone.

    What is read from other files says nothing of these, so nothing else is reported with it.
    """
    if plan.tree.format != "tables":
        require_readable(release, "Give the file that was certified.")
    elif not release.is_dir():
        raise DataError(Fault(str(release), "it is not a folder", "Give the folder of the tables."))
    faults: list[Fault] = []
    hashes = _hashes(content["output"], plan)
    for path, sha256 in zip(parts(release, plan), hashes, strict=True):
        if path.is_file():
            faults += changes(path, sha256)
        else:
            problem = "it was certified, but is not there"
            faults.append(Fault(str(path), problem, "Get the whole release again."))
    if faults:
        raise DoesNotHoldError(faults)


def disagreements(content: dict[str, Any], verified: TreeVerified, place: str) -> list[Fault]:
    """Return where a certificate states something else than the release shows, or its own plan."""
    output, stated = content["output"], content["release"]
    counts = [
        ("output.records", output["records"], verified.records),
        ("output.nodes", output["nodes"], verified.nodes),
        ("input_records", stated["input_records"], verified.records + _left_out(stated)),
        ("released_records", stated["released_records"], verified.records),
        ("released_nodes", stated["released_nodes"], verified.nodes),
    ]
    asked = _requirements(stated["requirements"], verified.plan)
    return contradicted(counts, place) + contradicted(asked, place, by="its plan says")


def _left_out(stated: dict[str, Any]) -> int:
    """Return how many records a certificate says were left out whole."""
    suppressed = stated.get("suppressed")
    records = suppressed.get("records") if isinstance(suppressed, dict) else None
    return records if isinstance(records, int) else 0


def _requirements(stated: list[Any], plan: TreePlan) -> Iterator[tuple[str, Any, Any]]:
    """Pair what is stated of each requirement with what the plan asks for."""
    asked = kept(plan)
    yield "the number of requirements", len(stated), len(asked)
    for said, meant in zip(stated, asked, strict=False):
        statement = said if isinstance(said, dict) else {}
        for key, value in meant.items():
            yield f"{meant['model']} {key}", statement.get(key), value
