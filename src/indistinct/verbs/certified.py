"""Whether what is given is what a certificate is about: the file, or its rows in another one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.errors import DataError, DoesNotHoldError, Fault, IndistinctError
from indistinct.io.base import Dialect
from indistinct.io.content import content_hash
from indistinct.io.databases.address import Address, place_of
from indistinct.io.databases.tables import FORM
from indistinct.io.files import FileSource, hash_of
from indistinct.io.opening import opened_release
from indistinct.io.places import require_readable
from indistinct.io.registry import WRITTEN
from indistinct.report.certificate import changes, differing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

    from indistinct.plan import Output

    Facts = Mapping[str, Any]


def certified_rows(given: Any, facts: Facts, output: Output) -> tuple[pa.Table, bool]:
    """Read what a certificate is about; return also whether it is the very file or table.

    Raises
    ------
    DoesNotHoldError
        If these are other rows than were certified.
    """
    place = _place_of(given)
    if isinstance(place, Path):
        require_readable(place)
    as_written = is_certified_file(given, facts)
    rows = _as_certified(place, facts, output) if as_written else _as_found(given, facts, output)
    hold_rows(given, facts, lambda: content_hash(rows), as_written=as_written)
    is_table = isinstance(place, Address) and facts["format"] == FORM["format"]
    return rows, as_written or is_table


def is_certified_file(given: Any, facts: Facts) -> bool:
    """Return whether this is the very file, or folder of files, of a certificate, by its hash."""
    place = _place_of(given)
    if not isinstance(place, Path) or facts["format"] not in WRITTEN:
        return False
    return hash_of(place) == str(facts["sha256"])


def hold_rows(given: Any, facts: Facts, content: Callable[[], str], *, as_written: bool) -> None:
    """Raise if rows are not those certified; of the file of an older certificate its hash says it.

    Parameters
    ----------
    content
        Hashes the rows.
    as_written
        Whether the file is the certified one.
    """
    place = _place_of(given)
    if "content" not in facts:
        if as_written:
            return
        if isinstance(place, Path) and facts["format"] in WRITTEN:
            raise DoesNotHoldError(changes(place, facts["sha256"]))
        problem = "the certificate has no hash of the rows, only of the file that it came with"
        raise DataError(Fault("verify", problem, "Give that file, or certify the release again."))
    if faults := differing(_named(place), content(), facts["content"], "the hash of its rows"):
        if isinstance(place, Path) and facts["format"] in WRITTEN:
            faults = changes(place, facts["sha256"]) + faults
        raise DoesNotHoldError(faults)


def _as_certified(place: Any, facts: Facts, output: Output) -> pa.Table:
    dialect = Dialect(facts["delimiter"], ours=True, guarded=output.guard_formulas)
    return FileSource(place, WRITTEN[facts["format"]], dialect).read()


def _as_found(given: Any, facts: Facts, output: Output) -> pa.Table:
    """Read rows that may be the certified ones, from whatever they lie in."""
    try:
        return opened_release(given, output)
    except IndistinctError:
        place = _place_of(given)
        if isinstance(place, Path) and facts["format"] in WRITTEN:
            raise DoesNotHoldError(changes(place, facts["sha256"])) from None
        raise


def _place_of(given: Any) -> Path | Address | None:
    """Return where the rows lie; None where a data frame has them."""
    return place_of(given) if isinstance(given, str | Path) else None


def _named(place: Path | Address | None) -> str:
    return place.place if isinstance(place, Address) else str(place or "data frame")
