"""Plan: everything that decides a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from indistinct._parts import Part
from indistinct.errors import Fault, PlanError
from indistinct.hierarchy.notation import DateOrder, Decimal, Thousands
from indistinct.hierarchy.spec import FromCsv
from indistinct.methods import MethodSpec
from indistinct.methods.auto import Auto
from indistinct.methods.buckets.anatomy import Anatomy
from indistinct.model.forms import PublishAs, form_of
from indistinct.plan.about import About
from indistinct.plan.accuracy import Accuracy
from indistinct.plan.columns import Acceptance, Column, QuasiSetSpec
from indistinct.plan.engine import Engine
from indistinct.plan.faults import explain
from indistinct.plan.loading import Loadable
from indistinct.plan.presets import PresetName, with_requirement
from indistinct.plan.rules import problems
from indistinct.requirements import RequirementSpec, SensitiveRequirement

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from indistinct.model.forms import Form
    from indistinct.model.names import RangeAs
    from indistinct.model.table import Table

PlanSource: TypeAlias = "Plan | Mapping[str, Any] | str | Path"


class Limits(Part):
    """What a method may do at most.

    Attributes
    ----------
    suppression
        The share of rows that may be left out, 0 to 1.
    """

    suppression: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)] = 0.0

    def suppressed_of(self, rows: int) -> int:
        """Return how many of so many rows may be left out."""
        return int(self.suppression * rows + 1e-9)


def is_delimiter(mark: str) -> bool:
    """Return whether a text can stand between fields: a visible character, a space or a tab."""
    return (
        len(mark) == 1 and mark.isascii() and mark != '"' and (mark.isprintable() or mark == "\t")
    )


def _one_character(value: object) -> object:
    mark = "\t" if value in ("\\t", "tab") else value
    if isinstance(mark, str) and not is_delimiter(mark):
        raise ValueError(
            f"{value!r} cannot separate fields. Give one character such as , or ; or tab"
        )
    return mark


class Input(Part):
    """How to read a file: a text file, or a spreadsheet.

    Attributes
    ----------
    delimiter
        The character between fields; found by looking at the file if not given.
    encoding
        The text encoding; by default UTF-8, or what the file's byte-order mark says.
    missing
        Texts that mean a missing value; by default the empty one of a text file.
    sheet
        The sheet of a spreadsheet to read; the only one with something on it if not given.
    decimal, thousands
        The marks before decimals and at thousands, where numbers stand as text; found by looking at
        each column if neither is given.
    dates
        In which order day, month and year stand in dates that are not ISO dates; found likewise.
    """

    delimiter: Annotated[str, BeforeValidator(_one_character)] | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ("",)
    sheet: str | None = None
    decimal: Decimal | None = None
    thousands: Thousands | None = None
    dates: DateOrder | None = None

    @model_validator(mode="after")
    def _marks_differ(self) -> Input:
        if self.decimal is not None and self.decimal == self.thousands:
            raise ValueError(
                f"decimal and thousands cannot both be {self.decimal!r}. Leave one of them out"
            )
        return self

    def with_options(self, **options: str | None) -> Input:
        """Return it with the options that are given; raise if one is none."""
        given = {key: option for key, option in options.items() if option is not None}
        try:
            return Input.model_validate({**self.model_dump(exclude_unset=True), **given})
        except ValidationError as error:
            raise PlanError(explain(error, Input, "input")) from None


class Output(Part):
    """How to write a release.

    Attributes
    ----------
    guard_formulas
        Put an apostrophe before cells of a CSV file that a spreadsheet would run as formulas.
    """

    guard_formulas: Annotated[bool, Field(strict=True)] = False


class Plan(Loadable):
    """Everything that determines a release.

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
        Several quasi-identifiers, each of which must satisfy the requirements; by default one of
        all quasi columns.
    unlisted
        What to do with columns of the data that the plan does not name.
    suppressed
        Whether suppressed rows are omitted or blanked to `*`.
    publish
        How methods that group rows publish generalized values: `auto` is ranges for numbers and
        dates, nodes for categories and codes. A column may say otherwise. `exact` is the same with
        ends, members and detail as they are, however few people have them. `permutation` publishes
        exact quasi values and permutes sensitive values inside each group; presence is not hidden.
    accept
        Columns that look like identifiers, or repeat as people do, and may be published; each
        with the reason, which every report shows.
    preset
        Guidance by name, which adds a requirement or rules of its own.
    seed
        Makes the order of rows and random pseudonyms repeatable; keep it secret.
    input, output
        How files are read, and how a release is written.
    engine
        What counts and rewrites the rows, and what it may use.
    about
        Data set, author and purpose in words, for reports.
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
    accept: list[Acceptance] = Field(default_factory=list)
    preset: PresetName | None = None
    seed: Annotated[int, Field(strict=True)] | None = None
    input: Input = Input()
    output: Output = Output()
    engine: Engine = Engine()
    about: About = About()

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
        if own not in {None, "exact"} or not self.method.groups_rows:
            return own or self.publish
        usual = self.method.publishes[:1]
        asked = own or self.publish
        return usual[0] if usual and asked in {"auto", "exact"} else asked

    def is_exact(self, name: str) -> bool:
        """Return whether a quasi column may show values that few people have."""
        return self.in_buckets or "exact" in {self.publish, self.columns[name].publish}

    def ranges_as(self, table: Table) -> tuple[RangeAs, ...]:
        """Say what ranges of each quasi column are written as."""
        return tuple(self.columns[column.name].range_as for column in table.quasi)

    @property
    def most_distinct(self) -> int:
        """How many distinct rows may be searched at once."""
        return self.engine.most_distinct(groups_rows=self.method.groups_rows)

    def of_columns(self, names: Collection[str]) -> Plan:
        """Return the plan of some of its columns, as if there were no others."""
        some = {name: column for name, column in self.columns.items() if name in names}
        accept = [part for part in self.accept if part.column in names]
        return self.model_copy(update={"columns": some, "accept": accept})

    def with_role(self, *roles: str) -> list[str]:
        """Name the columns that have one of these roles, in the plan's order."""
        return [name for name, column in self.columns.items() if column.role in roles]

    def respondent_columns(self) -> dict[str, str]:
        """Name the respondent column of each quasi-identifier that has one."""
        named = self.with_role("respondent")
        common = named[0] if len(named) == 1 else None
        if not self.sets:
            return {"all": common} if common else {}
        chosen = {name: group.respondent or common for name, group in self.sets.items()}
        return {name: column for name, column in chosen.items() if column}

    def judged_columns(self) -> list[str]:
        """Name the sensitive columns that some requirement is about, directly or joined."""
        asked = [r for r in self.require if isinstance(r, SensitiveRequirement)]
        everything = any(r.joined or r.column is None for r in asked)
        named = {r.column for r in asked}
        return [c for c in self.with_role("sensitive") if everything or c in named]

    @classmethod
    def _checked(cls, content: Mapping[str, Any], place: str, base: Path) -> Self:
        if "tree" in content and "columns" not in content:
            problem = "it is a plan for records that are trees"
            raise PlanError(
                Fault(place, problem, "Run indistinct tree, or give a plan with [columns].")
            )
        return super()._checked(content, place, base)

    @model_validator(mode="before")
    @classmethod
    def _preset_adds(cls, content: Any) -> Any:
        return with_requirement(content)

    @model_validator(mode="after")
    def _settings_agree(self) -> Plan:
        disagreements = problems(self)
        if disagreements:
            raise ValueError("\n".join(disagreements))
        return self

    def named_files(self) -> list[FromCsv]:
        """List the hierarchies that are in files of their own."""
        specs = [column.hierarchy for column in self.columns.values()]
        return [spec for spec in specs if isinstance(spec, FromCsv)]

    def paths(self) -> list[Path]:
        """Name the files that the plan is made of: hierarchies, and keys of pseudonyms."""
        named: list[str | Path] = [spec.csv for spec in self.named_files()]
        pseudonyms = [column.pseudonym for column in self.columns.values()]
        named += [made.key for made in pseudonyms if made and made.key]
        return [self.base / name for name in named]

    def overridden(self, options: Mapping[str, Any]) -> Plan:
        """Return the plan with some settings replaced, those of input and output by their names."""
        content = self.model_dump(mode="python", exclude_unset=True)
        for key, value in options.items():
            if key in Input.model_fields:
                content["input"] = {**content.get("input", {}), key: value}
            elif key in Output.model_fields:
                content["output"] = {**content.get("output", {}), key: value}
            elif key in {"engine", "memory_limit"}:
                setting = "name" if key == "engine" else key
                content["engine"] = {**content.get("engine", {}), setting: value}
            else:
                content[key] = value
        return self._checked(content, "plan", self.base)
