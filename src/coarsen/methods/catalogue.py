"""Which methods there are, by the names users call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from coarsen.methods.auto import Auto
from coarsen.methods.buckets.anatomy import Anatomy
from coarsen.methods.cells.generalization import CellGeneralization
from coarsen.methods.cells.suppression import CellSuppression
from coarsen.methods.freeform.freeform import Freeform
from coarsen.methods.freeform.greedy import FreeformGreedy, FreeformSortGreedy
from coarsen.methods.freeform.hungarian import FreeformHungarian
from coarsen.methods.freeform.mip import FreeformMip
from coarsen.methods.freeform.ring import FreeformRing
from coarsen.methods.full_domain.datafly import Datafly
from coarsen.methods.full_domain.incognito import Incognito
from coarsen.methods.full_domain.mingen import MinGen
from coarsen.methods.full_domain.mu_argus import MuArgus
from coarsen.methods.full_domain.optimal import Optimal
from coarsen.methods.full_domain.samarati import Samarati
from coarsen.methods.intervals.k_optimize import KOptimize
from coarsen.methods.partition.alpha_k_topdown import AlphaKTopDown
from coarsen.methods.partition.best import Best
from coarsen.methods.partition.diversify import Diversify
from coarsen.methods.partition.dual import AccuracyConstrained, Ipcsd
from coarsen.methods.partition.k_member import KMember
from coarsen.methods.partition.local_recoding import LocalRecoding
from coarsen.methods.partition.mondrian import Mondrian
from coarsen.methods.partition.one_dimension import Hilbert, IDistance, OneDimension
from coarsen.methods.partition.topdown import TopDown

if TYPE_CHECKING:
    from coarsen.methods.base import Method

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
    "anatomy": Anatomy,
    "freeform": Freeform,
    "freeform-mip": FreeformMip,
    "freeform-greedy": FreeformGreedy,
    "freeform-sortgreedy": FreeformSortGreedy,
    "freeform-hungarian": FreeformHungarian,
    "freeform-ring": FreeformRing,
}
