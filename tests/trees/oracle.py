"""Definitions 1 and 2 of Gkountouna and Terrovitis 2013, on records as sets of paths.

A record is the set of its paths from the root, each a tuple of (class, value); prefixes included.
"""

from __future__ import annotations

from itertools import combinations


def paths_of(nodes, above=()):
    """All paths of a record given as nested nodes."""
    found = set()
    for kind, value, below in nodes:
        path = (*above, (kind, value))
        found.add(path)
        found |= paths_of(below, path)
    return found


def records_of(forest):
    return [paths_of(record) for record in forest.records()]


def labels_of(paths):
    return {label for path in paths for label in path}


def relations_of(paths):
    return {pair for path in paths for pair in combinations(path, 2)}


def closed(paths):
    return {path[:size] for path in paths for size in range(1, len(path) + 1)}


def generalized(paths, image):
    """Rename labels; those without an image are left out."""
    renamed = {tuple(image[label] for label in path if image[label]) for path in paths}
    return closed(renamed - {()})


def disassociated(paths, upper, lower):
    """Definition 2 on every path."""
    found = set()
    for path in paths:
        if (upper, lower) not in set(combinations(path, 2)):
            found.add(path)
            continue
        a, b = path.index(upper), path.index(lower)
        found.add(path[:b] + path[b + 1 :])
        found.add((*path[:a], lower))
    return closed(found)


def facts_of(paths, *, hidden=(), absent=(), unrelated=()):
    """What an attacker may know of a record: its labels, and relations as (labels, name)."""
    labels = {label for label in labels_of(paths) if label[0] not in hidden}
    relations = {(pair, pair) for pair in relations_of(paths) if set(pair) <= labels}
    have = set(labels)
    labels |= {("not", label) for label in absent if label not in have}
    for upper, lower in unrelated:
        if upper in have and (upper, lower) not in relations_of(paths):
            relations.add(((upper, ("not below", upper, lower)), ("unrelated", upper, lower)))
    return labels, relations


def knowledge(labels, relations, m, n):
    """Every knowledge of up to m labels and n relations between them that a record supports."""
    for size in range(n + 1):
        for known in combinations(sorted(relations, key=repr), size):
            ends = {label for pair, _ in known for label in pair}
            if len(ends) > m:
                continue
            names = frozenset(name for _, name in known)
            free = sorted(labels - ends, key=repr)
            for more in range(m - len(ends) + 1):
                for others in combinations(free, more):
                    yield frozenset(ends | set(others)), names


def counted(records, m, n, **more):
    """How many records support each knowledge that some record supports."""
    found = {}
    for paths in records:
        for known in set(knowledge(*facts_of(paths, **more), m, n)):
            found[known] = found.get(known, 0) + 1
    return found


def present(records, labels):
    """Those of the labels that the release has at all: others cannot be looked for in it."""
    published = set().union(*map(labels_of, records)) if records else set()
    return [label for label in labels if label in published]


def holds(records, k, m, n, **more):
    """Definition 1."""
    return all(count >= k for known, count in counted(records, m, n, **more).items() if known[0])


def diverse(records, m, n, least, hidden):
    """Whether no sensitive label is in more than 1/least of the records that match knowledge."""
    facts = [set(knowledge(*facts_of(paths, hidden=hidden), m, n)) for paths in records]
    secrets = [{label for label in labels_of(paths) if label[0] in hidden} for paths in records]
    for known in set().union(*facts) if facts else ():
        matching = [own for own, has in zip(secrets, facts, strict=True) if known in has]
        for secret in set().union(*matching):
            if sum(secret in own for own in matching) * least > len(matching):
                return False
    return True


def truthful(private, published, above):
    """Whether what is published of a record is true of it; `above` tells what generalizes what."""
    relations = relations_of(private)
    return all(
        any(above(label, own) for own in labels_of(private)) for label in labels_of(published)
    ) and all(
        any(above(upper, a) and above(lower, b) for a, b in relations)
        for upper, lower in relations_of(published)
    )
