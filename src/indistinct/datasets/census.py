"""A seeded census of people who never lived, shaped like the CENSUS table of Ghinita et al."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from indistinct.datasets.census_facts import (
    ABROAD,
    AGES,
    COUNTRIES,
    EMPLOYERS,
    GENDERS,
    HOME,
    HOME_RACES,
    HOME_SHARE,
    LIFE_STAGE,
    MARITAL,
    OCCUPATIONS,
    RACES,
    RETIRED,
    SALARIES,
    SCHOOLING,
    WORK_CLASS_PAY,
    WORK_CLASSES,
)

Codes: TypeAlias = npt.NDArray[np.uint8]
Floats: TypeAlias = npt.NDArray[np.float64]
Values: TypeAlias = tuple[str, ...] | npt.NDArray[np.int64]

# A distribution is kept as its inverse, read at this many equal steps: drawing is one lookup.
# A value with a probability below 1 / _STEPS may never be drawn.
_STEP_BITS = 14
_STEPS = 1 << _STEP_BITS


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
        "age": [_banded(age, by_age) for age in AGES.tolist()],
        "gender": [[gender, "*"] for gender in GENDERS],
        "education": [_banded(years, by_stage) for years in SCHOOLING.tolist()],
        "marital": [[status, group, "*"] for status, group in MARITAL.items()],
        "race": [[race, "*"] for race in RACES],
        "work_class": [[name, *groups, "*"] for name, groups in WORK_CLASSES.items()],
        "country": [[name, region, "*"] for name, region in COUNTRIES.items()],
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
        "age": AGES,
        "gender": GENDERS,
        "education": SCHOOLING,
        "marital": tuple(MARITAL),
        "race": RACES,
        "work_class": tuple(WORK_CLASSES),
        "country": tuple(COUNTRIES),
        "occupation": tuple(OCCUPATIONS),
        "salary": SALARIES,
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
    work_class = draw("work_class", RETIRED.size * occupation + LIFE_STAGE.take(age))
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
    by_age = np.rint(14 * _bell(AGES, 52, 16)).astype(np.int8)
    by_schooling = np.rint(0.9 * SCHOOLING).astype(np.int8)
    by_occupation = np.rint([0.9 * usual for usual, *_ in OCCUPATIONS.values()]).astype(np.int8)
    by_gender = np.array([0, 2], dtype=np.int8)
    usual = by_age.take(age) + by_schooling.take(education) + by_occupation.take(occupation)
    usual += by_gender.take(gender) + WORK_CLASS_PAY.take(work_class)
    classes: npt.NDArray[np.int8] = usual.clip(0, SALARIES.size - 1)
    return classes


@cache
def _inverse_tables() -> dict[str, Codes]:
    """Invert the distributions of each column, one after the other by what it depends on."""
    women = 0.495 + 0.22 * _rise(AGES, 82, 6)
    races = {region: races for region, (_, races) in ABROAD.items()}
    weights = {
        "age": (1 + 0.3 * _bell(AGES, 42, 9)) * (1 - _rise(AGES, 73, 7)),
        "gender": np.column_stack([women, 1 - women]),
        "education": _education_weights(),
        "marital": _marital_weights(),
        "race": np.array(
            [HOME_RACES if name == HOME else races[at] for name, at in COUNTRIES.items()]
        ),
        "work_class": _work_class_weights(),
        "country": _country_weights(),
        "occupation": _occupation_weights(),
        "salary": _bell(SALARIES, SALARIES[:, None], 4.5),
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
    age = AGES[:, None]
    weights: Floats = np.array(base) * np.exp(-0.004 * (age - 35) * (SCHOOLING - 12))
    return np.where(age - 6 >= SCHOOLING, weights, 0.0)


def _marital_weights() -> Floats:
    """Weigh marital status by age and gender: women marry younger and are widowed sooner."""
    age = np.repeat(AGES, 2)
    men = np.tile([0, 1], AGES.size)
    ever = 0.93 * _rise(age - 2 * men, 27, 3)
    widowed = ever * (0.002 + 0.75 * _rise(age - 8 * men, 80, 6))
    couples = ever - widowed
    divorced = couples * (0.05 + 0.12 * _rise(age, 40, 6))
    apart, absent = 0.03 * couples, 0.05 * couples
    together = couples - divorced - apart - absent
    return np.column_stack([together, absent, apart, divorced, widowed, 1 - ever])


def _country_weights() -> Floats:
    """Weigh the home country by its share, the others by Zipf's law within their region."""
    weights = {HOME: HOME_SHARE}
    total = sum(share for share, _ in ABROAD.values())
    for region, (share, _) in ABROAD.items():
        abroad = [name for name, at in COUNTRIES.items() if at == region and name != HOME]
        zipf = 1 / np.arange(1, len(abroad) + 1)
        shares = (1 - HOME_SHARE) * share / total * zipf / zipf.sum()
        weights.update(zip(abroad, shares.tolist(), strict=True))
    return np.array([weights[name] for name in COUNTRIES])


def _occupation_weights() -> Floats:
    """Weigh occupations by schooling and gender; too little matters more than too much."""
    usual, size, women = np.array([traits[:3] for traits in OCCUPATIONS.values()]).T
    beyond = SCHOOLING[:, None, None] - usual
    fit: Floats = np.exp(np.where(beyond < 0, beyond / 1.2, -beyond / 2))
    weights: Floats = fit * size * np.stack([women, 100 - women])
    return weights.reshape(-1, size.size)


def _work_class_weights() -> Floats:
    """Weigh work classes by occupation and stage of life."""
    working = np.array([EMPLOYERS[kind] for *_, kind in OCCUPATIONS.values()])
    working /= working.sum(axis=1, keepdims=True)
    by_stage = [
        np.column_stack([working * (1 - retired), np.full(len(working), retired)])
        for retired in RETIRED
    ]
    return np.stack(by_stage, axis=1).reshape(-1, len(WORK_CLASSES))
