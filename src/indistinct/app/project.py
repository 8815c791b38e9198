"""The files of one job: the private table, its plan, and what came of them. There is no more state.

Names that come from outside are never used as paths: a file keeps its ending, and of its name only
what any system can hold.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tomllib
from typing import TYPE_CHECKING, Any

import tomlkit

from indistinct.app.looker import Looker
from indistinct.disk.drafts import write_text
from indistinct.errors import Fault, PlanError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tomlkit import TOMLDocument

_ODD = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80
LARGE = 20_000_000
CURVE, LATTICE, LOOK = OUTCOMES = ("explore.json", "lattice.json", "look.json")


def plain_name(name: str, otherwise: str = "data.csv") -> str:
    r"""Return the name of a file as it may stand in our folder.

    >>> plain_name("C:\\data\\Patients 2024.CSV"), plain_name("../../etc/passwd"), plain_name("..")
    ('Patients_2024.CSV', 'passwd', 'data.csv')
    """
    last = re.split(r"[/\\]", name)[-1]
    kept = _ODD.sub("_", last).strip("._-")
    return kept[-_LONGEST:].lstrip("._-") or otherwise


class Project:
    """The files that the pages show and change.

    Attributes
    ----------
    folder
        The private folder that they lie in.
    looker
        Who looks at the private table where it is large.

    Parameters
    ----------
    holds_tables
        Whether this process may hold a large table.
    """

    def __init__(self, folder: Path, *, holds_tables: bool = False) -> None:
        self.folder = folder
        self.looker = Looker(folder)
        self._holds_tables = holds_tables
        for name in ("data", "release", "check"):
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        self._kept: dict[Any, Any] = {}

    @property
    def plan_file(self) -> Path:
        """The plan."""
        return self.folder / "plan.toml"

    @property
    def source(self) -> Path | None:
        """The private table; None as long as there is none."""
        return next((path for path in (self.folder / "data").iterdir() if path.is_file()), None)

    @property
    def data(self) -> Path:
        """The private table; raise if there is none yet."""
        if self.source is None:
            raise PlanError(Fault("data", "no file is open", "Open one on the first page."))
        return self.source

    @property
    def large(self) -> bool:
        """Whether the private table is one that this process shall not hold."""
        source = self.source
        return not self._holds_tables and source is not None and source.stat().st_size > LARGE

    def place_for(self, name: str) -> Path:
        """Return where a new private table goes; what was made of the former one is removed."""
        self.looker.end()
        self.empty("data", "release")
        for made in ("plan.toml", *OUTCOMES):
            (self.folder / made).unlink(missing_ok=True)
        self._kept.clear()
        return self.folder / "data" / plain_name(name)

    def empty(self, *names: str) -> None:
        """Remove what lies in some of our folders."""
        for name in names:
            shutil.rmtree(self.folder / name, ignore_errors=True)
            (self.folder / name).mkdir(mode=0o700)

    @property
    def text(self) -> str:
        """The plan as it stands on disk."""
        return self.plan_file.read_text("utf-8") if self.plan_file.exists() else ""

    @property
    def state(self) -> str:
        """Which file and plan these are, as forms bring it back."""
        said = f"{self.source.name if self.source else ''}\n{self.text}"
        return hashlib.sha256(said.encode()).hexdigest()[:16]

    def asked(self, **more: Any) -> dict[str, Any]:
        """Return what a process is told that works for this project."""
        places = {"source": self.data, "plan": self.plan_file, "folder": self.folder}
        return {name: str(place) for name, place in places.items()} | more

    def basis(self, *without: str) -> str:
        """Return the plan without some of its parts, to tell whether the rest has changed.

        Parts are the names of its tables, or of models that it requires.
        """
        rest = {key: value for key, value in self.settings().items() if key not in without}
        if "require" in rest:
            asked = [part for part in rest["require"] if part.get("model") not in without]
            rest["require"] = asked
        return json.dumps(rest, sort_keys=True, default=str)

    def settings(self) -> dict[str, Any]:
        """Return the plan as plain data."""
        return tomllib.loads(self.text)

    def document(self) -> TOMLDocument:
        """Return the plan to be changed, with its comments."""
        return tomlkit.parse(self.text)

    def write(self, plan: TOMLDocument | str) -> None:
        """Write the plan; raise if it is no TOML."""
        text = plan if isinstance(plan, str) else tomlkit.dumps(plan)
        text = text.replace("\r\n", "\n")
        try:
            tomllib.loads(text)
        except ValueError as error:
            raise PlanError(Fault("plan", f"it is not valid TOML: {error}")) from None
        write_text(self.plan_file, text, private=True)

    def faults(self, settings: dict[str, Any] | None = None) -> list[Fault]:
        """Return what is wrong with the plan, or with other settings, whatever the data holds."""
        from indistinct.plan import Plan

        try:
            Plan.load(self.settings() if settings is None else settings)
        except PlanError as error:
            return list(error.faults)
        return []

    def shown(self, faults: Iterable[Fault]) -> list[Fault]:
        """Return faults as pages show them: no path says where the private folder is."""
        folder = f"{self.folder}/"

        def short(words: str) -> str:
            return words.replace(f"{folder}data/", "").replace(folder, "")

        return [Fault(short(f.place), short(f.problem), short(f.remedy)) for f in faults]

    def kept(self, key: Any, make: Any) -> Any:
        """Return what is worked out of the files as they are now; work it out if it is not known.

        Only what was last asked for under the name `key[0]` is kept.
        """
        source = self.source
        state = (source, source.stat().st_mtime_ns, source.stat().st_size) if source else None
        known = self._kept.get(key[0])
        if known is None or known[0] != (state, key):
            self._kept[key[0]] = known = ((state, key), make())
        return known[1]

    def outcome(self, name: str) -> Any:
        """Return what a finished job wrote; None if it did not."""
        path = self.folder / name
        return json.loads(path.read_text("utf-8")) if path.exists() else None
