"""The draw that freeform releases must not have: one of the k matchings for a whole component.

It is kept here to show that the attacks which the draw withstands do work.
"""

from __future__ import annotations

import numpy as np

import indistinct.publishing.matching


def one_for_each_component(matching, plan, _data):
    """Draw one of the k matchings for each connected component, as Doka et al. 2015 does."""
    component = matching.components()
    chosen = np.random.default_rng(plan.seed).integers(matching.k, size=component.max() + 1)
    return matching.sources[np.arange(matching.rows), chosen[component]].astype(np.intp), {}


def draw_as_before(monkeypatch):
    """Publish along one of the matchings for each component."""
    monkeypatch.setattr(indistinct.publishing.matching, "drawn_sources", one_for_each_component)
