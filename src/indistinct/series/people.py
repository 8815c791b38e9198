"""People by keyed hashes of their identifiers, which repeat from release to release."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import DataError, Fault, PlanError, counted
from indistinct.io.encoding import encode
from indistinct.publishing.pseudonyms import key_in

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.plan import Plan
    from indistinct.plan.series import Series
    from indistinct.series.ledger import Ledger

PURPOSE = b"indistinct ledger"
SHOWN = 5


def key_of_series(series: Series, plan: Plan, ledger: Ledger) -> tuple[bytes, str | None]:
    """Return the key that people are kept under, and what the ledger keeps of it.

    Raises
    ------
    IndistinctError
        If it is not the key of the ledger: everybody would seem to be new.
    """
    if series.key is not None:
        key, kept = key_in(plan.base / series.key, "series.key"), None
    else:
        kept = ledger.key or secrets.token_hex(32)
        key = kept.encode()
    if ledger.releases and not hmac.compare_digest(key_check(key), ledger.check):
        problem = "people are kept in the ledger under another key"
        remedy = "Give the key file of the first release, or none if there was none."
        raise PlanError(Fault("series.key", problem, remedy))
    return key, kept


def key_check(key: bytes) -> str:
    """Return what shows later whether a key is the same."""
    return hmac.new(key, PURPOSE, hashlib.sha256).hexdigest()


def people_in(data: pa.Table, name: str, key: bytes) -> list[str]:
    """Return whose row each row is, by keyed hash.

    Raises
    ------
    IndistinctError
        If a row is nobody's, or somebody has several; rows are told by number, the first being 1.
    """
    encoded = encode(data.column(name), name)
    values = encoded.domain.values
    codes = encoded.codes
    faults = []
    nobody = np.array([value is None for value in values], dtype=bool)[codes]
    if nobody.any():
        problem = f"{counted(int(nobody.sum()), 'row')} do not say whose they are: {_rows(nobody)}"
        faults.append(Fault(f"column {name!r}", problem, "Give every person an identifier."))
    several = (np.bincount(codes, minlength=len(values)) > 1)[codes] & ~nobody
    if several.any():
        whose = counted(np.unique(codes[several]).size, "person", "people")
        have = "has" if np.unique(codes[several]).size == 1 else "have"
        problem = f"{whose} {have} several rows: {_rows(several)}"
        remedy = "Give one row for each person: a series follows people, not visits."
        faults.append(Fault(f"column {name!r}", problem, remedy))
    if faults:
        raise DataError(faults)
    hashes = [_hashed(key, name, value) for value in values]
    return [hashes[code] for code in codes.tolist()]


def _hashed(key: bytes, name: str, value: str | None) -> str:
    message = b"\0".join([PURPOSE, name.encode(), str(value).encode()])
    return hmac.new(key, message, hashlib.sha256).hexdigest()[:32]


def _rows(where: NDArray[np.bool_]) -> str:
    """Name some rows by number."""
    numbers = (np.flatnonzero(where) + 1).tolist()
    named = ", ".join(map(str, numbers[:SHOWN]))
    return f"rows {named}{', ...' if len(numbers) > SHOWN else ''}"


def places_of(people: list[str], ledger: Ledger) -> NDArray[np.intp]:
    """Return the place of each row's person in the ledger, -1 for people who are new to it.

    Raises
    ------
    IndistinctError
        If nobody is known, which no table of the same people is likely to be.
    """
    known = {person: place for place, person in enumerate(ledger.people)}
    places = np.array([known.get(person, -1) for person in people], dtype=np.intp)
    if ledger.releases and (places < 0).all():
        raise DataError(_stranger(ledger))
    return places


def _stranger(ledger: Ledger) -> Fault:
    problem = f"nobody of the {len(ledger.people):,} people in the ledger is in this table"
    remedy = "Check the column that series.person names, and how it is written; or begin a series."
    return Fault("data", problem, remedy)
