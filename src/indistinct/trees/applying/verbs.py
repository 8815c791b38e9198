"""apply for tree records: later ones through the recoding that a release taught."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indistinct.applying.held_back import refuse_unknown_option
from indistinct.applying.recoding_file import as_text, read_as
from indistinct.disk.transaction import Papers, transaction
from indistinct.running.progress import Progress
from indistinct.trees import files
from indistinct.trees.api import refuse_target
from indistinct.trees.applying.application import TreeApplication
from indistinct.trees.applying.learnt import TreeLearnt
from indistinct.trees.files.in_memory import ways_back
from indistinct.trees.files.sinks import sink_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.applying.held_back import Unknown
    from indistinct.trees.applying.applied import TreeApplied
    from indistinct.trees.files import Records
    from indistinct.trees.forest import Forest


def apply(
    recoding: TreeLearnt | str | Path,
    records: Records,
    *,
    others: Sequence[Records] = (),
    unknown: Unknown = "hold",
    as_one: bool = False,
    coarsen: bool = False,
    progress: Progress | None = None,
) -> TreeApplied:
    """Publish later records by the recoding of an earlier release.

    Every value is published as the first label on its way up that the release published, and the
    same relations are broken. The requirements are held by the new records, and by all together
    that were published by the recoding; records that would break one are held back, by number.

    Parameters
    ----------
    recoding
        What `release.learnt()` returns, or the file that `tree anonymize --recoding` wrote.
    records
        The new records, as for `anonymize`.
    others
        Releases that were published by this recoding since, and are not counted in it.
    unknown
        Whether records with values that the hierarchies do not know are held back (`hold`), or are
        an `error`.
    as_one
        Hold only all records together to the requirements: only for readers who neither have the
        earlier release nor know who is new.
    coarsen
        Publish new records coarser than the release where they would break a requirement, instead
        of holding them back.

    Raises
    ------
    IndistinctError
        `CannotMeetError` if every record would be held back; others if file or data are faulty.

    Examples
    --------
    >>> from indistinct.trees import anonymize
    >>> plan = {
    ...     "tree": {"classes": ["town", "illness"]},
    ...     "require": [{"model": "k-m-n-anonymity", "k": 2, "m": 2, "n": 1}],
    ... }
    >>> learnt = anonymize([{"town": {"value": "Rome", "illness": "flu"}}] * 2, plan).learnt()
    >>> later = [{"town": "Rome"}, {"town": {"value": "Rome", "illness": "flu"}}, {"town": "Rome"}]
    >>> applied = apply(learnt, later)
    >>> applied.data, applied.held_back["would break a requirement"]
    ([{'town': ['Rome']}, {'town': ['Rome']}], [2])
    """
    learnt = read_as(TreeLearnt, recoding)
    refuse_unknown_option(unknown)
    work = TreeApplication(
        learnt, _read(others, learnt), progress or Progress(), as_one=as_one, coarsen=coarsen
    )
    with work.timed("read"):
        forest = files.opened(records, learnt.plan)
    work.run(forest, unknown=unknown)
    with work.timed("verify"):
        work.check(work.forest, np.ones(work.forest.size, dtype=np.int64))
    frames = records if isinstance(records, Mapping) else {}
    of_tables = learnt.plan.tree.format == "tables"
    return replace(work.applied(), _to_frames=ways_back(frames) if of_tables else {})


def apply_file(
    recoding: str | Path,
    source: str | Path,
    out: str | Path,
    *,
    others: Sequence[str | Path] = (),
    unknown: Unknown = "hold",
    as_one: bool = False,
    coarsen: bool = False,
    held_back: str | Path | None = None,
    recoding_out: str | Path | None = None,
    progress: Progress | None = None,
) -> TreeApplied:
    """Publish the records of a file or folder by a learnt recoding, or write nothing at all.

    The records are written beside their place, read back, checked, and only then put there.

    Parameters
    ----------
    held_back
        Where to list the records held back, by number.
    recoding_out
        Where to write the recoding with the new records counted, for the next time.
    """
    learnt = read_as(TreeLearnt, recoding)
    given, target, papers = Path(source), Path(out), Papers.of(private=(held_back, recoding_out))
    earlier = [part for other in others for part in files.parts(Path(other), learnt.plan)]
    inputs = [*files.parts(given, learnt.plan), Path(recoding), *earlier]
    refuse_target(target, given, learnt.plan, papers.paths, inputs)
    refuse_unknown_option(unknown)
    work = TreeApplication(
        learnt, _read(others, learnt), progress or Progress(), as_one=as_one, coarsen=coarsen
    )
    with work.timed("read"):
        forest = files.opened(given, learnt.plan)
    work.run(forest, unknown=unknown)
    with transaction(work, [sink_of(target, learnt.plan)], papers) as drafted:
        drafted.publish([work.forest], lambda back: work.check(*back[0]))
        applied = work.applied()
        if held_back is not None:
            drafted.add(held_back, applied.held_back_csv())
        if recoding_out is not None:
            drafted.add(recoding_out, as_text(applied.recoding))
    return applied


def _read(others: Sequence[Records], learnt: TreeLearnt) -> list[tuple[str, Forest]]:
    """Read earlier releases, which hold nothing that the plan does not publish."""
    return [
        (
            str(other) if isinstance(other, str | Path) else "others",
            files.opened_release(other, learnt.plan)[0],
        )
        for other in others
    ]
