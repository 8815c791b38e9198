"""Hierarchies as a plan writes them: one small table each, distinguished by its first key."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, PrivateAttr, Tag

from indistinct._parts import Part
from indistinct.errors import Fault, HierarchyError, closest
from indistinct.hierarchy import csv_files, cuts, dates, intervals, mask, ordinal, tree
from indistinct.hierarchy.core import Hierarchy
from indistinct.hierarchy.fit import fitted
from indistinct.hierarchy.names import refuse_ambiguous
from indistinct.hierarchy.suggest import flat_hierarchy, suggest

if TYPE_CHECKING:
    from indistinct.hierarchy.domain import Domain


def _finite(value: object) -> object:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and abs(value) <= sys.float_info.max:  # type: ignore[arg-type]  # a number
        return value
    raise ValueError(f"{value!r} is not a finite number")


def _levels_of(depth: int) -> Callable[[object], object]:
    """Let a plan with one level leave out the list around it."""

    def wrapped(value: object) -> object:
        return [value] if isinstance(value, list | tuple) and _depth(value) < depth else value

    return wrapped


def _depth(value: object) -> int:
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list | tuple) else 0


Number = Annotated[int | float, BeforeValidator(_finite)]
Character = Annotated[str, Field(min_length=1, max_length=1)]
CutLevels = Annotated[list[list[Number]], BeforeValidator(_levels_of(2))]
GroupLevels = Annotated[list[list[list[str]]], BeforeValidator(_levels_of(3))]


class Spec(Part):
    """How to build the hierarchy of a column.

    Attributes
    ----------
    remedy
        What to do about a value of the data that does not fit.
    lists_values
        Whether the values are listed in it, whatever the data holds; otherwise they are the data's.
    """

    model_config = ConfigDict(coerce_numbers_to_str=True)

    remedy: ClassVar[str] = "Correct the value."
    lists_values: ClassVar[bool] = False

    def faults(self, *, place: str) -> list[Fault]:
        """Return what is wrong with the table itself, before any data is seen."""
        return self._faults(place)

    def build(self, domain: Domain, *, place: str, base: Path) -> Hierarchy:
        """Build the hierarchy for the values of a column.

        Parameters
        ----------
        domain
            The values; each is a leaf of the result under its own text, the missing one too.
        place
            What the faults are about, such as "column 'zip'".
        base
            The folder that relative paths start from: the plan's.

        Raises
        ------
        HierarchyError
            With every fault of the table, or every value of the data that does not fit it.
        """
        faults = self.faults(place=place)
        if faults:
            raise HierarchyError(faults)
        hierarchy = self._built(domain, place, base)
        hierarchy = fitted(hierarchy, domain, place=place, remedy=self.remedy)
        return refuse_ambiguous(hierarchy, place=place)

    def _faults(self, place: str) -> list[Fault]:
        del place
        return []

    @abstractmethod
    def _built(self, domain: Domain, place: str, base: Path) -> Hierarchy:
        """Build the hierarchy from the table, before it is fitted to the data."""


def _inside(path: Path, folder: Path) -> bool:
    """Return whether a path leads into a folder, links followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        return False


class FromCsv(Spec):
    """`{ csv = "age.csv" }`: a file with a line `leaf;level 1;...;*` per value."""

    remedy = "Add a line for it to the hierarchy's file, or correct the data."
    lists_values = True

    csv: str
    delimiter: Character | None = None
    encoding: str | None = None
    _within: Path | None = PrivateAttr(default=None)

    def confine(self, folder: Path) -> None:
        """Read the file from now on only if it lies in a folder."""
        self._within = folder

    def _built(self, domain: Domain, place: str, base: Path) -> Hierarchy:
        if self._within is not None and not _inside(base / self.csv, self._within):
            problem = f"file {self.csv!r} is outside the folder of the certificate that names it"
            remedy = "Put it there, or use --allow-outside if you trust the certificate."
            raise HierarchyError(Fault(place, problem, remedy))
        del domain
        return csv_files.read_csv(
            base / self.csv, delimiter=self.delimiter, encoding=self.encoding, place=place
        )


class FromTree(Spec):
    """`{ tree = { Europe = ["Italy"], Asia = { East = ["Japan"] } } }`: groups within groups."""

    remedy = "Add it to a group of the tree, or correct the data."
    lists_values = True

    tree: dict[str, Any]

    def _faults(self, place: str) -> list[Fault]:
        return tree.tree_faults(self.tree, place=place)

    def _built(self, domain: Domain, place: str, base: Path) -> Hierarchy:
        del domain, base
        return tree.tree_hierarchy(self.tree, place=place)


class FromPaths(Spec):
    """`{ paths = [["Rome", "Italy", "*"], ...] }`: the lines of a file, in the plan itself."""

    remedy = "Add a path for it, or correct the data."
    lists_values = True

    paths: list[list[str | None]]

    def _built(self, domain: Domain, place: str, base: Path) -> Hierarchy:
        del domain, base
        return Hierarchy.from_paths(self.paths, place=f"{place}, paths")


class Mask(Spec):
    """`{ mask = "right" }`: codes with ever more characters masked."""

    mask: Literal["right", "left"]
    char: Character = "*"
    keep: Annotated[int, Field(ge=0)] = 0
    steps: list[int] | None = None

    def _faults(self, place: str) -> list[Fault]:
        return mask.mask_faults(self.steps, place=place)

    def _built(self, domain: Domain, place: str, base: Path) -> Hierarchy:
        del base
        return mask.mask_hierarchy(
            domain, self.mask, place=place, char=self.char, keep=self.keep, steps=self.steps
        )


class Intervals(Spec):
    """`{ intervals = [5, 10, 20] }`: numbers in intervals of these widths."""

    intervals: list[Number]
    origin: Number = 0
    bottom: Number | None = None
    top: Number | None = None

    def _faults(self, place: str) -> list[Fault]:
        return intervals.interval_faults(
            self.intervals, place=place, origin=self.origin, bottom=self.bottom, top=self.top
        )

    def _built(self, domain: Domain, place: str, base: Path) -> Hierarchy:
        del base
        return intervals.interval_hierarchy(
            domain,
            self.intervals,
            place=place,
            origin=self.origin,
            bottom=self.bottom,
            top=self.top,
        )


class Cuts(Spec):
    """`{ cuts = [[18, 30, 45, 65], [18, 65]] }`: numbers between these points, level by level."""

    cuts: CutLevels

    def _faults(self, place: str) -> list[Fault]:
        return cuts.cut_faults(self.cuts, place=place)

    def _built(self, domain: Domain, place: str, base: Path) -> Hierarchy:
        del base
        return cuts.cut_hierarchy(domain, self.cuts, place=place)


class Dates(Spec):
    """`{ dates = ["month", "year", "decade"] }`: dates by the calendar."""

    dates: list[str]
    format: str | None = None

    def _faults(self, place: str) -> list[Fault]:
        return dates.date_faults(self.dates, place=place, form=self.format)

    def _built(self, domain: Domain, place: str, base: Path) -> Hierarchy:
        del base
        return dates.date_hierarchy(domain, self.dates, place=place, form=self.format)


class Ordinal(Spec):
    """`{ ordinal = ["low", "middle", "high"], widths = [2] }`: categories that have an order."""

    remedy = "Add it to the ordinal values in its place, or correct the data."
    lists_values = True

    ordinal: list[str]
    widths: list[int] | None = None
    groups: GroupLevels | None = None

    def _faults(self, place: str) -> list[Fault]:
        return ordinal.ordinal_faults(
            self.ordinal, place=place, widths=self.widths, groups=self.groups
        )

    def _built(self, domain: Domain, place: str, base: Path) -> Hierarchy:
        del domain, place, base
        return ordinal.ordinal_hierarchy(self.ordinal, widths=self.widths, groups=self.groups)


class Flat(Spec):
    """`{ flat = true }` or `"flat"`: the value or `*`."""

    flat: Literal[True] = True

    def _built(self, domain: Domain, place: str, base: Path) -> Hierarchy:
        del place, base
        return flat_hierarchy(domain)


class Suggested(Spec):
    """`{ suggest = true }` or `"suggest"`: whatever `suggest` finds in the data."""

    suggest: Literal[True] = True

    def _built(self, domain: Domain, place: str, base: Path) -> Hierarchy:
        del place, base
        return suggest(domain)


_KINDS: dict[str, type[Spec]] = {
    "csv": FromCsv,
    "tree": FromTree,
    "paths": FromPaths,
    "mask": Mask,
    "intervals": Intervals,
    "cuts": Cuts,
    "dates": Dates,
    "ordinal": Ordinal,
    "flat": Flat,
    "suggest": Suggested,
}
_SHORT = ("flat", "suggest")


def _kind(value: object) -> str | None:
    """Return the kind of hierarchy by the key that only its table has."""
    if isinstance(value, Mapping):
        return next((kind.__name__ for key, kind in _KINDS.items() if key in value), None)
    return type(value).__name__


def _spelt_out(value: object) -> object:
    """Turn a short name into its table; say what is known where a table is of no known kind."""
    if isinstance(value, Spec) or (isinstance(value, Mapping) and _kind(value)):
        return value
    if isinstance(value, str) and value in _SHORT:
        return {value: True}
    raise ValueError(_unknown_table(value))


def _unknown_table(value: object) -> str:
    if isinstance(value, str):
        return _unknown_word(value)
    if isinstance(value, Mapping) and value:
        names = [str(key) for key in value]
        return f"{', '.join(map(repr, names))} makes no hierarchy. {closest(names[0], _KINDS)}"
    return f"a hierarchy is a table with one of {', '.join(_KINDS)}"


def _unknown_word(word: str) -> str:
    if word.lower().endswith((".csv", ".txt", ".tsv")):
        return f'{word!r} looks like the name of a file. Write {{ csv = "{word}" }}'
    if word in _KINDS:
        return f"{word!r} needs settings. Write {{ {word} = ... }}"
    return f"there is no hierarchy {word!r}. {closest(word, _SHORT)}"


HierarchySpec = Annotated[
    Annotated[FromCsv, Tag("FromCsv")]
    | Annotated[FromTree, Tag("FromTree")]
    | Annotated[FromPaths, Tag("FromPaths")]
    | Annotated[Mask, Tag("Mask")]
    | Annotated[Intervals, Tag("Intervals")]
    | Annotated[Cuts, Tag("Cuts")]
    | Annotated[Dates, Tag("Dates")]
    | Annotated[Ordinal, Tag("Ordinal")]
    | Annotated[Flat, Tag("Flat")]
    | Annotated[Suggested, Tag("Suggested")],
    Discriminator(_kind),
    BeforeValidator(_spelt_out),
]
"""Any of these tables, or a short name, as the type of a field of a plan."""
