"""Arms and policies (seed 002, 6.2): a policy or a guide says in which order arms try parts, and arms carry it out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework.cli import main
from falsework.learning.generalist.shipped import generalist
from falsework.model.assembly import Assembly

SIDE = 0.04


def stack() -> Assembly:
    centres = [(0.0, 0.0, (k + 0.5) * SIDE) for k in range(2)]
    return Assembly.from_boxes([(SIDE,) * 3], centres, density_kg_m3=300.0, ground="table")


def test_a_policy_drives_the_search_of_arms_on_the_command_line(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    assembly, cell, learned, out = (str(tmp_path / name) for name in ("stack.yaml", "cell.yaml", "learned", "out"))
    falsework.save(stack(), assembly)
    falsework.save_cell(falsework.new_cell("two-panda"), cell)
    assert main(["learn", assembly, "--updates", "1", "--out", learned]) == 0
    policy = f"policy:{learned}/policy.safetensors"
    assert main(["plan", assembly, "--cell", cell, "--selector", policy, "--budget", "200", "--out", out]) == 0
    assert main(["verify", f"{out}/plan.json"]) == 0


def test_what_a_guide_leads_arms_carry_out_and_a_hostile_one_costs_time_only() -> None:
    class Reversed:
        def __init__(self, assembly: Assembly) -> None:
            self._guide = generalist(assembly)

        def scores(self, state: falsework.State, moves: Sequence[tuple[int, falsework.State]]) -> np.ndarray:
            return -self._guide.scores(state, moves)

        def cost_to_go(self, states: Sequence[falsework.State]) -> np.ndarray:
            return -self._guide.cost_to_go(states)

    tower = stack()
    for guide in (generalist(tower), Reversed(tower)):
        planned = falsework.plan(tower, cell=falsework.new_cell("two-panda"), budget=200, guide=guide)
        assert planned.status == "complete" and planned.in_cell is not None, planned.why
        assert falsework.verify(planned.plan, tower).valid
        assert {step.robot for step in planned.plan.steps} <= {"left", "right"}
