"""What an MJCF file brings into a world goes on through breaks and joins, and what it asks for is done or refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from falsework.brickworld.settings import Settings
from falsework.brickworld.world import World
from falsework.model.errors import BadFile, BadInput
from tests.brickworld.scenes import falling_stair, on_table, stair, watched
from tests.conftest import on_baseplate

ROBOT = """<mujoco>{option}<size nuserdata="3"/><worldbody>
<body name="arm" pos="0 0.5 0.05"><joint name="turn" type="hinge" axis="0 0 1" damping="1e-4"/>
<geom type="capsule" fromto="0 0 0 -0.08 0 0" size="0.004" mass="0.01"/></body>
<body name="box" pos="0.5 0.5 0.05"><freejoint name="loose"/><geom name="hull" type="box" size=".01 .01 .01"/></body>
<body name="held" pos="0.5 -0.5 0.3"><freejoint/><geom type="box" size=".01 .01 .01"/></body>
<body name="group 0" pos="-1 -1 1"><geom size="0.01"/></body>
</worldbody>
<equality><connect name="grasp" body1="held" anchor="0 0 0" active="false"/></equality>
<actuator><general name="motor" joint="turn" dyntype="filter" dynprm="0.5" gainprm="1"/></actuator></mujoco>"""


def scene(tmp_path: Path, option: str = "") -> Path:
    file = tmp_path / "robot.xml"
    file.write_text(ROBOT.format(option=option), encoding="utf-8")
    return file


def test_everything_else_goes_on_through_a_break(tmp_path: Path) -> None:
    world = World(on_baseplate(*falling_stair()), mjcf=scene(tmp_path))
    breaks, _ = watched(world)
    data = world.scene.data
    grasp, box = world.handle("equality", "grasp"), world.handle("body", "box")
    grasp.active = True
    box.data.xfrc_applied[:] = (0.0, 0.0, 1.0, 0.0, 0.0, 1e-4)
    data.userdata[:] = (1.0, 2.0, 3.0)
    world.handle("actuator", "motor").data.ctrl[0] = 0.02
    data.qfrc_applied[world.handle("joint", "turn").model.dofadr[0]] = 1e-5
    kept = ("eq_active", "userdata", "ctrl")
    before = {name: np.array(getattr(data, name)) for name in kept}
    act = 0.0
    while not breaks:
        world.step()
        act, previous = float(world.scene.data.act[0]), act
        assert act > previous
    assert world.scene.data is not data  # the engine's arrays are others now
    now = world.scene.data
    assert all(np.array_equal(getattr(now, name), before[name]) for name in kept)
    assert box.data.xfrc_applied.tolist() == [0.0, 0.0, 1.0, 0.0, 0.0, 1e-4]
    assert now.qfrc_applied[world.handle("joint", "turn").model.dofadr[0]] == 1e-5
    assert float(now.act[0]) == act
    world.step()
    assert float(world.scene.data.act[0]) > act
    assert grasp.active
    world.run(0.3)
    assert world.handle("body", "held").data.xpos[2] > 0.29  # it would have fallen by half a metre


def test_what_pushes_others_does_not_push_bricks(tmp_path: Path) -> None:
    """The numbers of bodies change when something breaks; a force must not wander to another one."""
    alone, beside = World(on_baseplate(*falling_stair())), World(on_baseplate(*falling_stair()), mjcf=scene(tmp_path))
    breaks, _ = watched(beside)
    beside.handle("body", "box").data.xfrc_applied[:3] = (0.0, 0.0, 0.01)
    for world in (alone, beside):
        world.run(0.1)
    assert breaks
    assert alone.connections == beside.connections
    assert alone.poses() == pytest.approx(beside.poses(), abs=1e-6)


def test_a_handle_finds_its_thing_after_a_break(tmp_path: Path) -> None:
    world = World(on_baseplate(*falling_stair()), mjcf=scene(tmp_path))
    breaks, _ = watched(world)
    hull = world.handle("geom", "hull")
    height = float(hull.data.xpos[2])
    while not breaks:
        world.step()
    world.step()
    assert float(hull.data.xpos[2]) < height
    assert world.scene.model.geom(hull.id).name == "hull"


def test_names_that_are_not_there_are_refused(tmp_path: Path) -> None:
    world = World(on_table(*stair(2)), mjcf=scene(tmp_path))
    with pytest.raises(BadInput, match="there is no body 'bax' in the scene; did you mean 'box'"):
        world.handle("body", "bax")
    with pytest.raises(BadInput, match="there is no body 'falsework:group 0'"):
        world.handle("body", "falsework:group 0")
    with pytest.raises(BadInput, match="handle: found 'bodies'"):
        world.handle("bodies", "box")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="has no data of its own"):
        _ = world.handle("equality", "grasp").data
    with pytest.raises(BadInput, match="cannot be active or inactive"):
        _ = world.handle("body", "box").active


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ('<option timestep="0.001"/>', r"option timestep: found 0.001 s, expected 0.00208333 s.*frame_s=0.008"),
        ('<option gravity="0 0 -1"/>', r"option gravity: found 0 0 -1, expected that of the assembly"),
        ('<option integrator="RK4"/>', r"option integrator: found RK4, expected euler or implicitfast"),
        ('<option cone="pyramidal"/>', r"option cone: found pyramidal, expected elliptic"),
        ('<option solver="PGS"/>', r"option solver: found PGS, expected newton or cg"),
        ('<option><flag contact="disable"/></option>', r"option flag contact: found disable, expected enable"),
        ('<option><flag autoreset="enable"/></option>', r"option flag autoreset: found enable, expected disable"),
        ('<option><flag speculative="enable"/></option>', r"option flag speculative: found enable"),
    ],
)
def test_options_that_bricks_cannot_live_with_are_refused(option: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=why):
        World(on_table(*stair(2)), Settings(), mjcf=scene(tmp_path, option))


def test_options_of_an_included_file_are_asked_for_too(tmp_path: Path) -> None:
    (tmp_path / "options.xml").write_text('<mujoco><option integrator="RK4"/></mujoco>', encoding="utf-8")
    with pytest.raises(BadFile, match="found RK4"):
        World(on_table(*stair(2)), mjcf=scene(tmp_path, '<include file="options.xml"/>'))


def test_other_options_are_respected(tmp_path: Path) -> None:
    option = '<option integrator="implicitfast" iterations="77" impratio="3"><flag warmstart="disable"/></option>'
    world = World(on_table(*stair(2)), mjcf=scene(tmp_path, option))
    from falsework.engine.library import mujoco

    asked, library = world.scene.model.opt, mujoco()
    assert asked.integrator == library.mjtIntegrator.mjINT_IMPLICITFAST
    assert (asked.iterations, asked.impratio) == (77, 3.0)
    assert asked.disableflags & int(library.mjtDisableBit.mjDSBL_WARMSTART)
    assert asked.disableflags & int(library.mjtDisableBit.mjDSBL_AUTORESET)
    world.run(0.1)


@pytest.mark.parametrize("step_s", [0.002, 0.0005])
def test_without_settings_the_world_steps_as_the_file_asks(step_s: float, tmp_path: Path) -> None:
    world = World(on_table(*stair(2)), mjcf=scene(tmp_path, f'<option timestep="{step_s}"/>'))
    assert world.settings.step_s == pytest.approx(step_s, rel=1e-12)
    assert world.settings.frame_s == pytest.approx(1 / 60, rel=0.05)
    world.step()
    assert world.time_s == pytest.approx(world.settings.frame_s)


def test_steps_that_are_too_long_for_the_contacts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"too much for steps of 5\.56 ms"):
        World(on_table(*stair(2)), mjcf=scene(tmp_path, '<option timestep="0.005555555"/>'))
