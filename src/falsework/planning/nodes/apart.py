"""Some parts of an assembly alone, one of them held fast: what is built apart, before it is placed as one."""

from __future__ import annotations

from collections.abc import Collection

from falsework.model.assembly import Assembly, Ground


def alone(assembly: Assembly, names: Collection[str], fast: str) -> Assembly:
    """The named parts where they belong, nothing else there."""
    parts = tuple(part for part in assembly.parts if part.name in names)
    hinges = tuple(hinge for hinge in assembly.hinges if {hinge.first, hinge.second} <= set(names))
    return assembly.changed(
        parts=parts, fixed=frozenset([fast]), ground=Ground(), ground_part=None, loads=(), hinges=hinges
    )
