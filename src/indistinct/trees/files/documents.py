"""Where records stand in JSON files: on lines of their own, in an array, in a Bundle, at a path."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from indistinct.io.packing import inner_suffix, read_bytes
from indistinct.trees.files.parsing import is_begun, parsed, without_repeats
from indistinct.trees.files.paths import at_path, parsed_path
from indistinct.trees.forest import NotATreeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from indistinct.trees.files.paths import Step

BUNDLE = ("resourceType", "Bundle")
_RESOURCES = parsed_path("entry[].resource")
Placed = tuple[str, Any]
"""A record, after its place; or the fault at that place."""


def are_lines(path: Path) -> bool:
    """Return whether each line of a file is a record: not if the file begins with an array.

    Of a file called ``.json`` the first line may also be the beginning of a document.
    """
    with read_bytes(path) as lines:
        first = next(iter(lines), b"")
    document = inner_suffix(path) == ".json" and is_begun(first)
    return not (document or first.lstrip().startswith(b"["))


class Documents:
    """Finds the records in what was parsed.

    Parameters
    ----------
    records
        The path to them in each document; None if a document is a record, or an array of them.
    bundles
        Whether the resources of Bundles are meant, not Bundles themselves.
    """

    def __init__(self, records: str | None = None, *, bundles: bool = False) -> None:
        self._inside = None if records is None else parsed_path(records)
        self._bundles = bundles

    def of_file(self, path: Path) -> Iterator[Placed]:
        """Yield the records of a file, each with its place; a place with a fault yields that."""
        with read_bytes(path) as lines:
            if are_lines(path):
                for number, line in enumerate(lines, start=1):
                    yield from self._placed(line, f"{path}, line {number}", of_lines=True)
            else:
                yield from self._placed(lines.read(), str(path), of_lines=False)

    def of_content(self, content: Iterable[Any] | Mapping[str, Any]) -> Iterator[Placed]:
        """Yield the records of what Python holds: one document, or several."""
        several = (content,) if isinstance(content, Mapping) else content
        numbered = enumerate(chain.from_iterable(map(self._records, several)), start=1)
        return ((f"record {number}", record) for number, record in numbered)

    def _placed(self, text: bytes, place: str, *, of_lines: bool) -> Iterator[Placed]:
        try:
            content = parsed(text, without_repeats)
        except NotATreeError as error:
            yield place, error
            return
        for number, record in enumerate(self._records(content), start=1):
            alone = of_lines and record is content
            yield (place if alone else f"{place}, record {number}"), record

    def _records(self, content: Any) -> Iterator[Any]:
        if self._inside is not None:
            yield from at_path(content, self._inside)
        elif isinstance(content, list):
            for one in content:
                yield from self._resources(one)
        else:
            yield from self._resources(content)

    def _resources(self, content: Any) -> Iterator[Any]:
        if self._bundles and is_bundle(content):
            yield from at_path(content, _RESOURCES)
        else:
            yield content


def is_bundle(content: Any) -> bool:
    """Return whether something is a Bundle of FHIR."""
    return isinstance(content, Mapping) and content.get(BUNDLE[0]) == BUNDLE[1]


def below(steps: tuple[Step, ...], first: str) -> tuple[Step, ...] | None:
    """Return the rest of a path that begins with a name; None if it begins otherwise."""
    return steps[1:] if steps[:1] == (first,) else None
