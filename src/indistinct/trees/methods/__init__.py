"""Methods that make tree records k^(m,n)-anonymous, one file each."""

from typing import Annotated

from pydantic import Field

from indistinct.trees.methods.all_cut import AllCutSearch
from indistinct.trees.methods.base import TreeMethod, TreeProblem, TreeRecoding
from indistinct.trees.methods.best_cut import BestCutSearch
from indistinct.trees.methods.greedy_cut import GreedyCutSearch
from indistinct.trees.methods.miracle import MiRaCle
from indistinct.trees.methods.only_cut import OnlyCutSearch

TREE_METHODS: dict[str, type[TreeMethod]] = {
    "best-cut-search": BestCutSearch,
    "greedy-cut-search": GreedyCutSearch,
    "all-cut-search": AllCutSearch,
    "only-cut-search": OnlyCutSearch,
    "miracle": MiRaCle,
}

TreeMethodSpec = Annotated[
    BestCutSearch | GreedyCutSearch | AllCutSearch | OnlyCutSearch | MiRaCle,
    Field(discriminator="name"),
]

__all__ = [
    "TREE_METHODS",
    "AllCutSearch",
    "BestCutSearch",
    "GreedyCutSearch",
    "MiRaCle",
    "OnlyCutSearch",
    "TreeMethod",
    "TreeMethodSpec",
    "TreeProblem",
    "TreeRecoding",
]
