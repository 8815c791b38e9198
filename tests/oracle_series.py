"""A series of releases as an attacker sees it, from the definition alone, row by row.

Nothing here comes from indistinct. Rows are linked by a column that every release shows as it is,
so the attacker follows each row through all releases; he knows the quasi values of everybody at
every release, and who was in the private table when.
"""

from __future__ import annotations

from collections import defaultdict


def histories(releases, tag, quasi):
    """What the rows of each tag are published as, release by release; None where there is none."""
    tags = {row[tag] for rows in releases for row in rows}
    shown = [{row[tag]: tuple(row[name] for name in quasi) for row in rows} for rows in releases]
    return {name: tuple(rows.get(name) for rows in shown) for name in tags}


def fewest_alike(releases, tag, quasi):
    """The fewest people that one history has."""
    people = defaultdict(set)
    for name, history in histories(releases, tag, quasi).items():
        people[history].add(name)
    return min(len(names) for names in people.values())


def shares_in_histories(releases, tag, quasi, sensitive):
    """For each history and release that shows it, how many people have each sensitive value."""
    history = histories(releases, tag, quasi)
    counts = defaultdict(lambda: defaultdict(int))
    for number, rows in enumerate(releases):
        for row in rows:
            counts[history[row[tag]], number][row[sensitive]] += 1
    return [dict(values) for values in counts.values()]


def covers(cell, value):
    """Whether a published cell may stand for a private value: a range, a star, or the value."""
    cell, value = str(cell), str(value)
    if cell in {"*", value}:
        return True
    if cell.startswith("[") and cell.endswith("]"):
        low, _, high = cell[1:-1].partition("-")
        return int(low) <= int(value) <= int(high)
    return False


def possible_people(releases, tables, tag, person, quasi):
    """Whose each followed row may be: people who could have produced all that is published of it.

    A world gives every followed row a person of its own, who was in the table whenever the row is
    published, with values that its cells cover. Whoever is the row's in some world is possible.
    """
    history = histories(releases, tag, quasi)
    values = [{row[person]: [row[name] for name in quasi] for row in rows} for rows in tables]
    everybody = sorted({name for rows in values for name in rows})
    fits = {
        row: [name for name in everybody if _could_be(cells, name, values)]
        for row, cells in history.items()
    }
    return {
        row: [name for name in names if _completes(fits, row, name)] for row, names in fits.items()
    }


def _could_be(cells, name, values):
    for shown, table in zip(cells, values, strict=True):
        if shown is None:
            continue
        if name not in table:
            return False
        if not all(covers(cell, value) for cell, value in zip(shown, table[name], strict=True)):
            return False
    return True


def _completes(fits, row, name):
    """Whether all other rows can be given people of their own, once one row has this person."""
    taken = {name: row}

    def place(other, seen):
        for candidate in fits[other]:
            if candidate in seen or candidate == name:
                continue
            seen.add(candidate)
            if candidate not in taken or place(taken[candidate], seen):
                taken[candidate] = other
                return True
        return False

    return all(place(other, set()) for other in fits if other != row)
