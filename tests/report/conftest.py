from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from indistinct.report import ReportFacts

if TYPE_CHECKING:
    from collections.abc import Callable


def _k_anonymity(**changed: Any) -> dict[str, Any]:
    return {
        "model": "k-anonymity",
        "k": 5,
        "promised": "k = 5",
        "measured": 7,
        "holds": True,
        "worst_class": {"age": "30-39", "sex": "worst-of-all"},
        "description": "each released row is like at least 4 others",
        **changed,
    }


def _make_facts(**changed: Any) -> ReportFacts:
    """Facts of a small release; keys of the summary and fields of the facts may be replaced."""
    summary = {
        "method": "mondrian",
        "input_rows": 30162,
        "released_rows": 29871,
        "suppressed_rows": 291,
        "classes": 812,
        "levels": {"age": 2, "sex": 0, "zip": None},
        "measures": {
            "gcp": 0.2345,
            "gcp_form": "node",
            "ncp": {"age": 0.314, "sex": 0.0, "zip": 0.628},
            "discernibility": 123,
            "average_class_size": 7.4,
            "accuracy": 0.8,
            "completeness": 0.99,
            "height": None,
        },
        "requirements": [_k_anonymity()],
        "warnings": [],
        "seconds": {"read": 0.25, "search": 192.4},
        "version": "9.8.7",
    }
    fields: dict[str, Any] = {
        "plan": '[method]\nname = "mondrian"\n',
        "sizes_before": {1: 20000, 2: 5000, 81: 2},
        "sizes_after": {6: 0, 7: 100, 30: 900, 2171: 1},
        "heights": {"age": 4, "sex": 1, "zip": 5},
        "preview": [{"age": "30-39", "sex": "F", "zip": "13***"}],
        "title": "Patients 2024",
    }
    for key, value in changed.items():
        (summary if key in summary else fields)[key] = value
    return ReportFacts(summary=summary, **fields)


@pytest.fixture(scope="session")
def make_facts() -> Callable[..., ReportFacts]:
    return _make_facts


@pytest.fixture(scope="session")
def k_anonymity() -> Callable[..., dict[str, Any]]:
    return _k_anonymity


@pytest.fixture
def facts() -> ReportFacts:
    return _make_facts()
