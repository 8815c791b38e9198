"""attack: a release attacked in all the ways that what is given allows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from indistinct.check.rows import without_blanks
from indistinct.encode.notation import in_notation
from indistinct.errors import DataError, Fault, unless_within
from indistinct.io.opening import opened, opened_release
from indistinct.plan import Input, Plan
from indistinct.release import Release
from indistinct.risk.attacks.composition import has_column
from indistinct.risk.attacks.job import Job, promised_k
from indistinct.risk.attacks.run import Attacks, attacks, chosen, not_installed, without_meaning
from indistinct.risk.fit import missing
from indistinct.running.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from indistinct.plan import PlanSource


def attack(
    release: Any,
    people: Any = None,
    *,
    on: Mapping[str, str] | Sequence[str] = (),
    plan: PlanSource | None = None,
    private: Any = None,
    against: Any = None,
    against_plan: PlanSource | None = None,
    k: int | None = None,
    truth: str | None = None,
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    only: Sequence[str] = (),
    excluded: int = 1,
    gain: float = 0.25,
    width: float = 0.2,
    known: int = 100,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    progress: Progress | None = None,
) -> Attacks:
    """Attack a release in every way that the arguments allow.

    An attack that needs a library which is not installed is skipped, and named in `left_out`.

    Parameters
    ----------
    release
        A `Release`, or the published rows: a data frame, the path of a file, or the address of a
        table.
    people
        A table of people with names, for the linking attack.
    on
        The columns to link on: names, or `{column of the release: column of the people}`.
    plan
        The plan of the release: it gives the columns, what nodes cover, and k.
    private
        The private table: is linked beside the release, gives the shares before suppression, and
        is what a classifier is compared with.
    against, against_plan
        Another release of the same people, for composition, and its plan if it is another.
    k
        People with fewer candidates are counted; the plan's k, or 2.
    truth
        A column of both tables that says who is who, to count right links.
    quasi, sensitive
        Columns of the release, where no plan names them.
    only
        Run only these attacks.
    excluded
        How many values an attacker with background knowledge can rule out.
    gain
        How much a value's share must rise for a skewness attack.
    width
        Within which share of the whole range numbers are similar.
    known
        How many people's rows the last attacker of a freeform release knows.
    delimiter, encoding, sheet
        How to read the file of people; found by a look, UTF-8, and the only sheet, if not given.

    Examples
    --------
    >>> import pyarrow as pa
    >>> release = pa.table({"zip": ["2203*", "2203*", "2204*"], "disease": ["flu", "flu", "gout"]})
    >>> attacks = attack(release, quasi=["zip"], sensitive=["disease"])
    >>> attacks["homogeneity"].findings[0].learnt
    'disease is flu'
    """
    faults = [
        *unless_within("k", k, 2),
        *unless_within("excluded", excluded, 0),
        *unless_within("gain", gain, 0, 1),
        *unless_within("width", width, 0, 1),
        *unless_within("known", known, 0),
    ]
    if faults:
        raise DataError(faults)
    made = release if isinstance(release, Release) else None
    if made is not None:
        plan = plan if plan is not None else made.plan
        release = made.rows
    asked = Plan.load(plan) if plan is not None else None
    former = Plan.load(against_plan) if against_plan is not None else asked
    rows = _published(release, asked)
    options = Input().with_options(delimiter=delimiter, encoding=encoding, sheet=sheet)
    job = Job(
        release=rows,
        plan=asked,
        k=k or promised_k(asked),
        people=_table(people, options),
        private=_private(private, asked),
        old=None if against is None else _published(against, former),
        old_plan=former,
        on=_mapping(on),
        quasi=list(quasi) or (_present(rows, asked.with_role("quasi")) if asked else []),
        sensitive=list(sensitive)
        or (_present(rows, asked.with_role("sensitive")) if asked else []),
        truth=truth,
        excluded=excluded,
        gain=gain,
        width=width,
        known=known,
        made=made,
    )
    if rows.num_rows == 0:
        raise DataError(Fault("release", "it has no rows", "Give a release to attack."))
    faults = missing(rows, dict.fromkeys([*job.quasi, *job.sensitive, *job.on]), "release")
    if job.people is not None:
        faults += missing(job.people, job.on.values(), "people")
    if faults:
        raise DataError(faults)
    wanted, left_out = chosen(only, job), not_installed(only, job)
    left_out += [] if only else without_meaning(job)
    ran = [name for name in wanted if name not in {fault.place for fault in left_out}]
    return Attacks(tuple(attacks(job, ran, progress or Progress())), tuple(left_out))


def _published(data: Any, plan: Plan | None) -> pa.Table:
    """Read published rows, without those that are blanked out."""
    rows = opened_release(data, plan.output if plan else None)
    return without_blanks(rows) if plan is not None and plan.suppressed == "blank" else rows


def _private(data: Any, plan: Plan | None) -> pa.Table | None:
    """Read the private table, its quasi columns as the plan's hierarchies need them."""
    table = _table(data, plan.input if plan else None)
    return table if table is None or plan is None else in_notation(table, plan)[0]


def _table(data: Any, options: Input | None = None) -> pa.Table | None:
    return None if data is None else opened(data, options or Input())[0]


def _mapping(on: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    return dict(on) if isinstance(on, Mapping) else {name: name for name in on}


def _present(rows: pa.Table, names: Sequence[str]) -> list[str]:
    return [name for name in names if has_column(rows, name)]
