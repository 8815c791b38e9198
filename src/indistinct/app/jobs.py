"""The one job that runs: its process, what it said so far, and how to end it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

ENDS = frozenset({"done", "failed", "cancelled"})
LONGEST_LINE = 1 << 24


class Job:
    """Work in a process of its own.

    Attributes
    ----------
    name
        What is done: release, attack, explore or check.
    events
        What it said, in order; the last one says how it ended.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.events: list[dict[str, Any]] = []
        self._news = asyncio.Condition()
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def runs(self) -> bool:
        """Whether it has not ended yet."""
        return not self.events or self.events[-1]["kind"] not in ENDS

    @property
    def ended(self) -> dict[str, Any] | None:
        """How it ended; None while it runs."""
        return None if self.runs else self.events[-1]

    async def start(self, asked: dict[str, Any], folder: Path) -> None:
        """Start the process and listen to it."""
        path = os.pathsep.join(name for name in sys.path if name)
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "indistinct.app.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": path, "TMPDIR": str(folder)},
            limit=LONGEST_LINE,
        )
        line = json.dumps({"work": self.name, **asked}) + "\n"
        assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
        self._process.stdin.write(line.encode())
        await self._process.stdin.drain()
        self._task = asyncio.create_task(self._listen(self._process))

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        """Hear what the process says; its end is told when it is really gone."""
        assert process.stdout is not None  # noqa: S101 - pipes were asked for
        assert process.stdin is not None  # noqa: S101 - so was this one
        problem = "the process that did it ended"
        remedy = "It may have run out of memory: try again, or use the command."
        end: dict[str, Any] = {"kind": "failed", "faults": [[self.name, problem, remedy]]}
        async for line in process.stdout:
            event = json.loads(line)
            if event["kind"] in ENDS:
                end = event
            else:
                await self._add(event)
        process.stdin.close()
        with suppress(OSError):
            await process.stdin.wait_closed()
        await process.wait()
        await self._add(end)

    async def _add(self, event: dict[str, Any]) -> None:
        if self.runs:
            async with self._news:
                self.events.append(event)
                self._news.notify_all()

    async def cancel(self) -> None:
        """End the process now."""
        await self._add({"kind": "cancelled"})
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()
        if self._task is not None:
            await self._task

    async def done(self) -> dict[str, Any]:
        """Wait for its end."""
        async for _ in self.said():
            pass
        return self.events[-1]

    async def said(self, begin: int = 0) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """Yield what it said and says, with its place, until it ends."""
        place = begin
        while True:
            async with self._news:
                while len(self.events) <= place and self.runs:
                    await self._news.wait()
            for event in self.events[place:]:
                place += 1
                yield place, event
            if not self.runs and place >= len(self.events):
                return


class Jobs:
    """The last job; only one runs at a time."""

    def __init__(self) -> None:
        self.last: Job | None = None

    async def start(self, name: str, asked: dict[str, Any], folder: Path) -> Job:
        """Start a job; what runs is cancelled."""
        await self.cancel()
        job = Job(name)
        await job.start(asked, folder)
        self.last = job
        return job

    async def cancel(self) -> None:
        """End what runs."""
        if self.last is not None and self.last.runs:
            await self.last.cancel()

    async def clear(self) -> None:
        """End what runs, and forget what came of it."""
        await self.cancel()
        self.last = None

    def of(self, *names: str) -> Job | None:
        """Return the last job, if it is one of these."""
        return self.last if self.last is not None and self.last.name in names else None

    def forget(self, name: str) -> None:
        """Forget the last job, if it is of this kind and has ended."""
        if self.last is not None and self.last.name == name and not self.last.runs:
            self.last = None
