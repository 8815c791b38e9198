"""attack for tree records: what somebody with a little knowledge of people gets from a release."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from indistinct.errors import DataError, Fault, closest, unless_within
from indistinct.risk.attacks.run import Attacks
from indistinct.running.progress import Progress
from indistinct.trees import files
from indistinct.trees.attacks.homogeneity import homogeneity
from indistinct.trees.attacks.knowing import Draw, Published
from indistinct.trees.attacks.linking import linking
from indistinct.trees.hierarchies import build
from indistinct.trees.operations import relabelled
from indistinct.trees.plan import TreePlan
from indistinct.trees.release import TreeRelease

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.risk.attacks.base import Attack
    from indistinct.trees.api import TreePlanSource
    from indistinct.trees.files import Records

ATTACKS = ("linking", "homogeneity")


def attack(
    release: TreeRelease | Records,
    private: Records,
    plan: TreePlanSource,
    *,
    known: int | None = None,
    relations: int | None = None,
    k: int | None = None,
    sensitive: Sequence[str] = (),
    attempts: int = 1000,
    only: Sequence[str] = (),
    seed: int | None = None,
    progress: Progress | None = None,
) -> Attacks:
    """Attack a release of tree records with what could be known of the people in it.

    People are drawn from the private records, and of each some values and relations, as somebody
    who met them may know. *Linking* counts whom this leaves one published record; *homogeneity*
    of whom it betrays a sensitive label, because all records that agree share one.

    Parameters
    ----------
    release
        A `TreeRelease`, or the published records: mappings, frames, or a file or folder.
    private
        The private records, from which knowledge is drawn.
    plan
        What the release was made by.
    known, relations
        How many values of a person, and relations between them, are known; the plan's m and n.
        Somebody who knows more than these is not what the plan protects from.
    k
        People with fewer candidates are counted; the plan's k.
    sensitive
        Classes that are not known but read; the plan's.
    attempts
        Of how many people something is known.
    only
        Run these attacks only.
    seed
        Makes the draw repeatable.

    Examples
    --------
    >>> people = [{"town": "Rome", "illness": "flu"}, {"town": "Oslo", "illness": "gout"}] * 2
    >>> plan = {
    ...     "tree": {"classes": ["town", "illness"], "sensitive": ["illness"]},
    ...     "require": [{"model": "k-m-n-anonymity", "k": 2, "m": 1}],
    ... }
    >>> attacks = attack(people, people, plan)
    >>> attacks["linking"].succeeded, attacks["homogeneity"].succeeded
    (False, True)
    """
    chosen = TreePlan.load(plan)
    hidden = list(dict.fromkeys((*chosen.tree.sensitive, *sensitive)))
    _refuse(chosen, hidden, only, known=known, relations=relations, k=k, attempts=attempts)
    heard = progress or Progress()
    heard.stage("read")
    if isinstance(release, TreeRelease):
        forest = release.forest
    else:
        forest, _ = files.opened_release(release, chosen)
    own = files.opened(private, chosen)
    hierarchies, codes = build(own, chosen.tree.ladders, chosen.base)
    heard.stage("attack")
    asked = chosen.anonymity
    draw = Draw(
        relabelled(own, hierarchies.labels, codes),
        asked.m if known is None else known,
        asked.relations if relations is None else relations,
        chosen.tree.roots,
        frozenset(map(chosen.tree.classes.index, hidden)),
    )
    alone = bool(chosen.tree.root) or chosen.method.name == "miracle"
    published = Published(replace(forest, number=None), hierarchies, anywhere=alone)
    people = list(draw.of_people(attempts, seed))
    played: list[Attack] = []
    if not only or "linking" in only:
        played.append(linking(published, people, draw, k or asked.k))
    if not only or "homogeneity" in only:
        played += [homogeneity(published, people, draw, kind) for kind in sorted(draw.hidden)]
    return Attacks(tuple(played), () if hidden or only else (_NOTHING_SECRET,))


_NOTHING_SECRET = Fault(
    "homogeneity",
    "no class is sensitive",
    'Name one: sensitive = ["..."] in [tree], or --sensitive.',
)


def _refuse(plan: TreePlan, hidden: Sequence[str], only: Sequence[str], **numbers: Any) -> None:
    """Raise with all that is asked wrongly."""
    faults = [
        *unless_within("known", numbers["known"], 1),
        *unless_within("relations", numbers["relations"], 0),
        *unless_within("k", numbers["k"], 2),
        *unless_within("attempts", numbers["attempts"], 1),
    ]
    faults += [
        Fault("sensitive", f"there is no class {name!r}", closest(name, plan.tree.classes))
        for name in hidden
        if name not in plan.tree.classes
    ]
    faults += [
        Fault("only", f"there is no attack {name!r} on tree records", closest(name, ATTACKS))
        for name in only
        if name not in ATTACKS
    ]
    if "homogeneity" in only and not hidden:
        faults.append(_NOTHING_SECRET)
    if faults:
        raise DataError(faults)
