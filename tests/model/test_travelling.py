"""What is sent to another process arrives as it was: read-only, validated, without what can be computed."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import multiprocessing
import pickle
import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import pytest

import falsework
from falsework.brickworld.settings import Settings as WorldSettings
from falsework.brickworld.simulation import Simulation
from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly, Load
from falsework.model.errors import BadFile, BadInput, BadPart, FalseworkError, MissingExtra, Overlap, Undecided
from falsework.model.part import Part
from falsework.model.shapes import box
from falsework.model.state import State
from falsework.model.trajectory import Trajectory
from falsework.model.travel import MadeAnew
from falsework.model.verdict import Verdict
from falsework.planning.plans.jobs import Planned, Settings
from tests.docs.public import documented

PROTOCOLS = (2, 3, 4, 5)
Sent = Callable[[Any], Any]
WAYS: dict[str, Sent] = {
    **{f"pickle {n}": lambda thing, n=n: pickle.loads(pickle.dumps(thing, n)) for n in PROTOCOLS},  # type: ignore[misc]
    "deepcopy": copy.deepcopy,
}


@pytest.fixture(params=WAYS)
def sent(request: pytest.FixtureRequest) -> Sent:
    return WAYS[request.param]


def arch() -> Assembly:
    return make("semicircular-arch", stones=7)


def bricks() -> Assembly:
    return make("brick-bench")


def arrays_of(thing: Any) -> list[np.ndarray]:
    """Every array that a dataclass holds, also inside others."""
    if isinstance(thing, np.ndarray):
        return [thing]
    if isinstance(thing, tuple | list):
        return [array for one in thing for array in arrays_of(one)]
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return [array for one in dataclasses.fields(thing) for array in arrays_of(getattr(thing, one.name))]
    return []


def assert_same(arrived: Any, original: Any) -> None:
    """The same values, in arrays of their own that nobody can write to."""
    here, there = arrays_of(original), arrays_of(arrived)
    assert len(here) == len(there) > 0
    for mine, theirs in zip(here, there, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
        assert not theirs.flags.writeable
        assert not np.shares_memory(mine, theirs)


@pytest.mark.parametrize("kind", ["semicircular-arch", "brick-bench", "dome", "harmonic-tower", "mortise-frame"])
def test_an_assembly_arrives_as_it_was_and_read_only(sent: Sent, kind: str) -> None:
    assembly = make(kind)
    arrived = sent(assembly)
    assert_same(arrived, assembly)
    assert (arrived.names, arrived.fixed, arrived.ground) == (assembly.names, assembly.fixed, assembly.ground)
    assert arrived.index == assembly.index and arrived.fixed_mask() == assembly.fixed_mask()
    with pytest.raises(ValueError, match="read-only"):
        arrived.poses[0, 0, 3] = 1.0


def test_what_follows_from_the_parts_is_not_sent() -> None:
    _, (kind, given) = arch().__reduce__()
    assert kind is Assembly
    assert not {"index", "poses", "masses_kg", "coms_m", "_fixed"} & set(given)


def test_parts_that_share_a_shape_share_it_where_they_arrive(sent: Sent) -> None:
    shape, above = box((1.0, 1.0, 1.0)), np.eye(4)
    above[2, 3] = 1.0
    first, second = sent(Assembly((make_part("a", shape, np.eye(4)), make_part("b", shape, above)))).parts
    assert first.shape is second.shape


def test_a_pickle_that_was_tampered_with_is_refused_where_it_arrives() -> None:
    make_anew, (kind, given) = arch().parts[0].__reduce__()
    with pytest.raises(BadPart, match="mass_kg: found -1"):
        make_anew(kind, {**given, "mass_kg": -1.0})


@pytest.mark.parametrize("assembly", [arch, bricks])
def test_verdicts_arrive_with_their_certificates_and_say_the_same(sent: Sent, assembly: Callable[[], Assembly]) -> None:
    for absent in ([], [assembly().names[2]]):
        verdict = falsework.check(assembly(), absent=absent, also=False)
        arrived = sent(verdict)
        assert_same(arrived, verdict)
        assert (arrived.answer, arrived.falling, arrived.residual) == (
            verdict.answer,
            verdict.falling,
            verdict.residual,
        )
        assert type(arrived.certificate) is type(verdict.certificate)


def test_interfaces_arrive_as_they_were(sent: Sent) -> None:
    for joints in (interfaces(arch()), interfaces(bricks())):
        assert_same(sent(joints), joints)
        assert sent(joints).counts() == joints.counts()


def test_a_state_arrives_equal_and_with_its_loads(sent: Sent) -> None:
    assembly = arch()
    plain = State.complete(assembly, held=assembly.names[1])
    assert sent(plain) == plain
    loaded = dataclasses.replace(plain, gravity=(0.0, 0.0, -1.6), loads=(Load(assembly.names[1], (1, 2, 3)),))
    assert_same(sent(loaded), loaded)
    assert (sent(loaded).installed, sent(loaded).held, sent(loaded).gravity) == (
        plain.installed,
        plain.held,
        (0, 0, -1.6),
    )


@cache
def a_plan() -> Planned:
    return falsework.plan(arch(), robots=2, alternatives=1)


@cache
def a_run() -> Simulation:
    return falsework.simulate(make("brick-bench"), seconds=0.1)


def test_what_was_planned_arrives_and_verifies_there(sent: Sent) -> None:
    planned = a_plan()
    arrived = sent(planned)
    assert_same(arrived, planned)
    assert arrived.status == "complete" and arrived.verdict_of is None
    assert [step.parts for step in arrived.plan.steps] == [step.parts for step in planned.plan.steps]
    assert falsework.verify(arrived, arch()).valid


def test_settings_and_trajectories_arrive_as_they_were(sent: Sent) -> None:
    for settings in (WorldSettings(window_s=0.01), Settings("beam", budget=10)):
        assert sent(settings) == settings
    motion = Trajectory([0.0, 0.5], ("a",), np.tile(np.eye(4), (2, 1, 1, 1)))
    assert_same(sent(motion), motion)


def test_errors_arrive_with_all_that_they_say(sent: Sent) -> None:
    for error in (
        BadInput("no"),
        BadFile("a.yaml", "parts[3]", "is wrong"),
        BadPart("a", "mass_kg", -1, "a positive number"),
        Overlap("a", "b", 1e-3, 0.0),
        MissingExtra("mujoco", "engine"),
        Undecided("time ran out"),
    ):
        arrived = sent(error)
        assert type(arrived) is type(error) and str(arrived) == str(error) and vars(arrived) == vars(error)
        assert isinstance(arrived, FalseworkError)


def test_a_world_goes_on_from_a_snapshot_that_travelled_bit_for_bit(sent: Sent) -> None:
    pytest.importorskip("mujoco")
    assembly = make("brick-bench")
    world = falsework.World(assembly)
    world.apply_force(assembly.names[0], (0.0, 0.0, 4.0))
    for _ in range(3):
        world.step()
    snapshot = world.snapshot()
    poses = []
    for parts, taken in ((assembly, snapshot), sent((assembly, snapshot))):  # together: it is of that assembly only
        other = falsework.World(parts)
        other.restore(taken)
        for _ in range(3):
            other.step()
        poses.append(other.poses())
    np.testing.assert_array_equal(*poses)


def test_a_simulation_arrives_without_its_world(sent: Sent) -> None:
    pytest.importorskip("mujoco")
    found = a_run()
    arrived = sent(found)
    assert arrived.world is None and found.world is not None
    assert {**arrived.as_dict(), "frame_ms": 0, "realtime_factor": 0} == {
        **found.as_dict(),
        "frame_ms": 0,
        "realtime_factor": 0,
    }


def _told(assembly: Assembly, state: State) -> tuple[Verdict, bool]:
    verdict = falsework.check(assembly, absent=[name for name in assembly.names if not _there(assembly, state, name)])
    return verdict, assembly.poses.flags.writeable


def _there(assembly: Assembly, state: State, name: str) -> bool:
    return bool(state.installed >> assembly.index[name] & 1)


def _refused(assembly: Assembly) -> None:
    falsework.check(assembly, absent="nobody")


def test_a_process_that_was_started_afresh_answers_as_this_one_does() -> None:
    assembly = arch()
    states = [State.complete(assembly), State.complete(assembly, absent="keystone")]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        told = list(pool.map(_told, [assembly] * 2, states))
        refusal = pool.submit(_refused, assembly).exception()
    assert [verdict.answer for verdict, _ in told] == ["stable", "unstable"]
    assert not any(writeable for _, writeable in told)
    for (verdict, _), state in zip(told, states, strict=True):
        assert_same(verdict, _told(assembly, state)[0])
    assert isinstance(refusal, BadInput) and "there is no part 'nobody'" in str(refusal)


def test_every_public_dataclass_with_arrays_is_made_anew_where_it_arrives() -> None:
    # scenes are shown where they are made; a snapshot is bits of an engine; a simulated camera stands in its scene
    stays = {"Scene", "Snapshot", "SimulatedCamera"}
    for one in documented():
        if not (inspect.isclass(one.thing) and dataclasses.is_dataclass(one.thing)) or one.name in stays:
            continue
        kinds = " ".join(str(field.type) for field in dataclasses.fields(one.thing))
        if re.search(r"\b(Array|Ints|Bools|Bits)\b", kinds):
            assert issubclass(one.thing, MadeAnew), one


def test_nothing_is_left_behind_but_what_cannot_travel() -> None:
    left = {
        (one.name, field.name)
        for one in documented()
        if inspect.isclass(one.thing) and dataclasses.is_dataclass(one.thing)
        for field in dataclasses.fields(one.thing)
        if not field.metadata.get("travels", True)
    }
    assert left == {("Planned", "verdict_of"), ("Simulation", "world")}


def test_copies_share_nothing_with_the_part_they_were_made_from() -> None:
    part: Part = arch().parts[0]
    assert_same(copy.deepcopy(part), part)
