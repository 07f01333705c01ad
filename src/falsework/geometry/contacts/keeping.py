"""What takes long to find about large assemblies is kept (`kernels/keeping.py`) by all that it depends on."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import sha256
from typing import TypeVar

import numpy as np

from falsework.kernels.keeping import folder, kept
from falsework.model.assembly import Assembly
from falsework.model.part import Part
from falsework.model.shapes import Mesh

LARGE = 20_000  # triangles of meshes from which on an assembly is worth it

Made = TypeVar("Made")


def kept_of(assembly: Assembly, what: str, make: Callable[[], Made]) -> Made:
    """What `make` finds about an assembly, and nothing else; kept where the assembly is large."""
    if not is_large(assembly) or folder() is None:
        return make()
    return kept(what, [_digest(assembly)], make)


def is_large(assembly: Assembly) -> bool:
    """Whether what is found about an assembly is worth keeping."""
    return triangles_of(assembly) >= LARGE


def triangles_of(assembly: Assembly) -> int:
    """How many all its meshes have."""
    return sum(len(part.shape.triangles) for part in assembly.parts if isinstance(part.shape, Mesh))


@lru_cache(maxsize=4)
def _digest(assembly: Assembly) -> bytes:
    total = sha256()
    for piece in _content(assembly):
        total.update(len(piece).to_bytes(8, "little"))
        total.update(piece)
    return total.digest()


def _content(assembly: Assembly) -> Iterator[bytes]:
    """Everything that an assembly says; what is left out of a set's order is its own."""
    own = (sorted(assembly.fixed), str(assembly.ground), assembly.friction, assembly.allow_overlap_m, assembly.gap_m)
    yield repr((*own, assembly.as_drawn, assembly.gravity.tolist(), assembly.ground_part is None)).encode()
    yield pickle.dumps((assembly.loads, assembly.hinges))
    for body in assembly.bodies:
        yield from _part(body)


def _part(body: Part) -> Iterator[bytes]:
    mass = np.array([body.mass_kg])
    numbers = [body.T_world_part.ravel(), body.com_part_m, body.inertia_part_kgm2.ravel(), mass]
    yield f"{body.name}\0{body.material!r}".encode("utf-8", "surrogatepass")
    yield np.concatenate(numbers).tobytes()
    if isinstance(body.shape, Mesh):
        yield body.shape.vertices.tobytes()
        yield body.shape.triangles.tobytes()
        yield pickle.dumps(body.shape.primitives)
    else:
        yield pickle.dumps(body.shape)
    yield pickle.dumps(body.mould)
