"""The first instant: closed forms, the certificate's motion, Coulomb's law."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from falsework.collapse.initial import InitialCollapse, associated_motion, initial_collapse
from falsework.formats import load
from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Hinge
from falsework.model.state import State
from falsework.model.verdict import Motion
from falsework.verdicts.check import check
from tests.collapse.scenes import G, about_y, centres, cuboid, incline, mirror_images, over_the_edge


def first_instant(assembly: Assembly, **state: int) -> InitialCollapse:
    return initial_collapse(assembly, interfaces(assembly), State.complete(assembly, **state))


def test_a_loose_part_falls_freely() -> None:
    base, loose = cuboid("base", (1.0, 1.0, 0.1), (0.0, 0.0, 0.0)), cuboid("loose", (0.2, 0.3, 0.1), (0.3, 0.3, 1.0))
    found = first_instant(Assembly((base, loose), fixed=frozenset(["base"])))
    assert found.answer == "unstable"
    assert found.accelerations[1] == pytest.approx([0, 0, -G, 0, 0, 0], abs=1e-12)


@pytest.mark.parametrize(("angle", "friction"), [(35.0, 0.4), (50.0, 0.9), (20.0, 0.0)])
def test_a_sliding_block_gets_coulombs_acceleration(angle: float, friction: float) -> None:
    found = first_instant(incline(angle, friction))
    tilt = np.deg2rad(angle)
    down = about_y(tilt).T @ found.accelerations[1, :3]
    assert down == pytest.approx([G * (np.sin(tilt) - friction * np.cos(tilt)), 0, 0], abs=1e-9)
    assert found.accelerations[1, 3:] == pytest.approx([0, 0, 0], abs=1e-9)
    assert found.residual < 1e-9


def test_the_associated_motion_is_slower_by_one_plus_friction_squared_and_dilates() -> None:
    friction, tilt = 0.4, np.deg2rad(35.0)
    assembly = incline(35.0, friction)
    dilating = about_y(tilt).T @ associated_motion(assembly, interfaces(assembly), State.complete(assembly))[1, :3]
    sliding = G * (np.sin(tilt) - friction * np.cos(tilt))
    assert dilating[0] == pytest.approx(sliding / (1 + friction**2), rel=1e-9)
    assert dilating[2] == pytest.approx(friction * dilating[0], rel=1e-9)


def test_a_block_stays_where_friction_holds_it() -> None:
    found = first_instant(incline(20.0, 0.37))  # tan 20° = 0.364
    assert found.answer == "stable"
    assert np.abs(found.accelerations).max() < 1e-9


@pytest.mark.parametrize("overhang", [0.05, 0.3])
def test_a_plank_tips_about_the_edge(overhang: float) -> None:
    found = first_instant(over_the_edge(overhang))
    arm = np.hypot(overhang, 0.05)
    expected = G * overhang / ((1.0**2 + 0.1**2) / 12 + arm**2)  # m g d / (I + m r²)
    assert found.accelerations[1, 4] == pytest.approx(expected, rel=1e-9)
    assert found.opens.any() and found.presses.any()


def test_a_hinged_bar_starts_as_a_pendulum() -> None:
    wall = cuboid("wall", (0.1, 0.1, 1.0), (-0.1, 0.0, 0.0))
    bar = cuboid("bar", (1.0, 0.1, 0.2), (0.0, 0.0, 0.4))
    pin = Hinge("wall", "bar", np.array([0.0, 0.05, 0.5]), np.array([0.0, 1.0, 0.0]))
    assembly = Assembly((wall, bar), fixed=frozenset(["wall"]), friction=0.0, hinges=(pin,))
    joints = interfaces(assembly.changed(hinges=(pin,)))
    hinged = initial_collapse(
        assembly, type(joints)(type(joints.patches).none(), joints.clutches, joints.hinges), State.complete(assembly)
    )
    inertia = (1.0**2 + 0.2**2) / 12 + 0.5**2
    assert hinged.accelerations[1, 4] == pytest.approx(G * 0.5 / inertia, rel=1e-9)


def test_without_friction_it_is_the_motion_that_check_proves_instability_with() -> None:
    diamond = make("diamond-tower", widest=5)
    certificate = check(diamond).certificate
    assert isinstance(certificate, Motion)
    assert first_instant(diamond).accelerations == pytest.approx(certificate.twists, abs=1e-4)


@pytest.mark.parametrize(("widest", "answer"), [(3, "stable"), (4, "stable"), (5, "unstable"), (6, "unstable")])
def test_diamonds_stand_up_to_four(widest: int, answer: str) -> None:
    assert first_instant(make("diamond-tower", widest=widest)).answer == answer


def test_a_symmetric_tower_starts_symmetrically() -> None:
    diamond = make("diamond-tower", widest=6)
    image = mirror_images(centres(diamond, diamond.poses[:-1]))
    moves = first_instant(diamond).accelerations[:-1]
    assert moves == pytest.approx(moves[image] * np.array([-1, 1, 1, 1, -1, -1]), abs=1e-9)


@pytest.mark.parametrize("friction", [0.2, 0.55, 1.0])
def test_an_arch_without_its_keystone_obeys_coulombs_law(friction: float) -> None:
    arch = make("semicircular-arch", stones=9, friction=friction)
    found = first_instant(arch, absent=arch.mask(["keystone"]))
    assert found.answer == "unstable"
    assert found.residual < 1e-6


@pytest.mark.parametrize(("name", "fixed"), [("dome", "72"), ("rulin", "0"), ("tetris-1", "0"), ("tetris-3", "0")])
def test_published_assemblies_stand(shared: Path, name: str, fixed: str) -> None:
    assembly = load(shared / "blocks" / name, fixed=[fixed])
    found = first_instant(assembly)
    assert found.answer == "stable"
    assert np.abs(found.accelerations).max() < 1e-6 * G


def test_the_order_of_parts_does_not_matter() -> None:
    tower = make("diamond-tower", widest=5)
    turned = tower.changed(parts=tower.parts[::-1])
    found, other = first_instant(tower).accelerations, first_instant(turned).accelerations
    assert other[: len(tower.parts)][::-1] == pytest.approx(found[: len(tower.parts)], abs=1e-9)
