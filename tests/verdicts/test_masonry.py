"""What masonry engineers ask, against cases solved by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework import check, gallery, load, margins
from falsework.cli import main
from falsework.formats.saving import save
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Hinge
from falsework.model.errors import BadInput
from falsework.model.mortar import Mortar
from falsework.model.shapes import box
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.mortar.cells import cells_of
from falsework.statics.proofs.checked_mortar import CheckedMortar
from falsework.statics.proofs.support_work import SupportWork
from falsework.verdicts.masonry.moving_load import moving_load
from falsework.verdicts.masonry.reactions import reactions
from falsework.verdicts.masonry.shaking import greatest_shaking
from falsework.verdicts.masonry.thinner_joints import thinner, thinnest_joints
from falsework.verdicts.masonry.thrust import thrust_of, yielding
from falsework.verdicts.masonry.thrust_line import plane_axis, thrust_line

X, Y, UP = np.eye(3)
G = 9.81


def made(assembly: Assembly) -> tuple[Equilibrium, State]:
    return Equilibrium(assembly, interfaces(assembly)), State.complete(assembly)


def boxes(*rows: tuple[str, tuple[float, float, float], tuple[float, float, float]], fixed: str) -> Assembly:
    """Name, lowest corner and sides of each box, of stone."""
    shaped = {name: (sides, tuple(np.add(low, np.divide(sides, 2)))) for name, low, sides in rows}
    return Assembly.from_boxes(shaped, fixed=fixed.split(), ground="none", mu=0.6)


def plank_on_two(length: float = 4.0, gap: float = 2.0) -> Assembly:
    """A plank whose middle is over the middle of two posts; their inner ends are `gap` apart, they are thin."""
    thin = 0.02
    return boxes(
        ("left", (-gap / 2 - thin, 0, 0), (thin, 1, 1)),
        ("right", (gap / 2, 0, 0), (thin, 1, 1)),
        ("plank", (-length / 2, 0, 1), (length, 1, 0.1)),
        fixed="left right",
    )


def plank_on_posts(length: float) -> Assembly:
    ends = ("left", (0, 0, 0), (0.2, 1, 1)), ("right", (1.8, 0, 0), (0.2, 1, 1))
    return boxes(*ends, ("plank", (0, 0, 1), (length, 1, 0.1)), fixed="left right")


def three_hinged(span: float, rise: float) -> Assembly:
    """Two straight bars that share a hinge at the crown and are hinged to their abutments."""
    half = np.array([span / 2, 0.0, rise])
    size = (0.9 * float(np.hypot(span / 2, rise)), 0.1, 0.1)  # clear of each other at the crown
    lean = np.arctan2(rise, span / 2)

    def leaning(middle: Array, angle: float) -> Array:
        T = np.eye(4)
        T[0, 0] = T[2, 2] = np.cos(angle)
        T[2, 0], T[0, 2] = np.sin(angle), -np.sin(angle)
        T[:3, 3] = middle
        return T

    centred = np.eye(4)
    centred[:3, 3] = -np.array(size) / 2
    parts = (
        make_part("left", box((0.3, 0.3, 0.3)), leaning(np.array([-0.5, -0.15, -0.5]), 0.0)),
        make_part("up", box(size), leaning(half / 2, lean) @ centred),
        make_part("down", box(size), leaning(half * (1.5, 1, 0.5), -lean) @ centred),
        make_part("right", box((0.3, 0.3, 0.3)), leaning(np.array([span + 0.2, -0.15, -0.5]), 0.0)),
    )
    hinges = (
        Hinge("left", "up", np.zeros(3), Y),
        Hinge("up", "down", half, Y),
        Hinge("down", "right", np.array([span, 0.0, 0.0]), Y),
    )
    return Assembly(parts, fixed=frozenset(("left", "right")), hinges=hinges)


@pytest.mark.parametrize(("span", "rise"), [(4.0, 1.0), (10.0, 0.7)])
def test_the_thrust_of_a_three_hinged_arch_is_that_of_the_closed_form(span: float, rise: float) -> None:
    arch = three_hinged(span, rise)
    weight = arch.masses_kg[1] * G
    oracle, state = made(arch)
    thrust = thrust_of(oracle, state, "left", X)
    wanted = weight * span / 4 / rise  # moments of one half about the crown: H·rise = W·span/2 − W·span/4
    assert thrust.range_n == pytest.approx((wanted, wanted), rel=1e-6)
    assert thrust.least is not None and thrust.greatest is not None
    assert -thrust.least.most == pytest.approx(wanted, rel=1e-6)  # proved by how it follows the support
    assert thrust.greatest.most == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(("share", "answer"), [(0.1070, "unstable"), (0.1080, "stable")])
def test_a_semicircular_arch_needs_a_thickness_of_0_1075_of_its_radius(share: float, answer: str) -> None:
    arch = replace(gallery.make("semicircular-arch", stones=101, thickness=share), friction=2.0)
    oracle = Equilibrium(arch, interfaces(arch), compiled=True)
    assert oracle.assess(State.complete(arch)).answer == answer


def test_the_geometric_factor_of_an_arch_leads_to_the_critical_thickness() -> None:
    arch = replace(gallery.make("semicircular-arch", stones=101, thickness=0.1085), friction=2.0)
    oracle = Equilibrium(arch, interfaces(arch), compiled=True)
    found = thinnest_joints(oracle, State.complete(arch), 1e-4).share
    assert found.falls is not None and found.stands is not None
    assert 0.1085 * found.falls < 0.1075 * 1.001 and 0.1085 * found.stands > 0.1075 * 0.999


def test_a_box_that_hangs_over_by_an_eighth_needs_a_third_of_its_joint() -> None:
    """Three quarters of a unit box lie on a post; its centre is 1/8 from the middle of the joint, which reaches 3/8."""
    tower = boxes(("post", (0.25, 0, 0), (0.75, 1, 1)), ("box", (0, 0, 1), (1, 1, 1)), fixed="post")
    found = thinnest_joints(*made(tower)).share
    assert found.stands == pytest.approx(1 / 3, rel=2e-5) and found.falls == pytest.approx(1 / 3, rel=2e-5)
    assert found.falls < found.stands


def test_joints_are_drawn_together_about_the_middle_of_their_area() -> None:
    joints = interfaces(load("examples/arch.yaml"))
    half = thinner(joints, 0.5)
    for number in range(len(joints.patches)):
        own, drawn = (one.patches.points[joints.patches.owner == number] for one in (joints, half))
        assert drawn.mean(axis=0) == pytest.approx(own.mean(axis=0), abs=1e-12)  # rectangles
        assert np.ptp(drawn, axis=0) == pytest.approx(np.ptp(own, axis=0) / 2, abs=1e-12)
    none = thinner(interfaces(load("examples/bridge.txt")), 0.5)
    assert len(none.clutches) == 16


def test_reactions_carry_the_weight() -> None:
    for file in ("examples/arch.yaml", "examples/bridge.txt"):
        assembly = load(file)
        oracle, state = made(assembly)
        forces = oracle.assess(state).certificate
        assert isinstance(forces, falsework.Forces)
        total = sum(one.force_n for one in reactions(oracle, state, forces))
        free = [n for n, part in enumerate(assembly.parts) if part.name not in assembly.fixed]
        weight = assembly.masses_kg[free].sum() * G
        assert total == pytest.approx(np.array([0.0, 0.0, weight]), abs=1e-9 * weight)


def test_hands_carry_what_they_hold() -> None:
    arch = load("examples/arch.yaml")
    state = falsework.State(arch.mask(["right", "left", "stone-4"]), arch.mask(["stone-4"]))
    oracle = Equilibrium(arch, interfaces(arch))
    verdict = oracle.assess(state)
    assert verdict.stands and reactions(oracle, state, verdict.certificate) == ()  # type: ignore[arg-type]


def test_a_plank_on_three_posts_puts_anything_from_nothing_to_all_on_the_middle_one() -> None:
    table = boxes(
        ("left", (-2, 0, 0), (0.2, 1, 1)),
        ("middle", (-0.1, 0, 0), (0.2, 1, 1)),
        ("right", (1.8, 0, 0), (0.2, 1, 1)),
        ("plank", (-2, 0, 1), (4, 1, 0.1)),
        fixed="left middle right",
    )
    oracle, state = made(table)
    weight = table.masses_kg[table.index["plank"]] * G
    thrust = thrust_of(oracle, state, "middle", UP)
    assert thrust.range_n == pytest.approx((0.0, weight), abs=1e-6 * weight)
    settled = yielding(oracle, state, "middle", -UP)
    assert settled is not None and settled.work == pytest.approx(0.0, abs=1e-6 * weight)
    assert np.abs(settled.motion.twists[table.index["plank"]]).max() < 1e-6  # it stays on the outer two


def test_when_a_post_sinks_the_plank_turns_about_the_other() -> None:
    plank = plank_on_two()
    oracle, state = made(plank)
    settled = yielding(oracle, state, "right", -UP)
    assert settled is not None
    twist = settled.motion.twists[plank.index["plank"]]
    assert twist[2] < 0 and twist[4] > 0  # its middle sinks, its right end more
    assert settled.work == pytest.approx(settled.most, rel=1e-6)


def test_no_forces_do_more_than_the_bound_and_a_spoilt_motion_bounds_nothing() -> None:
    arch = load("examples/arch.yaml")
    oracle, state = made(arch)
    settled = yielding(oracle, state, "left", X)
    forces = oracle.assess(state).certificate
    assert settled is not None and isinstance(forces, falsework.Forces)
    judge = SupportWork(arch, oracle.joints, state)
    moved = np.zeros((len(arch.bodies), 6))
    moved[arch.index["left"], :3] = X
    assert oracle.referee.forces_residual(state, settled.forces, oracle.strengths()) <= FORCES_RESIDUAL
    assert judge.done(forces, moved, oracle.strengths()) <= settled.most
    for spoil in (settled.motion.twists + 1e-3, -settled.motion.twists, moved, np.full_like(moved, np.nan)):
        assert judge.most(spoil) > settled.most


def test_thrust_lines_of_an_arch_stay_in_its_joints_and_touch_them_at_the_limits() -> None:
    arch = load("examples/arch.yaml")
    oracle, state = made(arch)
    thrust = thrust_of(oracle, state, "left", X)
    assert thrust.least is not None and thrust.least.line is not None
    assert thrust.greatest is not None and thrust.greatest.line is not None
    for line in (thrust.least.line, thrust.greatest.line):
        assert len(line.crossings) == 12 and all(abs(one.eccentricity) <= 1 + 1e-9 for one in line.crossings)
        assert len(line.hinges) >= 3  # a mechanism needs that many
        assert all(
            abs(one.point_m @ line.axis - line.crossings[0].point_m @ line.axis) < 1e-12 for one in line.crossings
        )
    low, high = thrust.range_n
    assert low is not None and high is not None and 0 < low < high


def wedged() -> Assembly:
    """A block between two walls that it may press on as hard as it likes."""
    wall, block = box((1.0, 1.0, 1.0)), box((1.0, 1.0, 1.0))
    placed = [("left", wall, 0.0), ("block", block, 1.0), ("right", wall, 2.0)]
    parts = []
    for name, shape, x in placed:
        pose = np.eye(4)
        pose[0, 3] = x
        parts.append(make_part(name, shape, pose))
    return Assembly(tuple(parts), fixed=frozenset({"left", "right"}), friction=0.5)


def test_a_thrust_without_a_bound_is_told_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = margins(wedged(), only="thrust").thrusts
    assert [one.part for one in found] == ["left", "right"]
    least = 9.81 * wedged().masses_kg[1] / 2 / 0.5  # each wall bears half of it, by friction
    for one in found:
        assert one.greatest is None and one.range_n == (pytest.approx(least, rel=1e-6), None)
    save(wedged(), tmp_path / "wedged.yaml")
    assert main(["margins", str(tmp_path / "wedged.yaml"), "--only", "thrust", "--svg", str(tmp_path / "w.svg")]) == 0
    assert "at least 9.81 kN; no greatest bound was found" in capsys.readouterr().out
    assert "greatest no bound was found" in (tmp_path / "w.svg").read_text(encoding="utf-8")
    assert main(["margins", str(tmp_path / "wedged.yaml"), "--only", "thrust", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["thrust"][0]
    assert told["greatest_n"] is None and told["least_n"]["attained"] == pytest.approx(least, rel=1e-6)


def test_what_is_not_plane_has_no_line_of_thrust() -> None:
    dome = gallery.make("dome")
    oracle, state = made(dome)
    forces = oracle.assess(state).certificate
    assert isinstance(forces, falsework.Forces)
    assert thrust_line(dome, oracle.joints, state, forces) is None


@pytest.mark.parametrize(("wide", "high", "mu"), [(1.0, 4.0, 0.6), (1.0, 0.5, 0.3)])
def test_a_box_is_shaken_over_or_off_at_the_lesser_of_friction_and_slenderness(
    wide: float, high: float, mu: float
) -> None:
    tower = replace(
        boxes(("floor", (-2, -2, -1), (4, 4, 1)), ("box", (0, 0, 0), (wide, wide, high)), fixed="floor"), friction=mu
    )
    found = greatest_shaking(*made(tower), X).share_of_g
    assert found.stands == pytest.approx(min(mu, wide / high), rel=1e-4)
    assert found.falls == pytest.approx(min(mu, wide / high), rel=1e-4)


def test_a_load_on_a_plank_is_worst_at_its_end() -> None:
    """Moments about the outer side of the post: the load times its arm is the plank's weight times its own."""
    plank = plank_on_two(length=4.0, gap=2.0)
    oracle, state = made(plank)
    found = moving_load(oracle, state, X, places=15)
    worst = found.worst
    assert worst.part == "plank" and abs(worst.point_m[0]) > 1.8
    edge = 1.02
    wanted = plank.masses_kg[plank.index["plank"]] * G * edge / (abs(worst.point_m[0]) - edge)
    assert worst.newtons.stands == pytest.approx(wanted, rel=1e-4) and worst.newtons.falls == pytest.approx(
        wanted, rel=1e-4
    )


def test_margins_answers_all_of_it_and_refuses_what_makes_no_sense() -> None:
    found = margins("examples/arch.yaml", only=("thickness", "thrust", "shaking"), settle=("left", (0, 0, -1)))
    assert found.thickness is not None and found.thickness.factor == pytest.approx(1.910, rel=1e-3)
    assert [one.part for one in found.thrusts] == ["right", "left"] and len(found.shaking) == 4
    assert found.settlement is not None and found.settlement.work < 0
    with pytest.raises(BadInput, match="support 'stone-1': it is free; supports are fixed or held parts"):
        margins("examples/arch.yaml", only=(), settle=("stone-1", (0, 0, -1)))
    with pytest.raises(BadInput, match=r"settle: found \[0.0, 0.0\], expected three or six finite numbers"):
        margins("examples/arch.yaml", only=(), settle=("left", (0, 0)))
    with pytest.raises(BadInput, match="16 clutches"):
        margins("examples/bridge.txt", only=(), settle=("ground", (0, 0, -1)))


def column(mu: float = 0.6) -> Assembly:
    """A unit square, two high, on a floor; 2 t."""
    made = {"floor": ((4, 4, 1), (0, 0, -0.5)), "column": ((1, 1, 2), (0, 0, 1))}
    return Assembly.from_boxes(made, fixed="floor", mu=mu)


@pytest.mark.parametrize(("share", "answer"), [(0.9999, "unstable"), (1.0001, "stable")])
def test_a_column_is_crushed_by_its_own_weight(share: float, answer: str) -> None:
    assert check(column(), crushing_pa=share * 2000 * G).answer == answer


@pytest.mark.parametrize("off", [0.1, 0.3])
@pytest.mark.parametrize(("share", "answer"), [(0.98, "unstable"), (1.02, "stable")])
def test_a_weight_off_the_middle_is_borne_by_the_joint_about_it(off: float, share: float, answer: str) -> None:
    """The weight acts `off` the middle of a joint of width 1: at the limit a strip of 1 − 2 off bears it evenly."""
    weight = 2000 * G
    pushed = [("column", (weight * off / 2, 0, 0), (0, 0, 2.0))]
    assert check(column(mu=0.9), loads=pushed, crushing_pa=share * weight / (1 - 2 * off)).answer == answer


@pytest.mark.parametrize(("share", "answer"), [(0.999, "unstable"), (1.001, "stable")])
def test_cohesion_keeps_a_slab_on_a_slope(share: float, answer: str) -> None:
    slope, mu, weight = np.radians(40.0), 0.5, 200 * G
    made = {"floor": ((4, 4, 1), (0, 0, -0.5)), "slab": ((1, 1, 0.2), (0, 0, 0.1))}
    slab = Assembly.from_boxes(made, fixed="floor", mu=mu)
    gravity = G * np.array([np.sin(slope), 0.0, -np.cos(slope)])
    needed = weight * (np.sin(slope) - mu * np.cos(slope))
    assert check(slab, gravity=gravity, cohesion_pa=share * needed).answer == answer


@pytest.mark.parametrize("absent", [(), ("keystone",)])
def test_dry_joints_that_do_not_crush_are_those_of_blocks(absent: tuple[str, ...]) -> None:
    dry = check("examples/arch.yaml", model="mortar", absent=absent)
    assert dry.answer == check("examples/arch.yaml", absent=absent).answer


def test_mortar_never_takes_strength_away_and_weak_stone_does() -> None:
    arch = load("examples/arch.yaml")
    assert check(arch, absent="keystone", cohesion_pa=1e6).answer == "unstable"  # it bears no tension: halves turn out
    assert check(arch, crushing_pa=1e7).answer == "stable"
    assert check(arch, crushing_pa=5e3).answer == "unstable"


def test_the_referee_of_mortar_refuses_what_joints_cannot_bear() -> None:
    assembly, mortar = column(), Mortar(cohesion_pa=10.0, crushing_pa=3e4)
    cells, state = cells_of(interfaces(assembly), 4, with_corners=False), State.complete(assembly)
    referee = CheckedMortar(assembly, cells.joints, cells.areas_m2, cells.corners_m, mortar)
    even = np.outer(cells.areas_m2, 2000 * G * UP)
    assert cells.areas_m2.sum() == pytest.approx(1.0) and referee.forces_residual(state, even) < 1e-12
    one = np.zeros_like(even)
    one[0] = 1.0
    pulled, sheared = even * np.where(one > 0, -1.0, 1.0), even + 0.9 * 2000 * G * cells.areas_m2[:, None] * X
    heaped = np.where(np.arange(len(even))[:, None] < len(even) // 2, 2.0, 0.0) * even
    for wrong in (0.9 * even, pulled, sheared, heaped, even + np.nan):
        assert not referee.forces_residual(state, wrong) <= FORCES_RESIDUAL
    sinking = np.zeros((len(assembly.bodies), 6))
    sinking[assembly.index["column"], 2] = -1.0
    assert referee.motion_power(state, sinking) < 0  # 3e4 Pa bear its 2e4
    weak = CheckedMortar(assembly, cells.joints, cells.areas_m2, cells.corners_m, Mortar(crushing_pa=1e4))
    assert weak.motion_power(state, sinking) == pytest.approx(1 - 1e4 / (2000 * G))
    assert weak.motion_power(state, -sinking) < 0 and weak.motion_power(state, 0 * sinking) == -np.inf


def test_strengths_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadInput, match="cohesion: found -1, expected 0 Pa or more"):
        check("examples/arch.yaml", cohesion_pa=-1)
    with pytest.raises(BadInput, match="crushing: found 0, expected a pressure above 0 Pa"):
        check("examples/arch.yaml", crushing_pa=0)
    with pytest.raises(BadInput, match="cohesion and crushing are for model mortar, found model 'cra'"):
        check("examples/arch.yaml", model="cra", cohesion_pa=1)
    with pytest.raises(BadInput, match="model mortar knows contacts only, no clutches or hinges; use snapfit"):
        check("examples/bridge.txt", cohesion_pa=1)


def test_without_gravity_nothing_is_shaken_and_nothing_thrusts() -> None:
    found = margins("examples/arch.yaml", only=("thickness", "thrust", "shaking"), gravity=(0, 0, 0))
    assert found.shaking == () and found.thickness is not None
    assert all(abs(end) < 1e-9 for one in found.thrusts for end in one.range_n)


def test_a_load_on_a_plank_that_reaches_out_is_worst_at_its_very_end() -> None:
    """Moments about the edge of the post, 1 m from the end: P·1 = W·0.5."""
    plank = plank_on_posts(3.0)
    worst = moving_load(*made(plank), X).worst
    wanted = plank.masses_kg[2] * G / 2
    assert worst.newtons.stands == pytest.approx(wanted, rel=1e-3)
    assert worst.newtons.falls == pytest.approx(wanted, rel=1e-3)


def test_the_range_of_an_arch_is_proved_from_both_sides() -> None:
    arch = gallery.make("semicircular-arch", stones=21, thickness=0.15)
    thrust = thrust_of(*made(arch), "left", X)
    low, high = thrust.range_n
    assert thrust.least is not None and thrust.greatest is not None and low is not None and high is not None
    assert -thrust.least.most == pytest.approx(low, rel=1e-5) and thrust.greatest.most == pytest.approx(high, rel=1e-5)
    assert low < high


def test_a_plank_on_two_posts_is_seen_from_its_long_side() -> None:
    """All contacts face up: of the two elevations, the one that shows both posts."""
    plank = plank_on_posts(2.0)
    assert np.abs(plane_axis(plank, interfaces(plank), State.complete(plank))).tolist() == [0, 1, 0]
    assert thrust_of(*made(plank), "left", X).bounds[0].line is not None
    hinged = three_hinged(4.0, 1.0)
    assert plane_axis(hinged, interfaces(hinged), State.complete(hinged)) is None  # no contacts to draw it through
