"""How many processor seconds the tests take, those of services and browsers apart.

The suite is held to 8 processor minutes of ordinary tests and 5 of the others. Seconds of the clock
say little on a machine that does other things too. Servers that outlive a test are not counted.
"""

from __future__ import annotations

import resource

ORDINARY, SERVICES = "ordinary tests", "tests of services and browsers"
KEY = "processor seconds"


def spent():
    """Return the processor seconds of this process and of those it has waited for."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(part.ru_utime + part.ru_stime for part in used)


def kind_of(item):
    """Return which of the two budgets a test counts for."""
    return SERVICES if item.get_closest_marker("services") else ORDINARY


class Budget:
    """Adds up what tests report, in whichever process they ran."""

    def __init__(self):
        self.seconds = dict.fromkeys((ORDINARY, SERVICES), 0.0)

    def add(self, report):
        """Add what one test took, fixtures included."""
        for kind, seconds in (told for key, told in report.user_properties if key == KEY):
            self.seconds[kind] += seconds

    def __str__(self):
        told = (f"{kind} {seconds / 60:.1f}" for kind, seconds in self.seconds.items())
        return f"processor minutes: {', '.join(told)}"
