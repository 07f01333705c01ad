"""`margins`: how far an assembly is from falling, or what would keep it from it; every figure with its proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from falsework.formats.opening import READING, Reading, Source, opened_with
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.contacts.near_misses import near_misses
from falsework.model.answers import NotTrueOrFalse
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Loads
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.given import Names, names
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.travel import MadeAnew
from falsework.model.verbs import verb
from falsework.model.verdict import Motion, Verdict
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.speeds import falling
from falsework.statics.core.worth_compiling import pays_off
from falsework.verdicts.check import question_of
from falsework.verdicts.holds.fewest_hands import MOST_HANDS, Holding, fewest_held
from falsework.verdicts.holds.greedy_hold import GreedyHolding, greedy_held
from falsework.verdicts.holds.without import falls_without
from falsework.verdicts.limits.bracket import Bracket
from falsework.verdicts.limits.chance import SAMPLES, Chance, chance_of_standing
from falsework.verdicts.limits.first_tilt import AXES, Tilt, first_tilt
from falsework.verdicts.limits.greatest_load import DOWN, SIDEWAYS, GreatestLoad, greatest_load, highest, top_of
from falsework.verdicts.limits.least_friction import least_friction
from falsework.verdicts.limits.strength import Strength, strength_of
from falsework.verdicts.limits.weakest import Weakest, weakest
from falsework.verdicts.masonry.moving_load import MovingLoad, moving_load
from falsework.verdicts.masonry.shaking import Shaking, greatest_shaking
from falsework.verdicts.masonry.thinner_joints import Thinnest, thinnest_joints
from falsework.verdicts.masonry.thrust import Thrust, Yielding, supports_of, thrust_of, yielding
from falsework.verdicts.masonry.thrust_line import plane_axis

USUAL = (
    "strength",
    "friction",
    "load",
    "tilt",
    "weakest",
    "without",
    "hold",
    "chance",
    "thickness",
    "shaking",
    "thrust",
)
QUESTIONS = (*USUAL, "moving")


@dataclass(frozen=True, slots=True, eq=False)
class Margins(MadeAnew, NotTrueOrFalse):
    """What was asked; None where it was not, or makes no sense for this assembly.

    Forces are in N, tilts in degrees.

    >>> margins("examples/arch.yaml", only="load").loads[0].part
    'stone-5'
    """

    ASK_INSTEAD = "margins.verdict.stands, or a figure of it"

    state: State
    verdict: Verdict
    strength: Strength | None = None  # bricks
    friction: Bracket | None = None  # contacts with friction
    loads: tuple[GreatestLoad, ...] = ()
    tilts: tuple[Tilt, ...] = ()
    weakest: Weakest | None = None
    without: dict[str, tuple[str, ...] | None] | None = None
    holding: Holding | None = None
    greedy: GreedyHolding | None = None
    chance: Chance | None = None  # bricks
    thickness: Thinnest | None = None  # contacts
    shaking: tuple[Shaking, ...] = ()
    thrusts: tuple[Thrust, ...] = ()  # contacts and hinges
    moving: MovingLoad | None = None
    settlement: Yielding | None = None  # where a support was said to give way


@verb(*READING)
def margins(
    source: Source,
    *,
    only: Names = USUAL,
    held: Names = (),
    absent: Names = (),
    loads: Loads | None = None,
    gravity: Iterable[float] | None = None,
    at: str | None = None,
    point_m: Iterable[float] | None = None,
    along: Iterable[float] | None = None,
    axes: Iterable[Iterable[float]] = tuple(AXES.values()),
    settle: tuple[str, Iterable[float]] | None = None,
    hands: int = MOST_HANDS,
    samples: int = SAMPLES,
    spread: float | None = None,
    seed: int | np.random.Generator = 0,
    joints: Interfaces | None = None,
    progress: Callable[[int, int], None] | None = None,
    **reading: Unpack[Reading],
) -> Margins:
    """How far an assembly, or one in a file, is from falling; every figure with its proof.

    only      which of "strength", "friction", "load", "tilt", "weakest", "without", "hold", "chance", "thickness",
              "shaking", "thrust"; all of these; and "moving"
    at        the part that is loaded; else the highest
    point_m   where, world; else the middle of its top
    along     which way, world; else down and to four sides; for "shaking", "thrust" and "moving" a level line
    axes      about which it is tilted, world, each three numbers; else four
    settle    a support and the motion by which it gives way, world: a shift, or a shift and a turn, six numbers
    hands     how many parts may be held, for "hold"
    samples   for the probability of standing, with `spread` of the clutch strength (relative) and the random `seed`
    joints    the interfaces of the assembly, where they are known already
    progress  is told how many parts were taken away, and of how many

    `held`, `absent`, `loads` and `gravity` are those of `check`, the other options those of `load`.

    >>> margins("examples/arch.yaml", only="friction").friction.stands < 0.31
    True
    """
    assembly, joints = opened_with(source, reading, joints)
    question = question_of(held=held, absent=absent, loads=loads, gravity=gravity)
    assembly.require_ground()
    wanted = _known(only)
    if hands < 0:
        raise BadInput(f"hands: found {hands}, expected 0 or more")
    state = question.state_of(assembly)
    joints = interfaces(assembly) if joints is None else joints
    oracle = Equilibrium(assembly, joints, compiled=pays_off(joints))
    bricks, rough = len(joints.clutches) > 0, bool(joints.patches.friction.any())
    verdict = oracle.assess(state)
    if isinstance(verdict.certificate, Motion):
        fallen = falling(assembly, state, verdict.certificate.twists)
        verdict = replace(verdict, missing=near_misses(assembly, joints, state.installed, fallen))
    stands, falls = verdict.stands, verdict.answer == "unstable"
    friction = least_friction(oracle, state) if rough and {"friction", "weakest"} & wanted else None
    places = _places(assembly, state, at, point_m, along) if "load" in wanted and stands else []
    return Margins(
        state,
        verdict,
        strength_of(oracle, state) if bricks and "strength" in wanted else None,
        friction if "friction" in wanted else None,
        tuple(greatest_load(oracle, state, part, direction, point) for part, point, direction in places),
        tuple(first_tilt(oracle, state, _axis(axis)) for axis in axes) if "tilt" in wanted and stands else (),
        weakest(oracle, state, friction) if "weakest" in wanted and (bricks or rough) else None,
        falls_without(oracle, state, progress) if "without" in wanted else None,
        fewest_held(oracle, state, hands) if "hold" in wanted and falls else None,
        greedy_held(oracle, state, hands) if "hold" in wanted and falls else None,
        chance_of_standing(oracle, state, np.random.default_rng(seed), samples, spread)
        if bricks and "chance" in wanted
        else None,
        *_of_masonry(oracle, state, wanted if stands else frozenset(), along),
        yielding(oracle, state, settle[0], _motion(settle[1])) if settle is not None and stands else None,
    )


def _of_masonry(
    oracle: Equilibrium, state: State, wanted: frozenset[str], along: Iterable[float] | None
) -> tuple[Thinnest | None, tuple[Shaking, ...], tuple[Thrust, ...], MovingLoad | None]:
    """What engineers ask of a state that stands: contacts drawn together, shaking, thrust, a load that moves."""
    bricks, given = len(oracle.joints.clutches) > 0, None if along is None else _axis(along)
    heavy = bool(state.gravity_of(oracle.assembly).any())
    sides = [] if not heavy else list(map(np.array, SIDEWAYS.values())) if given is None else [given]
    thrusts = [
        thrust_of(oracle, state, support, way)
        for way in (_level(oracle, state) if given is None else [given])
        for support in (supports_of(oracle, state) if "thrust" in wanted and not bricks else [])
    ]
    return (
        thinnest_joints(oracle, state) if "thickness" in wanted and not bricks else None,
        tuple(greatest_shaking(oracle, state, way) for way in sides) if "shaking" in wanted else (),
        tuple(thrusts),
        moving_load(oracle, state, _level(oracle, state)[0] if given is None else given)
        if "moving" in wanted
        else None,
    )


def _level(oracle: Equilibrium, state: State) -> list[Array]:
    """Level directions in which thrust is looked for: in the plane of a plane assembly, else along x and y."""
    axis = plane_axis(oracle.assembly, oracle.joints, state)
    along = None if axis is None else np.cross(axis, state.gravity_of(oracle.assembly))
    if along is None or not np.abs(along).max() > 0.0:
        return [np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])]
    leading = along[np.argmax(np.abs(along))]
    return [np.sign(leading) * along / float(np.linalg.norm(along))]


def _known(only: Names) -> frozenset[str]:
    """The questions asked."""
    wanted = names(only)
    for name in wanted:
        if name not in QUESTIONS:
            raise BadInput(f"margins: unknown question {shown(name)}; {did_you_mean(name, QUESTIONS)}")
    return frozenset(wanted)


def _places(
    assembly: Assembly,
    state: State,
    at: str | None,
    point_m: Iterable[float] | None,
    along: Iterable[float] | None,
) -> list[tuple[str, Array, Array]]:
    """Part, point and direction of every load to ask about."""
    part = highest(assembly, state) if at is None else at
    if part is None:
        return []
    if not state.installed & assembly.mask([part]):
        raise BadInput(f"load: part {shown(part)} is absent")
    point = top_of(assembly, part) if point_m is None else np.array(list(point_m), dtype=float)
    ways = [DOWN, *SIDEWAYS.values()] if along is None else [tuple(along)]
    return [(part, point, _axis(way)) for way in ways]


def _axis(vector: Iterable[float]) -> Array:
    given = np.array(list(vector), dtype=float)
    if given.shape != (3,) or not np.isfinite(given).all() or not given.any():
        raise BadInput(f"found {shown(given.tolist())}, expected three finite numbers that are not all 0")
    return given


def _motion(numbers: Iterable[float]) -> Array:
    given = np.array(list(numbers), dtype=float)
    if given.shape not in ((3,), (6,)) or not np.isfinite(given).all() or not given.any():
        raise BadInput(f"settle: found {shown(given.tolist())}, expected three or six finite numbers, not all 0")
    return given
