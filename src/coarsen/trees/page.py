"""The report of a release of tree records, as one self-contained HTML page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from coarsen._version import __version__
from coarsen.report import words
from coarsen.report.templates import spoken, template

if TYPE_CHECKING:
    from coarsen.trees.plan import TreePlan
    from coarsen.trees.release import TreeRelease

TITLE = "Release of tree records"
MOST_LABELS, MOST_PAIRS = 40, 40


def render(release: TreeRelease) -> str:
    """Return the report as an HTML page: no script, no network, every value escaped.

    Only releases that keep their promises are made, so there is nothing else to tell of those.
    """
    summary = release.summary()
    broken = summary["disassociated"]
    return template("tree.html.j2").render(
        title=TITLE,
        method=summary["method"]["name"],
        verdict=_verdict(release.plan),
        promises=release.plan.require,
        changes=_changes(summary),
        summary=summary,
        kept=_kept(summary["measures"]),
        cut=[
            (name, ", ".join(labels[:MOST_LABELS]), max(len(labels) - MOST_LABELS, 0))
            for name, labels in summary["cut"].items()
        ],
        broken=broken[:MOST_PAIRS],
        more_broken=max(len(broken) - MOST_PAIRS, 0),
        plan=json.dumps(release.plan.public(), indent=2, ensure_ascii=False),
        timings=[(spoken(k), words.duration(v)) for k, v in summary["seconds"].items()],
        version=__version__,
    )


def _verdict(plan: TreePlan) -> words.Verdict:
    asked = plan.require
    word = "Promise kept" if len(asked) == 1 else f"All {len(asked)} promises kept"
    return words.Verdict("kept", word, tuple(promise.in_words() for promise in asked))


def _changes(summary: dict[str, Any]) -> list[dict[str, str]]:
    measures = summary["measures"]
    return [
        {
            "label": "Records",
            "before": words.shown(summary["input_records"]),
            "after": words.shown(summary["released_records"]),
            "note": "one for each person",
        },
        {
            "label": "Values in all records",
            "before": words.shown(summary["input_nodes"]),
            "after": words.shown(summary["released_nodes"]),
            "note": "values that became alike beside each other are one now",
        },
        {
            "label": "RPD",
            "before": f"{measures['rpd_private']:.3g}",
            "after": f"{measures['rpd']:.3g}",
            "note": "reverse path domain: it grows with what is lost",
        },
    ]


def _kept(measures: dict[str, float | None]) -> list[tuple[str, float | None]]:
    return [
        ("values as they were", measures["values_exact"]),
        ("values in some form", measures["values_present"]),
        ("relations between values", measures["relations_kept"]),
    ]
