"""All the attacks that what is at hand allows, on one release."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

from indistinct.errors import DataError, Fault, closest
from indistinct.measures.learner import no_learner
from indistinct.methods.posing import pose_problem
from indistinct.model.names import GROUP, RangeAs, published_names
from indistinct.risk.attacks.background_knowledge import background_knowledge
from indistinct.risk.attacks.classes import ReleasedClasses
from indistinct.risk.attacks.composition import CompositionAttack, composition
from indistinct.risk.attacks.homogeneity import homogeneity
from indistinct.risk.attacks.inference import inference
from indistinct.risk.attacks.likelihood import likelihood_attacks
from indistinct.risk.attacks.linking import linking
from indistinct.risk.attacks.similarity import similarity
from indistinct.risk.attacks.skewness import skewness
from indistinct.risk.fit import meanings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from indistinct.plan import Plan
    from indistinct.progress import Progress
    from indistinct.release import Release
    from indistinct.risk.attacks.base import Attack

ATTACKS = (
    "linking",
    "homogeneity",
    "background knowledge",
    "skewness",
    "similarity",
    "inference",
    "composition",
    "association",
    "likelihood",
    "known values",
)
ON_CLASSES = ("homogeneity", "background knowledge", "skewness", "similarity")
ON_MATCHINGS = ("association", "likelihood", "known values")
LEAST_K = 2


@dataclass(frozen=True)
class Attacks:
    """The outcome of several attacks on one release.

    Attributes
    ----------
    attacks
        What each came to.
    left_out
        Attacks that could have been run if something were installed, each with what is missing.
    """

    attacks: tuple[Attack, ...]
    left_out: tuple[Fault, ...] = ()

    def __getitem__(self, name: str) -> Attack:
        """Return the first attack of a name."""
        found = next((attack for attack in self.attacks if attack.name == name), None)
        if found is None:
            raise KeyError(name)
        return found

    @property
    def succeeded(self) -> tuple[str, ...]:
        """Name the attacks that worked."""
        return tuple(dict.fromkeys(a.name for a in self.attacks if a.succeeded))

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "succeeded": list(self.succeeded),
            "attacks": [attack.as_json() for attack in self.attacks],
            "left_out": [
                {"attack": fault.place, "problem": fault.problem, "remedy": fault.remedy}
                for fault in self.left_out
            ],
        }


@dataclass(frozen=True)
class Job:
    """What is at hand."""

    release: pa.Table
    plan: Plan | None
    k: int
    people: pa.Table | None = None
    private: pa.Table | None = None
    old: pa.Table | None = None
    old_plan: Plan | None = None
    on: Mapping[str, str] = field(default_factory=dict)
    quasi: Sequence[str] = ()
    sensitive: Sequence[str] = ()
    truth: str | None = None
    excluded: int = 1
    gain: float = 0.25
    width: float = 0.2
    known: int = 100
    made: Release | None = None

    def attacks(self, chosen: Iterable[str], progress: Progress) -> Iterator[Attack]:
        """Run the chosen attacks, in the order of `ATTACKS`."""
        for name in [name for name in ATTACKS if name in chosen and name not in ON_MATCHINGS]:
            progress.stage(name)
            yield from getattr(self, f"_{name.replace(' ', '_')}")()
        if on_matchings := [name for name in ON_MATCHINGS if name in chosen]:
            progress.stage("who could be who")
            yield from self._on_matchings(on_matchings)

    @property
    def matched(self) -> bool:
        """Whether the release is known to have no classes, only rows that cover k others each."""
        return self.plan is not None and self.plan.method.matches_rows

    def possible(self) -> list[str]:
        """Name the attacks for which everything is there."""
        about_classes = bool(self.quasi and self.sensitive)
        here = {
            "linking": self.people is not None,
            "inference": about_classes and self.private is not None,
            "composition": self.old is not None and bool(self.quasi),
        }
        here |= dict.fromkeys(ON_CLASSES, about_classes and not self.matched)
        at_hand = self.made is not None or self.private is not None
        here |= dict.fromkeys(ON_MATCHINGS, about_classes and self.matched and at_hand)
        here["known values"] &= self.made is not None
        return [name for name in ATTACKS if here[name]]

    def _linking(self) -> Iterator[Attack]:
        if self.people is not None:
            yield linking(
                self.release,
                self.people,
                self.on,
                k=self.k,
                meanings=meanings_of(self.plan, list(self.on)),
                private=self.private,
                truth=self.truth,
            )

    @cached_property
    def _classes(self) -> list[ReleasedClasses]:
        in_buckets = self.plan is not None and self.plan.in_buckets
        quasi = [GROUP] if in_buckets else self.quasi
        of = ReleasedClasses.of
        return [of(self.release, quasi, name, self.private) for name in self.sensitive]

    def _homogeneity(self) -> Iterator[Attack]:
        yield from map(homogeneity, self._classes)

    def _background_knowledge(self) -> Iterator[Attack]:
        for classes in self._classes:
            yield background_knowledge(classes, excluded=self.excluded)

    def _skewness(self) -> Iterator[Attack]:
        for classes in self._classes:
            yield skewness(classes, gain=self.gain)

    def _similarity(self) -> Iterator[Attack]:
        for classes in self._classes:
            [meaning] = meanings_of(self.plan, [classes.column])
            found = similarity(classes, width=self.width, hierarchy=meaning.hierarchy)
            if found is not None:
                yield found

    def _inference(self) -> Iterator[Attack]:
        if self.private is not None:
            meanings = meanings_of(self.plan, self.quasi)
            for name in self.sensitive:
                yield inference(self.release, self.private, self.quasi, name, meanings=meanings)

    def _on_matchings(self, only: Sequence[str]) -> Iterator[Attack]:
        """Attack a freeform release, and the same people in groups of the same k."""
        from indistinct.risk.attacks.matched import (
            target_in_groups,
            target_of_file,
            target_of_release,
        )

        if self.plan is None:
            return
        if self.made is not None:
            target, table = target_of_release(self.made), self.made.table
        elif self.private is not None:
            target, table = target_of_file(self.release, self.plan, self.private)
        if target is None:
            problem = "the rows are not those of the private table, or each fits very many people"
            raise DataError(Fault("attack", problem, "Give the release of this private table."))
        groups = target_in_groups(table, pose_problem(table, self.plan))
        yield from likelihood_attacks(target, groups, k=self.k, known=self.known, only=only)

    def _composition(self) -> Iterator[Attack]:
        if self.old is not None:
            yield composed(
                self.release,
                self.old,
                self.plan,
                k=self.k,
                old_plan=self.old_plan,
                people=self.private,
                quasi=self.quasi,
            )


def composed(
    new: pa.Table,
    old: pa.Table,
    plan: Plan | None,
    *,
    k: int,
    old_plan: Plan | None = None,
    people: pa.Table | None = None,
    quasi: Sequence[str] = (),
) -> CompositionAttack:
    """Lay a release over an older one, joined on what both generalize."""
    named = list(quasi) or (plan.with_role("quasi") if plan else [])
    both = [name for name in named if has_column(new, name) and has_column(old, name)]
    if not both:
        problem = "the two releases have no quasi column in common"
        raise DataError(Fault("composition", problem, "Give two releases of the same people."))
    left_out = {part for name in both for part in _parts(name)} | {GROUP}
    for name, column in (plan.columns if plan else {}).items():
        keyed = column.pseudonym is not None and column.pseudonym.kind == "keyed"
        if column.role in {"identifier", "respondent"} and not keyed:
            left_out.add(name)
    shared = [n for n in new.column_names if n in old.column_names and n not in left_out]
    return composition(
        new,
        old,
        both,
        shared,
        k=k,
        meanings=meanings_of(plan, both),
        old_meanings=meanings_of(old_plan or plan, both),
        people=people,
    )


def promised_k(plan: Plan | None) -> int:
    """Return the fewest people that a class of the plan may have."""
    return LEAST_K if plan is None else plan.least_respondents


def _parts(name: str) -> set[str]:
    return {part for form in get_args(RangeAs) for part in published_names(name, form)}


def has_column(rows: pa.Table, name: str) -> bool:
    """Tell whether a quasi column is published, as itself or as bounds."""
    bounds = set(published_names(name, "bounds"))
    return name in rows.column_names or bounds <= set(rows.column_names)


def without_meaning(job: Job) -> list[Fault]:
    """Name the attacks that are left out because they are on classes, and there are none."""
    if not (job.matched and job.quasi and job.sensitive):
        return []
    remedy = "What follows from its values is tried by: association, likelihood, known values."
    if job.made is None and job.private is None:
        remedy = "Give the private table: then association and likelihood are tried instead."
    return [Fault(name, _NO_CLASSES, remedy) for name in ON_CLASSES]


def not_installed(only: Sequence[str], job: Job) -> list[Fault]:
    """Name the attacks that are left out for want of a library, though all else is at hand.

    Who asks for one of them by name is refused instead.
    """
    wanted = list(only) or job.possible()
    missing = [fault for name in wanted if name in _LEARNS and (fault := no_learner(name))]
    if missing and only:
        raise DataError(missing)
    return missing


def chosen(only: Sequence[str], job: Job) -> list[str]:
    """Take the attacks asked for, or all that are possible; refuse what cannot be run."""
    possible = job.possible()
    faults = [
        Fault("attack", f"no attack {n!r}", closest(n, ATTACKS)) for n in only if n not in ATTACKS
    ]
    no_sense = {fault.place: fault for fault in without_meaning(job)}
    faults += [
        no_sense.get(name)
        or Fault("attack", f"{name!r} lacks {_NEEDS.get(name, _CLASSES)}", "Give it.")
        for name in only
        if name in ATTACKS and name not in possible
    ]
    if job.people is not None and not job.on:
        faults.append(
            Fault("attack", "it is not said what to link on", "Name columns: --on zip,sex.")
        )
    if not possible and not no_sense:
        needed = "an external table with --on, a plan, another release, or --quasi and --sensitive"
        faults.append(Fault("attack", "there is nothing to attack with", f"Give {needed}."))
    if faults:
        raise DataError(faults)
    return list(only) or possible


_LEARNS = {"inference"}
_NO_CLASSES = "a freeform release has no classes: each of its rows covers k people"
_CLASSES = "quasi and sensitive columns (a plan, or --quasi and --sensitive)"
_NEEDS = {
    "linking": "an external table",
    "inference": f"the private table, or {_CLASSES}",
    "composition": "another release (--against), or quasi columns",
    "association": "a plan with a freeform method, a sensitive column, or the private table",
    "likelihood": "a plan with a freeform method, a sensitive column, or the private table",
    "known values": "a freeform release made here (a `Release` in Python)",
}
