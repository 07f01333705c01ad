"""Scenes of every kind, small enough to be drawn many times."""

from __future__ import annotations

import numpy as np

from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.summary import info
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.plan import Plan, Rules, Start, Step
from falsework.model.trajectory import Trajectory
from falsework.model.verdict import Verdict
from falsework.studio.check_page import check_scene
from falsework.studio.info_page import info_scene
from falsework.studio.margins_page import margins_scene
from falsework.studio.motion_page import motion_scene
from falsework.studio.plan_page import plan_scene
from falsework.studio.scene import Curve, Event, Headline, Parts, Scene, SceneMesh
from falsework.verdicts.check import check
from falsework.verdicts.margins import margins
from tests.conftest import brick, on_baseplate
from tests.statics.structures import arch, block, harmonic, stack


def overhang() -> Assembly:
    """A short stair of bricks that its clutches hold."""
    steps = [brick(f"step-{k}", "brick_4x2", 2 * k, 0, 3 * k) for k in range(4)]
    return on_baseplate(*steps, brick("top", "plate_2x4", 7, -1, 12), brick("ramp", "slope_3x2_flat1", 0, 2, 0))


def checked(assembly: Assembly, title: str) -> Scene:
    joints = interfaces(assembly)
    return check_scene(assembly, joints, check(assembly, joints=joints), title)


def undecided() -> Scene:
    assembly = stack([0.1, 0.1])
    verdict = Verdict("undecided", "blocks", None, None, why="time ran out")
    return check_scene(assembly, interfaces(assembly), verdict, "undecided", held=("1",), absent=("2",))


def plain(assembly: Assembly, title: str) -> Scene:
    return info_scene(assembly, info(assembly), title)


def falling_stack() -> Scene:
    """Three blocks that come down and turn, with events on the way and curves beside."""
    assembly = stack([0.1, 0.1, 0.1])
    times = np.linspace(0.0, 1.0, 21)
    poses = np.repeat(assembly.poses[None], len(times), axis=0)
    for frame, time in enumerate(times):
        for body in range(1, len(assembly.parts)):
            poses[frame, body] = moved(assembly.poses[body], (0.8 * body * time, 0, -0.5 * time**2), body * time)
    events = (Event(0.4, "1 leaves 0", (0, 1)), Event(0.7, "3 meets 2", (3, 2), "join"))
    curves = (
        Curve("kinetic", "J", times, times**2, "Energy"),
        Curve("potential", "J", times, 1 - times**2, "Energy"),
        Curve("=penetration", "m", times[::2], np.where(times[::2] > 0.5, 1e-4, np.nan)),
    )
    trajectory = Trajectory(times, assembly.names, poses)
    return motion_scene(assembly, trajectory, "stack", events=events, curves=curves)


def build_plan(assembly: Assembly, *order: str, turned: bool = False) -> Plan:
    """Blocks placed one after the other, the first two held for a while, the second along a path."""
    home = assembly.poses[assembly.index[order[1]]]
    path = np.array([moved(home, (2, 0, 1), 1.0), moved(home, (0, 0, 1), 0.0), home])
    steps = [
        Step("place", (order[0],), (order[0],), utilization=0.2),
        Step("place", (order[1],), (order[0], order[1]), path=path, utilization=0.5),
        Step("release", (order[0],), (order[1],)),
        Step("place", (order[2],)),
    ]
    if turned:
        steps.insert(2, Step("reorient", held=(order[1],), T_world_assembly=moved(np.eye(4), (0, 0, 0), np.pi / 2)))
    return Plan(Rules(), "complete", tuple(steps))


def building_stack(alternatives: int = 0) -> Scene:
    """A stack of three blocks on a fixed one; alternatives begin with the last and turn the model over."""
    assembly = stack([0.1, 0.1, 0.1])
    others = [build_plan(assembly, "3", "2", "1", turned=True)] * alternatives
    return plan_scene(assembly, interfaces(assembly), build_plan(assembly, "1", "2", "3"), "stack", alternatives=others)


def wrong_stack() -> Scene:
    """A plan that was verified and found wanting in its second step, begun with a part in place and held."""
    assembly = stack([0.1, 0.1, 0.1])
    steps = (Step("place", ("2",), ("1", "2")), Step("place", ("3",)))
    plan = Plan(Rules(), "complete", steps, start=Start(("1",), ("1",)))
    headline = Headline("no", "Invalid", "One failure.")
    failures = ((2, "the structure falls: '2' would move"),)
    return plan_scene(assembly, interfaces(assembly), plan, "stack", failures=failures, headline=headline)


def margins_of(assembly: Assembly) -> Scene:
    """What would fall without each part, and how far it can be tilted."""
    joints = interfaces(assembly)
    asked = margins(assembly, only=("strength", "friction", "tilt", "without", "weakest"), joints=joints)
    return margins_scene(assembly, joints, asked, "margins")


def unfinished_stack() -> Scene:
    """The first step of a plan for which the time ran out."""
    assembly = stack([0.1, 0.1, 0.1])
    plan = Plan(Rules(), "timeout", (Step("place", ("1",)),))
    return plan_scene(assembly, interfaces(assembly), plan, "stack")


def moved(pose: Array, by: tuple[float, float, float], turn: float) -> Array:
    """A pose shifted, and turned about its own y."""
    turned = np.eye(4)
    turned[:3, :3] = [[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0, np.cos(turn)]]
    shifted: Array = pose @ turned
    shifted[:3, 3] += by
    return shifted


HOSTILE = (
    "<script>window.pwned=1</script>",
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "--><svg onload=window.pwned=1>",
    "\u202egnp.exe \u0000\u2028 &lt;b&gt; \ud800",
    "=cmd|' /C calc'!A0",
)


def hostile() -> Assembly:
    """Blocks whose names try to be something else."""
    parts = [block(name, (0.0, 0.0, 0.3 * k), (1.0, 0.5, 0.3)) for k, name in enumerate(HOSTILE)]
    return Assembly(tuple(parts), fixed=frozenset({HOSTILE[0]}))


def far_away() -> Assembly:
    """Two small blocks a million metres from the origin."""
    low = 1e6 - 1
    parts = [block("a", (low, low, low), (0.5, 0.5, 0.25)), block("b", (low, low, low + 0.25), (0.5, 0.5, 0.25))]
    return Assembly(tuple(parts), fixed=frozenset({"a"}))


def many(count: int) -> Scene:
    """Blocks of different sizes in a row."""
    mesh = tuple(
        SceneMesh(np.eye(4, 3) * (1 + k), np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])) for k in range(3)
    )
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, 0, 3] = np.arange(count)
    parts = Parts(
        tuple(f"part-{k}" for k in range(count)),
        ("tetrahedron",) * count,
        np.arange(count) % 3,
        poses,
        poses[:, :3, 3],
        np.ones(count),
        ("#cccccc",) * count,
        ("free",) * count,
        np.zeros(count, dtype=bool),
    )
    return Scene("info", "many", Headline("plain", "Parts"), mesh, parts)


EVERY_KIND = {
    "info of bricks": lambda: plain(overhang(), "bricks"),
    "info of stones": lambda: plain(arch(9, 0.2, 0.6), "stones"),
    "check of bricks": lambda: checked(overhang(), "bricks"),
    "check of stones": lambda: checked(arch(9, 0.2, 0.6), "stones"),
    "check that falls": lambda: checked(harmonic(5, 1.2), "harmonic"),
    "check undecided": undecided,
    "collapse": falling_stack,
    "plan": building_stack,
    "plan with alternatives": lambda: building_stack(1),
    "plan unfinished": unfinished_stack,
    "plan verified": wrong_stack,
    "margins of stones": lambda: margins_of(stack([0.3, 0.1])),
    "margins that fall": lambda: margins_of(stack([0.1, 0.7])),
    "hostile names": lambda: plain(hostile(), HOSTILE[1]),
    "far away": lambda: plain(far_away(), "far away"),
}
