"""Arms from URDF and MJCF, and the data of the arms that come with the house."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from falsework.engine.arm_file import read_mjcf_arm
from falsework.formats.robots.capsule_fitting import capsules_around
from falsework.formats.robots.catalogue import arm_named, arm_names, read_arm, tool_named, tool_names
from falsework.formats.robots.cell_mjcf import cell_mjcf
from falsework.formats.robots.urdf import read_urdf
from falsework.model.arrays import Array
from falsework.model.errors import BadFile
from falsework.model.poses import about
from falsework.model.robots.arm import Arm
from falsework.model.robots.cell import Cell, CellArm, Feeder, Obstacle, Table
from falsework.model.shapes import box
from falsework.robots.cells.kinds import TOOLS, new_cell
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.kinematics.kinematics import Kinematics

EXAMPLE = Path(__file__).parents[3] / "examples" / "desk-arm.urdf"


def changed(folder: Path, before: str, after: str) -> Path:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert before in text
    path = folder / "arm.urdf"
    path.write_text(text.replace(before, after), encoding="utf-8")
    return path


def inside(points: Array, arm: Arm, link: int) -> bool:
    """Whether every point lies within a capsule of a link."""
    held = np.zeros(len(points), bool)
    for capsule in arm.capsules:
        if capsule.link == link:
            axis = capsule.end_m - capsule.start_m
            t = np.clip((points - capsule.start_m) @ axis / max(float(axis @ axis), 1e-30), 0, 1)
            held |= np.linalg.norm(points - capsule.start_m - t[:, None] * axis, axis=1) <= capsule.radius_m + 1e-9
    return bool(held.all())


@pytest.mark.parametrize("name", arm_names())
def test_every_number_of_an_arm_has_a_source_and_limits_make_sense(name: str) -> None:
    arm = arm_named(name)
    sources = dict(arm.sources)
    assert {"joints", "limits", "payload", "capsules"} <= set(sources)
    assert all(len(text) > 10 for text in sources.values())
    assert arm.payload_kg is not None and arm.reach_m is not None
    assert all(joint.speed is not None and joint.speed > 0 for joint in arm.joints)
    assert {capsule.link for capsule in arm.capsules} == set(range(len(arm.joints) + 1))
    assert name in TOOLS


@pytest.mark.parametrize("name", arm_names())
def test_an_arm_reaches_about_as_far_as_its_maker_says(name: str) -> None:
    """From the axis of its second joint, to its wrist or its flange: makers measure differently."""
    arm = arm_named(name)
    kinematics = Kinematics(arm)
    q = np.random.default_rng(0).uniform(arm.lower, arm.upper, (4000, len(arm.joints)))
    shoulder = kinematics.links(q)[:, 2, :3, 3]
    farthest = float(np.linalg.norm(kinematics.forward(q)[:, :3, 3] - shoulder, axis=1).max())
    assert arm.reach_m is not None
    assert 0.85 * arm.reach_m < farthest < 1.35 * arm.reach_m


@pytest.mark.parametrize("name", tool_names())
def test_every_tool_has_sources_and_grips_in_front_of_its_flange(name: str) -> None:
    tool = tool_named(name)
    assert {"point", "body", "force"} <= set(dict(tool.sources))
    assert tool.T_flange_tool[2, 3] > 0.05
    assert max(body.corners_m[:, 2].max() for body in tool.bodies) >= tool.T_flange_tool[2, 3] - 1e-9


def test_a_urdf_arm_is_the_chain_that_it_describes() -> None:
    arm = read_urdf(EXAMPLE)
    T = Kinematics(arm).forward(np.zeros(6))
    assert T[:3, 3] == pytest.approx([0.03, 0.0, 0.1 + 0.1 + 0.3 + 0.25 + 0.06 + 0.01], abs=1e-12)
    turned = Kinematics(arm).forward(np.array([np.pi / 2, np.pi / 2, 0, 0, 0, 0]))
    assert turned[:3, 3] == pytest.approx([0.0, 0.03 + 0.3 + 0.25 + 0.06 + 0.01, 0.2], abs=1e-12)
    assert arm.joints[3].upper == pytest.approx(2 * np.pi)  # continuous
    assert arm.joints[0].speed == 3.0


def test_solids_of_a_urdf_lie_within_their_capsules() -> None:
    arm = read_urdf(EXAMPLE)
    corners = box((0.1, 0.1, 0.1)).vertices - (0.05, 0.05, 0.0)
    assert inside(corners, arm, 1)
    angles = np.linspace(0, 2 * np.pi, 50)
    rims = [np.column_stack([0.035 * np.cos(angles), 0.035 * np.sin(angles), np.full(50, z)]) for z in (0.0, 0.15, 0.3)]
    assert inside(np.concatenate(rims), arm, 2)


def test_capsules_hold_whatever_they_are_put_around() -> None:
    rng = np.random.default_rng(0)
    for _ in range(12):
        points = rng.normal(size=(int(rng.integers(1, 40)), 3)) * rng.uniform(0.01, 1.0, 3)
        weights = rng.dirichlet(np.ones(len(points)), 200)
        tried = np.concatenate([points, weights @ points])
        held = np.zeros(len(tried), bool)
        for start, end, radius in capsules_around(points, 0.01):
            axis = end - start
            t = np.clip((tried - start) @ axis / max(float(axis @ axis), 1e-30), 0, 1)
            held |= np.linalg.norm(tried - start - t[:, None] * axis, axis=1) <= radius - 0.01 + 1e-9
        assert held.all()


def test_an_arm_of_which_nobody_said_what_touches_does_not_touch_itself_at_home() -> None:
    bodies = ArmBodies(CellArm("mine", read_urdf(EXAMPLE), tool_named("suction"), np.eye(4)))
    assert not bodies.touches_itself(bodies.placed.home[None])[0]


BAD = {
    "no such parent": (
        'parent link="upper"',
        'parent link="uper"',
        r"its parent 'uper' is no link; did you mean 'upper'\?",
    ),
    "an unknown type": (
        'name="elbow" type="revolute"',
        'name="elbow" type="hinge"',
        "joint 'elbow': found the type 'hinge'",
    ),
    "no limit": ('<limit lower="-2.6" upper="2.6" velocity="3" effort="20"/>', "", "joint 'elbow': has no limit"),
    "limits crossed": (
        'lower="-2.6" upper="2.6"',
        'lower="2.6" upper="-2.6"',
        "joint 'elbow': found limits 2.6 to -2.6",
    ),
    "not a number": ('xyz="0 0 0.3"', 'xyz="0 0 nan"', "xyz: found '0 0 nan', expected 3 finite numbers"),
    "no axis": (
        '<axis xyz="0 0 1"/>\n    <limit lower="-3.1"',
        '<axis xyz="0 0 0"/>\n    <limit lower="-3.1"',
        "its axis has no direction",
    ),
    "a mimic in the arm": (
        '<child link="fore"/>',
        '<child link="fore"/><mimic joint="pan"/>',
        "joint 'elbow' mimics 'pan'",
    ),
    "a loop": (
        '<parent link="spin"/><child link="tool0"/>',
        '<parent link="spin"/><child link="base"/>',
        "hangs on itself",
    ),
    "two ends": ('<link name="tool0"/>', '<link name="tool0"/><link name="lamp"/>', "found 2 bodies without a parent"),
    "a mesh that is not there": (
        '<sphere radius="0.03"/>',
        '<mesh filename="package://no/a.stl"/>',
        "there is no mesh 'package://no/a.stl'",
    ),
    "a mesh elsewhere": (
        '<sphere radius="0.03"/>',
        '<mesh filename="/etc/a.stl"/>',
        "expected a path below this file's folder",
    ),
    "a ball of no size": (
        '<sphere radius="0.03"/>',
        '<sphere radius="0"/>',
        "radius: found '0', expected numbers above 0",
    ),
    "xacro": ('<link name="spin"/>', '<xacro xmlns="x"/><link name="spin"/>', "is a xacro file"),
    "not XML": ("</robot>", "", "not valid XML"),
    "entities": (
        '<?xml version="1.0"?>',
        '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]>',
        "document type definition",
    ),
    "an MJCF file": ("robot", "mujoco", "found <mujoco>, expected a URDF file"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_urdf_is_refused_in_one_line(case: str, tmp_path: Path) -> None:
    before, after, message = BAD[case]
    path = changed(tmp_path, before, after)
    with pytest.raises(BadFile, match=message) as caught:
        read_urdf(path)
    assert "\n" not in str(caught.value)


def test_base_and_flange_can_be_named_and_must_be_there(tmp_path: Path) -> None:
    shorter = read_urdf(EXAMPLE, base="turret", flange="fore")
    assert [joint.name for joint in shorter.joints] == ["shoulder", "elbow"]
    with pytest.raises(BadFile, match="there is no body 'tool'; did you mean 'tool0'"):
        read_urdf(EXAMPLE, flange="tool")
    with pytest.raises(BadFile, match="'base' does not hang on 'turret'"):
        read_urdf(EXAMPLE, base="turret", flange="base")


def test_a_mesh_of_a_urdf_is_found_in_its_package_and_held(tmp_path: Path) -> None:
    (tmp_path / "mine" / "meshes").mkdir(parents=True)
    (tmp_path / "mine" / "urdf").mkdir()
    (tmp_path / "mine" / "meshes" / "t.obj").write_text(
        "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
    )
    path = changed(
        tmp_path, '<sphere radius="0.03"/>', '<mesh filename="package://mine/meshes/t.obj" scale="0.001 0.001 0.001"/>'
    )
    moved = path.rename(tmp_path / "mine" / "urdf" / "arm.urdf")
    corners = np.array([[0, 0, 0.02], [0.1, 0, 0.02], [0, 0.1, 0.02], [0, 0, 0.12]])
    assert inside(corners, read_urdf(moved), 5)


def test_a_toml_arm_with_a_wrong_line_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text('name = "a"\n[[joint]]\nname = "x"\naxis = [0, 0, 2]\nrange = [-1, 1]\n', encoding="utf-8")
    with pytest.raises(BadFile, match=r"joint\[0\]: joint 'x': found the axis .*, expected one of length 1"):
        read_arm(path)
    path.write_text("name = ", encoding="utf-8")
    with pytest.raises(BadFile, match="not valid TOML"):
        read_arm(path)


MJCF = """
<mujoco><compiler angle="degree"/>
<default><joint range="-90 90"/><geom type="capsule" size="0.03"/></default>
<worldbody>
  <geom type="plane" size="1 1 0.1"/>
  <body name="base" pos="0 0 0.1"><geom size="0.05" fromto="0 0 0 0 0 0.1"/>
    <body name="upper" pos="0 0 0.2" euler="0 90 0">
      <joint name="a" axis="0 1 0" pos="0.01 0 0" ref="10"/><joint name="b" axis="1 0 0"/>
      <geom fromto="0 0 0 0.3 0 0"/>
      <body name="hand" pos="0.3 0 0"><joint name="s" type="slide" axis="1 0 0" range="0 0.1"/>
        <geom type="box" size="0.02 0.03 0.04"/><site name="tip" pos="0.05 0 0"/></body>
    </body>
  </body>
  <body name="cube" pos="1 0 0"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
</worldbody></mujoco>
"""


TIED = '<equality><joint joint1="b" joint2="a"/></equality></mujoco>'


def test_an_mjcf_arm_moves_as_mujoco_moves_it(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    path.write_text(MJCF, encoding="utf-8")
    arm = read_mjcf_arm(path, base="base", flange="tip")
    assert [joint.kind for joint in arm.joints] == ["revolute", "revolute", "prismatic"]
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    base = np.eye(4)
    base[2, 3] = 0.1
    for q in np.random.default_rng(0).uniform(arm.lower, arm.upper, (20, 3)):
        for joint, value in zip(arm.joints, q, strict=True):
            data.joint(joint.name).qpos = value
        mujoco.mj_kinematics(model, data)
        T = base @ Kinematics(arm).forward(q)
        assert data.site("tip").xpos == pytest.approx(T[:3, 3], abs=1e-12)
        assert data.site("tip").xmat.reshape(3, 3) == pytest.approx(T[:3, :3], abs=1e-12)
    assert inside(box((0.04, 0.06, 0.08)).vertices - (0.02, 0.03, 0.04), arm, 3)


def test_a_bad_mjcf_is_refused_in_one_line(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    for text, message, named in (
        (MJCF, "found 2 bodies in the world, expected one; name the arm's base", {}),
        (MJCF, "joint .* is free or a ball", {"base": "world", "flange": "cube"}),
        (MJCF, "there is no body 'tipp'; did you mean 'tip'", {"base": "base", "flange": "tipp"}),
        (MJCF.replace("</mujoco>", TIED), "joint 'b' mimics 'a'", {"base": "base", "flange": "tip"}),
        ("<mujoco><worldbody><body/></mujoco>", "MuJoCo cannot read it", {}),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(BadFile, match=message) as caught:
            read_mjcf_arm(path, **named)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", arm_names())
def test_mujoco_has_the_arms_of_a_generated_scene_where_our_kinematics_has_them(name: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    cell = new_cell(f"two-{name}")
    model = mujoco.MjModel.from_xml_string(cell_mjcf(cell))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(1)
    for _ in range(5):
        for one in cell.arms:
            q = rng.uniform(one.arm.lower, one.arm.upper)
            for joint, value in zip(one.arm.joints, q, strict=True):
                data.joint(f"{one.name}/{joint.name}").qpos = value
            mujoco.mj_kinematics(model, data)
            T = one.T_world_base @ Kinematics(one.arm, one.tool).forward(q)
            site = data.site(f"{one.name}/tool")
            assert site.xpos == pytest.approx(T[:3, 3], abs=1e-9)
            assert site.xmat.reshape(3, 3) == pytest.approx(T[:3, :3], abs=1e-9)


def test_mujoco_and_we_agree_on_how_far_things_are_apart() -> None:
    """Two methods, one answer: the least distance of a posed arm from a turned box."""
    mujoco = pytest.importorskip("mujoco")
    from falsework.robots.collision.collisions import clearances
    from falsework.robots.collision.surroundings import Surroundings

    T = np.eye(4)
    T[:3, :3], T[:3, 3] = about(2, 30.0) @ about(0, 20.0), (0.45, 0.1, 0.35)
    one = CellArm("one", arm_named("ur5e"), tool_named("robotiq-2f-85"), np.eye(4))
    obstacle = Obstacle("block", box((0.2, 0.1, 0.15)), T)
    cell = Cell("c", (one,), (Feeder("f", np.eye(4), (0.1, 0.1)),), np.eye(4), obstacles=(obstacle,))
    model = mujoco.MjModel.from_xml_string(cell_mjcf(cell))
    data = mujoco.MjData(model)
    block = [k for k in range(model.ngeom) if model.body(model.geom_bodyid[k]).name == "block"]
    arm = ArmBodies(one, 0.0)
    moving = [k for k in range(model.ngeom) if model.body(model.geom_bodyid[k]).name not in ("block", "one/base")]
    compared = 0
    for q in np.random.default_rng(2).uniform(-1.5, 1.5, (40, 6)):
        for joint, value in zip(one.arm.joints, q, strict=True):
            data.joint(f"one/{joint.name}").qpos = value
        mujoco.mj_kinematics(model, data)
        theirs = min(mujoco.mj_geomDistance(model, data, a, b, 5.0, None) for a in moving for b in block)
        ours = float(clearances(arm, q[None], Surroundings.of(cell), 5.0)[0])
        if theirs > 0.001:
            compared += 1
            assert ours == pytest.approx(theirs, abs=2e-4)
        else:
            assert ours < 0.002
    assert compared > 15


def test_a_scene_has_what_the_cell_has() -> None:
    mujoco = pytest.importorskip("mujoco")
    cell = new_cell("two-panda")
    model = mujoco.MjModel.from_xml_string(cell_mjcf(cell))
    assert model.nu == 14
    assert model.camera("above").id >= 0 and model.geom("table").id >= 0 and model.site("feeder-2").id >= 0
    assert isinstance(cell.table, Table) and model.geom("table").size[0] == cell.table.size_m[0] / 2
