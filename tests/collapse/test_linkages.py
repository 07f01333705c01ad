"""Linkages: whether they stand and how they begin to move, by hand and against a small judge of the tests' own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from falsework.cli import main
from falsework.collapse import initial
from falsework.collapse.collapse import LEFT, collapse
from falsework.collapse.elimination import eliminated
from falsework.collapse.initial import initial_collapse
from falsework.formats import load
from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Load
from falsework.model.bits import flags
from falsework.model.interfaces import Interfaces, Patches
from falsework.model.state import State
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.loads import load_wrenches
from falsework.statics.proofs.coulomb import motion_residual
from falsework.verdicts.check import check
from tests.collapse.linkages import framework, hinges_only, least_accelerations, random_linkage, resting_on
from tests.statics.structures import block, stack

G = 9.81
NO_LOAD_BEYOND = 1e-9  # of the loads: what the judge calls balanced
SURELY = 1e-5  # of the loads: what it calls unbalanced


def answers(assembly: Assembly, joints: Interfaces) -> tuple[str, str]:
    state = State.complete(assembly)
    check_says = Equilibrium(assembly, joints).assess(state).answer
    return check_says, initial_collapse(assembly, joints, state).answer


def four_bars(width: float = 1.0) -> Assembly:
    """A square of bars, its lower side the ground: it leans over under any push."""
    corners = np.array([[0.0, 0, 0], [0, 0, 1.0], [width, 0, 1.0], [width, 0, 0]])
    return framework(corners, [(0, 1), (1, 2), (2, 3)], [0, 3])


def test_four_bars_in_a_square_move_when_they_are_pushed() -> None:
    pushed = four_bars().changed(loads=(Load("1-2", np.array([5.0, 0.0, 0.0])),))
    assert answers(pushed, hinges_only(pushed)) == ("unstable", "unstable")
    begun = initial_collapse(pushed, hinges_only(pushed), State.complete(pushed))
    each = pushed.parts[1].mass_kg
    swinging = 2 * each * (1 / 3 + 0.02**2 / 12) + each  # both posts about their pins, and the beam
    assert begun.accelerations[2, 0] == pytest.approx(5.0 / swinging, rel=1e-6)


def test_four_bars_that_nobody_pushes_are_balanced_upright() -> None:
    upright = four_bars()
    assert answers(upright, hinges_only(upright)) == ("stable", "stable")


def test_a_diagonal_makes_a_truss_of_them() -> None:
    corners = np.array([[0.0, 0, 0], [0, 0, 1.0], [1.0, 0, 1.0], [1.0, 0, 0]])
    truss = framework(corners, [(0, 1), (1, 2), (2, 3), (0, 2)], [0, 3])
    pushed = truss.changed(loads=(Load("1-2", np.array([500.0, 0.0, 0.0])),))
    assert answers(pushed, hinges_only(pushed)) == ("stable", "stable")


def test_more_hinges_than_needed_change_nothing() -> None:
    corners = np.array([[0.0, 0, 0], [0, 0, 1.0], [1.0, 0, 1.0], [1.0, 0, 0]])
    for bars, answer in (([(0, 1), (1, 2), (2, 3), (0, 2)], "stable"), ([(0, 1), (1, 2), (2, 3)], "unstable")):
        for redundant in (False, True):
            made = framework(corners, bars, [0, 3], redundant=redundant)
            pushed = made.changed(loads=(Load("1-2", np.array([5.0, 0.0, 0.0])),))
            assert answers(pushed, hinges_only(pushed)) == (answer, answer)


@pytest.mark.parametrize("rise", [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
def test_bars_in_a_nearly_straight_line_bear_thousands_of_times_their_weight(rise: float) -> None:
    """Thrust is weight / (2 rise): no motion may prove that they fall, however little it tears the hinges."""
    points = np.array([[-1.0, 0, 0], [0, 0, rise], [1.0, 0, 0]])
    toggle = framework(points, [(0, 1), (1, 2)], [0, 2])
    assert answers(toggle, hinges_only(toggle)) == ("stable", "stable")
    forces = Equilibrium(toggle, hinges_only(toggle)).assess(State.complete(toggle)).certificate
    thrust = toggle.parts[1].mass_kg * G / (2 * rise)
    assert abs(forces.hinge_forces[1, 0]) == pytest.approx(thrust, rel=1e-3)  # type: ignore[union-attr]


def test_bars_in_a_straight_line_fall() -> None:
    straight = framework(np.array([[-1.0, 0, 0], [0, 0, 0], [1.0, 0, 0]]), [(0, 1), (1, 2)], [0, 2])
    assert answers(straight, hinges_only(straight)) == ("unstable", "unstable")
    begun = initial_collapse(straight, hinges_only(straight), State.complete(straight))
    assert begun.accelerations[1, 2] == pytest.approx(-0.75 * G, rel=1e-4)  # each a rod that swings about its end


@pytest.mark.parametrize("supported", [False, True])
def test_random_linkages_stand_and_move_as_least_squares_say(supported: bool) -> None:
    rng = np.random.default_rng(18)
    met = set()
    for _ in range(60):
        assembly = random_linkage(rng)
        found = hinges_only(assembly)
        if supported:
            found = resting_on(assembly, found, rng)
        unbalanced, accelerations = least_accelerations(assembly, found)
        if NO_LOAD_BEYOND < unbalanced < SURELY:
            continue
        truth = "stable" if unbalanced <= NO_LOAD_BEYOND else "unstable"
        assert answers(assembly, found) == (truth, truth)
        begun = initial_collapse(assembly, found, State.complete(assembly))
        swift = G + sum(float(np.abs(pull.force_n).sum()) for pull in assembly.loads) / assembly.masses_kg[1:].sum()
        reaches = np.array([part.radius_m for part in assembly.parts[1:]])[:, None]
        off = begun.accelerations[1:] - accelerations
        assert max(np.abs(off[:, :3]).max(), np.abs(off[:, 3:] * reaches).max()) <= 1e-6 * swift
        met.add(truth)
    assert met == {"stable", "unstable"}


def test_a_motion_that_tears_a_hinge_is_no_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    """The residual of the first instant looks at hinges too: free fall past a pin is refused."""
    pinned = framework(np.array([[0.0, 0, 0], [1.0, 0, 0]]), [(0, 1)], [0])
    found, state = hinges_only(pinned), State.complete(pinned)

    def falls_freely(*arguments: Any) -> None:
        wanted, motion = arguments[3], arguments[6]
        motion[:] = wanted

    monkeypatch.setattr(initial, "coulomb_motion", falls_freely)
    monkeypatch.setattr(initial, "eliminated", lambda *_: None)
    torn = initial_collapse(pinned, found, state)
    assert (torn.answer, torn.residual > 0.1) == ("undecided", True)


def test_elimination_and_rounds_agree_where_nothing_slides() -> None:
    diamond = make("diamond-tower", widest=3).changed(friction=0.0)
    joints, state = interfaces(diamond), State.complete(diamond)
    start = initial._Start.of(diamond, joints, state)
    begun = initial_collapse(diamond, joints, state)
    solved = eliminated(start.contacts, start.mass, start.w, np.zeros((len(start.contacts.bodies), 3)))
    assert solved is not None
    assert np.allclose(start.spread(solved[0]), begun.accelerations, atol=1e-9)


def test_a_part_that_leaves_a_balance_by_itself_is_never_said_to_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    tower = stack([0.6])
    honest = collapse(tower, seconds=0.2)
    assert (honest.answer, honest.doubt) == ("unstable", "") and honest.fallen
    calm = replace(initial_collapse(tower, interfaces(tower), State.complete(tower)), answer="stable")
    monkeypatch.setattr(initial, "initial_collapse", lambda *_: calm)
    doubted = collapse(tower, seconds=0.2)
    assert (doubted.answer, doubted.doubt) == ("undecided", LEFT)


def test_what_falls_by_both_laws_is_said_to_fall_and_no_more() -> None:
    assert collapse(stack([0.6]), seconds=0.05).also == {}


@pytest.mark.parametrize("heavy", [1.0, 1e4, 1e8])
def test_a_feather_that_floats_beside_a_heavy_block_falls_and_one_that_lies_rests(heavy: float) -> None:
    floor, granite = block("floor", (0, 0, -1), (9, 9, 1)), block("granite", (0, 0, 0), (1, 1, 1))
    granite = replace(granite, mass_kg=heavy, inertia_part_kgm2=granite.inertia_part_kgm2 * heavy / granite.mass_kg)
    for height, answer in ((0.0, "stable"), (1.0, "unstable")):
        feather = block("feather", (5, 5, height), (0.1, 0.1, 0.01))
        scene = Assembly((floor, granite, feather), fixed=frozenset({"floor"}))
        begun = initial_collapse(scene, interfaces(scene), State.complete(scene))
        assert begun.answer == answer
        assert begun.accelerations[2, 2] == pytest.approx(-G if height else 0.0, abs=1e-6)


def test_a_feather_that_would_have_to_be_pulled_up_is_not_balanced() -> None:
    """Forces that pull are refused by the scale of the part they pull at, not by that of the heaviest."""
    floor, granite = block("floor", (0, 0, -1), (9, 9, 1)), block("granite", (0, 0, 0), (9, 1, 1))
    granite = replace(granite, mass_kg=1e9, inertia_part_kgm2=granite.inertia_part_kgm2 * 1e9 / granite.mass_kg)
    feather = block("feather", (5, 1, 0.5), (0.1, 0.1, 0.01))  # at its side, and nothing below
    scene = Assembly((floor, granite, feather), fixed=frozenset({"floor"}), friction=0.3)
    joints, state = interfaces(scene), State.complete(scene)
    free = flags(state.free(scene), 3)
    masks = flags(state.installed, 3), free
    points = np.zeros_like(joints.patches.points)
    under = joints.patches.owner == next(n for n, pair in enumerate(joints.patches.bodies.tolist()) if 0 in pair)
    points[under] = [0.0, 0.0, 1e9 * G / under.sum()]
    points[~under] = [0.0, 0.0, feather.mass_kg * G / (~under).sum()]  # friction without pressure
    residual = motion_residual(scene, joints.patches, masks, load_wrenches(scene, state), points, np.zeros((3, 6)))
    assert residual > 0.1


def without_hinged_contacts(assembly: Assembly) -> Interfaces:
    """The interfaces where parts that share a hinge touch nowhere else."""
    joints = interfaces(assembly)
    hinged = {frozenset(pair) for pair in joints.hinges.bodies.tolist()}
    assert all(frozenset(pair) in hinged for pair in joints.patches.bodies.tolist())
    return replace(joints, patches=Patches.none())


def test_the_published_four_bar_linkage_moves(shared: Path) -> None:
    assembly = load(shared / "soundness" / "fourbar.yaml")
    found = without_hinged_contacts(assembly)
    assert check(assembly, joints=found).answer == "unstable"
    moved = collapse(assembly, joints=found, seconds=0.5)
    assert moved.answer == "unstable" and set(moved.falling) == {"a", "b", "c"}


def test_the_four_bar_linkage_is_never_said_to_stand_while_it_leaves(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["collapse", str(shared / "soundness" / "fourbar.yaml"), "--seconds", "0.5"])
    said = capsys.readouterr().out
    assert code != 0 and "stands" not in said and "3 of 4 parts left their place" in said


def test_a_bar_upright_on_a_pin_stands(shared: Path) -> None:
    assembly = load(shared / "soundness" / "truss.yaml")
    assert check(assembly).answer == "stable"
    still = collapse(assembly)
    assert (still.answer, still.fallen) == ("stable", ())
    assert still.initial.residual <= 1e-9


def test_a_random_cut_moves_as_check_has_it_or_says_that_forces_exist(shared: Path) -> None:
    assembly = load(shared / "soundness" / "b3d_1_45.json")
    moved, plain = collapse(assembly, seconds=0.02), check(assembly, cone="exact", also=False).answer
    assert moved.answer == plain or moved.also == {"blocks": plain}


def test_what_moves_although_forces_exist_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    tower = stack([0.1])
    sliding = replace(initial_collapse(tower, interfaces(tower), State.complete(tower)), answer="unstable")
    monkeypatch.setattr(initial, "initial_collapse", lambda *_: sliding)
    assert collapse(tower, seconds=0.02).also == {"blocks": "stable"}
    assert collapse(tower.changed(friction=0.0), seconds=0.02).also == {}
