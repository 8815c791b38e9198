"""What an engine does, in plain Python on a list of rows: the oracle of the others."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter, defaultdict


def grouped(rows, columns):
    """Count the distinct rows of some columns, in ascending order, missing values last."""
    counts = Counter(tuple(row[name] for name in columns) for row in rows)
    return [(key, counts[key]) for key in sorted(counts, key=lambda key: [*map(last_if_none, key)])]


def last_if_none(value):
    return (value is None, 0 if value is None else value)


def units_of_rows(entries, entry_of_row, assigned):
    """Say how many rows of each entry go to each unit."""
    goes = defaultdict(Counter)
    parts = zip(
        assigned.entry.tolist(), assigned.unit.tolist(), assigned.rows.tolist(), strict=True
    )
    for entry, unit, rows in parts:
        goes[entry][unit] += rows
    return goes


def pseudonym(key, name, value):
    if value is None:
        return None
    return hmac.new(key, f"{name}\x00{value}".encode(), hashlib.sha256).hexdigest()[:32]


def released(rows, columns, assigned, layout):
    """Write rows whose entries are published as a whole, in the order of the release."""
    entries = {key: number for number, (key, _) in enumerate(grouped(rows, columns))}
    unit = dict(zip(assigned.entry.tolist(), assigned.unit.tolist(), strict=True))
    units = assigned.units.to_pylist()
    shown = []
    for row in rows:
        entry = entries[tuple(row[name] for name in columns)]
        if entry in unit:
            made = {
                name: pseudonym(layout.pseudonyms[name], name, row[name])
                if name in layout.pseudonyms
                else row[name]
                for name in layout.columns
                if name not in layout.from_units
            }
            order = [unit[entry], *map(last_if_none, made.values())]
            whole = made | units[unit[entry]]
            shown.append((order, {name: whole[name] for name in layout.columns}))
    return [row for _, row in sorted(shown, key=lambda pair: pair[0])]
