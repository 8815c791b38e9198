"""About: what a report says of a release beyond figures, in the steward's words."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from indistinct._parts import Part

Line = Annotated[str, Field(max_length=500)]


class About(Part):
    """What the data set is, who answers for the release, and what it is for.

    Every report shows it, the public one too.

    Attributes
    ----------
    name
        The name of the data set; by default reports name the file.
    author
        Who made the release, or answers for it.
    purpose
        What the release is for, and for whom.
    """

    name: Line = ""
    author: Line = ""
    purpose: Line = ""
