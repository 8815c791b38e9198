"""Plans as files: TOML or JSON, with what is wrong reported by place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import PrivateAttr, ValidationError

from indistinct._parts import Part
from indistinct.disk import documents
from indistinct.errors import Fault, PlanError
from indistinct.plan.faults import explain

if TYPE_CHECKING:
    from indistinct.hierarchy.spec import FromCsv


class Loadable(Part):
    """Settings that may stand in a file, and name other files beside it."""

    _base: Path = PrivateAttr(default_factory=Path)

    @property
    def base(self) -> Path:
        """The folder that paths in the plan are relative to."""
        return self._base

    @classmethod
    def load(cls, source: Self | Mapping[str, Any] | str | Path) -> Self:
        """Take a plan, a mapping, or the path of a TOML or JSON file; collect all faults.

        Raises
        ------
        PlanError
            With every fault under the setting it belongs to.
        """
        if isinstance(source, cls):
            return source
        if isinstance(source, str | Path):
            path = Path(source)
            return cls._checked(parsed(path), str(path), path.resolve().parent)
        if isinstance(source, Mapping):
            return cls._checked(source, "plan", Path())
        remedy = "Give a mapping, or the path of a TOML or JSON file."
        raise PlanError(Fault("plan", f"it is a {type(source).__name__}", remedy))

    @classmethod
    def _checked(cls, content: Mapping[str, Any], place: str, base: Path) -> Self:
        try:
            documents.refuse_deep(content)
        except ValueError as error:
            raise PlanError(Fault(place, str(error), "Write it flatter.")) from None
        try:
            plan = cls.model_validate(content)
        except ValidationError as error:
            raise PlanError(explain(error, cls, place)) from None
        plan._base = base  # noqa: SLF001 - its own class
        return plan

    @classmethod
    def of_certificate(cls, content: Mapping[str, Any], folder: Path, *, outside: bool) -> Self:
        """Take the plan of a certificate in a folder: it reads files there, and others if it may.

        Parameters
        ----------
        outside
            Whether it may read hierarchies anywhere.
        """
        plan = cls._checked(content, "plan", folder.resolve())
        for spec in plan.named_files() if not outside else ():
            spec.confine(folder)
        return plan

    def named_files(self) -> list[FromCsv]:
        """List the hierarchies that are in files of their own."""
        return []

    def public(self) -> dict[str, Any]:
        """Return the plan as plain data, with all of the method, without what must stay secret."""
        stated = self.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude={"seed"})
        return stated | self.model_dump(mode="json", by_alias=True, include={"method"})


def parsed(path: Path) -> dict[str, Any]:
    """Read a TOML or JSON file of settings."""
    try:
        text = documents.content_of(path).decode().replace("\r\n", "\n").replace("\r", "\n")
    except documents.UnreadableError as error:
        raise PlanError(Fault(str(path), str(error), "Check the path.")) from None
    except UnicodeDecodeError as error:
        raise PlanError(
            Fault(str(path), f"byte {error.start} is not UTF-8", "Save the plan as UTF-8.")
        ) from None
    kind = "JSON" if path.suffix.lower() == ".json" else "TOML"
    try:
        content = _json(text) if kind == "JSON" else documents.from_toml(text)
    except ValueError as error:
        raise PlanError(Fault(str(path), f"it is not valid {kind}: {error}")) from None
    if not isinstance(content, dict):
        raise PlanError(Fault(str(path), "it holds no table of settings"))
    return content


def _json(text: str) -> Any:
    """Read JSON; like TOML, do not let the second of two equal keys win in silence."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content: dict[str, Any] = {}
        for key, value in pairs:
            if key in content:
                raise ValueError(f"key {key!r} occurs twice in one object")
            content[key] = value
        return content

    return documents.from_json(text, unique)
