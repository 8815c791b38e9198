"""Publishing: from a recoding to the rows that leave the house."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from coarsen.errors import DataError, Fault, PlanError
from coarsen.frames.encoding import encode
from coarsen.frames.native import decoded
from coarsen.hierarchy import TOP
from coarsen.randomness import Randomness

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coarsen.plan import Plan
    from coarsen.recoding import LevelVector
    from coarsen.table import QuasiColumn, Table

SHORTEST_KEY = 16


@dataclass(frozen=True, eq=False)
class Published:
    """The rows to be released: recoded columns, and the order in which their rows leave.

    Attributes
    ----------
    columns
        The recoded columns in the private order of rows.
    source
        The private row that each published row comes from: for internal use only.
    blanked
        How many of the rows are blanks.
    """

    columns: pa.Table
    source: NDArray[np.intp]
    blanked: int = 0

    @cached_property
    def rows(self) -> pa.Table:
        """The published table."""
        return self.part(0, self.source.size)

    def part(self, start: int, stop: int) -> pa.Table:
        """Return some of the published rows, with nothing in them of rows left out."""
        return decoded(self.columns.take(pa.array(self.source[start:stop])))


def random_order(plan: Plan, table: Table) -> NDArray[np.intp]:
    """Draw the order in which rows leave, so that a row's place says nothing."""
    return Randomness(plan.seed, "row order", *_all_codes(table)).order(table.rows)


def _all_codes(table: Table) -> list[memoryview]:
    quasi = [column.codes.data for column in table.quasi]
    return quasi + [column.codes.data for column in table.sensitive]


def publish(
    data: pa.Table,
    table: Table,
    recoding: LevelVector,
    plan: Plan,
    order: NDArray[np.intp] | None = None,
) -> Published:
    """Write out a recoding as rows, in the order given or that of the private table."""
    blank = plan.suppressed == "blank"
    source = np.arange(table.rows) if order is None else order
    if not blank:
        source = source[recoding.kept[source]]
    columns = pa.table(_released_columns(data, table, recoding, plan))
    blanked = recoding.suppressed if blank else 0
    if blanked:
        columns = _blanked(columns, ~recoding.kept)
    return Published(columns, source, blanked)


def _released_columns(
    data: pa.Table, table: Table, recoding: LevelVector, plan: Plan
) -> dict[str, pa.Array | pa.ChunkedArray]:
    levels = dict(zip((c.name for c in table.quasi), recoding.levels, strict=True))
    quasi = {column.name: column for column in table.quasi}
    released = {}
    for name in data.column_names:
        column = plan.columns.get(name)
        role = column.role if column else plan.unlisted
        if role == "quasi":
            released[name] = _at_level(data.column(name), quasi[name], levels[name])
        elif role in {"sensitive", "other"}:
            released[name] = data.column(name)
        elif column and column.pseudonym:
            released[name] = _pseudonyms(data.column(name), name, table, plan)
    return released


def _at_level(
    column: pa.ChunkedArray, quasi: QuasiColumn, level: int
) -> pa.Array | pa.ChunkedArray:
    if level == 0:
        return column
    nodes = quasi.hierarchy.nodes[level][quasi.codes]
    return labelled(nodes, quasi.hierarchy.labels[level])


def labelled(numbers: NDArray[np.int32], labels: tuple[str | None, ...]) -> pa.Array:
    """Make a text column of numbered labels; a label None is a null."""
    missing = np.array([label is None for label in labels], dtype=bool)
    texts = pa.array([label or "" for label in labels], pa.string())
    mask = missing[numbers] if missing.any() else None
    return pa.DictionaryArray.from_arrays(pa.array(numbers, mask=mask), texts)


def _blanked(rows: pa.Table, blank: NDArray[np.bool_]) -> pa.Table:
    where = pa.array(blank)
    columns = {}
    for name, column in zip(rows.column_names, decoded(rows).columns, strict=True):
        try:
            texts = column.cast(pa.string())
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            problem = f"values of type {column.type} cannot be blanked to {TOP}"
            remedy = 'Say suppressed = "drop", or drop the column.'
            raise DataError(Fault(f"column {name!r}", problem, remedy)) from None
        columns[name] = pc.if_else(where, pa.scalar(TOP), texts)
    return pa.table(columns)


def _pseudonyms(column: pa.ChunkedArray, name: str, table: Table, plan: Plan) -> pa.Array:
    encoded = encode(column, name)
    values = encoded.domain.values
    pseudonym = plan.columns[name].pseudonym
    if pseudonym is None or pseudonym.kind == "random":
        told = "\0".join(map(str, values)).encode()
        random = Randomness(plan.seed, f"pseudonym of {name}", told, *_all_codes(table))
        tokens = random.tokens(len(values))
    else:
        key = _key(plan, name)
        tokens = [_keyed(key, name, value) for value in values]
    stand_ins = [None if v is None else t for v, t in zip(values, tokens, strict=True)]
    return labelled(encoded.codes, tuple(stand_ins))


def _keyed(key: bytes, name: str, value: str | None) -> str:
    message = f"{name}\x00{value}".encode()
    return hmac.new(key, message, hashlib.sha256).hexdigest()[:32]


def _key(plan: Plan, name: str) -> bytes:
    pseudonym = plan.columns[name].pseudonym
    if pseudonym is None or pseudonym.key is None:
        return b""
    path = plan.base / pseudonym.key
    remedy = f"Make one with: python3 -c 'import secrets; print(secrets.token_hex(32))' > {path}"
    try:
        key = path.read_bytes().strip()
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise PlanError(
            Fault(f"columns.{name}.pseudonym", f"key file {path}: {reason}", remedy)
        ) from None
    if len(key) < SHORTEST_KEY:
        problem = f"key file {path} holds {len(key)} bytes where at least {SHORTEST_KEY} are needed"
        raise PlanError(Fault(f"columns.{name}.pseudonym", problem, remedy))
    return key
