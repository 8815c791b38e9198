"""Explore, whole columns: the lattice of level vectors, and one of them to take."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from indistinct.app import edits
from indistinct.app.lattice_picture import Vector, picture
from indistinct.app.project import LATTICE
from indistinct.app.web import ending, get, jobs_of, page, post, project_of, to

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from indistinct.app.project import Project

FREE = ("method", "limits", "seed")
SHARES = 10_000


class Known:
    """The counted lattice, and what the plan as it is now allows."""

    def __init__(self, content: Mapping[str, Any], suppression: float) -> None:
        self.columns: list[str] = content["columns"]
        self.heights: list[int] = content["heights"]
        self.rows: int = content["rows"]
        self.total: int = content["vectors"]
        self.allowed = int(suppression * self.rows + 1e-9)
        self.vectors = {
            tuple(levels): Vector(tuple(levels), suppressed, loss, classes)
            for levels, suppressed, loss, classes in content["nodes"]
        }

    @property
    def best(self) -> Vector | None:
        """The vector of least loss within the limit."""
        within = [v for v in self.vectors.values() if v.suppressed <= self.allowed]
        return min(within, key=Vector.rank, default=None)

    def read(self, text: str) -> Vector | None:
        """Return the vector that is written as numbers with commas between."""
        parts = text.split(",")
        return self.vectors.get(tuple(int(part) for part in parts if part.isdecimal()))

    def beside(self, vector: Vector) -> list[tuple[str, str, Vector]]:
        """Return the vectors one level finer or coarser in one column, with its name."""
        near = []
        for move, words in ((-1, "finer"), (1, "coarser")):
            for place, name in enumerate(self.columns):
                levels = list(vector.levels)
                levels[place] += move
                if (other := self.vectors.get(tuple(levels))) is not None:
                    near.append((name, words, other))
        return near


def _known(project: Project) -> Known | None:
    content = project.outcome(LATTICE)
    if content is None:
        return None
    share = project.settings().get("limits", {}).get("suppression", 0)
    return Known(content, share if isinstance(share, int | float) else 0)


def _taken(project: Project, known: Known) -> Vector | None:
    """Return the vector that the plan fixes."""
    levels = project.settings().get("method", {}).get("levels", {})
    return known.vectors.get(tuple(levels.get(name, -1) for name in known.columns))


async def show(request: Request) -> Response:
    """Show the lattice with one vector chosen."""
    project = project_of(request)
    if project.source is None:
        return page(request, "nothing_open")
    known = _known(project)
    shown: dict[str, Any] = {"known": known, "chosen": None, "taken": None, "stale": False}
    if known is not None:
        taken = _taken(project, known)
        asked = known.read(request.query_params.get("levels", ""))
        chosen = asked or taken or known.best or min(known.vectors.values(), key=Vector.rank)
        shown |= {
            "chosen": chosen,
            "taken": taken,
            "near": known.beside(chosen),
            "picture": picture(list(known.vectors.values()), chosen, known.best, known.allowed),
            "stale": project.outcome(LATTICE)["basis"] != project.basis(*FREE),
        }
    return page(request, "lattice", **shown, **ending(request, "lattice"))


async def start(request: Request, fields: Mapping[str, str]) -> Response:
    """Begin to count the lattice."""
    del fields
    project = project_of(request)
    if project.source is None:
        return to("/open")
    asked = project.asked(basis=project.basis(*FREE))
    await jobs_of(request).start("lattice", asked, project.folder)
    return to("/explore/lattice")


async def take(request: Request, fields: Mapping[str, str]) -> Response:
    """Put a vector into the plan, and let it suppress as much as makes it safe."""
    project = project_of(request)
    known = _known(project)
    vector = known.read(fields.get("levels", "")) if known else None
    if known is None or vector is None or vector.suppressed >= known.rows:
        return to("/explore/lattice")
    document = project.document()
    levels = dict(zip(known.columns, vector.levels, strict=True))
    document.pop("method", None)
    edits.set_section(document, "method", {"name": "optimal", "levels": edits.inline(levels)})
    if vector.suppressed > known.allowed:
        share = ceil(SHARES * vector.suppressed / known.rows) / SHARES
        edits.set_section(document, "limits", {"suppression": share})
    project.write(document)
    return to("/explore/lattice")


ROUTES = [
    get("/explore/lattice", show),
    post("/explore/lattice", start),
    post("/explore/lattice/take", take),
]
