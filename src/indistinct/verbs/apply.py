"""apply: new rows through the recoding that an earlier release taught."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from indistinct.applying.application import Application
from indistinct.applying.earlier import Earlier
from indistinct.applying.files import as_text, read
from indistinct.drafts import all_beside, fill, telling_unwritable
from indistinct.errors import Fault, PlanError
from indistinct.io.files import output_format, read_file, refuse_unwritable, write_rows
from indistinct.io.opening import format_for, opened
from indistinct.plan import Input
from indistinct.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.applying.applied import Applied
    from indistinct.applying.learnt import Learnt

    Unknown = Literal["hold", "error"]

UNKNOWN = ("hold", "error")


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
        The new rows: a data frame, or the path of a file, with the columns of the first table.
    others
        Releases that were published by this recoding since, and are not counted in it.
    unknown
        Whether rows with values that the recoding does not know are held back (`hold`), or are
        an `error`.
    as_one
        Hold only all rows together to the requirements. New rows alone may then be few in a class:
        only for readers who neither have the earlier release nor know who is new.
    keep_order
        Keep the order of rows, which may tell who is who, instead of shuffling them.

    Raises
    ------
    IndistinctError
        `CannotMeetError` if every row would be held back; others if file or data are faulty.
    """
    learnt = read(recoding)
    _refuse_unknown_option(unknown)
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
    others: Sequence[Path] = (),
    unknown: Unknown = "hold",
    as_one: bool = False,
    held_back: str | Path | None = None,
    recoding_out: str | Path | None = None,
    keep_order: bool = False,
    progress: Progress | None = None,
) -> Applied:
    """Publish the rows of a file by a learnt recoding, or write nothing at all.

    The rows are written beside their place, read back, checked, and only then put there.

    Parameters
    ----------
    held_back
        Where to list the rows held back, by number.
    recoding_out
        Where to write the recoding with the new rows counted, for the next time.
    """
    source, out = Path(source), Path(out)
    papers = [Path(path) for path in (held_back, recoding_out) if path is not None]
    refuse_unwritable(
        [out, *papers], [source, Path(recoding), *others], tables=[out], packable=[out]
    )
    learnt = read(recoding)
    _refuse_unknown_option(unknown)
    since = [_named(other, Input()) for other in others]
    work = Application(learnt, Earlier.of(learnt, since), progress or Progress(), as_one=as_one)
    with work.timed("read"):
        form = format_for(source, learnt.plan.input)
        table = read_file(source, form)
    work.run(table, unknown=unknown, keep_order=keep_order)
    with all_beside([out, *papers], private=papers) as drafts:
        written = output_format(out, form, guard=learnt.plan.output.guard_formulas)
        with work.timed("write"), telling_unwritable(out):
            breaks = write_rows(work.published.columns, work.published.source, drafts[out], written)
        with work.timed("verify"):
            asked = work.checked_columns()
            work.check(read_file(drafts[out], written, asked, line_breaks=breaks))
        applied = work.applied()
        if held_back is not None:
            fill(drafts, Path(held_back), applied.held_back_csv())
        if recoding_out is not None:
            fill(drafts, Path(recoding_out), as_text(applied.recoding))
    return applied


def _named(other: Any, options: Input) -> tuple[str, Any]:
    place = str(other) if isinstance(other, str | Path) else "others"
    return place, opened(other, options)[0]


def _refuse_unknown_option(unknown: str) -> None:
    if unknown not in UNKNOWN:
        problem = f"{unknown!r} is no way to treat unknown values"
        raise PlanError(Fault("unknown", problem, f"Say {' or '.join(UNKNOWN)}."))
