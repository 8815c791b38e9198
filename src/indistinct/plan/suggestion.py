"""A first plan for a table: roles, hierarchies and requirements, with what speaks for each."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from indistinct.errors import HEADER, DataError, Fault, PlanError
from indistinct.hierarchy.order import positions
from indistinct.plan.coarsening import Coarsening, coarsening
from indistinct.plan.core import Input, Plan
from indistinct.plan.roles import NEEDED, guess_roles
from indistinct.plan.toml import comment, key, value
from indistinct.plan.weighing import weights_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from indistinct.hierarchy import Domain
    from indistinct.io.encoding import Encoded
    from indistinct.plan.roles import Guess, SuggestedRole

K, L = 5, 2
MARKERS = frozenset(["NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "None", "?", "-", "."])

_HEAD = """\
# A first plan, suggested from the names and values of the columns. It is a starting point: compare
# each role with what others may know about these people, and change it where it is wrong.
#   identifier   names a person directly; dropped
#   quasi        others may know it, so it is made coarser
#   sensitive    released unchanged; nobody may learn whose value it is
#   other        released unchanged
#   respondent   says which person a row belongs to; dropped
#   drop         not released
# When you are done: indistinct plan check PLAN DATA, then indistinct anonymize.
"""
_K = (
    "Each row must look like the rows of at least k - 1 other people. 5 is a common starting "
    "point; health data often needs 11 or more."
)
_L = {
    True: "Rows that look alike must have at least l different sensitive values; otherwise they "
    "reveal what somebody has. t-closeness is stricter. Without either, only names are hidden.",
    False: "A sensitive column has only one value here, so no release can keep l-diversity: "
    "everybody known to be in the data is known to have that value.",
    None: "If a column is sensitive, say so above and remove the # from these three lines.",
}
_UNSURE = {
    True: "# If it can be released, give it a role. Free text needs a hierarchy to be quasi.",
    False: '# If no outsider can know it, use role = "other" or "sensitive".',
}
_WEIGHT = "how well it predicts the target, relative to the best column"
_LIMIT = "Suppressing a few rows can save much detail: this allows 2 in 100."


@dataclass(frozen=True)
class SuggestedColumn:
    """What is suggested for one column.

    Attributes
    ----------
    why
        What speaks for the role.
    sure
        False where nothing shows what the column is.
    hierarchy
        How its values coarsen; only of quasi columns.
    weight
        What a lost cell of it costs beside others, where a model of a target is to stay good.
    """

    name: str
    role: SuggestedRole
    why: str
    sure: bool = True
    hierarchy: Coarsening | None = None
    weight: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        spec = self.hierarchy.spec if self.hierarchy else None
        data = {"column": self.name, "role": self.role, "why": self.why, "sure": self.sure}
        weight = {} if self.weight is None else {"weight": self.weight}
        return {**data, "hierarchy": spec, **weight}

    def lines(self) -> Iterator[str]:
        """Write it as a table of a plan."""
        yield f"[columns.{key(self.name)}]"
        yield from comment(f"{self.role}: {self.why}.")
        if not self.sure:
            yield _UNSURE[self.role == "drop"]
        yield f"role = {value(self.role)}"
        if self.hierarchy is not None:
            yield f"hierarchy = {value(self.hierarchy.spec)}  # {self.hierarchy.note}"
        if self.weight is not None:
            yield f"weight = {value(self.weight)}  # {_WEIGHT}"
        yield ""


@dataclass(frozen=True)
class SuggestedPlan:
    """A first plan for a table. It holds names of columns, and no value of the data.

    Attributes
    ----------
    columns
        What is suggested for each column.
    look_at
        What to look at before the plan is used.
    diverse
        Whether sensitive columns have values enough for l-diversity; None if there are none.
    input
        How the file is read, where that has to be said.
    """

    columns: tuple[SuggestedColumn, ...]
    look_at: tuple[str, ...]
    diverse: bool | None
    input: Input

    def toml(self) -> str:
        """Write the plan, with comments."""
        return "\n".join(self._lines())

    def plan(self) -> Plan:
        """Return the plan itself, as `anonymize` takes it."""
        return Plan.load(tomllib.loads(self.toml()))

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        columns = [column.as_json() for column in self.columns]
        return {"columns": columns, "look_at": list(self.look_at), "plan": self.toml()}

    def _repr_html_(self) -> str:
        from indistinct.display import suggested_plan_html

        return suggested_plan_html(self.as_json())

    def _lines(self) -> Iterator[str]:
        yield _HEAD
        for column in self.columns:
            yield from column.lines()
        yield from comment(_K)
        yield from ("[[require]]", 'model = "k-anonymity"', f"k = {K}", "")
        yield from comment(_L[self.diverse])
        mark = "" if self.diverse else "# "
        yield from (f"{mark}[[require]]", f'{mark}model = "l-diversity"', f"{mark}l = {L}", "")
        yield from comment(_LIMIT)
        yield from ("# [limits]", "# suppression = 0.02", "")
        options = self.input.model_dump(exclude_unset=True)
        if options:
            yield from (
                "[input]",
                *(f"{name} = {value(option)}" for name, option in options.items()),
                "",
            )


def suggest_for(
    columns: Mapping[str, Encoded | None], rows: int, options: Input, target: str | None = None
) -> SuggestedPlan:
    """Suggest a plan for a table, given the values of its columns; None for what has none.

    With a target, quasi columns are weighed by what they tell about it.

    Raises
    ------
    DataError
        If no plan is possible: no column has values, or the first line is no header.
    """
    domains = {name: column.domain if column else None for name, column in columns.items()}
    _refuse_headless(domains)
    guesses = guess_roles(columns)
    _refuse_without_quasi(guesses)
    suggested = []
    for name, guess in guesses.items():
        domain = domains[name]
        how = None
        if guess.role == "quasi" and domain is not None:
            how = coarsening(domain, guess.kind)
        suggested.append(SuggestedColumn(name, guess.role, guess.why, guess.by != "nothing", how))
    people = [columns[column.name] for column in suggested if column.role == "respondent"]
    counted = min([rows, *(len(column.domain.values) for column in people if column)])
    sensitive = [domains[column.name] for column in suggested if column.role == "sensitive"]
    enough = all(domain is not None and len(domain.known) >= L for domain in sensitive)
    look_at = list(_look_at(suggested, rows, counted, options))
    if target is not None:
        suggested, notes = _weighed(suggested, columns, target)
        look_at += notes
    return SuggestedPlan(tuple(suggested), tuple(look_at), enough if sensitive else None, options)


def _weighed(
    suggested: list[SuggestedColumn], columns: Mapping[str, Encoded | None], target: str
) -> tuple[list[SuggestedColumn], list[str]]:
    """Weigh quasi columns by what they tell about a target; also what to look at."""
    encoded = columns.get(target)
    if encoded is None:
        problem = "there is no such column" if target not in columns else "it has no plain values"
        raise PlanError(Fault(f"target {target!r}", problem, "Name a column of the data."))
    quasi = {
        column.name: held
        for column in suggested
        if column.role == "quasi" and column.name != target and (held := columns[column.name])
    }
    weights = weights_for(encoded, quasi)
    if weights is None:
        return suggested, [f"no quasi-identifier says anything about {target}: all weigh the same"]
    if any(column.name == target and column.role == "quasi" for column in suggested):
        weights[target] = 1.0
    weighed = [replace(column, weight=weights.get(column.name)) for column in suggested]
    notes = [f"detail is kept for a model of {target}: other uses of the release lose detail"]
    if next(column.role for column in suggested if column.name == target) in {"identifier", "drop"}:
        notes.append(f"{target} itself is dropped: give it a role if it should be released")
    return weighed, notes


def _refuse_without_quasi(guesses: Mapping[str, Guess]) -> None:
    """Raise if nothing is left that could be coarsened."""
    if any(guess.role == "quasi" for guess in guesses.values()):
        return
    faults = [
        Fault(f"column {name!r}", f"it would be dropped: {guess.why}")
        for name, guess in guesses.items()
    ]
    remedy = "Give a table with plain categories, numbers or dates, or write a plan by hand."
    raise DataError(
        [Fault("data", "no column has values that could be generalized", remedy), *faults]
    )


def markers_in(columns: Iterable[Domain | None]) -> set[str]:
    """Find texts such as NA that stand for missing among numbers or dates."""
    return {marker for domain in columns if domain is not None for marker in _markers(domain)}


def _markers(domain: Domain) -> set[str]:
    marked = set(MARKERS.intersection(domain.known))
    rest = [text for text in domain.known if text not in marked]
    return marked if marked and rest and positions(rest)[0] != "category" else set()


def _refuse_headless(columns: Mapping[str, Domain | None]) -> None:
    """Raise if most names stand among the values of their columns: they are a row, and private."""
    held = [name for name, domain in columns.items() if domain and name in domain.rows_of]
    if len(held) > len(columns) / 2:
        problem = "its first line looks like a row, not like names of columns"
        raise DataError(Fault("data", problem, HEADER))


def _look_at(
    columns: list[SuggestedColumn], rows: int, people: int, options: Input
) -> Iterator[str]:
    """Say what a person has to decide."""
    decisions = {
        NEEDED: [c.name for c in columns if c.why.startswith(NEEDED)],
        "nothing says what these are; quasi is the safe side, and costs detail": [
            c.name for c in columns if not c.sure and c.role == "quasi"
        ],
        "nothing says what these are, and they are dropped": [
            c.name for c in columns if not c.sure and c.role == "drop"
        ],
        "these are dropped because of their values, not their names": [
            c.name
            for c in columns
            if c.role in {"identifier", "drop"} and c.sure and not c.why.startswith("its name")
        ],
        "these are released as they are": [
            c.name for c in columns if c.role in {"sensitive", "other"}
        ],
        "these are shown as they are or as *; your own hierarchy keeps more": [
            c.name for c in columns if c.hierarchy and c.hierarchy.lacking
        ],
        "k counts the people that this column distinguishes": [
            c.name for c in columns if c.role == "respondent"
        ],
    }
    yield from (f"{what}: {', '.join(names)}" for what, names in decisions.items() if names)
    if "missing" in options.model_fields_set:
        yield f"these texts are read as missing values: {', '.join(filter(None, options.missing))}"
    if any(positions([c.name])[0] != "category" for c in columns):
        yield "names of columns look like values: is the first line a header?"
    if people < K:
        what = "rows" if people == rows else "people"
        yield f"the data has fewer than {K} {what}, and no release of it can have k = {K}"
