"""A progress bar for those who wait: in a notebook, or on a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

from indistinct.running.compiling import COMPILING, MESSAGE
from indistinct.running.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Show how far long work is: in a notebook below the cell, elsewhere on the terminal.

    Without a notebook or a terminal, nothing is shown. The bar is removed when the work is done.

    Yields
    ------
    Progress
        What every function with a parameter `progress` takes.

    Examples
    --------
    >>> from indistinct import anonymize, progress_bar
    >>> from indistinct.datasets import medical, medical_plan
    >>> with progress_bar() as progress:
    ...     release = anonymize(medical(), medical_plan(), progress=progress)
    >>> release.suppressed_rows
    0
    """
    if _in_notebook():
        bar = NotebookBar()
        yield Progress(bar)
        bar.end()
    elif sys.stderr.isatty():
        with _terminal_bar() as shown:
            yield Progress(shown)
    else:
        yield Progress()


def _in_notebook() -> bool:
    """Say whether a kernel runs this, whose front end shows HTML."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")


class NotebookBar:
    """Progress as HTML that is written again in its place."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._stage = "start"

    def stage(self, name: str) -> None:
        """Show that a stage begins."""
        self._stage = name
        self.advance(0.0)

    def advance(self, done: float) -> None:
        """Show which share of the stage is done."""
        text = f"{self._stage}: {done:.0%}"
        bar = f'<progress value="{done:.3f}" max="1"></progress>'
        self._show(f"<div>{bar} {escape(text)}</div>", text)

    def end(self) -> None:
        """Leave nothing behind."""
        if self._handle is not None:
            self._show("", "")

    def _show(self, html: str, text: str) -> None:
        from IPython import display as notebook

        display: Any = notebook.display  # it has no types
        content = {"text/html": html, "text/plain": text}
        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)


class _TerminalBar:
    """Progress as a bar of rich."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._task = bar.add_task("start", total=1.0)

    def stage(self, name: str) -> None:
        self._bar.update(self._task, description=name, completed=0.0)

    def advance(self, done: float) -> None:
        self._bar.update(self._task, completed=done)


@contextmanager
def _terminal_bar() -> Iterator[_TerminalBar]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as RichProgress

    bar = RichProgress(
        TextColumn("{task.description:<8}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    COMPILING.announce_by(lambda: bar.console.print(MESSAGE))
    with bar:
        yield _TerminalBar(bar)
