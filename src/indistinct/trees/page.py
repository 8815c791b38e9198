"""The report of a release of tree records, as one self-contained HTML page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from indistinct._version import __version__
from indistinct.report import words
from indistinct.report.story import Change
from indistinct.report.templates import spoken, template

if TYPE_CHECKING:
    from indistinct.trees.release import TreeRelease

TITLE = "Release of tree records"
MOST_LABELS, MOST_PAIRS = 40, 40


def render(release: TreeRelease) -> str:
    """Return the report as an HTML page: no script, no network, every value escaped.

    Only releases that keep their promises are made, so there is nothing else to report of those.
    """
    summary = release.summary()
    broken = summary["disassociated"]
    return template("tree.html.j2").render(
        title=TITLE,
        method=summary["method"]["name"],
        verdict=words.all_kept(
            tuple(asked.in_words(release.plan.tree.root) for asked in release.plan.require)
        ),
        promises=release.plan.promised(),
        changes=_changes(summary),
        summary=summary,
        kept=_kept(summary["measures"]),
        left=[(name, 1.0 - lost) for name, lost in summary["loss_by_class"].items()],
        cut=[
            (name, ", ".join(labels[:MOST_LABELS]), max(len(labels) - MOST_LABELS, 0))
            for name, labels in summary["cut"].items()
        ],
        broken=[tuple(map(_label, pair.values())) for pair in broken[:MOST_PAIRS]],
        more_broken=max(len(broken) - MOST_PAIRS, 0),
        plan=json.dumps(release.plan.public(), indent=2, ensure_ascii=False),
        timings=[(spoken(k), words.duration(v)) for k, v in summary["seconds"].items()],
        version=__version__,
    )


def _label(named: dict[str, str]) -> str:
    return f"{named['class']} {named['value']}"


def _changes(summary: dict[str, Any]) -> list[Change]:
    measures = summary["measures"]
    groups = []
    if (root := summary["root"]) is not None:
        same = (
            f"alike in {', '.join(root['classes'])}; the smallest has {root['smallest']:,} records"
        )
        groups = [Change("Groups of records", "", words.shown(root["groups"]), same)]
    copies = "siblings that became equal were merged"
    if summary["copies"] is not None:
        copies += f", published {summary['copies']:,} times more, as often as people have them"
    tables = [
        Change(f"Rows of {name}", words.shown(rows["before"]), words.shown(rows["after"]), "table")
        for name, rows in (summary["rows"] or {}).items()
    ]
    return [
        Change(
            "Records",
            words.shown(summary["input_records"]),
            words.shown(summary["released_records"]),
            "one for each person",
        ),
        *groups,
        Change(
            "Values in all records",
            words.shown(summary["input_nodes"]),
            words.shown(summary["released_nodes"]),
            copies,
        ),
        *tables,
        Change(
            "Left out",
            "0",
            words.shown(summary["suppressed"]["nodes"]),
            f"values of published records, and {words.shown(summary['suppressed']['records'])}"
            " records whole",
        ),
        Change(
            "RPD",
            f"{measures['rpd_private']:.3g}",
            f"{measures['rpd']:.3g}",
            "reverse path domain: it grows with the loss",
        ),
        Change(
            "Information lost",
            words.percent(0.0),
            words.percent(measures["loss"]),
            "mean over classes, by their weights, and relations",
        ),
        Change(
            "Frequent subtrees lost (ML2)",
            words.percent(0.0),
            words.percent(measures["ml2"]),
            f"their distance from what is published instead (dML2) is {measures['dml2']:.3g}",
        ),
    ]


def _kept(measures: dict[str, float | None]) -> list[tuple[str, float | None]]:
    return [
        ("values as they were", measures["values_exact"]),
        ("values in some form", measures["values_present"]),
        ("relations between values", measures["relations_kept"]),
    ]
