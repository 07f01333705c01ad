"""The CAD shapes of the gallery by name, each with what is true of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from falsework.gallery.cad import burrs, fits, machines
from falsework.gallery.cad.declared import Made
from falsework.gallery.cad.generator import FEWEST, MOST, cad_assembly
from falsework.gallery.kind import Kind, Parameter, Truth, Value
from falsework.model.assembly import Assembly

_FACETS = Parameter("facets", 32, "", "chords around a circle", 6, 1024)
_SIZE = Parameter("size", 16, "mm", "of the thread, M3 to M20", 3, 20)


@dataclass(frozen=True, slots=True)
class CadKind:
    """A kind whose maker knows the way each part leaves."""

    kind: Kind
    made: Callable[..., Made]


def _play(default: float) -> Parameter:
    return Parameter(
        "play", default, "m", "least distance between parts that fit into each other; 0: nominal", 0.0, 0.002
    )


def _length(name: str, default: float, meaning: str) -> Parameter:
    return Parameter(name, default, "m", meaning, 0.0005, 1.0)


def _entry(name: str, description: str, made: Callable[..., Made], *parameters: Parameter) -> CadKind:
    def build(**values: Value) -> Assembly:
        return made(**values).assembly

    def truth(**values: Value) -> Truth:
        declared = made(**values).declared
        locked = f"cannot leave: {', '.join(sorted(declared.locked))}; {declared.why}" if declared.locked else ""
        hands = None if declared.locked else declared.hands
        return Truth(
            None, "made of curved or loosely fitting parts", hands=hands, building=declared.why, unbuildable=locked
        )

    return CadKind(Kind(name, description, parameters, build, truth), made)


@cache
def cad_shapes() -> dict[str, CadKind]:
    """Every CAD shape that is made by name, in the order it is shown."""
    radius, width = _length("radius", 0.01, "of the shaft"), _length("width", 0.06, "of the whole")
    entries = (
        _entry(
            "shaft-in-plate",
            "a collared shaft in a through-hole",
            fits.shaft_in_plate,
            radius,
            _play(0.0),
            _FACETS,
            replace(_FACETS, name="hole_facets", meaning="chords around the hole"),
        ),
        _entry(
            "nut-and-bolt",
            "a nut on the thread of a hexagon screw",
            fits.nut_and_bolt,
            _SIZE,
            _length("length", 0.05, "of the thread"),
            _play(1e-4),
            replace(_FACETS, default=64),
        ),
        _entry(
            "dovetail",
            "tails between pins",
            fits.dovetail,
            width,
            _play(0.0),
            Parameter("tails", 3, "", "of them", 1, 40),
        ),
        _entry("mortise-and-tenon", "a pegged tenon", fits.mortise_and_tenon, width, _play(0.0), _FACETS),
        _entry("l-slide", "a pin in a slot with a corner", fits.l_slide, width, _play(1e-4), _FACETS),
        _entry("bayonet", "a plug with lugs in bent slots", fits.bayonet, radius, _play(1e-4), _FACETS),
        _entry(
            "ball-in-socket",
            "a ball in a cup that is open, or closed around it",
            fits.ball_in_socket,
            radius,
            _play(0.0),
            _FACETS,
            Parameter("captive", 0, "", "1: the mouth is narrower than the ball", 0, 1),
        ),
        _entry("key-in-lock", "a key that is turned", fits.key_in_lock, radius, _play(1e-4), _FACETS),
        _entry(
            "loose-burr",
            "a burr of six sticks with play, that opens or does not",
            burrs.burr,
            _length("side", 0.01, "of a cell"),
            _play(1e-4),
            Parameter("locked", 0, "", "1: no stick and no group of them can leave", 0, 1),
        ),
        _entry(
            "gear-train",
            "gears that mesh in a row on axles in a plate",
            machines.gear_train,
            Parameter("gears", 3, "", "of them", 1, 20),
            Parameter("teeth", 24, "", "of the larger ones", 17, 120),
            _length("module", 0.002, "pitch diameter by teeth"),
            _FACETS,
            _play(0.0),
        ),
        _entry(
            "stacked-gears",
            "gears above each other on two axles",
            machines.stacked_gears,
            Parameter("stages", 3, "", "pairs of gears", 1, 20),
            Parameter("teeth", 30, "", "of the larger ones", 17, 120),
            _length("module", 0.002, "pitch diameter by teeth"),
            _FACETS,
            _play(0.0),
        ),
        _entry(
            "thrust-bearing",
            "two rings with balls in a cage between them",
            machines.thrust_bearing,
            _length("radius", 0.02, "to the middle of the balls"),
            Parameter("balls", 8, "", "of them", 3, 40),
            _FACETS,
            _play(0.0),
        ),
        _entry(
            "hinge",
            "two leaves on a pin",
            machines.hinge,
            width,
            Parameter("knuckles", 3, "", "of both leaves", 2, 41),
            _FACETS,
            _play(0.0),
        ),
        _entry(
            "bracket",
            "an angle screwed to an upright, with washers and nuts",
            machines.bracket,
            replace(_SIZE, default=8),
            _FACETS,
            _play(0.0),
            Parameter("threaded", 0, "", "1: true threads, 0: smooth shanks", 0, 1),
        ),
        _entry(
            "housing",
            "a box with a lid on screws and blocks inside",
            machines.housing,
            _length("width", 0.1, "of the box"),
            Parameter("screws", 4, "", "of the lid", 1, 6),
            Parameter("contents", 3, "", "blocks inside", 0, 20),
            _FACETS,
            _play(0.0),
        ),
        _entry(
            "nested-boxes",
            "boxes in boxes with lids",
            machines.nested_boxes,
            Parameter("boxes", 3, "", "of them", 1, 12),
            _length("width", 0.1, "of the outermost"),
            _play(0.0),
        ),
    )
    return {entry.kind.name: entry for entry in entries}


def drawn_by_seed() -> Kind:
    """Assemblies drawn at random, of a given number of parts; every one of the CAD set is one of these."""
    return Kind(
        "cad",
        "plates with pins, screws, boxes, gears, hinges and slides, drawn at random",
        (
            Parameter("parts", 12, "", "in all", FEWEST, MOST),
            Parameter("facets", 0, "", "chords around a circle; 0: 12 to 24, drawn too", 0, 512),
            Parameter("locked", 0, "", "1: a ball is caught in the base for good", 0, 1),
        ),
        lambda rng, parts, facets, locked: cad_assembly(rng, parts, facets, locked).assembly,
        _truth_of_drawn,
        seeded=True,
    )


def _truth_of_drawn(parts: int, facets: int, locked: int) -> Truth:
    del parts, facets
    why = "every plate lies on posts, and everything else on a plate, in holes and slots that fit"
    building = "from below; what is clamped or pinned before what clamps or pins it"
    if locked:
        return Truth(True, why, unbuildable="the mouth of a cup is narrower than the ball in it")
    return Truth(True, why, hands=2, building=building)


def cad_shape(name: str, **parameters: object) -> Made:
    """A CAD shape with the truth about it; lengths in m.

    >>> made = cad_shape("nut-and-bolt", size=8)
    >>> made.declared.order[0].part, len(made.assembly.parts)
    ('nut', 2)
    """
    entry = cad_shapes()[name]
    return entry.made(**entry.kind.values(parameters))
