"""Pseudonyms: names that stand for identifiers, drawn at random or by a key."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

from indistinct.disk.documents import UnreadableError, content_of
from indistinct.errors import Fault, PlanError
from indistinct.io.arrow import labelled
from indistinct.io.encoding import encode

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from indistinct.plan import Plan
    from indistinct.publishing.draws import Draws

SHORTEST_KEY = 16
LONGEST_KEY = 1 << 20


def pseudonyms(column: pa.ChunkedArray, name: str, plan: Plan, draws: Draws) -> pa.Array:
    """Give each value of an identifier a name that does not give it away, as the plan says."""
    encoded = encode(column, name)
    values = encoded.domain.values
    pseudonym = plan.columns[name].pseudonym
    if pseudonym is None or pseudonym.kind == "random":
        in_order = sorted(range(len(values)), key=lambda place: values[place] or "")
        identifiers = "\0".join(str(values[place]) for place in in_order).encode()
        drawn = draws.stream(f"pseudonym of {name}", identifiers).tokens(len(values))
        of_place = dict(zip(in_order, drawn, strict=True))
        tokens = [of_place[place] for place in range(len(values))]
    else:
        key = key_of(plan, name)
        tokens = [_keyed(key, name, value) for value in values]
    stand_ins = [None if v is None else t for v, t in zip(values, tokens, strict=True)]
    return labelled(encoded.codes, tuple(stand_ins))


def _keyed(key: bytes, name: str, value: str | None) -> str:
    message = f"{name}\x00{value}".encode()
    return hmac.new(key, message, hashlib.sha256).hexdigest()[:32]


def key_of(plan: Plan, name: str) -> bytes:
    """Read the key of a keyed pseudonym; raise if there is none that will do."""
    pseudonym = plan.columns[name].pseudonym
    if pseudonym is None or pseudonym.key is None:
        return b""
    return key_in(plan.base / pseudonym.key, f"columns.{name}.pseudonym")


def key_in(path: Path, place: str) -> bytes:
    """Read a key from its file; raise if there is none that will do, in the name of a setting."""
    remedy = f"Make one with: python3 -c 'import secrets; print(secrets.token_hex(32))' > {path}"
    try:
        key = content_of(path, LONGEST_KEY).strip()
    except UnreadableError as error:
        raise PlanError(Fault(place, f"key file {path}: {error}", remedy)) from None
    if len(key) < SHORTEST_KEY:
        problem = f"key file {path} holds {len(key)} bytes where at least {SHORTEST_KEY} are needed"
        raise PlanError(Fault(place, problem, remedy))
    return key
