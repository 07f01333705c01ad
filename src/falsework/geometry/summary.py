"""What an assembly is made of, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from falsework.geometry.contacts.fits import fits
from falsework.geometry.contacts.ground import bounds_m
from falsework.geometry.contacts.interfaces import components, interfaces
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.fits import Fit
from falsework.model.interfaces import Interfaces
from falsework.model.travel import MadeAnew


@dataclass(frozen=True, slots=True, eq=False)
class Summary(MadeAnew):
    """The counts and measures of one assembly.

    Mass in kg, bounds in m, world axes.

    >>> import falsework
    >>> falsework.info("examples/arch.yaml").interfaces["contacts"]
    12
    """

    format: str
    parts: int
    fixed: tuple[str, ...]
    ground: str
    interfaces: dict[str, int]  # how many of each kind, see `Interfaces.counts`
    ambiguous: tuple[tuple[str, str], ...]  # parts that touch where the normal is not determined
    curved: tuple[dict[str, Any], ...]  # what touching surfaces were taken for, see `curved_dicts`
    fits: tuple[Fit, ...]  # shafts in holes, and parts that share a little space
    components: int
    mass_kg: float
    bounds_m: Array  # (2, 3)

    @property
    def contacts(self) -> int:
        """Patches in which faces touch."""
        return self.interfaces["contacts"]

    @property
    def clutches(self) -> int:
        return self.interfaces["clutches"]

    @property
    def hinges(self) -> int:
        return self.interfaces["hinges"]

    def as_dict(self) -> dict[str, Any]:
        """As `falsework info --json` prints it."""
        return {
            "format": self.format,
            "parts": self.parts,
            "fixed": list(self.fixed),
            "ground": self.ground,
            "interfaces": dict(self.interfaces),
            **({"ambiguous": [list(pair) for pair in self.ambiguous]} if self.ambiguous else {}),
            **({"curved": list(self.curved)} if self.curved else {}),
            **({"fits": [fit.as_dict() for fit in self.fits]} if self.fits else {}),
            "components": self.components,
            "mass_kg": self.mass_kg,
            "bounds_m": self.bounds_m.tolist(),
        }


def named_pairs(assembly: Assembly, bodies: Ints) -> tuple[tuple[str, str], ...]:
    """Names of pairs of bodies (k, 2), each pair once."""
    names = [body.name for body in assembly.bodies]
    return tuple((names[a], names[b]) for a, b in dict.fromkeys(map(tuple, bodies.tolist())))


def curved_dicts(assembly: Assembly, joints: Interfaces) -> list[dict[str, Any]]:
    """Contacts of curved surfaces as JSON has them: the parts, what their surfaces were taken for, and fits.

    `primitives` are those of the two parts in turn; `points` is at how many points forces act; `play_m`, of what lies
    in a hole, is by how much the hole's diameter is larger, of cones and threads how far they are apart.
    """
    names = [body.name for body in assembly.bodies]
    return [
        {
            "parts": [names[body] for body in contact.bodies],
            "primitives": list(contact.kinds),
            "points": contact.points + 2 * contact.lines,
            **({} if contact.play_m is None else {"play_m": contact.play_m}),
        }
        for contact in joints.curved
    ]


def info(assembly: Assembly) -> Summary:
    """Count an assembly's parts and interfaces and take its measures."""
    joints = interfaces(assembly)
    return Summary(
        format=assembly.source,
        parts=len(assembly.parts),
        fixed=tuple(name for name in assembly.names if name in assembly.fixed),
        ground=str(assembly.ground),
        interfaces=joints.counts(),
        ambiguous=named_pairs(assembly, joints.ambiguous.cornered.bodies),
        curved=tuple(curved_dicts(assembly, joints)),
        fits=fits(assembly),
        components=components(assembly, joints),
        mass_kg=assembly.mass_kg,
        bounds_m=bounds_m(assembly),
    )
