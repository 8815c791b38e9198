"""Plan: a release as a file. Roles, hierarchies, requirements, method, limits."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, PrivateAttr, ValidationError, model_validator

from coarsen._parts import Part
from coarsen.accuracy import Accuracy
from coarsen.errors import Fault, PlanError, closest
from coarsen.forms import PublishAs, RangeAs, form_of, published_names
from coarsen.hierarchy.spec import FromCsv
from coarsen.methods import MethodSpec
from coarsen.methods.auto import Auto
from coarsen.methods.buckets.anatomy import Anatomy
from coarsen.plan_faults import explain
from coarsen.presets import PresetName, preset_problems, with_requirement
from coarsen.requirements import RequirementSpec, SensitiveRequirement
from coarsen.schema import Column, QuasiSetSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from coarsen.measures.ncp import Form
    from coarsen.table import Table

    PlanSource: TypeAlias = "Plan | Mapping[str, Any] | str | Path"


class Limits(Part):
    """What a method may do at most.

    Attributes
    ----------
    suppression
        The share of rows that may be left out, 0 to 1.
    """

    suppression: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)] = 0.0


def _one_character(value: object) -> object:
    mark = "\t" if value in {"\\t", "tab"} else value
    if isinstance(mark, str) and (len(mark) != 1 or not mark.isascii() or mark in '"\r\n'):
        raise ValueError(
            f"{value!r} cannot separate fields. Give one character such as , or ; or tab"
        )
    return mark


class Input(Part):
    """How to read a text file.

    Attributes
    ----------
    delimiter
        The character between fields; found by looking at the file if not given.
    encoding
        The text encoding; by default UTF-8, or what the file's byte-order mark says.
    missing
        Texts that mean a missing value.
    """

    delimiter: Annotated[str, BeforeValidator(_one_character)] | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ("",)

    def told(self, **options: str | None) -> Input:
        """Return it with the options that are given; raise if one is none."""
        given = {key: option for key, option in options.items() if option is not None}
        try:
            return Input.model_validate({**self.model_dump(exclude_unset=True), **given})
        except ValidationError as error:
            raise PlanError(explain(error, Input, "input")) from None


class Plan(Part):
    """Everything that decides a release; no state exists outside it.

    Attributes
    ----------
    columns
        Each column of the data by name.
    require
        What the release must satisfy; all of it.
    method, limits
        How to search, and within what.
    accuracy
        What each group may lose at most, for methods that maximize privacy (`ac`, `ipcsd`).
    loss
        What the method minimizes: `gcp` (NCP by node) or `precision` (level / height).
    sets
        Several quasi-identifiers, each of which must satisfy by itself; by default one of all
        quasi columns.
    unlisted
        What to do with columns of the data that the plan does not name.
    suppressed
        Whether suppressed rows are left out or blanked to `*`.
    publish
        How methods that group rows publish generalized values: `auto` is ranges for numbers and
        dates, nodes for categories. A column may say otherwise. `permutation` publishes exact
        quasi values and permutes sensitive values inside each group; presence is not hidden.
    preset
        Guidance by name, which adds a requirement or holds the release to rules of its own.
    seed
        Makes the order of rows and random pseudonyms repeatable; keep it secret.
    """

    columns: Annotated[dict[str, Column], Field(min_length=1)]
    require: Annotated[list[RequirementSpec], Field(min_length=1)]
    method: MethodSpec = Auto()
    limits: Limits = Limits()
    accuracy: Accuracy | None = None
    loss: Literal["gcp", "precision"] = "gcp"
    sets: dict[str, QuasiSetSpec] = Field(default_factory=dict)
    unlisted: Literal["error", "drop", "other"] = "error"
    suppressed: Literal["drop", "blank"] = "drop"
    publish: PublishAs = "auto"
    preset: PresetName | None = None
    seed: Annotated[int, Field(strict=True)] | None = None
    input: Input = Input()

    _base: Path = PrivateAttr(default_factory=Path)

    @property
    def base(self) -> Path:
        """The folder that paths in the plan are relative to."""
        return self._base

    @property
    def in_buckets(self) -> bool:
        """Whether quasi values are published as they are, and sensitive values by group only."""
        return self.publish == "permutation" or isinstance(self.method, Anatomy)

    def forms(self, table: Table) -> tuple[Form, ...]:
        """Say how each quasi column is published by a method that groups rows."""
        return tuple(
            form_of(column.hierarchy, self.form_asked(column.name)) for column in table.quasi
        )

    def form_asked(self, name: str) -> PublishAs:
        """Say how a quasi column is to be published: as it, its method or the plan for all says."""
        own = self.columns[name].publish
        if own is not None or not self.method.groups_rows:
            return own or self.publish
        usual = self.method.publishes[:1]
        return usual[0] if usual and self.publish == "auto" else self.publish

    def ranges_as(self, table: Table) -> tuple[RangeAs, ...]:
        """Say what ranges of each quasi column are written as."""
        return tuple(self.columns[column.name].range_as for column in table.quasi)

    def with_role(self, *roles: str) -> list[str]:
        """Name the columns that have one of these roles, in the plan's order."""
        return [name for name, column in self.columns.items() if column.role in roles]

    @model_validator(mode="before")
    @classmethod
    def _preset_adds(cls, content: Any) -> Any:
        return with_requirement(content)

    @model_validator(mode="after")
    def _roles_make_sense(self) -> Plan:
        problems = [
            *_role_problems(self),
            *_name_problems(self),
            *_set_problems(self),
            *_sensitive_problems(self),
            *_accuracy_problems(self),
            *_bucket_problems(self),
            *_form_problems(self),
            *_matching_problems(self),
            *preset_problems(self),
            *self.method.problems(self),
        ]
        if problems:
            raise ValueError("\n".join(problems))
        return self

    @classmethod
    def load(cls, source: PlanSource) -> Plan:
        """Take a plan, a mapping, or the path of a TOML or JSON file; collect all faults.

        Raises
        ------
        PlanError
            With every fault under the setting it belongs to.
        """
        if isinstance(source, Plan):
            return source
        if isinstance(source, str | Path):
            path = Path(source)
            return cls._checked(parsed(path), str(path), path.resolve().parent)
        return cls._checked(source, "plan", Path())

    @classmethod
    def _checked(cls, content: Mapping[str, Any], place: str, base: Path) -> Plan:
        try:
            plan = cls.model_validate(content)
        except ValidationError as error:
            raise PlanError(explain(error, cls, place)) from None
        plan._base = base  # noqa: SLF001 - its own class
        return plan

    def paths(self) -> list[Path]:
        """Name the files that the plan is made of: hierarchies, and keys of pseudonyms."""
        columns = self.columns.values()
        named: list[str | Path] = [
            c.hierarchy.csv for c in columns if isinstance(c.hierarchy, FromCsv)
        ]
        named += [c.pseudonym.key for c in columns if c.pseudonym and c.pseudonym.key]
        return [self.base / name for name in named]

    def overridden(self, options: Mapping[str, Any]) -> Plan:
        """Return the plan with some settings (delimiter, encoding, seed) replaced."""
        content = self.model_dump(mode="python", exclude_unset=True)
        for key, value in options.items():
            if key in Input.model_fields:
                content["input"] = {**content.get("input", {}), key: value}
            else:
                content[key] = value
        return self._checked(content, "plan", self.base)

    def public(self) -> dict[str, Any]:
        """Return the plan as plain data, without what must stay secret."""
        content = self.model_dump(mode="json", exclude_unset=True, exclude={"seed"})
        content["method"] = self.method.model_dump(mode="json", exclude_defaults=False)
        return content


def parsed(path: Path) -> dict[str, Any]:
    """Read a TOML or JSON file of settings."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise PlanError(Fault(str(path), reason.lower(), "Check the path.")) from None
    except UnicodeDecodeError as error:
        raise PlanError(
            Fault(str(path), f"byte {error.start} is not UTF-8", "Save the plan as UTF-8.")
        ) from None
    kind = "JSON" if path.suffix.lower() == ".json" else "TOML"
    try:
        content = _json(text) if kind == "JSON" else tomllib.loads(text)
    except ValueError as error:
        raise PlanError(Fault(str(path), f"it is not valid {kind}: {error}")) from None
    if not isinstance(content, dict):
        raise PlanError(Fault(str(path), "it holds no table of settings"))
    return content


def _json(text: str) -> Any:
    """Read JSON; like TOML, do not let the second of two equal keys win in silence."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise ValueError(f"key {key!r} stands twice in one object")
            found[key] = value
        return found

    return json.loads(text, object_pairs_hook=unique)


def _role_problems(plan: Plan) -> Iterable[str]:
    if not plan.with_role("quasi"):
        yield (
            'columns: no column is quasi. Give role = "quasi" to the columns that others may know '
            "about people (age, ZIP, sex, dates)"
        )
    respondents = plan.with_role("respondent")
    named = {group.respondent for group in plan.sets.values()}
    if len(respondents) > 1 and not set(respondents) <= named:
        yield (
            f"columns: {len(respondents)} columns are respondents ({', '.join(respondents)}). "
            'Keep one, or give each its own set: [sets.doctor] respondent = "..."'
        )


def _name_problems(plan: Plan) -> Iterable[str]:
    for name, column in plan.columns.items():
        for made in published_names(name, column.range_as):
            if made != name and made in plan.columns:
                yield (
                    f"columns.{name}: range_as = {column.range_as!r} would publish a second "
                    f"column {made!r}. Rename that one, or choose another range_as"
                )


def _set_problems(plan: Plan) -> Iterable[str]:
    quasi, respondents = plan.with_role("quasi"), plan.with_role("respondent")
    for name, group in plan.sets.items():
        for column in group.columns:
            if column not in quasi:
                yield f"sets.{name}: {column!r} is not a quasi column. {closest(column, quasi)}"
        if group.respondent is not None and group.respondent not in respondents:
            yield (
                f"sets.{name}: respondent {group.respondent!r} is not a column with role "
                f'"respondent". {closest(group.respondent, respondents)}'
            )
    covered = {column for group in plan.sets.values() for column in group.columns}
    missing = [column for column in quasi if plan.sets and column not in covered]
    if missing:
        yield (
            f"sets: quasi columns in no set: {', '.join(missing)}. "
            "Add each to a set, or give it another role"
        )


def _sensitive_problems(plan: Plan) -> Iterable[str]:
    sensitive = plan.with_role("sensitive")
    for requirement in plan.require:
        if not isinstance(requirement, SensitiveRequirement):
            continue
        if not sensitive:
            yield (
                f"require: {requirement.model!r} needs a sensitive column. "
                'Give role = "sensitive" to what must not be learnt'
            )
        for name in [requirement.column] if requirement.column else sensitive:
            column = plan.columns.get(name)
            if requirement.needs_hierarchy and column and column.hierarchy is None:
                yield (
                    f"require: hierarchical distance needs a hierarchy of column {name!r}. "
                    f"Give it one under columns.{name}"
                )
        if requirement.column is not None and sensitive and requirement.column not in sensitive:
            yield (
                f"require: {requirement.model!r} is about {requirement.column!r}, which is not a "
                f"sensitive column. {closest(requirement.column, sensitive)}"
            )


def _bucket_problems(plan: Plan) -> Iterable[str]:
    if not plan.in_buckets:
        return
    for requirement in plan.require:
        if requirement.model not in Anatomy.keeps:
            yield (
                f"require: {requirement.model!r} counts people alike, and exact quasi values are "
                "published, which singles them out. Ask for l-diversity or t-closeness, or choose "
                "another method or publish"
            )
        elif isinstance(requirement, SensitiveRequirement) and requirement.joined:
            yield "require: joined = true is not kept where sensitive values are permuted"
    if plan.with_role("respondent"):
        yield "columns: people with several rows are not hidden by permuting. Use another publish"


def _form_problems(plan: Plan) -> Iterable[str]:
    known = plan.method.publishes
    asked = {f"columns.{n}.publish": plan.columns[n].publish for n in plan.with_role("quasi")}
    for place, form in {"publish": plan.publish, **asked}.items():
        if known and form not in {None, "auto", *known}:
            words = " or ".join(f'"{word}"' for word in known)
            yield (
                f"{place}: method {plan.method.name!r} publishes cells as {words}, not as "
                f'"{form}". Leave it out, or choose another method'
            )


def _matching_problems(plan: Plan) -> Iterable[str]:
    if not plan.method.matches_rows:
        return
    name = plan.method.name
    for requirement in plan.require:
        if requirement.model not in plan.method.keeps:
            yield (
                f"require: {requirement.model!r} is about classes of rows published alike, and "
                f"{name!r} makes none: each row has k candidates of its own. "
                "Choose a method that groups rows, such as best"
            )
    if plan.with_role("respondent"):
        yield (
            f"columns: {name!r} counts rows, and a person with several would be counted several "
            "times. Choose a method that groups rows, such as best"
        )
    if plan.publish == "permutation":
        yield f"publish: {name!r} makes no groups to permute in. Choose another publish"


def _accuracy_problems(plan: Plan) -> Iterable[str]:
    reads = plan.method.name in {"auto", "ac", "ipcsd"}
    if plan.accuracy is None:
        if reads and plan.method.name != "auto":
            yield f"accuracy: method {plan.method.name!r} needs it. Say [accuracy] max_ncp = 0.3"
        return
    if not reads:
        yield (
            f"accuracy: method {plan.method.name!r} does not read it. "
            'Say method.name = "ac", or leave it out'
        )
    quasi, sensitive = plan.with_role("quasi"), plan.with_role("sensitive")
    for column in plan.accuracy.max_extent:
        if column not in quasi:
            yield (
                f"accuracy.max_extent: {column!r} is not a quasi column. {closest(column, quasi)}"
            )
    named = plan.accuracy.column
    if named is not None and named not in sensitive:
        yield f"accuracy.column: {named!r} is not a sensitive column. {closest(named, sensitive)}"
    if plan.accuracy.maximize == "l" and (len(sensitive) != 1 and named is None):
        yield "accuracy.column: name the sensitive column that l is about"
