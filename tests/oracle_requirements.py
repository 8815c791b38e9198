"""The requirements from their definitions, in plain Python; shares nothing with the library.

A requirement is a mapping, as a plan states it. A class is a histogram of the people who have each
sensitive value, and how many people there are. Numbers are exact fractions.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product

from tests import oracle


@dataclass(frozen=True)
class Sensitive:
    """A sensitive column: its values in order, how many have each, and its ladders if any."""

    values: tuple
    whole: Counter
    ladders: list | None = None


def exact(number):
    """A number as it is written: 0.1 is one tenth."""
    return Fraction(str(number))


def _shares(histogram):
    total = sum(histogram.values())
    return {value: Fraction(count, total) for value, count in histogram.items()}


# --- Measures of one class ---------------------------------------------------------------------


def distinct(histogram):
    return sum(count > 0 for count in histogram.values())


def effective_number(histogram):
    """exp(entropy), as a float."""
    shares = [float(share) for share in _shares(histogram).values() if share]
    return math.exp(-math.fsum(share * math.log(share) for share in shares))


def has_entropy(histogram, diversity):
    """Whether the entropy is at least log l: n^n >= l^n times the product of c^c; exact."""
    counts = [count for count in histogram.values() if count]
    total = sum(counts)
    return total**total >= diversity**total * math.prod(c**c for c in counts)


def recursive_ratio(histogram, diversity):
    """r1 / (r_l + ... + r_m), infinite where there are fewer than l values."""
    counts = sorted(histogram.values(), reverse=True)
    rest = sum(counts[int(diversity) - 1 :])
    return Fraction(counts[0], rest) if rest else math.inf


def watched_share(histogram, heads, watched):
    counts = [c for value, c in histogram.items() if watched is None or value in watched]
    return Fraction(max(counts, default=0), heads)


# --- Earth mover's distance --------------------------------------------------------------------


def ground_distance(kind, sensitive):
    """How far two values are apart, for each pair."""
    places = {value: place for place, value in enumerate(sensitive.values)}
    paths = {path[0]: path for path in sensitive.ladders or []}

    def apart(one, other):
        if one == other:
            return Fraction(0)
        if kind == "equal":
            return Fraction(1)
        if kind == "ordered":
            return Fraction(abs(places[one] - places[other]), len(places) - 1)
        meet = next(
            level for level in range(len(paths[one])) if paths[one][level] == paths[other][level]
        )
        return Fraction(meet, len(paths[one]) - 1)

    return apart


def transport(supply, demand, apart):
    """Least work that turns one distribution into another, by successive shortest paths."""
    flow = {(a, b): Fraction(0) for a in supply for b in demand}
    left, lack = dict(supply), dict(demand)
    work = Fraction(0)
    while any(left.values()):
        length, path = _shortest(flow, left, lack, apart)
        amount = min([left[path[0]], lack[path[-1]], *_reversible(flow, path)])
        for step, (a, b) in enumerate(pairwise(path)):
            if step % 2 == 0:
                flow[a, b] += amount
            else:
                flow[b, a] -= amount
        left[path[0]] -= amount
        lack[path[-1]] -= amount
        work += amount * length
    return work


def _reversible(flow, path):
    return [flow[path[i + 1], path[i]] for i in range(1, len(path) - 1, 2)]


def _shortest(flow, left, lack, apart):
    """The shortest way from a value with too much to one with too little (Bellman-Ford).

    A way is a list of values: from a supply to a demand over a pair, back to another supply over a
    pair that carries flow, and so on.
    """
    sources = {a: (Fraction(0), [a]) for a, amount in left.items() if amount}
    sinks = {}
    for _ in range(2 * len(left) + 2):
        for a, b in flow:
            if a in sources and (b not in sinks or sources[a][0] + apart(a, b) < sinks[b][0]):
                sinks[b] = (sources[a][0] + apart(a, b), [*sources[a][1], b])
        for (a, b), carried in flow.items():
            back = b in sinks and carried
            if back and (a not in sources or sinks[b][0] - apart(a, b) < sources[a][0]):
                sources[a] = (sinks[b][0] - apart(a, b), [*sinks[b][1], a])
    ends = [sinks[b] for b, amount in lack.items() if amount and b in sinks]
    return min(ends, key=lambda end: end[0])


def transported(kind, histogram, sensitive):
    """The distance of a class from the whole column as a problem of transport."""
    inside, whole = _shares(histogram), _shares(sensitive.whole)
    supply = {value: inside.get(value, Fraction(0)) for value in sensitive.values}
    demand = {value: whole.get(value, Fraction(0)) for value in sensitive.values}
    return transport(supply, demand, ground_distance(kind, sensitive))


def distance(kind, histogram, sensitive):
    """The same by formula: what crosses each gap of a line, each edge of a tree."""
    inside, whole = _shares(histogram), _shares(sensitive.whole)
    extra = {v: inside.get(v, Fraction(0)) - whole.get(v, Fraction(0)) for v in sensitive.values}
    if kind == "equal":
        return sum(map(abs, extra.values())) / 2
    if kind == "ordered":
        gaps = len(sensitive.values) - 1
        crossing = [sum(extra[v] for v in sensitive.values[: i + 1]) for i in range(gaps)]
        return sum(map(abs, crossing), Fraction(0)) / max(gaps, 1)
    height = len(sensitive.ladders[0]) - 1
    work = Fraction(0)
    for level in range(height):
        under = Counter()
        for path in sensitive.ladders:
            under[tuple(path[level:])] += extra[path[0]]
        work += sum(map(abs, under.values())) / (2 * height)
    return work


# --- beta-likeness -----------------------------------------------------------------------------


def least_beta(kind, histogram, sensitive):
    """The largest (q - p) / p; infinite where it is more than -ln p in the enhanced form."""
    inside, whole = _shares(histogram), _shares(sensitive.whole)
    largest = Fraction(0)
    for value, q in inside.items():
        p = whole.get(value, Fraction(0))
        if q > p:
            gain = (q - p) / p if p else math.inf
            too_much = kind == "enhanced" and p and gain > -math.log(p)
            largest = max(largest, math.inf if too_much else gain)
    return largest


# --- delta-disclosure --------------------------------------------------------------------------


def farthest_ratio(histogram, sensitive):
    """The largest |ln(q / p)| of all values that the class or the table has."""
    inside, whole = _shares(histogram), _shares(sensitive.whole)
    largest = 0.0
    for value in sensitive.values:
        q, p = inside.get(value, 0), whole.get(value, 0)
        if q or p:
            largest = max(largest, abs(math.log(q / p)) if q and p else math.inf)
    return largest


# --- (k, e)-anonymity --------------------------------------------------------------------------


def numbers_of(histogram):
    return sorted({exact(value) for value in histogram if value is not None})


def reach(histogram):
    """From the smallest number of a class to its largest."""
    numbers = numbers_of(histogram)
    return numbers[-1] - numbers[0] if numbers else Fraction(0)


def variance(histogram):
    """The mean squared distance of the numbers of a class from their mean."""
    numbers = {exact(v): 0 for v in histogram if v is not None}
    for value, count in histogram.items():
        if value is not None:
            numbers[exact(value)] += count
    heads = sum(numbers.values())
    if not heads:
        return Fraction(0)
    mean = sum(number * count for number, count in numbers.items()) / heads
    return sum(count * (number - mean) ** 2 for number, count in numbers.items()) / heads


# --- Requirements ------------------------------------------------------------------------------


ENOUGH = {
    "k-anonymity": lambda asked, found: found >= asked["k"],
    "p-sensitive": lambda asked, found: found >= asked["p"],
    "distinct": lambda asked, found: found >= asked["l"],
    "recursive": lambda asked, found: found < exact(asked["c"]),
    "frequency": lambda asked, found: found >= exact(asked["l"]),
    "alpha-k": lambda asked, found: found <= exact(asked["alpha"]),
    "t-closeness": lambda asked, found: found <= exact(asked["t"]),
    "beta-likeness": lambda asked, found: found <= exact(asked["beta"]),
    "delta-disclosure": lambda asked, found: found < asked["delta"],
    "k-e": lambda asked, found: found >= exact(asked["e"]),
    "variance": lambda asked, found: found >= exact(asked["e"]) ** 2,
}


def form(asked):
    """The model, or the kind of l-diversity."""
    return asked.get("kind", "distinct") if asked["model"] == "l-diversity" else asked["model"]


def measured(asked, histogram, heads, sensitive):  # noqa: C901 - a case for each model
    """What a class measures."""
    match form(asked):
        case "k-anonymity":
            found = heads
        case "p-sensitive" | "distinct":
            found = distinct(histogram)
        case "entropy":
            found = effective_number(histogram)
        case "recursive":
            found = recursive_ratio(histogram, asked["l"])
        case "frequency":
            found = Fraction(heads, max(histogram.values()))
        case "alpha-k":
            found = watched_share(histogram, heads, asked.get("values"))
        case "t-closeness":
            found = distance(asked.get("distance", "equal"), histogram, sensitive)
        case "beta-likeness":
            found = least_beta(asked.get("kind", "enhanced"), histogram, sensitive)
        case "delta-disclosure":
            found = farthest_ratio(histogram, sensitive)
        case "variance":
            found = variance(histogram)
        case _:
            found = reach(histogram)
    return found


def holds(asked, histogram, heads, sensitive):
    """Whether a class satisfies."""
    if heads < asked.get("k", 2 if form(asked) == "variance" else 1):
        return False
    if form(asked) == "k-e" and len(numbers_of(histogram)) < asked["k"]:
        return False
    if form(asked) == "entropy":
        return has_entropy(histogram, exact(asked["l"]))
    return ENOUGH[form(asked)](asked, measured(asked, histogram, heads, sensitive))


def largest_part(asked, histogram, sensitive):
    """How many rows the largest satisfying part of a class has, where each row is a person."""
    return largest_part_of_all([asked], histogram, sensitive)


def largest_part_of_all(everything, histogram, sensitive):
    """The same of a part that satisfies several requirements."""
    return sum(a_largest_part(everything, histogram, sensitive).values())


def a_largest_part(everything, histogram, sensitive):
    """One of the largest parts of a class that satisfy; nothing where none does."""
    values = list(histogram)
    best = Counter()
    for counts in product(*(range(histogram[value] + 1) for value in values)):
        total = sum(counts)
        part = Counter(dict(zip(values, counts, strict=True)))
        larger = total > sum(best.values())
        if larger and all(holds(asked, part, total, sensitive) for asked in everything):
            best = part
    return best


# --- Tables ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """A table with what is asked of it.

    `sets` are pairs of quasi columns and whose row each row is (None: each another's);
    `sensitive` maps names to columns.
    """

    rows: list
    columns: list
    ladders: dict
    sensitive: dict
    asked: list
    limit: int
    sets: list

    @property
    def size(self):
        return len(self.rows)


def classes_of(job, published, left, places, known):
    """The rows of each class that an attacker tells apart by quasi and sensitive columns."""
    found = {}
    for row in left:
        key = tuple(published[row][place] for place in places)
        key += tuple(job.rows[row][name] for name in known)
        found.setdefault(key, []).append(row)
    return found.values()


def tests_of(job, asked):
    """The columns that a requirement is about, each with what the attacker knows beside."""
    if asked["model"] == "k-anonymity":
        return [(None, ())]
    names = [name for name in job.sensitive if asked.get("column") in (None, name)]
    others = {name: tuple(o for o in job.sensitive if o != name) for name in names}
    return [(name, others[name] if asked.get("joined") else ()) for name in names]


def class_holds(job, asked, name, members, people):
    whose = {row: row if people is None else people[row] for row in members}
    heads = len(set(whose.values()))
    if name is None:
        return heads >= asked["k"]
    sensitive = job.sensitive[name]
    if people is not None and asked["model"] in COMPARED:
        everyone, here = (
            weighed((people[row], job.rows[row][name]) for row in rows)
            for rows in (range(job.size), members)
        )
        sensitive = Sensitive(sensitive.values, everyone, sensitive.ladders)
        return holds(asked, here, heads, sensitive)
    histogram = Counter(v for v, _ in {(job.rows[row][name], whose[row]) for row in members})
    return holds(asked, histogram, heads, sensitive)


def weighed(pairs):
    """What people weigh by value, given people with a value each: the values of one weigh one."""
    held = {}
    for person, value in pairs:
        held.setdefault(person, set()).add(value)
    histogram = Counter()
    for values in held.values():
        for value in values:
            histogram[value] += Fraction(1, len(values))
    return histogram


def failing(job, published, left, everything):
    """The rows of all classes that fail something asked, for some set."""
    found = set()
    for places, people in job.sets:
        for asked in everything:
            for name, known in tests_of(job, asked):
                for members in classes_of(job, published, left, places, known):
                    if not class_holds(job, asked, name, members, people):
                        found.update(members)
    return found


COMPARED = {"t-closeness", "beta-likeness", "delta-disclosure"}  # with the whole table
CLOSED = {"k-anonymity", "p-sensitive", "distinct", "k-e"}  # under supersets


def closed_part(asked):
    """What of a requirement no larger class can break again: people, and distinct values."""
    if form(asked) in CLOSED:
        return asked
    counted = {"model": "p-sensitive", "p": 1, "k": asked.get("k", 1)}
    return counted | {key: asked[key] for key in ("column", "joined") if key in asked}


def is_simple(job):
    """One quasi-identifier, one sensitive column, and each row another person's."""
    [(_, people), *more] = job.sets
    joined = any(asked.get("joined") for asked in job.asked)
    return not more and people is None and len(job.sensitive) == 1 and not joined


def is_clear(job):
    """Whether all that is asked wants the same rows of a class: t-closeness wants others."""
    rest = [asked for asked in job.asked if form(asked) not in CLOSED]
    near = [asked for asked in job.asked if asked["model"] == "t-closeness"]
    others = [asked for asked in job.asked if asked["model"] != "k-anonymity"]
    return not is_simple(job) or not rest or not near or len(others) == 1


def kept_in_parts(job, vector):
    """Rows of which as many stay as can: of each class a largest part."""
    published = oracle.generalize(job.rows, job.columns, job.ladders, vector)
    [name] = job.sensitive
    left = set()
    for members in classes_of(job, published, range(job.size), range(len(job.columns)), ()):
        histogram = Counter(job.rows[row][name] for row in members)
        part = a_largest_part(job.asked, histogram, job.sensitive[name])
        for row in members:
            if part[job.rows[row][name]] > 0:
                part[job.rows[row][name]] -= 1
                left.add(row)
    return left


def kept_at_best(job, vector):
    """How many rows can stay at all, whichever they are: every set of rows is tried."""
    published = oracle.generalize(job.rows, job.columns, job.ladders, vector)
    for size in range(job.size, 0, -1):
        for left in combinations(range(job.size), size):
            if not failing(job, published, set(left), job.asked):
                return size
    return 0


def kept(job, vector):
    """The rows that stay.

    In simple jobs these are the largest parts of classes. In others classes go as a whole. Rows of
    classes of too few people or values stand in no release of a vector and go first,
    until there are none; then the rows of all failing classes; again until none fails. With one
    set and one row per person nothing fails a second time.
    """
    if is_simple(job):
        return kept_in_parts(job, vector)
    published = oracle.generalize(job.rows, job.columns, job.ladders, vector)
    closed = [closed_part(asked) for asked in job.asked]
    left = set(range(job.size))
    while out := failing(job, published, left, closed) or failing(job, published, left, job.asked):
        left -= out
    return left


def kept_by_vector(job):
    return {v: kept(job, v) for v in oracle.vectors(job.columns, job.ladders)}


def lost(job, vector, left):
    """Summed NCP (node form) of all cells, a suppressed cell counting 1; exact."""
    return sum(
        oracle.node_ncp(job.ladders, column, row[column], level) if number in left else 1
        for number, row in enumerate(job.rows)
        for column, level in zip(job.columns, vector, strict=True)
    )


def least_lost(job, vector, left):
    """The least that a vector loses with so many rows left that satisfy: all sets are tried."""
    published = oracle.generalize(job.rows, job.columns, job.ladders, vector)
    return min(
        lost(job, vector, rows)
        for size in range(left, 0, -1)
        for rows in combinations(range(job.size), size)
        if job.size - size <= job.limit and not failing(job, published, set(rows), job.asked)
    )


def best(job, found):
    """The vector of least loss within the limit; ties by suppressed rows, height, order."""
    return min(
        (v for v, left in found.items() if job.size - len(left) <= job.limit),
        key=lambda v: (lost(job, v, found[v]), -len(found[v]), sum(v), v),
        default=None,
    )


def lowest(job, found):
    """The first vector of the lowest height within the limit."""
    return min(
        (v for v, left in found.items() if job.size - len(left) <= job.limit),
        key=lambda v: (sum(v), v),
        default=None,
    )
