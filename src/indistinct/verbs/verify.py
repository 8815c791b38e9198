"""verify: a release checked again, from its rows alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.check.of_plan import broken_promises, check_rows, refuse_failing
from indistinct.check.rows import without_blanks
from indistinct.check.tried import Tried
from indistinct.encode.notation import in_notation
from indistinct.encode.table import encode_table
from indistinct.engine.releases import counted_release, counting_engine
from indistinct.errors import DataError, DoesNotHoldError, Fault
from indistinct.io.opening import opened, opened_release
from indistinct.plan import Plan
from indistinct.publishing.buckets import together
from indistinct.report.certificate import (
    both_or_none,
    certified_files,
    disagreements,
    read_certificate,
    stated_left_out,
)
from indistinct.risk.counted import CountedRows
from indistinct.risk.hipaa import hold_to_preset
from indistinct.series.ledger_file import read_ledger
from indistinct.series.proving import prove_series
from indistinct.verbs.certified import certified_rows, hold_rows, is_certified_file

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from indistinct.check.rows import Verified
    from indistinct.engine.base import Engine, Grouped
    from indistinct.model.table import Table
    from indistinct.plan import PlanSource
    from indistinct.series.ledger import Ledger


def verify(
    release: Any,
    plan: PlanSource | None = None,
    *,
    sensitive_table: Any = None,
    certificate: str | Path | None = None,
    private: Any = None,
    against: Any = None,
    people: Any = None,
    series: Ledger | str | Path | None = None,
    allow_outside: bool = False,
    attacks: bool = False,
) -> Verified:
    """Check a release again, from the published rows alone.

    A freeform release has no classes to count: from its rows alone no more can be said than that
    there are enough of them. With the private table, it searches for k disjoint perfect matchings.

    Parameters
    ----------
    release
        The published rows: a data frame, the path of a file or a folder of Parquet files, or the
        address of a table.
    plan
        What was promised; or
    certificate
        the certificate that came with the release: of the file, or of its rows, in any order and in
        another file, table or data frame.
    sensitive_table
        The table of sensitive values, where buckets were published as two.
    private
        For a freeform release, the private table: a data frame, or the path of a file. With
        `attacks` for any: it is attacked with it, and made again if the plan has its seed. For a
        series, a list of the private tables of all releases, the first one first.
    against
        An older release of the same people, or a list of them, which must not reveal more together
        with this one. For a series, all other releases.
    series
        The ledger of a series: no person may be narrowed down by all releases together.
    people
        People with exact quasi values, such as the private table: with `against`, only these count.
    allow_outside
        Whether hierarchies that a certificate names are read outside its folder too.
    attacks
        Whether to attack the release too, as `attack` does with what is given. `attacks` of the
        outcome says which attacks were tried and how each ended; they do not change the verdict.

    Raises
    ------
    DoesNotHoldError
        If a promise does not hold, with the class that breaks it, the file was changed, the
        certificate states what the file does not show, or it composes badly with an older release.
    """
    _refuse_options(plan, certificate, against, people, series)
    tables, private = ([], private) if series is None else (_listed(private), None)
    others = _Others(_listed(against), people, series, tables)
    if certificate is not None:
        verified, rows, promised = _by_certificate(
            release,
            sensitive_table,
            Path(certificate),
            private,
            outside=allow_outside,
            one_by_one=others.any or attacks,
        )
        verified = others.beside(verified, release, rows, promised)
        return _attacked(verified, rows, promised, private) if attacks else verified
    promised = Plan.load(plan)  # type: ignore[arg-type]  # one of the two is given
    alone = private is None and not others.any and not attacks
    with counting_engine(release if alone else None, promised) as engine:
        if engine is not None:
            return _by_counts(*counted_release(engine, promised))
    rows = opened_release(release, promised.output)
    if sensitive_table is not None:
        rows = together(rows, opened_release(sensitive_table, promised.output))
    needed = private if promised.method.matches_rows or not attacks else None
    verified = check_rows(rows, promised, private=_reader(needed, promised))
    refuse_failing(verified)
    hold_to_preset(promised, rows)
    verified = others.beside(verified, release, rows, promised)
    return _attacked(verified, rows, promised, private) if attacks else verified


def _listed(given: Any) -> list[Any]:
    """Take one, several, or none."""
    return [] if given is None else list(given) if isinstance(given, list | tuple) else [given]


@dataclass(frozen=True, eq=False)
class _Others:
    """What a release is checked beside.

    Attributes
    ----------
    older
        Other releases about the same people.
    people
        Who they are, where only these count.
    series, private
        The ledger that all of them are in, and the private tables that they were made of.
    """

    older: list[Any]
    people: Any
    series: Ledger | str | Path | None
    private: list[Any]

    @property
    def any(self) -> bool:
        """Whether there is anything."""
        return bool(self.older) or self.series is not None

    def beside(self, verified: Verified, given: Any, rows: pa.Table, promised: Plan) -> Verified:
        """Hold a release to its promise beside the others; raise if it breaks it."""
        others = [(other, opened_release(other, promised.output)) for other in self.older]
        if self.series is None:
            for _, other in others:
                _refuse_composing(rows, other, promised, self.people)
            return verified
        joined = prove_series(
            [(_named(place, "release"), table) for place, table in [(given, rows), *others]],
            read_ledger(self.series),
            promised,
            [(_named(p, "private"), opened(p, promised.input)[0]) for p in self.private],
        )
        return replace(verified, joined=tuple(joined))


def _named(given: Any, otherwise: str) -> str:
    return str(given) if isinstance(given, str | Path) else otherwise


def _attacked(verified: Verified, rows: pa.Table, plan: Plan, private: Any) -> Verified:
    """Attack a release in all the ways that what is given allows, and note how that ended."""
    from indistinct.verbs.attack import attack, made_again

    again = private is not None and plan.seed is not None
    made = made_again(rows, plan, private) if again else None
    outcome = attack(rows if made is None else made, plan=plan, private=private)
    tried = tuple(
        Tried(a.name, a.details.get("column"), a.succeeded, a.rate.share, a.baseline)
        for a in outcome.attacks
    )
    missing = {fault.place: fault.problem for fault in outcome.left_out}
    return replace(verified, attacks=tried, not_tried={**outcome.not_tried, **missing})


def _by_counts(counted: Grouped, promised: Plan) -> Verified:
    """Check a release by the counts of its distinct rows."""
    verified = check_rows(counted.rows, promised, counts=counted.counts)
    refuse_failing(verified)
    hold_to_preset(promised, CountedRows(counted.rows, counted.counts))
    return verified


def _refuse_options(plan: Any, certificate: Any, against: Any, people: Any, series: Any) -> None:
    faults = both_or_none(plan, certificate)
    if people is not None and series is not None:
        problem = "a series is about everybody in its ledger"
        faults.append(Fault("verify", problem, "Leave --people out."))
    elif people is not None and against is None:
        problem = "people are only used with an older release"
        faults.append(Fault("verify", problem, "Give --against too, or leave --people out."))
    if faults:
        raise DataError(faults)


def _by_certificate(
    release: Any,
    sensitive_table: Any,
    path: Path,
    private: Any,
    *,
    outside: bool,
    one_by_one: bool,
) -> tuple[Verified, pa.Table, Plan]:
    given = [part for part in (release, sensitive_table) if part is not None]
    content, promised = read_certificate(path, outside=outside)
    files = certified_files(content)
    if len(files) != len(given):
        problem = f"it certifies {len(files)} file(s), and {len(given)} are given"
        remedy = "Give --sensitive-table with a release of two files."
        raise DataError(Fault(str(path), problem, remedy))
    alone = private is None and len(given) == 1 and not one_by_one
    with counting_engine(given[0] if alone else None, promised) as engine:
        if engine is not None:
            counted = _certified_counts(engine, given[0], content, promised, str(path))
            return *counted, promised
    parts = [
        certified_rows(part, facts, promised.output)
        for part, facts in zip(given, files, strict=True)
    ]
    rows = together(*(part for part, _ in parts)) if len(parts) > 1 else parts[0][0]
    suppressed = stated_left_out(content)
    verified = check_rows(rows, promised, suppressed, private=_reader(private, promised))
    faults = broken_promises(verified) + disagreements(content, verified, promised, str(path))
    if faults:
        raise DoesNotHoldError(faults)
    hold_to_preset(promised, rows)
    return replace(verified, same_file=all(same for _, same in parts)), rows, promised


def _certified_counts(
    engine: Engine, given: Any, content: dict[str, Any], promised: Plan, place: str
) -> tuple[Verified, pa.Table]:
    """Check a release by the counts of its distinct rows, and hold its certificate to them."""
    facts = certified_files(content)[0]
    same = is_certified_file(given, facts)
    hold_rows(given, facts, engine.content, as_written=same)
    counted, plan = counted_release(engine, promised)
    verified = check_rows(counted.rows, plan, stated_left_out(content), counts=counted.counts)
    faults = broken_promises(verified) + disagreements(content, verified, plan, place)
    if faults:
        raise DoesNotHoldError(faults)
    hold_to_preset(plan, CountedRows(counted.rows, counted.counts))
    return replace(verified, same_file=same), counted.rows


def _reader(private: Any, plan: Plan) -> Callable[[], tuple[pa.Table, Table]] | None:
    """Return what reads the private table, as it is and encoded; None where none is given."""

    def read() -> tuple[pa.Table, Table]:
        data, _, unread = in_notation(opened(private, plan.input)[0], plan)
        return data, encode_table(data, plan, unread)

    return None if private is None else read


def _refuse_composing(new: pa.Table, old: pa.Table, plan: Plan, people: Any) -> None:
    """Raise if somebody who has the old release too is narrowed down to fewer than k rows."""
    from indistinct.risk.attacks.composition import composed
    from indistinct.risk.attacks.job import promised_k

    persons = None if people is None else opened(people, plan.input)[0]
    if plan.suppressed == "blank":
        new, old = without_blanks(new), without_blanks(old)
    attack = composed(new, old, plan, k=promised_k(plan), people=persons)
    if not attack.composes:
        remedy = "Do not publish both, or recode both as one release."
        if persons is None:
            remedy += " Give --people with exact values to test only people who are there."
        raise DoesNotHoldError(Fault("composition", attack.story.rstrip("."), remedy))
