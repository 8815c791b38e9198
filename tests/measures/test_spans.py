"""What spans cost under hierarchies of many levels."""

from __future__ import annotations

from collections import Counter

import numpy as np

from indistinct.model import spans
from indistinct.model.ncp import node_loss
from indistinct.model.spans import Spans
from tests.build import table_of


def chain(levels):
    """A hierarchy in which leaf i joins the first one on level i."""
    return [
        [f"v{i}", *(f"m{level}" if i <= level else f"v{i}" for level in range(1, levels)), "*"]
        for i in range(levels)
    ]


def test_each_level_is_looked_at_once_however_many_there_are(monkeypatch):
    asked = Counter()

    def counted(hierarchy, level):
        asked[level] += 1
        return node_loss(hierarchy, level)

    monkeypatch.setattr(spans, "node_loss", counted)
    table = table_of([{"q": f"v{i}"} for i in range(40)], ["q"], {"q": chain(40)})
    found = Spans(table.quasi, ("node",))
    codes = [table.quasi[0].hierarchy.code_of[f"v{i}"] for i in range(40)]
    for i, code in enumerate(codes):
        low, high = (np.array([end(codes[0], code)], dtype=np.int32) for end in (min, max))
        assert found.cost(0, low, high)[0] == (i + 1) / 40 * (i > 0)
    assert set(asked.values()) == {1}
