"""Relational records: what is written reads back as the same forest; what is broken is told."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest
from hypothesis import given

from indistinct.errors import DataError, OutputError, PlanError
from indistinct.trees.files.layout import TableSpec, layout_of
from indistinct.trees.files.tables import read
from indistinct.trees.files.tables_writing import write
from tests.profiles import examples
from tests.trees.growing import grow, records, sets_of

SHOP = ("nation", "sex", "date", "price", "maker", "brand", "count")
SHOP_TABLES = {
    "customers": {"file": "customers.csv", "key": "id", "columns": [["nation", "sex"]]},
    "orders": {
        "file": "orders.csv",
        "key": "number",
        "parent": "customers",
        "foreign_key": "customer",
        "columns": ["date", "price"],
    },
    "items": {
        "file": "items.csv",
        "parent": "orders",
        "foreign_key": "order",
        "columns": ["maker", ["brand", "count"]],
    },
}
SHOP_BELOW = {
    None: ["nation", "sex", "date", "price", "maker", "brand", "count"],
    "nation": [],
    "sex": [],
    "date": ["price", "maker", "brand", "count"],
    "price": ["maker", "brand", "count"],
    "maker": ["brand", "count"],
    "brand": [],
    "count": [],
}
WEAK_KEYS = {
    "customers": {"file": "c.csv", "key": ["town", "id"], "columns": [["nation", "sex"]]},
    "orders": {
        "file": "o.csv",
        "key": ["town", "id", "number"],
        "parent": "customers",
        "foreign_key": ["town", "id"],
        "columns": ["date", "price"],
    },
    "items": {
        "file": "i.csv",
        "parent": "orders",
        "foreign_key": ["town", "id", "number"],
        "person": ["whose", "id"],
        "orphans": "root",
        "columns": ["maker", ["brand", "count"]],
    },
}
SEVERAL_COLUMNS = {
    **SHOP_TABLES,
    "items": {
        **SHOP_TABLES["items"],
        "columns": ["maker", ["brand1", "brand2", "count"]],
        "classes": {"brand1": "brand", "brand2": "brand"},
    },
    "liked": {
        "file": "liked.csv",
        "parent": "customers",
        "foreign_key": "customer",
        "columns": [["brand"]],
    },
}
GROUPS = {
    "people": {"file": "people.csv", "key": "id"},
    "stays": {
        "file": "stays.csv",
        "entity": "hospital",
        "key": "stay",
        "parent": "people",
        "foreign_key": "id",
        "columns": [["disease"]],
    },
    "care": {
        "file": "care.csv",
        "parent": "stays",
        "foreign_key": "stay",
        "columns": ["treatment"],
    },
}
CARE = ("hospital", "disease", "treatment")
GROUPS_BELOW = {
    None: ["hospital", "disease", "treatment"],
    "hospital": ["disease", "treatment"],
    "disease": [],
    "treatment": [],
}
CARE_BELOW = {
    None: ["hospital", "disease", "treatment"],
    "hospital": ["disease", "treatment"],
    "disease": ["treatment"],
    "treatment": [],
}
ONE_TABLE = {
    "visits": {"file": "visits.parquet", "record": "patient", "columns": list(CARE)},
}
CHAIN_ABOVE = {
    "stays": {"file": "stays.csv.gz", "key": "stay", "columns": ["hospital"]},
    "care": {
        "file": "care.parquet",
        "parent": "stays",
        "foreign_key": "stay",
        "columns": ["disease", ["treatment"]],
    },
}


def specs(tables):
    return {name: TableSpec(**spec) for name, spec in tables.items()}


def values(classes, tables):
    entities = {spec.get("entity") for spec in tables.values()}
    return {
        name: [name] if name in entities else [f"{name}1", f'{name}, "2"', f"{name} 3"]
        for name in classes
    }


@pytest.mark.parametrize(
    ("tables", "classes", "below"),
    [
        (SHOP_TABLES, SHOP, SHOP_BELOW),
        (ONE_TABLE, CARE, CARE_BELOW),
        (CHAIN_ABOVE, CARE, CARE_BELOW),
        (WEAK_KEYS, SHOP, SHOP_BELOW),
        (SEVERAL_COLUMNS, SHOP, SHOP_BELOW),
        (GROUPS, CARE, GROUPS_BELOW),
    ],
    ids=["shop", "one table", "chain above", "weak keys", "several columns", "groups"],
)
def test_what_is_written_reads_back(tables, classes, below, tmp_path_factory):
    @examples(25)
    @given(records(below, values(classes, tables), max_size=5))
    def check(listed):
        forest = grow(classes, listed)
        folder = tmp_path_factory.mktemp("tables")
        paths = write(forest, specs(tables), folder)
        assert sorted(p.name for p in folder.iterdir()) == sorted(p.name for p in paths)
        assert sets_of(read(specs(tables), classes, folder)) == sets_of(forest)

    check()


def make(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder


GOOD = {
    "customers": "id,nation,sex\nc1,FR,f\nc2,DE,m\n",
    "orders": "number,customer,date,price\n1,c1,May,low\n2,c2,May,high\n3,c1,May,\n",
    "items": "order,maker,brand,count\n1,M,B1,1\n1,M,B2,\n3,,B9,7\n",
}


def test_rows_become_trees_and_equal_siblings_merge(tmp_path):
    forest = read(specs(SHOP_TABLES), SHOP, make(tmp_path, **GOOD), keep_ids=True)
    first, second = sets_of(forest)
    none = frozenset()
    makers = frozenset({("brand", "B1", none), ("count", "1", none), ("brand", "B2", none)})
    low = frozenset({("maker", "M", makers)})
    may = frozenset({("price", "low", low), ("brand", "B9", none), ("count", "7", none)})
    assert first == frozenset({("nation", "FR", none), ("sex", "f", none), ("date", "May", may)})
    high = frozenset({("price", "high", none)})
    assert second == frozenset({("nation", "DE", none), ("sex", "m", none), ("date", "May", high)})
    assert forest.ids == ("c1", "c2")


def test_keys_of_several_columns_are_not_mixed_up(tmp_path):
    make(
        tmp_path,
        c="town,id,nation,sex\nA,11,FR,f\nA1,1,DE,m\n",
        o="town,id,number,date,price\nA1,1,1,May,\nA,11,1,June,\n",
        i="town,id,number,whose,maker,brand,count\nA,11,1,,M,,\n,11,,A,N,,\n",
    )
    first, second = sets_of(read(specs(WEAK_KEYS), SHOP, tmp_path))
    none = frozenset()
    assert second == frozenset({("nation", "DE", none), ("sex", "m", none), ("date", "May", none)})
    june = ("date", "June", frozenset({("maker", "M", none)}))
    assert first == frozenset(
        {("nation", "FR", none), ("sex", "f", none), june, ("maker", "N", none)}
    )


def test_a_class_in_several_columns_and_tables_is_one_class(tmp_path):
    files = {
        **GOOD,
        "items": "order,maker,brand1,brand2,count\n1,M,B1,B2,1\n1,M,B2,,\n",
        "liked": "customer,brand\nc2,B1\n",
    }
    forest = read(specs(SEVERAL_COLUMNS), SHOP, make(tmp_path, **files))
    assert sorted(v for v in forest.labels.values if v.startswith("B")) == ["B1", "B2"]
    out = tmp_path / "out"
    out.mkdir()
    write(forest, specs(SEVERAL_COLUMNS), out)
    rows = (out / "items.csv").read_text(encoding="utf-8").splitlines()
    assert rows[1:] == ["1,M,B1,B2,1"]
    assert (out / "liked.csv").read_text(encoding="utf-8").splitlines()[1:] == ["2,B1"]


def test_orphans_are_dropped_where_the_plan_says_so_with_all_below_them(tmp_path):
    files = {**GOOD, "orders": GOOD["orders"].replace("3,c1", "3,c9")}
    make(tmp_path, **files)
    dropping = {
        name: {**spec, "orphans": "drop"} if "parent" in spec else spec
        for name, spec in SHOP_TABLES.items()
    }
    forest = read(specs(dropping), SHOP, tmp_path)
    assert forest.notes == (
        "1 row of orders.csv left out: 'customer' points to no row of 'customers'",
        "1 row of items.csv left out: 'order' points to no row of 'orders'",
    )
    assert "B9" not in forest.labels.values
    with pytest.raises(DataError, match=r"orders\.csv, row 3: 'customer' points to no row of cust"):
        read(specs(SHOP_TABLES), SHOP, tmp_path)


def test_columns_that_are_beside_each_other_are_not_paired_in_a_release(tmp_path):
    """Two brands and a count below one maker: no row may say which brand the count is of."""
    forest = read(specs(SHOP_TABLES), SHOP, make(tmp_path, **GOOD))
    out = tmp_path / "out"
    out.mkdir()
    write(forest, specs(SHOP_TABLES), out)
    rows = (out / "items.csv").read_text(encoding="utf-8").splitlines()[1:]
    cells = sorted(row.split(",")[1:] for row in rows)
    assert cells == [["", "B9", "7"], ["M", "", "1"], ["M", "B1", ""], ["M", "B2", ""]]


def test_keys_of_a_release_are_new_and_parquet_is_parquet(tmp_path):
    forest = read(specs(SHOP_TABLES), SHOP, make(tmp_path, **GOOD))
    tables = {name: spec | {"file": f"{name}.parquet"} for name, spec in SHOP_TABLES.items()}
    out = tmp_path / "out"
    out.mkdir()
    write(forest, specs(tables), out)
    assert pq.read_table(out / "customers.parquet").to_pylist() == [
        {"id": 1, "nation": "FR", "sex": "f"},
        {"id": 2, "nation": "DE", "sex": "m"},
    ]


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ({"items": "order,maker,brand,count\n1,M,B,1\n9,M,B,1\n,M,B,1\n"}, "items.csv, rows 2, 3"),
        ({"orders": "number,customer,date,price\n1,c7,May,low\n"}, "orders.csv, row 1"),
        ({"customers": "id,nation,sex\nc1,FR,f\nc1,DE,m\nc2,DE,m\n"}, "customers.csv, row 2"),
        ({"orders": "number,customer,date,price\n,c1,May,low\n1,c1,J,\n3,c1,J,\n"}, "row 1: the"),
        ({"orders": "number,customer,date\n1,c1,May\n"}, "orders.csv: no column 'price'"),
        ({"customers": "c7,FR,f\n"}, "customers.csv: no column 'id', 'nation', 'sex' is there"),
    ],
    ids=["orphans", "orphan", "key twice", "no key", "no column", "no header"],
)
def test_a_broken_table_is_told_with_its_rows_and_without_its_keys(broken, told, tmp_path):
    make(tmp_path, **(GOOD | broken))
    with pytest.raises(DataError) as caught:
        read(specs(SHOP_TABLES), SHOP, tmp_path)
    assert told in str(caught.value)
    assert "c7" not in str(caught.value)


def test_all_broken_tables_are_told_at_once(tmp_path):
    make(tmp_path, customers=GOOD["customers"] + "c1,FR,f\n", items=GOOD["items"] + "8,M,B,1\n")
    make(tmp_path, orders=GOOD["orders"])
    with pytest.raises(DataError) as caught:
        read(specs(SHOP_TABLES), SHOP, tmp_path)
    assert [fault.place for fault in caught.value.faults] == [
        "customers.csv, row 3",
        "items.csv, row 4",
    ]


def test_a_missing_file_is_told(tmp_path):
    make(tmp_path, customers=GOOD["customers"], orders=GOOD["orders"])
    with pytest.raises(DataError, match=r"items\.csv: there is no such file"):
        read(specs(SHOP_TABLES), SHOP, tmp_path)


def changed(table, **keys):
    return {**SHOP_TABLES, table: {**SHOP_TABLES[table], **keys}}


@pytest.mark.parametrize(
    ("tables", "told"),
    [
        (
            changed("customers", parent="items", foreign_key="x"),
            "in a circle: customers -> items -> orders -> customers",
        ),
        (changed("orders", parent="orders"), "in a circle: orders -> orders"),
        (changed("orders", parent="order"), "there is no table 'order'. Closest: 'orders'"),
        (changed("orders", parent=None), "only one of them is given"),
        (changed("orders", parent=None, foreign_key=None), "2 tables have no parent"),
        (changed("orders", columns=["price", "date"]), "stands below 'price', which comes after"),
        (changed("orders", columns=["date", "prise"]), "there is no class 'prise'. Closest: 'pri"),
        (changed("orders", columns=["date"]), "no table has a column of class 'price'"),
        (changed("orders", key=None), "tree.tables.orders.key: table 'items' points to it"),
        (changed("items", columns=[["brand", "count"], "maker"]), "Put it last"),
        (changed("items", columns=["maker", ["brand", "count", "date"]]), "stands below 'maker'"),
        (
            changed(
                "items",
                columns=["maker", "second", ["brand", "count"]],
                classes={"second": "maker"},
            ),
            "a path has each class once",
        ),
        (changed("orders", key=["customer"]), "this one is made of the foreign key alone"),
        (changed("orders", foreign_key=["customer", "shop"]), "2 columns point to a key of 1"),
        (changed("orders", orphans="root"), 'orphans = "root" needs to know whose row it is'),
        (changed("customers", orphans="drop"), "rows of the root table point to none"),
        (changed("items", columns=["order"]), "keys are not published"),
        (changed("items", classes={"colour": "brand"}), "'colour' is not one of its columns"),
        (changed("items", record="order"), "only the root table names the person"),
        ({}, "there are no tables"),
    ],
)
def test_a_layout_that_does_not_fit_is_told(tables, told):
    with pytest.raises(PlanError) as caught:
        layout_of(specs(tables), SHOP)
    assert told in str(caught.value)


def test_tables_with_one_file_name_are_not_written(tmp_path):
    tables = changed("items", file="other/orders.csv")
    forest = grow(SHOP, [])
    with pytest.raises(OutputError, match="the same file name"):
        write(forest, specs(tables), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_release_does_not_replace_its_source(tmp_path):
    make(tmp_path, **GOOD)
    tables = {
        name: spec | {"file": str(tmp_path / spec["file"])} for name, spec in SHOP_TABLES.items()
    }
    forest = read(specs(tables), SHOP, tmp_path)
    with pytest.raises(OutputError, match="the output is an input"):
        write(forest, specs(tables), tmp_path)
    assert (tmp_path / "items.csv").read_text(encoding="utf-8") == GOOD["items"]
