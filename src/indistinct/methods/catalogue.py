"""Which methods there are, by the names users call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from indistinct.methods.auto import Auto
from indistinct.methods.buckets.anatomy import Anatomy
from indistinct.methods.cells.generalization import CellGeneralization
from indistinct.methods.cells.levels_and_stars import LevelsAndStars
from indistinct.methods.cells.suppression import CellSuppression
from indistinct.methods.freeform.freeform import Freeform
from indistinct.methods.freeform.greedy import FreeformGreedy, FreeformSortGreedy
from indistinct.methods.freeform.hungarian import FreeformHungarian
from indistinct.methods.freeform.mip import FreeformMip
from indistinct.methods.freeform.ring import FreeformRing
from indistinct.methods.full_domain.datafly import Datafly
from indistinct.methods.full_domain.incognito import Incognito
from indistinct.methods.full_domain.mingen import MinGen
from indistinct.methods.full_domain.mu_argus import MuArgus
from indistinct.methods.full_domain.optimal import Optimal
from indistinct.methods.full_domain.samarati import Samarati
from indistinct.methods.intervals.k_optimize import KOptimize
from indistinct.methods.partition.alpha_k_topdown import AlphaKTopDown
from indistinct.methods.partition.best import Best
from indistinct.methods.partition.diversify import Diversify
from indistinct.methods.partition.dual import AccuracyConstrained, Ipcsd
from indistinct.methods.partition.k_member import KMember
from indistinct.methods.partition.local_recoding import LocalRecoding
from indistinct.methods.partition.mondrian import Mondrian
from indistinct.methods.partition.one_dimension import Hilbert, IDistance, OneDimension
from indistinct.methods.partition.topdown import TopDown

if TYPE_CHECKING:
    from indistinct.methods.base import Method

MethodSpec = Annotated[
    Auto
    | Best
    | Optimal
    | Samarati
    | Incognito
    | MinGen
    | Datafly
    | MuArgus
    | KOptimize
    | Mondrian
    | Hilbert
    | IDistance
    | OneDimension
    | Diversify
    | AccuracyConstrained
    | Ipcsd
    | KMember
    | TopDown
    | LocalRecoding
    | AlphaKTopDown
    | CellSuppression
    | CellGeneralization
    | LevelsAndStars
    | Anatomy
    | Freeform
    | FreeformMip
    | FreeformGreedy
    | FreeformSortGreedy
    | FreeformHungarian
    | FreeformRing,
    Field(discriminator="name"),
]

METHODS: dict[str, type[Method]] = {
    "auto": Auto,
    "best": Best,
    "optimal": Optimal,
    "samarati": Samarati,
    "incognito": Incognito,
    "mingen": MinGen,
    "datafly": Datafly,
    "mu-argus": MuArgus,
    "k-optimize": KOptimize,
    "mondrian": Mondrian,
    "hilbert": Hilbert,
    "idistance": IDistance,
    "one-dimension": OneDimension,
    "diversify": Diversify,
    "ac": AccuracyConstrained,
    "ipcsd": Ipcsd,
    "k-member": KMember,
    "topdown": TopDown,
    "local-recoding": LocalRecoding,
    "alpha-k-topdown": AlphaKTopDown,
    "cell-suppression": CellSuppression,
    "cell-generalization": CellGeneralization,
    "levels-and-stars": LevelsAndStars,
    "anatomy": Anatomy,
    "freeform": Freeform,
    "freeform-mip": FreeformMip,
    "freeform-greedy": FreeformGreedy,
    "freeform-sortgreedy": FreeformSortGreedy,
    "freeform-hungarian": FreeformHungarian,
    "freeform-ring": FreeformRing,
}
