"""The page of a bare assembly: what it is made of."""

from __future__ import annotations

from collections import Counter

from falsework.geometry.summary import Summary
from falsework.model.assembly import Assembly
from falsework.model.figures import count, length, mass
from falsework.model.provenance import Provenance
from falsework.studio.drawing import drawing
from falsework.studio.provenance import provenance_rows
from falsework.studio.scene import Column, Headline, Scene, Table
from falsework.studio.tables import parts_table


def info_scene(assembly: Assembly, summary: Summary, title: str, provenance: Provenance | None = None) -> Scene:
    """The scene of `falsework info`.

    >>> import falsework
    >>> arch = falsework.load("examples/arch.yaml")
    >>> info_scene(arch, falsework.info(arch), "arch").headline.word
    '13 parts'
    """
    drawn = drawing(assembly)
    size = summary.bounds_m[1] - summary.bounds_m[0]
    facts = (
        ("Parts", count(summary.parts)),
        ("Mass", mass(summary.mass_kg)),
        ("Size", " × ".join(length(float(side)) for side in size)),
        ("Contacts", count(summary.contacts)),
        ("Clutches", count(summary.clutches)),
        *((("Hinges", count(summary.hinges)),) if summary.hinges else ()),
        ("Separate pieces", count(summary.components)),
        ("Ground", summary.ground),
        ("Format", summary.format),
    )
    return Scene(
        kind="info",
        title=title,
        headline=Headline("plain", count(summary.parts, "part"), f"{mass(summary.mass_kg)} in all"),
        meshes=drawn.meshes,
        parts=drawn.parts,
        facts=facts,
        notes=drawn.notes,
        tables=(parts_table(drawn.parts), _kinds_table(assembly)),
        provenance=provenance_rows(provenance),
    )


def _kinds_table(assembly: Assembly) -> Table:
    """How many there are of what: the list of things to have ready."""
    labels = Counter(
        str(part.shape.kind) if part.is_brick else type(part.shape).__name__.lower()  # type: ignore[union-attr]
        for part in assembly.parts
    )
    rows = labels.most_common()
    return Table(
        "Kinds",
        (
            Column("Kind", "text", tuple(label for label, _ in rows)),
            Column("Count", "number", tuple(number for _, number in rows)),
        ),
    )
