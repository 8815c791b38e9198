"""apply: new rows through the recoding that an earlier release taught."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.applying.application import Application
from indistinct.applying.earlier import Earlier
from indistinct.applying.held_back import refuse_unknown_option
from indistinct.applying.recoding_file import as_text, read
from indistinct.disk.transaction import Papers, transaction
from indistinct.io.base import Rows
from indistinct.io.databases.address import place_of
from indistinct.io.opening import opened, sinks_at, source_at
from indistinct.io.places import refuse_unwritable
from indistinct.plan import Input
from indistinct.running.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.applying.applied import Applied
    from indistinct.applying.held_back import Unknown
    from indistinct.applying.learnt import Learnt


def apply(
    recoding: Learnt | str | Path,
    data: Any,
    *,
    others: Sequence[Any] = (),
    unknown: Unknown = "hold",
    as_one: bool = False,
    keep_order: bool = False,
    progress: Progress | None = None,
) -> Applied:
    """Publish new rows by a recoding that was learnt from an earlier release.

    Rows at a level vector are generalized; rows among groups go to the published class that covers
    them at least loss. The requirements are held by the new rows and by all rows together that
    were published by the recoding; rows that would break one are held back, by number.

    Parameters
    ----------
    recoding
        What `release.learnt()` returns, or the path of the file that `anonymize --recoding` wrote.
    data
        The new rows: a data frame, the path of a file, or the address of a table, with the columns
        of the first table.
    others
        Releases that were published by this recoding since, and are not counted in it.
    unknown
        Whether rows with values that the recoding does not know are held back (`hold`), or are
        an `error`.
    as_one
        Apply the requirements only to all rows together. New rows may then be few in a class:
        only for readers who neither have the earlier release nor know who is new.
    keep_order
        Keep the order of rows, which may reveal who is who, instead of shuffling them.

    Raises
    ------
    IndistinctError
        `CannotMeetError` if every row would be held back; others if file or data are faulty.
    """
    learnt = read(recoding)
    refuse_unknown_option(unknown)
    since = [_named(other, learnt.plan.input) for other in others]
    work = Application(learnt, Earlier.of(learnt, since), progress or Progress(), as_one=as_one)
    with work.timed("read"):
        table, back = opened(data, learnt.plan.input)
    work.run(table, unknown=unknown, keep_order=keep_order)
    with work.timed("verify"):
        work.check(work.published.rows)
    return work.applied(back)


def apply_file(
    recoding: str | Path,
    source: str | Path,
    out: str | Path,
    *,
    others: Sequence[str | Path] = (),
    unknown: Unknown = "hold",
    as_one: bool = False,
    held_back: str | Path | None = None,
    recoding_out: str | Path | None = None,
    keep_order: bool = False,
    progress: Progress | None = None,
) -> Applied:
    """Publish the rows of a file or table by a learnt recoding, or write nothing at all.

    The rows are written beside their place, read back, checked, and only then put there.

    Parameters
    ----------
    held_back
        Where to list the rows held back, by number.
    recoding_out
        Where to write the recoding with the new rows counted, for the next time.
    """
    given, place = place_of(source), place_of(out)
    papers = Papers.of(private=(held_back, recoding_out))
    refuse_unwritable(
        [place, *papers.paths],
        [given, Path(recoding), *map(place_of, others)],
        tables=[place],
        packable=[place],
    )
    learnt = read(recoding)
    refuse_unknown_option(unknown)
    since = [_named(other, Input()) for other in others]
    work = Application(learnt, Earlier.of(learnt, since), progress or Progress(), as_one=as_one)
    with work.timed("read"):
        table_given = source_at(given, learnt.plan.input)
        table = table_given.read()
    work.run(table, unknown=unknown, keep_order=keep_order)
    sinks = sinks_at([place], table_given, guard=learnt.plan.output.guard_formulas)
    with transaction(work, sinks, papers) as drafted:
        rows = Rows(work.published.columns, work.published.source, work.checked_columns())
        drafted.publish([rows], lambda back: work.check(back[0]))
        applied = work.applied()
        if held_back is not None:
            drafted.add(held_back, applied.held_back_csv())
        if recoding_out is not None:
            drafted.add(recoding_out, as_text(applied.recoding))
    return applied


def _named(other: Any, options: Input) -> tuple[str, Any]:
    place = str(other) if isinstance(other, str | Path) else "others"
    return place, opened(other, options)[0]
