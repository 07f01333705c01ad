"""GLB and MJCF: what others see of an assembly."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
import trimesh

from falsework import gallery
from falsework.formats import load, save
from falsework.geometry.contacts.ground import bounds_m
from falsework.model.errors import BadInput


@pytest.mark.parametrize("kind", ["dome", "mortise-frame", "bird-house", "hexagonal-shell"])
def test_a_glb_of_blocks_reads_back_to_single_precision(kind: str, tmp_path: Path) -> None:
    assembly = gallery.make(kind)
    save(assembly, tmp_path / "a.glb")
    again = load(tmp_path / "a.glb")
    assert set(again.names) == {body.name for body in assembly.bodies}
    for part in assembly.parts:
        twin = again.parts[again.index[part.name]]
        assert twin.mass_kg == pytest.approx(part.mass_kg, rel=1e-4)
        assert twin.com_world_m == pytest.approx(part.com_world_m, abs=1e-5)


def test_bricks_in_a_glb_have_studs_and_colours(tmp_path: Path) -> None:
    stack = gallery.make("duplo-stack", bricks=2)
    save(stack, tmp_path / "a.glb")
    scene = trimesh.load_scene(tmp_path / "a.glb")
    high = bounds_m(stack)[1]
    stud = stack.parts[0].shape.kind.measures.stud_height_m  # type: ignore[union-attr]
    assert scene.bounds[1][2] == pytest.approx(high[2] + stud, abs=1e-6)
    assert {mesh.visual.material.name for mesh in scene.geometry.values()} == {"red", "blue", "plain"}
    assert all(mesh.is_watertight for mesh in scene.geometry.values())


def test_equal_bricks_share_a_mesh(tmp_path: Path) -> None:
    save(gallery.make("brick-wall", columns=4, courses=60), tmp_path / "a.glb")
    assert len(trimesh.load_scene(tmp_path / "a.glb").geometry) == 3  # 2x4, 2x2 and the plate below


def test_mjcf_has_a_body_a_part_and_loose_ones_are_free(tmp_path: Path) -> None:
    arch = gallery.make("semicircular-arch", stones=7)
    save(arch, tmp_path / "a.xml")
    bodies = ET.parse(tmp_path / "a.xml").findall("./worldbody/body")
    assert [body.get("name") for body in bodies] == list(arch.names)
    loose = [body.get("name") for body in bodies if body.find("freejoint") is not None]
    assert loose == [name for name in arch.names if name not in arch.fixed]


@pytest.mark.parametrize("kind", ["semicircular-arch", "diamond-tower", "brick-table", "dome", "duplo-stack"])
def test_mujoco_takes_the_mjcf_with_our_masses_and_places(kind: str, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    assembly = gallery.make(kind)
    save(assembly, tmp_path / "a.xml", lossy=True)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "a.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for number, part in enumerate(assembly.parts):
        if part.name not in assembly.fixed:
            body = model.body(part.name).id
            assert model.body_mass[body] == pytest.approx(part.mass_kg, rel=1e-9)
            assert data.xipos[body] == pytest.approx(assembly.coms_m[number], abs=1e-9)
    assert model.opt.gravity == pytest.approx(assembly.gravity)


def test_mjcf_of_a_hollow_part_is_refused_unless_the_loss_is_accepted(tmp_path: Path) -> None:
    packing = gallery.make("tetromino-packing", columns=4, rows=4)
    with pytest.raises(BadInput, match="not convex"):
        save(packing, tmp_path / "a.xml")
    assert save(packing, tmp_path / "a.xml", lossy=True) == "mjcf"


def test_the_ground_is_in_the_picture(tmp_path: Path) -> None:
    wall = gallery.make("running-bond-wall", columns=2, courses=2)
    save(wall, tmp_path / "a.glb")
    again = load(tmp_path / "a.glb")
    assert "ground" in again.index
    assert np.isclose(bounds_m(again)[0, 2], -0.5 * 0.4)
