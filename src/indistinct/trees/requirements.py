"""What a release of tree records can be asked to satisfy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from indistinct._parts import Part
from indistinct.errors import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_LABELS = 11
MOST_OF_SAME_PATH = 6


def listed(names: Sequence[str]) -> str:
    """Name several things in a sentence.

    >>> listed(["age"]), listed(["age", "sex", "town"])
    ('age', 'age, sex and town')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


class KMNAnonymity(Part):
    """k^(m,n)-anonymity (Gkountouna and Terrovitis, Definition 1).

    Anyone who knows up to m labels of a record and up to n ancestor-descendant relations between
    them finds no record or at least k.

    Attributes
    ----------
    k
        The least number of records.
    m
        How many labels an attacker may know.
    n
        How many relations between them; 0 is k^m-anonymity.
    same_path
        Whether an attacker may also know of the nodes of up to m labels up to n facts that are
        true of them at once: one is above another, two are directly below the same node.
    """

    model: Literal["k-m-n-anonymity"] = "k-m-n-anonymity"
    k: Annotated[int, Field(ge=2, strict=True)]
    m: Annotated[int, Field(ge=1, le=MOST_LABELS, strict=True)]
    n: Annotated[int, Field(ge=0, strict=True)] = 0
    same_path: Annotated[bool, Field(strict=True)] = False

    @property
    def relations(self) -> int:
        """Return n, but no more than there can be between m labels."""
        return min(self.n, self.m * (self.m - 1) // 2)

    def asked(self, root: Sequence[str] = ()) -> str:
        """Say what is asked for; beside what is known of everybody at the root."""
        beside = f", beside {listed(root)}" if root else ""
        same = ", of the same nodes too" if self.same_path else ""
        return f"k = {self.k}, m = {self.m}, n = {self.n}{same}{beside}"

    def in_words(self, root: Sequence[str] = ()) -> str:
        """Say what it means."""
        knowledge = f"up to {counted(self.m, 'label')} of a record"
        if root:
            knowledge = f"{listed(root)} of a person and {knowledge} below the root"
        if self.n:
            knowledge += f" and up to {counted(self.n, 'relation')} between them"
        if self.same_path:
            knowledge += ", also which of them are of the same path or below the same node,"
        return f"Anyone who knows {knowledge} finds no record, or at least {self.k:,}."


class TreeLDiversity(Part):
    """l-diversity of the sensitive classes (section III-F).

    Among the records that agree with any knowledge, no sensitive label is in more than 1/l.

    Attributes
    ----------
    l
        As above.
    """

    model: Literal["l-diversity"] = "l-diversity"
    l: Annotated[int, Field(ge=2, strict=True)]  # noqa: E741 - the paper's symbol

    def asked(self, root: Sequence[str] = ()) -> str:
        """Say what is asked for; beside what is known of everybody at the root."""
        del root
        return f"l = {self.l}"

    def in_words(self, root: Sequence[str] = ()) -> str:
        """Say what it means."""
        del root
        return (
            "Among the records that agree with what somebody may know, no sensitive label is in "
            f"more than one of {self.l:,}."
        )


TREE_MODELS: dict[str, type[Part]] = {
    "k-m-n-anonymity": KMNAnonymity,
    "l-diversity": TreeLDiversity,
}

TreeRequirementSpec = Annotated[KMNAnonymity | TreeLDiversity, Field(discriminator="model")]
