"""A seeded census of people who never lived, shaped like the CENSUS table of Ghinita et al."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Codes: TypeAlias = npt.NDArray[np.uint8]
Floats: TypeAlias = npt.NDArray[np.float64]
Values: TypeAlias = tuple[str, ...] | npt.NDArray[np.int64]

# A distribution is kept as its inverse, read at this many equal steps: drawing is one lookup.
# A value with a probability below 1 / _STEPS may never be drawn.
_STEP_BITS = 14
_STEPS = 1 << _STEP_BITS

_AGES = np.arange(17, 96, dtype=np.int64)
_SCHOOLING = np.arange(17, dtype=np.int64)
_SALARIES = np.arange(50, dtype=np.int64)
# Four stages of life, and the share of the retired in each.
_LIFE_STAGE = np.searchsorted([55, 66, 75], _AGES, side="right").astype(np.uint8)
_RETIRED = np.array([0.003, 0.12, 0.7, 0.95])

_GENDERS = ("Female", "Male")
_MARITAL = {
    "Married, spouse present": "Married",
    "Married, spouse absent": "Married",
    "Separated": "Formerly married",
    "Divorced": "Formerly married",
    "Widowed": "Formerly married",
    "Never married": "Single",
}
_RACES = (
    "White",
    "Black",
    "American Indian",
    "Chinese",
    "Japanese",
    "Other Asian",
    "Pacific Islander",
    "Other race",
    "Two or more races",
)
_WORK_CLASSES = {
    "Private company": ("Private sector", "Employed"),
    "Non-profit organisation": ("Private sector", "Employed"),
    "Federal government": ("Public sector", "Employed"),
    "State government": ("Public sector", "Employed"),
    "Local government": ("Public sector", "Employed"),
    "Self-employed, incorporated": ("Own business", "Independent"),
    "Self-employed, not incorporated": ("Own business", "Independent"),
    "Unpaid family worker": ("Family business", "Independent"),
    "Looking for work": ("Without a job", "Not working"),
    "Retired": ("Without a job", "Not working"),
}
# Salary classes gained or lost by work class, in the order above.
_WORK_CLASS_PAY = np.array([0, -2, 3, 0, -1, 6, -3, -14, -11, -7], dtype=np.int8)

_HOME = "United States"
_HOME_SHARE = 0.7
# The countries of each region, the largest first.
_COUNTRIES_LISTED = {
    "North America": "United States, Canada, Bermuda",
    "Central America": (
        "Mexico, El Salvador, Guatemala, Honduras, Nicaragua, Panama, Costa Rica, Belize"
    ),
    "Caribbean": (
        "Cuba, Dominican Republic, Jamaica, Haiti, Trinidad and Tobago, Barbados, Bahamas, Grenada"
    ),
    "South America": (
        "Colombia, Ecuador, Peru, Guyana, Brazil, Venezuela, Argentina, Chile, Bolivia, Uruguay"
    ),
    "Western Europe": (
        "Germany, England, Italy, Portugal, Ireland, France, Greece, Scotland, Spain, "
        "Netherlands, Austria, Sweden, Belgium, Switzerland"
    ),
    "Eastern Europe": (
        "Poland, Russia, Ukraine, Romania, Hungary, Czechia, Lithuania, Latvia, Bulgaria, Croatia"
    ),
    "East Asia": "China, South Korea, Japan, Taiwan, Hong Kong",
    "South and Southeast Asia": (
        "Philippines, India, Vietnam, Pakistan, Thailand, Laos, Cambodia, Indonesia, "
        "Bangladesh, Sri Lanka"
    ),
    "Middle East": "Iran, Iraq, Israel, Lebanon, Turkey, Syria",
    "Africa": "Nigeria, Egypt, Ethiopia, Ghana, South Africa, Kenya",
    "Oceania": "Australia, Fiji, New Zealand",
}
_COUNTRIES = {
    name: region for region, names in _COUNTRIES_LISTED.items() for name in names.split(", ")
}
# Each region's share of those born abroad, and the races of its people (percent).
_ABROAD: dict[str, tuple[float, tuple[float, ...]]] = {
    "North America": (4, (80, 7, 2, 3, 1, 3, 0.3, 1.2, 2.5)),
    "Central America": (34, (42, 1, 4, 0.2, 0.2, 0.3, 0.3, 46, 6)),
    "Caribbean": (11, (31, 52, 0.5, 0.5, 0.2, 1, 0.3, 8.5, 6)),
    "South America": (8, (58, 7, 2, 0.6, 1, 2, 0.4, 22, 7)),
    "Western Europe": (9, (91, 3, 0.3, 0.5, 0.3, 1.5, 0.2, 1, 2.2)),
    "Eastern Europe": (7, (96, 0.4, 0.2, 0.3, 0.2, 0.9, 0.2, 0.6, 1.2)),
    "East Asia": (11, (3, 0.5, 0.2, 52, 12, 29, 0.5, 0.6, 2.2)),
    "South and Southeast Asia": (17, (4, 0.6, 0.3, 7, 0.4, 80, 3, 1.5, 3.2)),
    "Middle East": (4, (84, 2, 0.2, 0.3, 0.2, 7, 0.2, 2.3, 3.8)),
    "Africa": (4, (27, 63, 0.3, 0.4, 0.2, 3, 0.2, 1.9, 4)),
    "Oceania": (2, (58, 1, 0.6, 2, 1, 4, 29, 1, 3.4)),
}
_HOME_RACES = (74.0, 13.5, 1.5, 0.8, 0.6, 1.6, 0.4, 4.1, 3.5)

# Percent of those not retired in each work class, by kind of work.
_EMPLOYERS = {
    "trade": (80, 1.5, 1, 1, 3, 3.5, 5, 0.6, 4.4),
    "office": (70, 9, 4, 4.5, 5, 2.5, 2, 0.3, 2.7),
    "practice": (48, 8, 2.5, 3, 3, 17, 16, 0.3, 2.2),
    "care": (52, 24, 2.5, 5, 8, 2, 3.5, 0.3, 2.7),
    "school": (13, 17, 1, 22, 44, 0.4, 0.9, 0.1, 1.6),
    "state": (7, 2, 27, 25, 36, 0.4, 0.5, 0.1, 2),
    "shop": (70, 1.2, 0.4, 0.5, 1, 9, 11, 1.7, 5.2),
    "craft": (62, 0.6, 1, 1.1, 3.3, 7, 18, 0.5, 6.5),
    "farm": (40, 0.8, 0.8, 1, 1.2, 10, 36, 5.2, 5),
}
# Usual years of schooling, relative size, percent of women, and kind of work.
_OCCUPATIONS: dict[str, tuple[float, float, float, str]] = {
    "Accountant": (15.5, 2.2, 58, "practice"),
    "Administrative assistant": (13, 5.2, 90, "office"),
    "Architect": (16, 0.6, 27, "practice"),
    "Artist or designer": (14.5, 1.3, 52, "practice"),
    "Assembler": (11, 2.2, 38, "trade"),
    "Bank teller": (13, 1.0, 85, "office"),
    "Bookkeeper": (13, 2.0, 88, "office"),
    "Bus driver": (11.5, 1.0, 45, "state"),
    "Carpenter": (11, 2.0, 4, "craft"),
    "Cashier": (11.5, 3.6, 74, "shop"),
    "Chef or cook": (10.5, 3.0, 42, "shop"),
    "Child care worker": (12.5, 1.8, 94, "care"),
    "Cleaner": (7, 3.6, 52, "trade"),
    "Computer programmer": (15.5, 2.6, 24, "office"),
    "Construction labourer": (8.5, 2.6, 5, "craft"),
    "Customer service clerk": (13, 2.4, 67, "office"),
    "Dentist": (16.5, 0.4, 27, "practice"),
    "Electrician": (12.5, 1.4, 4, "craft"),
    "Engineer": (15.8, 2.4, 14, "office"),
    "Farm worker": (5, 1.8, 22, "farm"),
    "Farmer": (10.5, 1.4, 24, "farm"),
    "Financial manager": (15.5, 1.6, 52, "office"),
    "Firefighter": (13.5, 0.6, 7, "state"),
    "Food server": (11.5, 2.6, 70, "shop"),
    "Hairdresser": (12, 1.2, 84, "shop"),
    "Home health aide": (10.5, 2.2, 88, "care"),
    "Insurance agent": (14.5, 0.9, 50, "practice"),
    "Lawyer or judge": (16.5, 1.3, 36, "practice"),
    "Librarian": (15.8, 0.4, 82, "school"),
    "Machinist": (11.5, 1.6, 8, "trade"),
    "Mechanic": (11.5, 2.8, 3, "craft"),
    "Office manager": (14, 3.6, 44, "office"),
    "Packer": (7.5, 1.8, 52, "trade"),
    "Painter": (10, 1.1, 9, "craft"),
    "Physician": (16.5, 1.2, 36, "practice"),
    "Plumber": (12, 1.0, 3, "craft"),
    "Police officer": (14, 1.2, 16, "state"),
    "Postal worker": (12.5, 0.8, 40, "state"),
    "Real estate agent": (14.5, 1.2, 55, "practice"),
    "Registered nurse": (15.2, 2.4, 91, "care"),
    "Sales manager": (14.8, 2.6, 40, "shop"),
    "Sales representative": (14, 2.6, 34, "trade"),
    "Scientist": (16.3, 1.0, 42, "school"),
    "Security guard": (12, 1.2, 22, "trade"),
    "Shop assistant": (12, 3.8, 54, "shop"),
    "Social worker": (15.5, 1.1, 80, "care"),
    "Teacher": (16, 4.6, 74, "school"),
    "Textile worker": (7, 1.0, 72, "trade"),
    "Truck driver": (10.5, 3.2, 5, "trade"),
    "Warehouse worker": (10.5, 2.4, 20, "trade"),
}


def census(rows: int = 100_000, seed: int = 0) -> pa.Table:
    """Draw a made-up census with the columns, cardinalities and skew of the CENSUS table.

    Ages follow a population pyramid, countries a Zipf law behind one large home country. Marital
    status depends on age and gender; schooling on age; race on country; occupation on schooling
    and gender; work class on occupation and age; salary on age, schooling, gender, occupation
    and work class. Memory and time are linear in `rows`; no loop runs over rows.

    Parameters
    ----------
    rows : int
        How many people to draw. The first rows of a longer table are not those of a shorter one.
    seed : int
        The same seed and `rows` give the same table.

    Returns
    -------
    pyarrow.Table
        The quasi-identifiers ``age`` (17 to 95), ``gender``, ``education`` (years of schooling,
        0 to 16, where 16 stands for 16 or more), ``marital``, ``race``, ``work_class`` and
        ``country`` (of birth), then the sensitive ``occupation`` (the last one, for those out
        of work) and ``salary`` (class 0 to 49, ordered). Numbers are int64, the rest strings.

    Raises
    ------
    ValueError
        If `rows` or `seed` is not a whole number of zero or more.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, "A framework for efficient data anonymization
    under privacy and accuracy constraints", Table II.

    Examples
    --------
    >>> census(rows=1_000, seed=7).column_names[:4]
    ['age', 'gender', 'education', 'marital']
    """
    _require_whole("rows", rows)
    _require_whole("seed", seed)
    codes = _draw_codes(int(rows), np.random.Generator(np.random.PCG64(seed)))
    return pa.table({name: _as_column(codes[name], values) for name, values in _values().items()})


def census_ladders() -> dict[str, list[list[str]]]:
    """Return the ladders of the seven quasi-identifiers, each path from leaf to ``"*"``.

    The number of levels follows Table II, counting the leaves and the top: "Hierarchical (3)" is
    leaf, group, ``"*"``. The numerical columns, which have no taxonomy in the paper, get nested
    bands: of 5, 10 and 20 years for age, and two levels of school stages for education.

    Returns
    -------
    dict of str to list of list of str
        For each quasi-identifier, in the order of the columns, one path per value.

    Examples
    --------
    >>> census_ladders()["age"][0]
    ['17', '15-19', '10-19', '0-19', '*']
    """
    by_age = (range(0, 101, 5), range(0, 101, 10), range(0, 101, 20))
    by_stage = ((0, 5, 9, 11, 13, 15, 17), (0, 9, 13, 17))
    return {
        "age": [_banded(age, by_age) for age in _AGES.tolist()],
        "gender": [[gender, "*"] for gender in _GENDERS],
        "education": [_banded(years, by_stage) for years in _SCHOOLING.tolist()],
        "marital": [[status, group, "*"] for status, group in _MARITAL.items()],
        "race": [[race, "*"] for race in _RACES],
        "work_class": [[name, *groups, "*"] for name, groups in _WORK_CLASSES.items()],
        "country": [[name, region, "*"] for name, region in _COUNTRIES.items()],
    }


def _banded(value: int, levels: tuple[range | tuple[int, ...], ...]) -> list[str]:
    """Walk a number up through levels of bands, each given by its ascending starts."""
    path = [str(value)]
    for starts in levels:
        place = bisect_right(starts, value)
        path.append(f"{starts[place - 1]}-{starts[place] - 1}")
    return [*path, "*"]


def _require_whole(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ValueError(f"{name} must be a whole number of zero or more, not {value!r}")


def _as_column(codes: Codes, values: Values) -> pa.Array:
    """Put the values in the place of their codes, as plain strings or int64."""
    dictionary = pa.array(values)
    return pa.DictionaryArray.from_arrays(codes, dictionary).cast(dictionary.type)


def _values() -> dict[str, Values]:
    """List the values of each column, in the order that codes count them."""
    return {
        "age": _AGES,
        "gender": _GENDERS,
        "education": _SCHOOLING,
        "marital": tuple(_MARITAL),
        "race": _RACES,
        "work_class": tuple(_WORK_CLASSES),
        "country": tuple(_COUNTRIES),
        "occupation": tuple(_OCCUPATIONS),
        "salary": _SALARIES,
    }


def _draw_codes(rows: int, rng: np.random.Generator) -> dict[str, Codes]:
    """Draw each column given those it depends on; what it is given fits a uint8."""
    tables = _inverse_tables()

    def draw(column: str, given: npt.NDArray[Any] | int = 0) -> Codes:
        steps = rng.integers(0, _STEPS, size=rows, dtype=np.uint16)
        return tables[column].take(np.left_shift(given, _STEP_BITS, dtype=np.intp) + steps)

    age = draw("age")
    gender = draw("gender", age)
    education = draw("education", age)
    occupation = draw("occupation", 2 * education + gender)
    work_class = draw("work_class", _RETIRED.size * occupation + _LIFE_STAGE.take(age))
    country = draw("country")
    return {
        "age": age,
        "gender": gender,
        "education": education,
        "marital": draw("marital", 2 * age + gender),
        "race": draw("race", country),
        "work_class": work_class,
        "country": country,
        "occupation": occupation,
        "salary": draw("salary", _usual_salary(age, gender, education, occupation, work_class)),
    }


def _usual_salary(
    age: Codes, gender: Codes, education: Codes, occupation: Codes, work_class: Codes
) -> npt.NDArray[np.int8]:
    """Add up what each trait is worth in salary classes; every partial sum fits an int8."""
    by_age = np.rint(14 * _bell(_AGES, 52, 16)).astype(np.int8)
    by_schooling = np.rint(0.9 * _SCHOOLING).astype(np.int8)
    by_occupation = np.rint([0.9 * usual for usual, *_ in _OCCUPATIONS.values()]).astype(np.int8)
    by_gender = np.array([0, 2], dtype=np.int8)
    usual = by_age.take(age) + by_schooling.take(education) + by_occupation.take(occupation)
    usual += by_gender.take(gender) + _WORK_CLASS_PAY.take(work_class)
    classes: npt.NDArray[np.int8] = usual.clip(0, _SALARIES.size - 1)
    return classes


@cache
def _inverse_tables() -> dict[str, Codes]:
    """Invert the distributions of each column, one after the other by what it depends on."""
    women = 0.495 + 0.22 * _rise(_AGES, 82, 6)
    races = {region: races for region, (_, races) in _ABROAD.items()}
    weights = {
        "age": (1 + 0.3 * _bell(_AGES, 42, 9)) * (1 - _rise(_AGES, 73, 7)),
        "gender": np.column_stack([women, 1 - women]),
        "education": _education_weights(),
        "marital": _marital_weights(),
        "race": np.array(
            [_HOME_RACES if name == _HOME else races[at] for name, at in _COUNTRIES.items()]
        ),
        "work_class": _work_class_weights(),
        "country": _country_weights(),
        "occupation": _occupation_weights(),
        "salary": _bell(_SALARIES, _SALARIES[:, None], 4.5),
    }
    return {column: _inverse(weight) for column, weight in weights.items()}


def _inverse(weights: Floats) -> Codes:
    """Lay each row's values out over `_STEPS` steps, as many for each as its weight is worth."""
    shares = np.cumsum(weights, axis=-1)
    ends = np.rint(shares / shares[..., -1:] * _STEPS).astype(np.int64)
    steps = np.diff(ends, axis=-1, prepend=0)
    values = np.arange(weights.shape[-1], dtype=np.uint8)
    return np.repeat(np.broadcast_to(values, steps.shape).ravel(), steps.ravel())


def _rise(x: npt.NDArray[Any], middle: float, width: float) -> Floats:
    """Climb from 0 to 1 around the middle (logistic curve)."""
    curve: Floats = 1 / (1 + np.exp((middle - x) / width))
    return curve


def _bell(x: npt.NDArray[Any], middle: npt.NDArray[Any] | float, width: float) -> Floats:
    curve: Floats = np.exp(-0.5 * ((x - middle) / width) ** 2)
    return curve


def _education_weights() -> Floats:
    """Weigh schooling by age: the old had less of it, the young are still at school."""
    base = [0.5, 0.4, 0.4, 0.5, 0.5, 0.6, 1.2, 1.2, 2.4, 2.6, 3.4, 4.2, 26, 11, 15, 9, 22]
    age = _AGES[:, None]
    weights: Floats = np.array(base) * np.exp(-0.004 * (age - 35) * (_SCHOOLING - 12))
    return np.where(age - 6 >= _SCHOOLING, weights, 0.0)


def _marital_weights() -> Floats:
    """Weigh marital status by age and gender: women marry younger and are widowed sooner."""
    age = np.repeat(_AGES, 2)
    men = np.tile([0, 1], _AGES.size)
    ever = 0.93 * _rise(age - 2 * men, 27, 3)
    widowed = ever * (0.002 + 0.75 * _rise(age - 8 * men, 80, 6))
    couples = ever - widowed
    divorced = couples * (0.05 + 0.12 * _rise(age, 40, 6))
    apart, absent = 0.03 * couples, 0.05 * couples
    together = couples - divorced - apart - absent
    return np.column_stack([together, absent, apart, divorced, widowed, 1 - ever])


def _country_weights() -> Floats:
    """Weigh the home country by its share, the others by Zipf's law within their region."""
    weights = {_HOME: _HOME_SHARE}
    total = sum(share for share, _ in _ABROAD.values())
    for region, (share, _) in _ABROAD.items():
        abroad = [name for name, at in _COUNTRIES.items() if at == region and name != _HOME]
        zipf = 1 / np.arange(1, len(abroad) + 1)
        shares = (1 - _HOME_SHARE) * share / total * zipf / zipf.sum()
        weights.update(zip(abroad, shares.tolist(), strict=True))
    return np.array([weights[name] for name in _COUNTRIES])


def _occupation_weights() -> Floats:
    """Weigh occupations by schooling and gender; too little schooling tells more than too much."""
    usual, size, women = np.array([traits[:3] for traits in _OCCUPATIONS.values()]).T
    beyond = _SCHOOLING[:, None, None] - usual
    fit: Floats = np.exp(np.where(beyond < 0, beyond / 1.2, -beyond / 2))
    weights: Floats = fit * size * np.stack([women, 100 - women])
    return weights.reshape(-1, size.size)


def _work_class_weights() -> Floats:
    """Weigh work classes by occupation and stage of life."""
    working = np.array([_EMPLOYERS[kind] for *_, kind in _OCCUPATIONS.values()])
    working /= working.sum(axis=1, keepdims=True)
    by_stage = [
        np.column_stack([working * (1 - retired), np.full(len(working), retired)])
        for retired in _RETIRED
    ]
    return np.stack(by_stage, axis=1).reshape(-1, len(_WORK_CLASSES))
