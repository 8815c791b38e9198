"""Who imports whom: the modules of indistinct and what each loads, now or when it is first used.

An import inside a function counts, and so do the names that a package loads on demand
(`indistinct._lazy`), which it lists under `TYPE_CHECKING`. Other imports under `TYPE_CHECKING` do
not: nothing is loaded for them.
"""

from __future__ import annotations

import ast
from collections import defaultdict, deque
from functools import cache
from pathlib import Path

import indistinct

SOURCE = Path(indistinct.__file__).parent


@cache
def modules():
    """Map the name of each module to its file."""
    named = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = ("indistinct", *path.relative_to(SOURCE).with_suffix("").parts)
        named[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return named


@cache
def imports_of(module):
    """Name the modules of indistinct that a module imports itself."""
    tree = ast.parse(modules()[module].read_text("utf-8"))
    lazy = any(isinstance(node, ast.Name) and node.id == "lazily" for node in ast.walk(tree))
    unused = set() if lazy else set(_only_for_types(tree))
    found = set()
    for node in ast.walk(tree):
        if node in unused:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name for name in inner if name in modules()}
            found |= {node.module} if any(name not in modules() for name in inner) else set()
    return frozenset(found & modules().keys() - {module})


def _only_for_types(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            for statement in node.body:
                yield from ast.walk(statement)


def packages_of(module):
    """Name the packages that Python loads before a module, but for the outermost."""
    parts = module.split(".")
    return [".".join(parts[:size]) for size in range(2, len(parts))]


def reached_from(module, *, but=()):
    """Map each module that a module leads to, itself too, to the way there.

    Packages that only load on demand what others ask them for can be left out.
    """
    ways = {module: (module,)}
    ahead = deque([module])
    while ahead:
        here = ahead.popleft()
        for name in sorted({*packages_of(here), *imports_of(here)}):
            for loaded in (name, *packages_of(name)):
                if loaded not in ways and loaded not in but:
                    ways[loaded] = (*ways[here], loaded)
                    ahead.append(loaded)
    return ways


def edges(part_of):
    """For each pair of parts that one imports from the other, the modules that do.

    `part_of` names the part that a module belongs to, or None.
    """
    found = defaultdict(set)
    for module in modules():
        for name in imports_of(module):
            one, other = part_of(module), part_of(name)
            if one and other and one != other:
                found[one, other].add(module)
    return found


def cycles(pairs):
    """List the pairs of parts that lie on a cycle."""
    after = defaultdict(set)
    for one, other in pairs:
        after[one].add(other)
    return sorted((one, other) for one, other in pairs if one in _all_after(after, other))


def _all_after(after, start):
    seen, ahead = {start}, [start]
    while ahead:
        new = after[ahead.pop()] - seen
        seen |= new
        ahead += new
    return seen
