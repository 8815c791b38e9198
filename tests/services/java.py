"""The Java that Spark runs on."""

from __future__ import annotations

from indistinct.engine.spark.session import java
from indistinct.errors import PlanError


def program() -> str | None:
    """Return where it is; None if there is none."""
    try:
        return java()
    except PlanError:
        return None
