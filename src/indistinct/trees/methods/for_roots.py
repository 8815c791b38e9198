"""The methods for tables that can group the roots of mixed records: they publish labels."""

from typing import Annotated

from pydantic import Field

from indistinct.methods.auto import Auto
from indistinct.methods.full_domain.datafly import Datafly
from indistinct.methods.full_domain.incognito import Incognito
from indistinct.methods.full_domain.optimal import Optimal
from indistinct.methods.full_domain.samarati import Samarati
from indistinct.methods.partition.best import Best
from indistinct.methods.partition.k_member import KMember
from indistinct.methods.partition.local_recoding import LocalRecoding
from indistinct.methods.partition.mondrian import Mondrian
from indistinct.methods.partition.one_dimension import Hilbert
from indistinct.methods.partition.topdown import TopDown

RootMethodSpec = Annotated[
    Auto
    | Best
    | Mondrian
    | Hilbert
    | KMember
    | TopDown
    | LocalRecoding
    | Optimal
    | Samarati
    | Incognito
    | Datafly,
    Field(discriminator="name"),
]

DEFAULT = (TopDown(), Optimal())
"""What is tried where a plan names none."""

__all__ = ["DEFAULT", "RootMethodSpec"]
