"""Tree records written as JSON Lines, as `jsonl.py` reads them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.disk.drafts import beside
from indistinct.io.packing import write_bytes
from indistinct.trees.files.jsonl import VALUE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest

_AT_ONCE = 1 << 15


def write(forest: Forest, path: Path) -> None:
    """Write records, one per line; the whole file or nothing."""
    with beside(path) as draft:
        write_draft(forest, draft)


def write_draft(forest: Forest, path: Path) -> None:
    """Write records to a file that is nobody's yet."""
    from indistinct.trees.files.jsonl_kernel import siblings_are_grouped

    kinds = forest.labels.of_class
    with write_bytes(path) as handle:
        if forest.extras is None and siblings_are_grouped(
            forest.label, forest.parent, forest.starts, kinds
        ):
            handle.writelines(_pieces(forest))
        else:
            handle.writelines(line.encode() for line in lines(forest))


def _pieces(forest: Forest) -> Iterator[bytes]:
    """Yield the lines of many records at a time, whose siblings stand in the order of classes."""
    from indistinct.trees.files.jsonl_kernel import json_lines

    text = _laid_out(forest.labels.values)
    keys = _laid_out(forest.classes)
    for first in range(0, forest.size, _AT_ONCE):
        starts = forest.starts[first : first + _AT_ONCE + 1]
        own = slice(int(starts[0]), int(starts[-1]))
        lines_of = json_lines(
            forest.label[own], forest.parent[own], own.start, starts, forest.labels.of_class,
            *text, *keys,
        )  # fmt: skip
        yield lines_of.tobytes()


def _laid_out(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return texts as JSON in one row of bytes, and where each begins."""
    parts = [json.dumps(text, ensure_ascii=False).encode() for text in texts]
    at = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return np.frombuffer(b"".join(parts) or b" ", dtype=np.uint8), at


def lines(forest: Forest) -> Iterator[str]:
    """Yield each record as a line of JSON."""
    words = _Words(
        [json.dumps(value, ensure_ascii=False) for value in forest.labels.values],
        [json.dumps(name, ensure_ascii=False) for name in forest.classes],
        forest.labels.of_class.tolist(),
    )
    trees = (_written(label, parent, words) for label, parent in forest.slices())
    if forest.extras is None:
        yield from (f"{{{tree}}}\n" for tree in trees)
        return
    texts = forest.extras.texts
    for code, tree in zip(forest.extras.code.tolist(), trees, strict=True):
        yield "{" + ",".join(part for part in (texts[code], tree) if part) + "}\n"


class _Words(NamedTuple):
    """Labels and classes as they stand in JSON, and the class of each label."""

    quoted: list[str]
    keys: list[str]
    kinds: list[int]


def _written(label: list[int], parent: list[int], words: _Words) -> str:
    """Write the nodes of a record from the last to the first, so that children come before."""
    quoted, keys, kinds = words
    below: list[dict[int, list[str]] | None] = [None] * (len(label) + 1)
    for node in range(len(label) - 1, -1, -1):
        code = label[node]
        inner = below[node]
        text = quoted[code] if inner is None else _opened(quoted[code], inner, keys)
        above = parent[node]
        family = below[above]
        if family is None:
            family = below[above] = {}
        family.setdefault(kinds[code], []).append(text)
    top = below[-1]
    return "" if top is None else _listed(top, keys)


def _opened(text: str, inner: dict[int, list[str]], keys: list[str]) -> str:
    return f'{{"{VALUE}":{text},{_listed(inner, keys)}}}'


def _listed(inner: dict[int, list[str]], keys: list[str]) -> str:
    return ",".join(f"{keys[kind]}:[{','.join(inner[kind][::-1])}]" for kind in sorted(inner))
