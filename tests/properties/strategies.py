"""Random small tables with random hierarchies."""

from __future__ import annotations

from hypothesis import strategies as st


@st.composite
def ladders(draw, name, *, most_leaves=5, most_levels=3):
    """Paths of a random hierarchy: level by level, nodes are merged at random."""
    leaves = draw(st.integers(1, most_leaves))
    paths = [[f"{name}{leaf}"] for leaf in range(leaves)]
    for level in range(1, draw(st.integers(1, most_levels))):
        nodes = sorted({path[-1] for path in paths})
        groups = {node: draw(st.integers(0, len(nodes) - 1)) for node in nodes}
        for path in paths:
            path.append(f"{name}.{level}.{groups[path[-1]]}")
    return [[*path, "*"] for path in paths]


@st.composite
def tables(draw, *, most_columns=3, most_rows=12):
    """Rows, column names and ladders."""
    names = [f"c{i}" for i in range(draw(st.integers(1, most_columns)))]
    found = {name: draw(ladders(name)) for name in names}
    values = {name: [path[0] for path in found[name]] for name in names}
    row = st.fixed_dictionaries({name: st.sampled_from(values[name]) for name in names})
    rows = draw(st.lists(row, min_size=2, max_size=most_rows))
    return rows, names, found
