"""What an assembly is made of, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from falsework.geometry.ground import bounds_m
from falsework.geometry.interfaces import components, interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """The counts and measures of one assembly."""

    format: str
    parts: int
    fixed: tuple[str, ...]
    ground: str
    contacts: int
    clutches: int
    hinges: int
    components: int
    mass_kg: float
    bounds_m: Array  # (2, 3)

    def as_dict(self) -> dict[str, Any]:
        """As `falsework info --json` prints it."""
        return {
            "format": self.format,
            "parts": self.parts,
            "fixed": list(self.fixed),
            "ground": self.ground,
            "interfaces": {"contacts": self.contacts, "clutches": self.clutches, "hinges": self.hinges},
            "components": self.components,
            "mass_kg": self.mass_kg,
            "bounds_m": self.bounds_m.tolist(),
        }


def info(assembly: Assembly) -> Summary:
    """Count an assembly's parts and interfaces and take its measures."""
    found = interfaces(assembly)
    return Summary(
        format=assembly.source,
        parts=len(assembly.parts),
        fixed=tuple(name for name in assembly.names if name in assembly.fixed),
        ground=str(assembly.ground),
        contacts=len(found.patches),
        clutches=len(found.clutches),
        hinges=len(found.hinges),
        components=components(assembly, found),
        mass_kg=assembly.mass_kg,
        bounds_m=bounds_m(assembly),
    )
