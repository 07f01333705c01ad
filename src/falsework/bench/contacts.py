"""`falsework bench contacts`: finding interfaces, beside a plain pairwise triangle search."""

from __future__ import annotations

from collections.abc import Iterator

from falsework.bench.pairwise import pairwise_patches
from falsework.bench.rows import Row, best_ms
from falsework.bench.samples import brick_wall, vault
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly

REFERENCE_UP_TO = 300  # parts: the pairwise search takes minutes beyond


def run() -> Iterator[Row]:
    """Vaults of blocks and walls of bricks, from small to large."""
    for count in (40, 150, 250, 600, 2400):
        yield _row(f"vault {count}", vault(count))
    for count in (100, 1000, 10_000):
        yield _row(f"brick wall {count}", brick_wall(count))


def _row(case: str, assembly: Assembly) -> Row:
    joints = interfaces(assembly)
    parts = len(assembly.parts)
    ours = best_ms(lambda: interfaces(assembly))
    notes = {
        "parts": parts,
        **{kind: count for kind, count in joints.counts().items() if count or kind in ("contacts", "clutches")},
        "us_per_part": 1e3 * ours / parts,
    }
    if parts > REFERENCE_UP_TO:
        return Row(case, ours, notes=notes)
    reference = best_ms(lambda: pairwise_patches(assembly), repeats=1)
    return Row(case, ours, reference, "pairwise triangles", notes)
