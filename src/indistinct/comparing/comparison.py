"""Comparison: what methods gave for each k, as rows, a frame and a chart."""

from __future__ import annotations

import csv
import io
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from indistinct._version import __version__
from indistinct.comparing.chart import Chart
from indistinct.disk.drafts import write_text
from indistinct.errors import Fault, OutputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from indistinct.comparing.trials import Figures, Trial

WRITTEN = (".csv", ".json")


class Compared(ABC):
    """What trials of any kind are shown and saved as."""

    rows: tuple[Figures, ...]

    @property
    def notes(self) -> list[str]:
        """What to know before figures are compared."""
        return []

    @abstractmethod
    def summary(self) -> dict[str, Any]:
        """Return everything as plain data, as `--json` prints it."""

    @abstractmethod
    def chart(self) -> Chart:
        """Draw what came of the trials."""

    def save(self, path: str | Path) -> None:
        """Write the rows to a CSV or JSON file."""
        path = Path(path)
        if path.suffix.lower() == ".json":
            write_text(path, json.dumps(self.summary(), indent=1))
        elif path.suffix.lower() == ".csv":
            write_text(path, _as_csv(self.rows))
        else:
            raise OutputError(not_written(path, WRITTEN))

    def __repr__(self) -> str:
        """Say how many trials there are, and how many gave a release."""
        met = sum(trial.met for trial in self.rows)
        return f"<{type(self).__name__}: {met} of {len(self.rows)} trials met>"

    def _repr_html_(self) -> str:
        return self.chart().html_fragment()


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Compared):
    """Methods side by side.

    Attributes
    ----------
    rows
        A trial for each method and k.
    input_rows
        How many rows the private table has.
    """

    rows: tuple[Trial, ...]
    input_rows: int
    _to_frame: Callable[[pa.Table], Any] = field(default=lambda rows: rows)

    @cached_property
    def frame(self) -> Any:
        """The rows as the kind of data frame that was given."""
        return self._to_frame(pa.Table.from_pylist([trial.as_json() for trial in self.rows]))

    @property
    def notes(self) -> list[str]:
        """What to know before figures are compared."""
        forms: dict[str, list[str]] = {}
        for trial in self.rows:
            if trial.form is not None and trial.method not in forms.setdefault(trial.form, []):
                forms[trial.form].append(trial.method)
        if len(forms) < 2:
            return []
        which = "; ".join(f"{form}: {', '.join(methods)}" for form, methods in forms.items())
        note = (
            f"losses are measured in different forms ({which}) and are not quite comparable; "
            'publish = "node" in the plan makes them one'
        )
        return [note]

    def summary(self) -> dict[str, Any]:
        """Return everything as plain data, as `--json` prints it."""
        return {
            "version": __version__,
            "input_rows": self.input_rows,
            "trials": [trial.as_json() for trial in self.rows],
            "notes": self.notes,
        }

    def chart(self) -> Chart:
        """Draw loss against k with the bound, the distance to it, and the time."""
        from indistinct.comparing.chart import comparison_spec

        return Chart(comparison_spec(self.rows), "Methods compared", self.rows, tuple(self.notes))


def not_written(path: Path, suffixes: tuple[str, ...]) -> Fault:
    """Say that a kind of file is not written."""
    kind = path.suffix or "a file without a suffix"
    return Fault(str(path), f"{kind} is not written here", f"Name a file {' or '.join(suffixes)}.")


def _as_csv(trials: tuple[Figures, ...]) -> str:
    out = io.StringIO()
    rows = [trial.as_json() for trial in trials]
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
