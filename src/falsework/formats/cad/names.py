"""What parts of a STEP file are called: by their place in the tree of assemblies, each name once.

The kernel names instances and parts, but not assemblies whose instances have no name of their own. These names are
looked up in the text of the file, by what the assemblies are made of.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from falsework.formats.cad.gltf import Gltf, Node
from falsework.model.arrays import Array

_WORD = r"'((?:[^']|'')*)'"
_OPTIONAL = rf"(?:{_WORD}|\$)"
_PRODUCT = re.compile(rf"#(\d+)\s*=\s*PRODUCT\s*\(\s*{_WORD}\s*,\s*{_WORD}")
_FORMATION = re.compile(rf"#(\d+)\s*=\s*PRODUCT_DEFINITION_FORMATION\w*\s*\(\s*{_WORD}\s*,\s*{_OPTIONAL}\s*,\s*#(\d+)")
_DEFINITION = re.compile(rf"#(\d+)\s*=\s*PRODUCT_DEFINITION\w*\s*\(\s*{_WORD}\s*,\s*{_OPTIONAL}\s*,\s*#(\d+)")
_USE = re.compile(
    rf"=\s*NEXT_ASSEMBLY_USAGE_OCCURRENCE\s*\(\s*{_WORD}\s*,\s*{_OPTIONAL}\s*,\s*{_OPTIONAL}\s*,\s*#(\d+)\s*,\s*#(\d+)"
)
_UNNAMED = re.compile(r"=>\[[0-9:]*\]|\s*")  # as the kernel writes instances without a name
_WIDE = re.compile(r"\\X2\\((?:[0-9A-F]{4})+)\\X0\\")
MOST_DEPTH = 64  # assemblies inside one another

Signature = str | tuple["Signature", ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """One part in its place."""

    name: str
    mesh: int
    T_world_mesh: Array  # (4, 4)


def leaves(made: Gltf, text: str, stem: str) -> list[Leaf]:
    """The parts of a file, in the order of its tree, each with a name of its own.

    A part is called by the assemblies that it is in, but for the outermost one of all, and by its instance or, where
    that has no name, itself: `gearbox/pin`. An assembly of one part is that part. Names that come several times are
    numbered: `pin-1`, `pin-2`. A file of a single part gives it its product's name, or the file's.
    """
    known = _Known(made, text)
    roots = made.roots
    found = [leaf for root in roots for leaf in _below(root, known, (), np.eye(4), 0)]
    if len(roots) == 1 and len(found) > 1:
        found = [(path[1:] if len(path) > 1 else path, mesh, pose) for path, mesh, pose in found]
    names = _each_once(["/".join(path) or stem for path, _, _ in found])
    return [Leaf(name, mesh, pose) for name, (_, mesh, pose) in zip(names, found, strict=True)]


def _below(
    node: Node, known: _Known, above: tuple[str, ...], T_world_parent: Array, depth: int
) -> Iterator[tuple[tuple[str, ...], int, Array]]:
    """Path of names, mesh and pose of what is at a node or below it."""
    if depth > MOST_DEPTH:
        raise ValueError(f"found assemblies inside one another more than {MOST_DEPTH} deep")
    pose = T_world_parent @ node.T_parent_node
    name = known.name(node)
    while node.mesh is None and len(node.children) == 1:  # an assembly of one
        node = node.children[0]
        pose = pose @ node.T_parent_node
        name = name or known.name(node)
    path = (*above, name) if name else above
    if node.mesh is not None:
        yield path, node.mesh, pose
    for child in node.children:
        yield from _below(child, known, path, pose, depth + 1)


class _Known:
    """Names, from the kernel or from the text."""

    def __init__(self, made: Gltf, text: str) -> None:
        self._made, self._text = made, text

    def name(self, node: Node) -> str:
        """Of an instance, or of what it is an instance of; empty where neither has one."""
        if not _UNNAMED.fullmatch(node.name) and node.name not in self._numbers:
            return _plain(node.name)
        if node.mesh is not None:
            return _plain(self._made.mesh_name(node.mesh))
        return _plain(self._assemblies.get(self._signature(node), ""))

    def _signature(self, node: Node) -> Signature:
        """What is in an assembly, by the names of its parts."""
        if node.mesh is not None:
            return self._made.mesh_name(node.mesh)
        return tuple(sorted(map(self._signature, node.children), key=repr))

    @cached_property
    def _uses(self) -> list[tuple[str, ...]]:
        return _USE.findall(self._text)

    @cached_property
    def _numbers(self) -> set[str]:
        """Numbers of instances whose name is left empty: the kernel then calls them by these."""
        return {number for number, name, *_ in self._uses if not name.strip()}

    @cached_property
    def _assemblies(self) -> dict[Signature, str]:
        """The names of assemblies by what is in them."""
        products = {number: name.strip() or key for number, key, name in _PRODUCT.findall(self._text)}
        formations = {number: products.get(product, "") for number, *_, product in _FORMATION.findall(self._text)}
        definitions = {number: formations.get(made, "") for number, *_, made in _DEFINITION.findall(self._text)}
        parts: defaultdict[str, list[str]] = defaultdict(list)
        for *_, whole, part in self._uses:
            parts[whole].append(part)

        def signature(definition: str, depth: int = 0) -> Signature:
            if definition not in parts or depth > MOST_DEPTH:
                return _decoded(definitions.get(definition, ""))
            return tuple(sorted((signature(part, depth + 1) for part in parts[definition]), key=repr))

        return {signature(whole): _decoded(definitions.get(whole, "")) for whole in parts}


def _decoded(word: str) -> str:
    """A word of a STEP file as text."""
    text = word.replace("''", "'").replace("\\\\", "\\")
    return _WIDE.sub(lambda found: bytes.fromhex(found[1]).decode("utf-16-be", "replace"), text)


def _plain(name: str) -> str:
    """A name as one of a part may be: slashes part assemblies, so there are none in it."""
    return " ".join(name.replace("/", "-").split())[:200]


def _each_once(names: list[str]) -> list[str]:
    """The names, those that come several times with numbers."""
    counts, given = Counter(names), Counter[str]()
    taken = {name for name, count in counts.items() if count == 1}
    found = []
    for name in names:
        made = name
        while counts[name] > 1 and (made == name or made in taken):
            given[name] += 1
            made = f"{name}-{given[name]}"
        taken.add(made)
        found.append(made)
    return found
