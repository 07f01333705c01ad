"""How far what is there may be tilted after each step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from falsework import gallery, plan
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly
from falsework.model.shapes import box
from falsework.planning.plans.jobs import Planned
from falsework.planning.plans.tilt_margins import ANGLES_DEG, MOST_DEG
from falsework.planning.verification.verify import verify
from falsework.studio.plan_page import plan_scene
from falsework.verdicts.margins import margins as asked_margins


def block_on_a_block(width_m: float, height_m: float, friction: float) -> Assembly:
    """A block in the middle of a wide fixed one."""
    on_top = np.eye(4)
    on_top[:3, 3] = (2.0 - width_m / 2, 2.0 - width_m / 2, 1.0)
    parts = (
        make_part("base", box((4.0, 4.0, 1.0)), np.eye(4)),
        make_part("block", box((width_m, width_m, height_m)), on_top),
    )
    return Assembly(parts, fixed=frozenset(["base"]), friction=friction)


def margins(planned: Planned) -> list[float | None]:
    return [step.margin_deg for step in planned.plan.steps]


@pytest.mark.parametrize(
    ("width_m", "height_m", "friction", "limit_deg"),
    [
        (1.0, 0.5, 0.2, np.degrees(np.arctan(0.2))),  # slides
        (0.2, 1.0, 0.9, np.degrees(np.arctan(0.2))),  # tips over an edge
        (1.0, 0.5, 0.9, np.degrees(np.arctan(0.9))),
        (1.0, 0.5, 2.0, 90.0),
    ],
)
def test_a_block_slides_or_tips_whichever_comes_first(
    width_m: float, height_m: float, friction: float, limit_deg: float
) -> None:
    placed, let_go = margins(plan(block_on_a_block(width_m, height_m, friction), margins=True))
    assert placed is None  # all of it in a hand
    assert let_go in ANGLES_DEG
    assert let_go == pytest.approx(min(limit_deg, MOST_DEG), abs=0.011)  # to the hundredth that is asked about


def test_a_finished_arch_bears_in_a_plan_what_it_bears_by_the_verb_margins() -> None:
    arch = gallery.make("semicircular-arch", stones=5)
    last = margins(plan(arch, margins=True))[-1]
    tilts = [tilt.degrees for tilt in asked_margins(arch, only=["tilt"]).tilts]
    assert last is not None
    assert min(tilt.stands for tilt in tilts) - 0.01 <= last <= min(tilt.falls for tilt in tilts)


def test_margins_are_verified() -> None:
    arch = gallery.make("semicircular-arch", stones=5)
    whole = plan(arch, margins=True).plan
    assert verify(whole, arch).valid
    boast = replace(whole, steps=(*whole.steps[:-1], replace(whole.steps[-1], margin_deg=45.0)))
    (failure,) = verify(boast, arch).failures
    assert failure.step == len(whole.steps)
    assert "tilted by 45°, as it is said to bear, the structure falls" in failure.why


def test_margins_are_only_found_out_if_asked_for_and_change_nothing_else() -> None:
    arch = gallery.make("semicircular-arch", stones=5)
    with_them, without = plan(arch, margins=True), plan(arch)
    assert set(margins(without)) == {None}
    assert [(step.action, step.parts, step.held) for step in with_them.plan.steps] == [
        (step.action, step.parts, step.held) for step in without.plan.steps
    ]
    assert margins(with_them)[-1] in ANGLES_DEG


def test_bricks_have_margins_too_and_a_turned_model_has_none() -> None:
    stack = gallery.make("duplo-stack")
    assert all(margin in (None, *ANGLES_DEG) for margin in margins(plan(stack, margins=True)))
    loose = gallery.make("harmonic-tower", bricks=2).changed(fixed=frozenset())
    assert set(margins(plan(loose, rules="reorient", margins=True))) == {None}


def test_the_page_of_a_plan_shows_them() -> None:
    arch = gallery.make("semicircular-arch", stones=3)
    joints = interfaces(arch)
    told, silent = (plan_scene(arch, joints, plan(arch, margins=margins).plan, "arch") for margins in (True, False))
    titles = [[column.label for table in scene.tables for column in table.columns] for scene in (told, silent)]
    assert ["May be tilted about x or y (°)" in shown for shown in titles] == [True, False]
