"""How many examples a test draws, in the ordinary profile of hypothesis and in the thorough one."""

from __future__ import annotations

from hypothesis import settings

ORDINARY = 25
QUICK = 15
"""How many `make test` draws where a test says nothing: of what tests ask for, 15 in 25."""


def examples(count, **more):
    """Draw so many examples in the ordinary profile, and as much more as it in another.

    Other settings of hypothesis may be given by name; those that are not are the profile's.
    """
    return settings(max_examples=-(-count * settings.default.max_examples // ORDINARY), **more)
