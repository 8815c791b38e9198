"""The attacks that there are, in the order in which they are run."""

from __future__ import annotations

from indistinct.risk.attacks.background_knowledge import BACKGROUND_KNOWLEDGE
from indistinct.risk.attacks.composition import COMPOSITION
from indistinct.risk.attacks.definetti import DEFINETTI
from indistinct.risk.attacks.downcoding import DOWNCODING
from indistinct.risk.attacks.homogeneity import HOMOGENEITY
from indistinct.risk.attacks.inference import INFERENCE
from indistinct.risk.attacks.likelihood import ASSOCIATION, KNOWN_VALUES, LIKELIHOOD
from indistinct.risk.attacks.linking import LINKING
from indistinct.risk.attacks.minimality import MINIMALITY
from indistinct.risk.attacks.similarity import SIMILARITY
from indistinct.risk.attacks.skewness import SKEWNESS

ATTACKERS = (
    LINKING,
    HOMOGENEITY,
    BACKGROUND_KNOWLEDGE,
    SKEWNESS,
    SIMILARITY,
    INFERENCE,
    COMPOSITION,
    MINIMALITY,
    DOWNCODING,
    DEFINETTI,
    ASSOCIATION,
    LIKELIHOOD,
    KNOWN_VALUES,
)
