"""The picture of a lattice: vectors in rows by their heights, the finest at the bottom."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

MOST_IN_A_ROW = 6
HIGH, GAP, RISE, CHARACTER, MARGIN = 40, 14, 34, 7, 8


@dataclass(frozen=True)
class Vector:
    """A level vector, with what it suppresses and loses."""

    levels: tuple[int, ...]
    suppressed: int
    loss: float
    classes: int

    @property
    def text(self) -> str:
        """The levels as they are written."""
        return ",".join(map(str, self.levels))

    @property
    def height(self) -> int:
        """The sum of its levels."""
        return sum(self.levels)

    def rank(self) -> tuple[float, int, int, tuple[int, ...]]:
        """Order vectors as `optimal` prefers them."""
        return round(self.loss, 9), self.suppressed, self.height, self.levels

    def state(self, allowed: int) -> str:
        """Say whether it is safe: as it is, with what the plan allows, or only with more."""
        if not self.suppressed:
            return "safe"
        return "within" if self.suppressed <= allowed else "over"


@dataclass(frozen=True)
class Box:
    """A vector where it stands in the picture."""

    vector: Vector
    x: int
    y: int
    state: str
    best: bool
    chosen: bool


@dataclass(frozen=True)
class Picture:
    """Boxes and the lines between vectors that differ by one level.

    Attributes
    ----------
    left_out
        How many counted vectors are not drawn: of a height with many, those of more loss.
    """

    boxes: list[Box]
    lines: list[tuple[int, int, int, int]]
    width: int
    height: int
    box: tuple[int, int]
    left_out: int


def picture(vectors: list[Vector], chosen: Vector, best: Vector | None, allowed: int) -> Picture:
    """Place the vectors of least loss of each height, and always the chosen one."""
    rows: dict[int, list[Vector]] = defaultdict(list)
    for vector in vectors:
        rows[vector.height].append(vector)
    drawn = {height: _few(row, chosen, best) for height, row in sorted(rows.items(), reverse=True)}
    wide = max(72, CHARACTER * len(chosen.text) + 16)
    longest = max(map(len, drawn.values()))
    width = longest * (wide + GAP) - GAP + 2 * MARGIN
    boxes = []
    for place, row in enumerate(drawn.values()):
        first = (width - len(row) * (wide + GAP) + GAP) // 2
        boxes += [
            Box(
                vector,
                first + number * (wide + GAP),
                MARGIN + place * (HIGH + RISE),
                vector.state(allowed),
                vector == best,
                vector == chosen,
            )
            for number, vector in enumerate(row)
        ]
    height = len(drawn) * (HIGH + RISE) - RISE + 2 * MARGIN
    return Picture(
        boxes, _lines(boxes, wide), width, height, (wide, HIGH), len(vectors) - len(boxes)
    )


def _few(row: list[Vector], *always: Vector | None) -> list[Vector]:
    """Return the vectors of a height that are drawn, in their order."""
    first = sorted(row, key=lambda vector: (vector not in always, vector.rank()))
    return sorted(first[:MOST_IN_A_ROW], key=lambda vector: vector.levels)


def _lines(boxes: list[Box], wide: int) -> list[tuple[int, int, int, int]]:
    """Join each box with those one level finer."""
    places = {box.vector.levels: box for box in boxes}
    lines = []
    for box in boxes:
        for place, level in enumerate(box.vector.levels):
            finer = (*box.vector.levels[:place], level - 1, *box.vector.levels[place + 1 :])
            if (other := places.get(finer)) is not None:
                middle = wide // 2
                lines.append((box.x + middle, box.y + HIGH, other.x + middle, other.y))
    return lines
