"""All the attacks that what is at hand allows, on one release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indistinct.errors import DataError, Fault, closest
from indistinct.measures.learner import no_learner
from indistinct.risk.attacks.registry import ATTACKERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from indistinct.risk.attacks.base import Attack
    from indistinct.risk.attacks.job import Job
    from indistinct.running.progress import Progress

NAMES = tuple(attacker.name for attacker in ATTACKERS)


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
        named = next((attack for attack in self.attacks if attack.name == name), None)
        if named is None:
            raise KeyError(name)
        return named

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

    def _repr_html_(self) -> str:
        from indistinct.display import attacks_html

        return attacks_html(self.as_json())


def attacks(job: Job, chosen: Iterable[str], progress: Progress) -> Iterator[Attack]:
    """Run the chosen attacks, in the order of the registry."""
    for attacker in ATTACKERS:
        if attacker.name in chosen:
            progress.stage(attacker.name)
            yield from attacker.play(job)


def possible(job: Job) -> list[str]:
    """Name the attacks for which everything is there."""
    return [attacker.name for attacker in ATTACKERS if attacker.lacks(job) is None]


def without_meaning(job: Job) -> list[Fault]:
    """Name the attacks that are left out because they are on classes, and there are none."""
    if not (job.matched and job.quasi and job.sensitive):
        return []
    remedy = "Attacks on its values are: association, likelihood, known values."
    if job.made is None and job.private is None:
        remedy = "Give the private table: then association and likelihood are run instead."
    return [Fault(name, _NO_CLASSES, remedy) for name in _ON_CLASSES]


def not_installed(only: Sequence[str], job: Job) -> list[Fault]:
    """Name the attacks that are left out for want of a library, though all else is at hand.

    Who asks for one of them by name is refused instead.
    """
    wanted = list(only) or possible(job)
    missing = [fault for name in wanted if name in _LEARNS and (fault := no_learner(name))]
    if missing and only:
        raise DataError(missing)
    return missing


def chosen(only: Sequence[str], job: Job) -> list[str]:
    """Take the attacks asked for, or all that are possible; refuse what cannot be run."""
    at_hand = possible(job)
    faults = [
        Fault("attack", f"no attack {n!r}", closest(n, NAMES)) for n in only if n not in NAMES
    ]
    no_sense = {fault.place: fault for fault in without_meaning(job)}
    faults += [
        no_sense.get(name) or Fault("attack", f"{name!r} lacks {_LACKS[name](job)}", "Give it.")
        for name in only
        if name in NAMES and name not in at_hand
    ]
    if job.people is not None and not job.on:
        faults.append(
            Fault("attack", "there are no columns to link on", "Name columns: --on zip,sex.")
        )
    if not at_hand and not no_sense:
        needed = "an external table with --on, a plan, another release, or --quasi and --sensitive"
        faults.append(Fault("attack", "there is nothing to attack with", f"Give {needed}."))
    if faults:
        raise DataError(faults)
    return list(only) or at_hand


_LEARNS = {attacker.name for attacker in ATTACKERS if attacker.learns}
_ON_CLASSES = [attacker.name for attacker in ATTACKERS if attacker.on_classes]
_LACKS = {attacker.name: attacker.lacks for attacker in ATTACKERS}
_NO_CLASSES = "a freeform release has no classes: each of its rows covers k people"
