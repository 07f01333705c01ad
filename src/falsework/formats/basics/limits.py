"""How much a file may ask for. Every refusal names the limit and its value."""

from __future__ import annotations

from falsework.model.errors import BadFile

MAX_TEXT_BYTES = 64 * 2**20  # of a JSON, YAML or brick-text file
MAX_MESH_BYTES = 128 * 2**20  # of one mesh file
MAX_VALUES = 1_000_000  # scalars, lists and mappings in one YAML file
MAX_DEPTH = 64  # lists and mappings inside one another, in YAML
MAX_PARTS = 100_000
MAX_TRIANGLES = 2_000_000  # in one assembly
MAX_VOXELS = 20_000_000  # cells of a grid, full or empty
MAX_COORDINATE = 1e6  # metres from the origin, or studs on a grid
MAX_DIGITS = 400  # of a written number


def within(path: object, place: str, what: str, found: float, limit: float) -> None:
    """Refuse `found` things where only `limit` are allowed."""
    if not found <= limit:
        raise BadFile(path, place, f"found {found:,} {what}, the limit is {limit:,}")
