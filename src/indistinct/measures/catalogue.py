"""Which measures there are, by the names that reports call them, and how each is to be read.

A measure that follows from the classes of a recoding alone knows how to compute itself
(`indistinct.measures.classes`); others are computed by what the entry names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from indistinct.measures import classes as of_classes

if TYPE_CHECKING:
    from collections.abc import Callable

    from indistinct.measures.classes import MeasuredClasses


@dataclass(frozen=True)
class Measure:
    """What a measure says, and how to read it.

    Attributes
    ----------
    name
        What summaries and tables call it.
    title
        What charts and reports call it.
    least, most
        Its range; `most` is None where it grows with the table or without end.
    best
        Whether the least or the most is best.
    paper
        Where it was published.
    reading
        What a figure says, in a line for people.
    compute
        How to compute it from classes; None where more than classes is needed.
    """

    name: str
    title: str
    least: float
    most: float | None
    best: Literal["least", "most"]
    paper: str
    reading: str
    compute: Callable[[MeasuredClasses], float] | None = None


XU = "Xu et al., KDD 2006"
GHINITA = "Ghinita et al., ACM TODS 34(2), 2009"
SAMARATI = "Samarati, IEEE TKDE 13(6), 2001, section 6"

_ALL = (
    Measure(
        "ncp",
        "NCP by column",
        0,
        1,
        "least",
        XU,
        "how much of a column's detail is lost in a row, on average: 0 nothing, 1 all",
    ),
    Measure(
        "gcp",
        "GCP",
        0,
        1,
        "least",
        f"{GHINITA}, equation 2",
        "how much detail is lost in a cell, on average: 0 nothing, 1 all",
        of_classes.gcp,
    ),
    Measure(
        "il1",
        "average NCP of classes (IL1)",
        0,
        1,
        "least",
        f"{GHINITA}, equation 3",
        "how wide a class is, on average; small classes count as much as large ones",
        of_classes.average_extent,
    ),
    Measure(
        "il_inf",
        "largest NCP of a class (IL∞)",
        0,
        1,
        "least",
        f"{GHINITA}, equation 4",
        "how wide the widest class is; 1 where rows are suppressed",
        of_classes.largest_extent,
    ),
    Measure(
        "weighted_max_ncp",
        "weighted maximum NCP",
        0,
        None,
        "least",
        f"{GHINITA}, section 7.2",
        "the worst loss of one class, in rows whose detail is lost altogether",
        of_classes.largest_loss,
    ),
    Measure(
        "average_volume",
        "weighted average volume",
        0,
        1,
        "least",
        f"{GHINITA}, section 7.2",
        "which share of all possible combinations of values a row could be, on average",
        of_classes.average_volume,
    ),
    Measure(
        "discernibility",
        "discernibility (DM)",
        0,
        None,
        "least",
        "Bayardo, Agrawal, ICDE 2005",
        "how many pairs of rows can no longer be distinguished; rows times rows if none can",
        of_classes.discernibility,
    ),
    Measure(
        "classification",
        "classification metric (CM)",
        0,
        1,
        "least",
        "Iyengar, KDD 2002",
        "the share of rows that the majority of their class would classify wrongly",
    ),
    Measure(
        "kl_divergence",
        "KL-divergence of the data cube",
        0,
        None,
        "least",
        f"{GHINITA}, section 7.4",
        "how far counts from the release lie from the true ones, in nats; 0 where all are right",
    ),
    Measure(
        "relative_error",
        "relative error of the data cube",
        0,
        None,
        "least",
        "Xiao, Tao, VLDB 2006",
        "how wrong a count from the release is, on average, as a share of the true one",
    ),
    Measure(
        "marginals_kept",
        "distributions kept",
        0,
        1,
        "most",
        "Ridgeway, Theofanos, Manley, Task, NIST TN 2151, 2021 (k-marginals, k = 1)",
        "which share of a column's distribution the release still tells, on average: 1 all of it",
    ),
    Measure(
        "association_difference",
        "associations moved",
        0,
        1,
        "least",
        "Cramér, Mathematical Methods of Statistics, 1946, section 21.9 (V)",
        "how far the association of two columns (0 none, 1 full) moved, on average over all pairs",
    ),
    Measure(
        "classifier_accuracy_kept",
        "classifier accuracy kept",
        0,
        None,
        "most",
        "LeFevre, DeWitt, Ramakrishnan, ACM TODS 33(3), 2008",
        "how often a classifier that learnt from the release is right, as a share of how often "
        "one that learnt from private rows is; near 1 if nothing was lost",
    ),
    Measure(
        "average_class_size",
        "average class size",
        0,
        None,
        "least",
        "LeFevre, DeWitt, Ramakrishnan, ICDE 2006",
        "how many released rows a class has, on average",
    ),
    Measure(
        "accuracy",
        "accuracy",
        0,
        1,
        "most",
        SAMARATI,
        "how far below the tops of their hierarchies the columns stay: 1 as they are, 0 on top",
    ),
    Measure(
        "completeness",
        "completeness",
        0,
        1,
        "most",
        SAMARATI,
        "the share of rows that is released",
    ),
    Measure(
        "height",
        "height",
        0,
        None,
        "least",
        "Samarati, IEEE TKDE 13(6), 2001, section 3",
        "how many levels all columns were raised, together",
    ),
)

MEASURES: dict[str, Measure] = {measure.name: measure for measure in _ALL}


def class_losses(classes: MeasuredClasses) -> dict[str, float]:
    """Compute every measure that classes alone decide."""
    return {m.name: m.compute(classes) for m in _ALL if m.compute is not None}
