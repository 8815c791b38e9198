"""Customers of the TPC-H benchmark as trees, with a generated hierarchy of fanout 5.

Gkountouna and Terrovitis measure on such customers (their section IV and Table I). A customer has a
nation and one or two orders of one to three items; an order has a date and a price, an item a
manufacturer, a brand and a quantity. Rows that point to a row stand below it: orders below the
customer's nation, items below the order's date.
"""

from __future__ import annotations

import subprocess
import sysconfig
import tempfile
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.errors import DataError, Fault
from indistinct.io.base import Dialect, Rows
from indistinct.io.parquet import Parquet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.trees.forest import Forest

    Ints = NDArray[np.int64]

CLASSES = ("nation", "order_date", "order_price", "manufacturer", "brand", "quantity")
MOST_ORDERS, MOST_ITEMS = 2, 3
FANOUT = 5
_AT_ONCE = 250_000
_PER_SCALE = 99_900  # customers with an order at scale factor 1, a few less than there are
STEPS = (
    *(0, 6, 11, 16, 20, 24, 28, 32, 35, 38, 41, 44, 47, 50, 53, 56, 59, 61, 64, 67, 70, 73, 75, 78),
    *(81, 84, 87, 90, 92, 95, 98, 101, 104, 107, 110, 113, 116, 119, 122, 124, 127, 130, 133, 136),
    *(139, 142, 145, 148, 151, 154, 156, 159, 162, 165, 168, 171, 174, 177, 181, 184, 187, 190),
    *(193, 196, 200, 203, 206, 209, 213, 216, 220, 224, 227, 231, 235, 239, 243, 247, 252, 256),
    *(261, 267, 272, 278, 284, 292, 300, 309, 319, 334, 356),
)
"""Where the steps of the order price begin, in thousands, so that each has about as many orders."""
_REGIONS = {
    "AFRICA": ("ALGERIA", "ETHIOPIA", "KENYA", "MOROCCO", "MOZAMBIQUE"),
    "AMERICA": ("ARGENTINA", "BRAZIL", "CANADA", "PERU", "UNITED STATES"),
    "ASIA": ("CHINA", "INDIA", "INDONESIA", "JAPAN", "VIETNAM"),
    "EUROPE": ("FRANCE", "GERMANY", "ROMANIA", "RUSSIA", "UNITED KINGDOM"),
    "MIDDLE EAST": ("EGYPT", "IRAN", "IRAQ", "JORDAN", "SAUDI ARABIA"),
}


def tpch_ladders(steps: Sequence[int] = STEPS) -> dict[str, list[list[str]]]:
    """Return for every class the ladders of its labels, each path from leaf to top.

    There are 276 ground labels, as many as the paper's domain has.

    Examples
    --------
    >>> ladders = tpch_ladders()
    >>> ladders["nation"][0]
    ['ALGERIA', 'AFRICA', 'any nation']
    >>> sum(len(paths) for paths in ladders.values())
    276
    """
    nations = [[nation, region] for region, group in _REGIONS.items() for nation in group]
    leaves = {
        "order_date": [f"{m // 12}-{m % 12 + 1:02}" for m in range(1992 * 12, 1998 * 12 + 8)],
        "order_price": _price_labels(steps),
        "manufacturer": [f"Manufacturer#{m}" for m in range(1, 6)],
        "brand": [f"Brand#{m}{n}" for m in range(1, 6) for n in range(1, 6)],
        "quantity": [str(n) for n in range(1, 51)],
    }
    paths = {"nation": nations} | {name: _grouped(labels) for name, labels in leaves.items()}
    return {name: [[*path, f"any {name}"] for path in paths[name]] for name in CLASSES}


def _grouped(labels: list[str]) -> list[list[str]]:
    """Group neighbours by fives, and the groups again, while there are more than five."""
    paths = [[label] for label in labels]
    ends = [(label, label) for label in labels]
    member = np.arange(len(labels))
    while len(ends) > FANOUT:
        count = ceil(len(ends) / FANOUT)
        bounds = np.linspace(0, len(ends), count + 1).round().astype(int)
        member = np.searchsorted(bounds, member, side="right") - 1
        ends = [(ends[low][0], ends[high - 1][1]) for low, high in pairwise(bounds.tolist())]
        for path, group in zip(paths, member.tolist(), strict=True):
            path.append(f"{ends[group][0]} to {ends[group][1]}")
    return paths


def _price_labels(steps: Sequence[int]) -> list[str]:
    return [*(f"{low}k-{high}k" for low, high in pairwise(steps)), f"{steps[-1]}k+"]


def tpch_tables(
    folder: Path, records: int = 100_000, *, seed: int = 0, steps: Sequence[int] = STEPS
) -> dict[str, Path]:
    """Write customers, orders and items as three Parquet tables, unless they are there already.

    The number of orders of a customer (1 or 2) and of items of an order (1 to 3) is drawn, which
    gives the paper's twelve nodes per record. Dates are months; prices are in 91 steps
    that are about equally frequent.

    Parameters
    ----------
    folder
        Where the tables are kept; one folder may hold several sizes.
    records
        How many customers. The generator works in a temporary folder, by parts of 250,000
        customers, which take about 800 MB there.
    seed
        For the draws. Same seed, same tables.
    steps
        Where the steps of the order price begin, in thousands; give each other steps a folder of
        their own.

    Returns
    -------
    dict of str to pathlib.Path
        The files of ``customers``, ``orders`` and ``items``.

    Raises
    ------
    DataError
        If ``tpchgen-cli`` is not installed (``pip install tpchgen-cli``).
    """
    folder = folder / f"tpch-{records}-{seed}"
    paths = {name: folder / f"{name}.parquet" for name in ("customers", "orders", "items")}
    if not all(path.exists() for path in paths.values()):
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in _tables(records, np.random.default_rng(seed), steps).items():
            Parquet().write(Rows.all_of(table), paths[name], Dialect())
    return paths


def tpch_layout(paths: dict[str, Path]) -> dict[str, dict[str, Any]]:
    """Return the ``[tree.tables]`` section that reads the three tables as customers' trees."""
    return {
        "customers": {
            "file": str(paths["customers"]),
            "key": "customer",
            "columns": ["nation"],
        },
        "orders": {
            "file": str(paths["orders"]),
            "key": "order",
            "parent": "customers",
            "foreign_key": "customer",
            "columns": ["order_date", ["order_price"]],
        },
        "items": {
            "file": str(paths["items"]),
            "parent": "orders",
            "foreign_key": "order",
            "columns": ["manufacturer", ["brand", "quantity"]],
        },
    }


def tpch(folder: Path, records: int = 100_000, *, seed: int = 0) -> Forest:
    """Return the customers as trees, made by way of `tpch_tables`."""
    from indistinct.trees.files.layout import TableSpec
    from indistinct.trees.files.tables import read

    layout = tpch_layout(tpch_tables(folder, records, seed=seed))
    tables = {name: TableSpec(**spec) for name, spec in layout.items()}
    return read(tables, CLASSES, Path("/"))


def _tables(records: int, draw: np.random.Generator, steps: Sequence[int]) -> dict[str, pa.Table]:
    with tempfile.TemporaryDirectory(prefix="indistinct-tpch-") as place:
        generator = _Generator(Path(place), records)
        orders = _chosen_orders(generator, records, draw)
        items = _chosen_items(generator, orders["order"], draw)
        customers = _customers(generator, orders["customer"])
        parts = generator.table("part", ["p_partkey", "p_mfgr", "p_brand"])
    where = pc.index_in(items.pop("part"), parts["p_partkey"].combine_chunks())
    return {
        "customers": customers,
        "orders": pa.table(
            {
                "order": orders["order"],
                "customer": orders["customer"],
                "order_date": orders["date"],
                "order_price": _priced(orders["price"], steps),
            }
        ),
        "items": pa.table(
            {
                **items,
                "manufacturer": parts["p_mfgr"].cast(pa.string()).take(where),
                "brand": parts["p_brand"].cast(pa.string()).take(where),
            }
        ),
    }


def _priced(prices: NDArray[np.float64], steps: Sequence[int]) -> pa.Array:
    places = np.searchsorted(np.array(steps) * 1000, prices, side="right") - 1
    return pa.array(_price_labels(steps)).take(pa.array(places))


def _chosen_orders(
    generator: _Generator, records: int, draw: np.random.Generator
) -> dict[str, Any]:
    names = ["o_orderkey", "o_custkey", "o_orderdate", "o_totalprice"]
    table = generator.table("orders", names)
    keys = table["o_custkey"].to_numpy()
    order = np.argsort(keys, kind="stable")
    people, first, count = np.unique(keys[order], return_index=True, return_counts=True)
    chosen = np.sort(draw.choice(people.size, min(records, people.size), replace=False))
    wanted = np.minimum(count[chosen], draw.integers(1, MOST_ORDERS + 1, chosen.size))
    rows = order[np.repeat(first[chosen], wanted) + _ranks(wanted)]
    picked = table.take(pa.array(rows))
    months = picked["o_orderdate"].to_numpy().astype("datetime64[M]")
    return {
        "order": picked["o_orderkey"].to_numpy(),
        "customer": picked["o_custkey"].to_numpy(),
        "date": np.datetime_as_string(months),
        "price": picked["o_totalprice"].cast(pa.float64()).to_numpy(),
    }


def _ranks(counts: Ints) -> Ints:
    """Count 0, 1, ... within every group of the given sizes."""
    ends = np.cumsum(counts)
    ranks: Ints = np.arange(ends[-1]) - np.repeat(ends - counts, counts)
    return ranks


def _chosen_items(generator: _Generator, orders: Ints, draw: np.random.Generator) -> dict[str, Any]:
    by_key = np.argsort(orders)
    keys, most = orders[by_key], draw.integers(1, MOST_ITEMS + 1, orders.size)[by_key]
    chosen: dict[str, list[Any]] = {"order": [], "part": [], "quantity": []}
    names = ["l_orderkey", "l_linenumber", "l_partkey", "l_quantity"]
    for table in generator.parts("lineitem", names):
        key = table["l_orderkey"].to_numpy()
        place = np.minimum(np.searchsorted(keys, key), keys.size - 1)
        line = table["l_linenumber"].to_numpy()
        kept = np.flatnonzero((keys[place] == key) & (line <= most[place]))
        picked = table.take(pa.array(kept))
        chosen["order"].append(key[kept])
        chosen["part"].append(picked["l_partkey"].to_numpy())
        chosen["quantity"].append(picked["l_quantity"].cast(pa.int64()).to_numpy())
    joined = {name: np.concatenate(parts) for name, parts in chosen.items()}
    quantity = pa.array(joined["quantity"]).cast(pa.string())
    return {"order": joined["order"], "part": pa.array(joined["part"]), "quantity": quantity}


def _customers(generator: _Generator, chosen: Ints) -> pa.Table:
    people = generator.table("customer", ["c_custkey", "c_nationkey"])
    nations = generator.table("nation", ["n_nationkey", "n_name"])
    keys = np.unique(chosen)
    where = pc.index_in(pa.array(keys), people["c_custkey"].combine_chunks())
    nation = pc.index_in(people["c_nationkey"].take(where), nations["n_nationkey"].combine_chunks())
    return pa.table({"customer": keys, "nation": nations["n_name"].cast(pa.string()).take(nation)})


class _Generator:
    """The tables of one scale, made part by part and not kept.

    The program takes a second to start, so one run makes all tables of a part.
    """

    def __init__(self, folder: Path, records: int) -> None:
        self._folder, self._scale = folder, max(records / _PER_SCALE, 0.01)
        self._parts = ceil(records / _AT_ONCE)
        self._run(("nation", "customer", "part"), [])

    def table(self, name: str, columns: list[str]) -> pa.Table:
        """Return some columns of a table."""
        return pa.concat_tables(list(self.parts(name, columns)))

    def parts(self, name: str, columns: list[str]) -> Iterator[pa.Table]:
        """Yield some columns of a table, part by part."""
        whole = self._folder / f"{name}.parquet"
        if whole.exists():
            yield Parquet().read(whole, Dialect(), columns)
            return
        for part in range(1, self._parts + 1):
            self._run((name,), [f"--parts={self._parts}", f"--part={part}"])
            for path in (self._folder / name).glob("*.parquet"):
                yield Parquet().read(path, Dialect(), columns)
                path.unlink()

    def _run(self, names: tuple[str, ...], split: list[str]) -> None:
        program = Path(sysconfig.get_path("scripts")) / "tpchgen-cli"
        tables = names if self._parts > 1 else (*names, "orders", "lineitem")
        command = ["parquet", "-q", f"-s={self._scale}", f"-o={self._folder}"]
        try:
            subprocess.run(  # noqa: S603 - our own words
                [program, *command, f"-T={','.join(tables)}", *split], check=True
            )
        except FileNotFoundError:
            raise DataError(
                Fault("tpchgen-cli", "it is not installed", "Run pip install tpchgen-cli.")
            ) from None
