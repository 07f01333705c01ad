"""Motions that go on proving falls: every time they do, a solver that knows nothing of them agrees."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Load
from falsework.model.state import State
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts.lasting_motions import lasting
from falsework.verdicts.oracle import Oracle
from tests.conftest import brick, on_baseplate


def pushed(name: str, newtons: float) -> Load:
    return Load(name, np.array([0.0, 0.0, -newtons]), None)


def beam_on_a_post() -> Assembly:
    """A 1x1 post, an 8x1 beam whose end is pressed, and blocks along the beam."""
    blocks = [brick(f"block {x}", "brick_1x1", x, 0, 6) for x in (1, 3, 5)]
    return on_baseplate(brick("post", "brick_1x1", 0, 0, 0), brick("beam", "brick_8x1", 0, 0, 3), *blocks)


def proof(assembly: Assembly, load: Load) -> tuple[Equilibrium, State]:
    return Equilibrium(assembly, interfaces(assembly)), State((1 << len(assembly.bodies)) - 1, 0, None, (load,))


def test_a_motion_proves_the_fall_of_what_is_left() -> None:
    assembly = beam_on_a_post()
    equilibrium, state = proof(assembly, pushed("beam", 8.0))
    verdict = equilibrium.assess(state)
    assert verdict.answer == "unstable"
    motion = lasting(equilibrium, state, verdict.certificate)  # type: ignore[arg-type]
    whole, ground = state.installed, assembly.fixed_mask()
    without = whole & ~assembly.mask(["block 3"])
    assert motion.proves(whole & ~ground, whole)
    assert motion.proves(without & ~ground, without)
    assert motion.proves_all(ground | assembly.mask(["post", "beam"]), whole)
    held = assembly.mask(["beam"])
    assert not motion.proves(whole & ~ground & ~held, whole)  # a hand on what moves


def test_what_was_not_there_when_it_was_proved_is_not_judged() -> None:
    assembly = beam_on_a_post()
    equilibrium, state = proof(assembly, pushed("beam", 8.0))
    fewer = State(state.installed & ~assembly.mask(["block 5"]), 0, None, state.loads)
    verdict = equilibrium.assess(fewer)
    motion = lasting(equilibrium, fewer, verdict.certificate)  # type: ignore[arg-type]
    assert not motion.proves(state.installed & ~assembly.fixed_mask(), state.installed)
    assert not motion.proves_all(assembly.fixed_mask(), state.installed)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_it_proves_is_so(seed: int) -> None:
    """Random presses on random models: bricks leave at random, and each proof is checked by a fresh solve."""
    rng, proofs = np.random.default_rng(seed), 0
    assembly = make("random-bricks", seed, bricks=7)
    joints = interfaces(assembly)
    equilibrium, ground = Equilibrium(assembly, joints), assembly.fixed_mask()
    whole = (1 << len(assembly.bodies)) - 1
    for _ in range(5):
        pressed = str(rng.choice(assembly.names))
        load = pushed(pressed, float(rng.uniform(2, 12)))
        verdict = equilibrium.assess(State(whole, 0, None, (load,)))
        if verdict.answer != "unstable":
            continue
        motion = lasting(equilibrium, State(whole, 0, None, (load,)), verdict.certificate)  # type: ignore[arg-type]
        gone = assembly.mask([name for name in assembly.names if name != pressed and rng.random() < 0.4])
        left = whole & ~gone
        if motion.proves(left & ~ground, left) or motion.proves_all(left, whole):
            assert equilibrium.assess(State(left, 0, None, (load,))).answer == "unstable"
            proofs += 1
    assert proofs


def test_the_oracle_needs_fewer_solves_and_says_the_same() -> None:
    assembly = beam_on_a_post()
    joints = interfaces(assembly)
    load = pushed("beam", 8.0)
    names = [name for name in assembly.names if name.startswith("block")]
    states = [State((1 << len(assembly.bodies)) - 1 & ~assembly.mask(names[:k]), 0, None, (load,)) for k in range(4)]
    oracle, forgetful = Oracle(assembly, joints), Oracle(assembly, joints, remember=0)
    assert [oracle.answer(state) for state in states] == [forgetful.answer(state) for state in states]
    assert oracle.counts.solved < forgetful.counts.solved
