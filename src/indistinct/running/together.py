"""Work in parts that run at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Found = TypeVar("Found")


def on_each(count: int, work: Callable[[int], Found], *, together: bool = True) -> list[Found]:
    """Do some work for each number below a count, at the same time unless it is too small for that.

    >>> on_each(3, lambda number: number**2)
    [0, 1, 4]
    """
    if count == 1 or not together:
        return [work(number) for number in range(count)]
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))
