"""The ten patients that Ciriani et al. carry through their chapter on k-anonymity."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

_COLUMNS = ("zip", "marital", "sex", "disease")
_ROWS = (
    ("22030", "married", "F", "hypertension"),
    ("22030", "married", "F", "hypertension"),
    ("22030", "single", "M", "obesity"),
    ("22032", "single", "M", "HIV"),
    ("22032", "single", "M", "obesity"),
    ("22032", "divorced", "F", "hypertension"),
    ("22045", "divorced", "M", "obesity"),
    ("22047", "widow", "M", "HIV"),
    ("22047", "widow", "M", "HIV"),
    ("22047", "single", "F", "obesity"),
)
_MARITAL_GROUPS = {
    "married": "been_married",
    "divorced": "been_married",
    "widow": "been_married",
    "single": "never_married",
}


def medical() -> pa.Table:
    """Return the ten-row private table of the chapter's Figure 1.

    Returns
    -------
    pyarrow.Table
        String columns ``zip``, ``marital`` and ``sex`` (quasi-identifiers) and ``disease``
        (sensitive), in the chapter's row order.

    References
    ----------
    V. Ciriani, S. De Capitani di Vimercati, S. Foresti, P. Samarati, "k-Anonymity" (book
    chapter), Figure 1. The empty columns SSN and Name are left out.

    Examples
    --------
    >>> medical().num_rows
    10
    """
    columns = zip(*_ROWS, strict=True)
    return pa.table(
        {
            name: pa.array(values, pa.string())
            for name, values in zip(_COLUMNS, columns, strict=True)
        }
    )


def medical_ladders() -> dict[str, list[list[str]]]:
    """Return the ladders of the three quasi-identifiers, each path from leaf to top.

    Returns
    -------
    dict of str to list of list of str
        For ``zip``, ``marital`` and ``sex`` one path per value. The tops are the chapter's own:
        ``220**`` for zip, ``not_released`` for the others.

    Examples
    --------
    >>> medical_ladders()["zip"][0]
    ['22030', '2203*', '220**']
    """
    zips = ("22030", "22032", "22045", "22047")
    return {
        "zip": [[code, f"{code[:4]}*", f"{code[:3]}**"] for code in zips],
        "marital": [[status, group, "not_released"] for status, group in _MARITAL_GROUPS.items()],
        "sex": [[sex, "not_released"] for sex in ("M", "F")],
    }


def medical_plan(**settings: Any) -> dict[str, Any]:
    """Return a plan for the ten patients: their ladders, disease sensitive, 3-anonymity.

    Parameters
    ----------
    settings
        Settings of a plan, added to these or in their place.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> plan = medical_plan(method={"name": "optimal"}, limits={"suppression": 0.2})
    >>> plan["require"]
    [{'model': 'k-anonymity', 'k': 3}]
    >>> anonymize(medical(), plan).levels
    {'zip': 1, 'marital': 1, 'sex': 0}
    """
    quasi = {
        name: {"role": "quasi", "hierarchy": {"paths": paths}}
        for name, paths in medical_ladders().items()
    }
    return {
        "columns": {**quasi, "disease": {"role": "sensitive"}},
        "require": [{"model": "k-anonymity", "k": 3}],
        **settings,
    }
