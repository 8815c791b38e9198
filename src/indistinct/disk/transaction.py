"""One transaction for every verb that writes a release.

Each output is drafted beside its place; the drafts of the release are read back and checked as
anybody would read them; all are made safe from a power cut; and then all take their places, the
release first and its papers after it; but a ledger before it, since a stop between the two may
leave it saying more than was published, and never less. Whatever fails or interrupts before leaves
the old outputs whole, and no draft.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from indistinct.disk.drafts import FileDraft, fill, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from indistinct.io.base import Sink
    from indistinct.running.progress import Stages

    Optional = Iterable[str | Path | None]

Content = TypeVar("Content")
ReadBack = TypeVar("ReadBack")
Verdict = TypeVar("Verdict")


@dataclass(frozen=True)
class Papers:
    """The texts that go with a release: reports, certificate, recoding, rows held back.

    Attributes
    ----------
    private
        Those that only their owner may read.
    public
        Those that may go with the release.
    ledgers
        Those that only their owner may read, and that take their places before the release.
    """

    private: tuple[Path, ...] = ()
    public: tuple[Path, ...] = ()
    ledgers: tuple[Path, ...] = ()

    @classmethod
    def of(cls, *, private: Optional = (), public: Optional = (), ledgers: Optional = ()) -> Papers:
        """Take those that are asked for."""
        return cls(_asked(private), _asked(public), _asked(ledgers))

    @property
    def paths(self) -> list[Path]:
        """Where they go."""
        return [*self.ledgers, *self.private, *self.public]

    def drafts(self) -> dict[Path, FileDraft]:
        """Return a draft of each, not begun yet."""
        secret = {*self.private, *self.ledgers}
        return {path: FileDraft(path, private=path in secret) for path in self.paths}


def _asked(paths: Optional) -> tuple[Path, ...]:
    return tuple(Path(path) for path in paths if path is not None)


class Transaction(Generic[Content, ReadBack]):
    """A release and its papers, as yet in draft."""

    def __init__(
        self,
        stages: Stages,
        sinks: Sequence[Sink[Content, ReadBack]],
        papers: Mapping[Path, FileDraft],
    ) -> None:
        self._stages = stages
        self._sinks = sinks
        self._papers = papers

    def publish(
        self, contents: Sequence[Content], check: Callable[[list[ReadBack]], Verdict]
    ) -> Verdict:
        """Draft the release, one content for each sink, and check what is read back.

        A check that raises ends the transaction; one that returns what is wrong lets the release
        be drafted once more.
        """
        back = []
        for sink, content in zip(self._sinks, contents, strict=True):
            with self._stages.timed("write"):
                sink.write(content)
            with self._stages.timed("verify"):
                back.append(sink.read_back())
        with self._stages.timed("verify"):
            return check(back)

    def add(self, path: str | Path, text: str) -> None:
        """Draft a paper."""
        fill(Path(path), self._papers[Path(path)].draft, text)


@contextmanager
def transaction(
    stages: Stages, sinks: Sequence[Sink[Content, ReadBack]], papers: Papers
) -> Iterator[Transaction[Content, ReadBack]]:
    """Begin the drafts of a release and its papers; all take their places at the end, or none."""
    drafts = papers.drafts()
    first = [drafts[path] for path in papers.ledgers]
    after = [draft for path, draft in drafts.items() if path not in papers.ledgers]
    with together([*first, *(part for sink in sinks for part in sink.parts), *after]):
        yield Transaction(stages, sinks, drafts)
