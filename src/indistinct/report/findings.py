"""Findings: what is measured for a report beyond what every release knows of itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import lgamma, log
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from indistinct.check.rows import without_blanks
from indistinct.io.arrow import labelled
from indistinct.measures.catalogue import class_losses
from indistinct.measures.classes import classes_of
from indistinct.measures.cube import cube_errors
from indistinct.model.names import GROUP
from indistinct.report.distributions import Distribution, distributions
from indistinct.report.figures.registry import measured
from indistinct.risk.attacks.background_knowledge import background_knowledge
from indistinct.risk.attacks.classes import ReleasedClasses
from indistinct.risk.attacks.homogeneity import homogeneity
from indistinct.risk.attacks.likelihood import association, likelihood
from indistinct.risk.attacks.matched import target_of_release
from indistinct.risk.attacks.similarity import similarity
from indistinct.risk.attacks.skewness import skewness
from indistinct.risk.before_after import release_risk
from indistinct.risk.fit import Side

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indistinct.release import Release
    from indistinct.report.figures.base import Figure
    from indistinct.risk.attacks.base import Attack

CUBE_LEVEL = 2


@dataclass(frozen=True)
class Findings:
    """What an attacker gets from a release, and what an analyst keeps.

    Attributes
    ----------
    risk
        The risks of the private table (`before`) and of the release (`after`).
    losses
        Measures by their names in the catalogue.
    cube
        By sensitive column, how well the release answers count queries of two quasi columns.
    attacks
        What came of each attack on sensitive columns.
    distributions
        Each column, original against released.
    figures
        The charts of the report by their names (`report/figures/`).
    draw
        How much chance there is in a freeform release, in nats a row; nothing for the public.
    """

    risk: Mapping[str, Mapping[str, Any]]
    losses: Mapping[str, float]
    cube: Mapping[str, Mapping[str, Any]]
    attacks: tuple[Mapping[str, Any], ...]
    distributions: tuple[Distribution, ...]
    figures: Mapping[str, Figure] = field(default_factory=dict)
    draw: Mapping[str, float] = field(default_factory=dict)


def find(release: Release) -> Findings:
    """Measure risk, loss and attacks on a release."""
    risk = release_risk(release)
    columns = tuple(distributions(release))
    return Findings(
        risk={
            "before": risk.before.reidentification.as_json(),
            "after": risk.after.reidentification.as_json(),
        },
        losses=_losses(release) | _kept(release, columns),
        cube=_cube(release),
        attacks=tuple(attack.as_json() for attack in _attacks(release)),
        distributions=columns,
        figures=measured(release),
        draw=_chance(release),
    )


def _chance(release: Release) -> dict[str, float]:
    """Return how much the draw of a freeform release leaves open, beside groups of k.

    All perfect matchings of a k-regular graph can be drawn. Their number, per row, is at least
    (k - 1)^(k - 1) / k^(k - 2) (Schrijver 1998) and at most (k!)^(1/k), as many as in groups of k
    (Bregman 1973). The shifts that drew one of them were so many coins; these bound what is open to
    somebody who knew the secret order in which they were thrown.
    """
    covered = release.recoding.covered_rows
    if covered is None:
        return {}
    k = covered.shape[1]
    fewest = (k - 1) * log(k - 1) - (k - 2) * log(k) if k > 1 else 0.0
    return {
        "matchings_at_least": fewest,
        "groups_of_k": lgamma(k + 1) / k,
        "shifts": float(release.published.draw.get("entropy_of_shifts", 0.0)),
    }


def _losses(release: Release) -> dict[str, float]:
    if not release.recoding.has_classes:
        return {}
    forms = release.plan.forms(release.table)
    return class_losses(classes_of(release.table, release.recoding, forms))


def _kept(release: Release, columns: tuple[Distribution, ...]) -> dict[str, float]:
    """Return what is left of distributions and associations, and of a classifier if asked for."""
    kept = {
        "marginals_kept": sum(column.kept for column in columns) / len(columns),
        "association_difference": release.associations.difference,
    }
    if release.classified is not None:
        kept["classifier_accuracy_kept"] = release.classified.kept
    return kept


def _cube(release: Release) -> dict[str, dict[str, Any]]:
    table = release.table
    if not release.recoding.has_classes or not table.sensitive:
        return {}
    level = min(CUBE_LEVEL, len(table.quasi))
    forms = release.plan.forms(table)
    first = table.sensitive[0].name
    errors = cube_errors(table, release.recoding, forms, levels=(level,), sensitive=first)
    return {first: errors[level].as_json()}


def _attacks(release: Release) -> Iterator[Attack]:
    """Attack every sensitive column in all the ways that need nothing but the release."""
    table = release.table
    if not table.sensitive:
        return
    covered = release.recoding.covered_rows
    if covered is not None:
        target = target_of_release(release)
        if target is not None:
            yield association(target, None, covered.shape[1])
            yield likelihood(target, None, covered.shape[1])
        return
    rows = without_blanks(release.rows) if release.published.blanked else release.rows
    in_buckets = release.recoding.bucket_of_row is not None
    quasi = [GROUP] if in_buckets else [column.name for column in table.quasi]
    side = Side.of(rows, quasi, place="release")
    for column in table.sensitive:
        original = pa.table({column.name: labelled(column.codes, column.values)})
        classes = ReleasedClasses.of(rows, quasi, column.name, original, side=side)
        yield homogeneity(classes)
        yield background_knowledge(classes)
        yield skewness(classes)
        by_similarity = similarity(classes, hierarchy=column.hierarchy)
        if by_similarity is not None:
            yield by_similarity
