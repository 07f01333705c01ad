"""Files that want to be more than files: markup in every text, numbers without measure, parts without end."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.plan import Plan, Rules, Step
from falsework.model.trajectory import Trajectory
from falsework.studio.motion_page import motion_scene
from falsework.studio.plan_page import plan_scene
from falsework.studio.scene import Curve, Event, Frames, Scene, SceneStep, Steps
from tests.statics.structures import stack
from tests.studio.looking import Look, changed
from tests.studio.scenes import HOSTILE, hostile, many

Open = Callable[..., Look]
PARTS = 100_000


def hostile_plan() -> Scene:
    """Every text of a plan page: names in steps, in what they stand on and in what is held."""
    assembly = hostile()
    steps = [Step("place", (name,), tuple(HOSTILE[1:3])) for name in HOSTILE[1:]]
    plan = Plan(Rules(), "complete", (*steps, Step("release", (HOSTILE[1],), ())))
    return plan_scene(assembly, interfaces(assembly), plan, HOSTILE[1], alternatives=[plan], notes=HOSTILE)


def hostile_motion() -> Scene:
    """Every text of a motion page: events, curves, their units and titles, facts and notes."""
    assembly = hostile()
    poses = np.repeat(assembly.poses[None], 3, axis=0)
    poses[:, 1:, 2, 3] += np.linspace(0, 0.4, 3)[:, None]
    times = np.array([0.0, 0.5, 1.0])
    return motion_scene(
        assembly,
        Trajectory(times, assembly.names, poses),
        HOSTILE[0],
        kind="simulate",
        events=[Event(0.1 * k, name, (k,)) for k, name in enumerate(HOSTILE)],
        curves=[Curve(name, name, times, times, name) for name in HOSTILE],
        facts=[(name, name) for name in HOSTILE],
        notes=HOSTILE,
    )


@pytest.mark.parametrize("make", [hostile_plan, hostile_motion])
def test_no_text_of_a_plan_or_a_motion_becomes_markup(look: Open, make: Callable[[], Scene]) -> None:
    page = look(make())
    rows = "[...document.querySelectorAll('.step')].map((row) => row.textContent).join()"
    assert "<img src=x onerror=window.pwned=1>" in page.value(rows)
    page.slide("#time", 0.4)
    page.press("]")
    page.page.call("Page.printToPDF")
    assert page.value("window.pwned") is None
    assert page.value("document.querySelectorAll('img, object, iframe, body script:not([id]) ~ script').length") == 0
    assert page.value("[...document.querySelectorAll('svg')].every((one) => one.closest('.plot'))")


def test_parts_that_leave_the_world_do_not_take_the_view_with_them(look: Open) -> None:
    assembly = stack([0.1, 0.1])
    poses = np.repeat(assembly.poses[None], 11, axis=0)
    poses[:, 2, 2, 3] -= np.geomspace(1e-3, 1e15, 11)
    page = look(motion_scene(assembly, Trajectory(np.linspace(0, 1, 11), assembly.names, poses), "far"))
    empty = page.empty_pixels()
    assert changed(empty, page.pixels()) > 0.02
    page.slide("#time", 1)
    assert changed(empty, page.pixels()) > 0.02


def test_a_path_from_beyond_the_world_ends_at_home(look: Open) -> None:
    assembly = stack([0.1])
    away = assembly.poses[1].copy()
    away[:3, 3] = (1e300, -1e12, 5)
    plan = Plan(Rules(), "complete", (Step("place", ("1",), path=np.array([away, assembly.poses[1]])),))
    page = look(plan_scene(assembly, interfaces(assembly), plan, "far"))
    page.slide("#time", 0.5)
    page.slide("#time", 1)
    assert changed(page.empty_pixels(), page.pixels()) > 0.02


def test_a_plan_of_a_hundred_thousand_steps_does_not_hang_the_page(look: Open) -> None:
    scene = many(PARTS)
    steps = Steps(tuple(SceneStep(f"Place {k}", (k,), (k,)) for k in range(PARTS)))
    page = look(Scene("plan", "long", scene.headline, scene.meshes, scene.parts, timeline=steps, color_by="order"))
    page.slide("#time", PARTS // 2)
    assert f"step {PARTS // 2} of {PARTS}" in page.text(".caption")
    assert page.text(".step[aria-current]").startswith(f"{PARTS // 2}")
    assert page.value("document.querySelectorAll('.step').length") < 1000
    page.press(".")
    assert f"step {PARTS // 2 + 1} of" in page.text(".caption")


def test_a_motion_of_a_hundred_thousand_parts_does_not_hang_the_page(look: Open) -> None:
    scene = many(PARTS)
    poses = np.repeat(scene.parts.T_world_part[None], 3, axis=0)
    poses[1:, :, 2, 3] += np.array([[1.0], [9.0]]) * PARTS / 50
    events = tuple(Event(k / PARTS, f"{k} breaks", (k,)) for k in range(PARTS))
    frames = Frames(np.array([0.0, 0.5, 1.0]), poses, events)
    page = look(Scene("simulate", "many", scene.headline, scene.meshes, scene.parts, timeline=frames))
    page.press("[")
    assert f"part-{PARTS - 1}" in page.text("#selection")
    page.slide("#time", 0)
    before = page.pixels()
    page.slide("#time", 0.5)
    assert changed(before, page.pixels()) > 2e-5  # a long thin row of them
    assert page.value("document.querySelectorAll('.step, .ticks i').length") < 2000
