"""Rows about motions: free ways beside OMPL, two arms together, problems that must be solved, faults to be refused."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from falsework.bench.motions.apex import TASKS, apex_plan
from falsework.bench.motions.faults import FAULTS
from falsework.bench.motions.held_faults import HELD_FAULTS, holds_in_place
from falsework.bench.motions.held_problems import held_problem
from falsework.bench.motions.late_or_elsewhere import Faults
from falsework.bench.motions.problems import CUPS, KINDS, Problem
from falsework.bench.motions.tilted import TILTED_FAULTS, tilted_problem
from falsework.bench.motions.tries import tries
from falsework.bench.reference_data import DATA
from falsework.bench.rows import Row, Skipped
from falsework.formats.robots.catalogue import arm_named, tool_named
from falsework.model.arrays import Array
from falsework.model.robots.cell import CellArm
from falsework.model.robots.motion import Motion
from falsework.model.shapes import box
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.bodies import Piece
from falsework.robots.motions.making import motions_of
from falsework.robots.motions.transits import Standing, Ways
from falsework.robots.verification.verify_motion import verify_motion

QUERIES = 50
BOXES = 30
HELD, HELD_FIRST = 24, 200  # problems in which something must be held in place, from this seed on
TILTED, TILTED_FIRST = 20, 200  # the same where a positioner must tilt
PROBLEMS = 200  # as many as are wanted, of problems and of faults
MOST_TRIES = 600
OMPL_S = 2.0  # that OMPL has for each


def motion_rows(journal: Path | None = None) -> Iterator[Row | Skipped]:
    """All of them; random problems that a journal knows are not asked again."""
    yield from _ways()
    yield from _together()
    yield from _accepted_and_refused(journal)
    yield from _held_in_place()
    yield from _tilted()


def _ways() -> Iterator[Row | Skipped]:
    """Ways of a Panda among boxes, every edge certified, beside OMPL's RRT-Connect that looks at samples."""
    ways, spots = among_boxes()
    ways.between(spots[0], spots[1], np.random.default_rng(0))
    times, found = [], []
    for k in range(QUERIES):
        start = time.process_time()
        path = ways.between(spots[2 * k], spots[2 * k + 1], np.random.default_rng(k))
        times.append(1e3 * (time.process_time() - start))
        found.append(path is not None)
    case = f"free ways, {BOXES} boxes"
    notes = {"found": float(np.mean(found)), "median_ms": float(np.median(times))}
    try:
        theirs, solved = _ompl(ways, spots)
    except ImportError:
        yield Row(case, float(np.mean(times)), notes=notes)
        yield Skipped(f"{case}, OMPL", "ompl is not installed: pip install ompl")
        return
    notes |= {"they_find": solved}
    yield Row(case, float(np.mean(times)), theirs, "OMPL, RRT-Connect and its simplifier", notes)


def among_boxes() -> tuple[Ways, Array]:
    """A Panda among boxes, and free positions (2 q, n)."""
    rng = np.random.default_rng(1)
    pieces: list[Piece] = []
    while len(pieces) < BOXES:
        middle = rng.uniform([-0.8, -0.8, 0.0], [0.8, 0.8, 1.0])
        if np.linalg.norm(middle[:2]) > 0.25:
            pieces.append(Piece(box((0.1, 0.1, 0.1)).vertices + middle))
    arm = ArmBodies(CellArm("arm", arm_named("panda"), tool_named("panda-hand"), np.eye(4)))
    ways = Ways(arm, Standing(tuple(pieces)))
    spots: list[Array] = []
    while len(spots) < 2 * QUERIES:
        q = rng.uniform(arm.chain.lower, arm.chain.upper)
        if ways.free([q, q]):
            spots.append(q)
    return ways, np.array(spots)


def _ompl(ways: Ways, spots: Array) -> tuple[float, float]:
    """ms that OMPL takes for each, and the share it solves; whether a position is free it asks us."""
    base: Any = importlib.import_module("ompl.base")
    geometric: Any = importlib.import_module("ompl.geometric")
    importlib.import_module("ompl.util").setLogLevel(importlib.import_module("ompl.util").LOG_NONE)
    n = spots.shape[1]
    space = base.RealVectorStateSpace(n)
    limits = base.RealVectorBounds(n)
    for j in range(n):
        limits.setLow(j, float(ways.arm.chain.lower[j]))
        limits.setHigh(j, float(ways.arm.chain.upper[j]))
    space.setBounds(limits)
    setup = geometric.SimpleSetup(space)

    def free(state: Any) -> bool:
        q = np.array([state[j] for j in range(n)])
        return ways.free([q, q])

    setup.setStateValidityChecker(free)
    setup.getSpaceInformation().setStateValidityCheckingResolution(0.005)
    setup.setPlanner(geometric.RRTConnect(setup.getSpaceInformation()))
    times, solved = [], 0
    for k in range(QUERIES):
        begin, end = space.allocState(), space.allocState()
        for j in range(n):
            begin[j], end[j] = float(spots[2 * k, j]), float(spots[2 * k + 1, j])
        setup.clear()
        setup.setStartAndGoalStates(begin, end)
        start = time.process_time()
        solved += bool(setup.solve(OMPL_S)) and setup.haveExactSolutionPath()
        if setup.haveExactSolutionPath():
            setup.simplifySolution()
        times.append(1e3 * (time.process_time() - start))
    return float(np.mean(times)), solved / QUERIES


def _together() -> Iterator[Row | Skipped]:
    """Two arms at once beside the same motions one at a time."""
    saved = []
    for name in TASKS:
        path = DATA.find(f"apexmr/{name}.json")
        if path is None:
            continue
        plan, bricks = apex_plan(path)
        start = time.process_time()
        motion = motions_of(plan, bricks, np.random.default_rng(0))
        took = time.process_time() - start
        judged = verify_motion(motion, bricks)
        assert motion.one_by_one_s is not None
        assert motion.bound_s is not None
        saved.append(1 - motion.makespan_s / motion.one_by_one_s)
        yield Row(
            f"two GP4 build {name}", 1e3 * took,
            notes={
                "makespan_s": motion.makespan_s, "one_by_one_s": motion.one_by_one_s, "lower_bound_s": motion.bound_s,
                "saved": saved[-1], "most_that_can_be": 1 - motion.bound_s / motion.one_by_one_s,
                "verified": judged.valid,
            },
        )  # fmt: skip
    if saved:
        mean = float(np.mean(saved))
        yield Row(
            "time saved together, mean", 0.0, target="40 % (bound 50, published 48)", figure=f"{100 * mean:.1f} %"
        )


def _accepted_and_refused(journal: Path | None) -> Iterator[Row]:
    """Good motions are accepted, and each spoiled in one way is refused by name."""
    all_tried = list(tries(PROBLEMS, MOST_TRIES, journal))
    moved = [one for one in all_tried if one.moved]
    spoilt = [one for one in moved if one.fault]
    took = 1e3 * sum(one.cpu_s for one in all_tried) / max(1, len(all_tried))
    notes: dict[str, Any] = {"problems": len(moved), "tried": len(all_tried), "cells": len(KINDS) + len(CUPS)}
    yield Row(
        "random problems, verified", took,
        notes={**notes, "wrong": [one.seed for one in moved if not one.accepted][:5]},
        target="all of 200", figure=f"{sum(one.accepted for one in moved)} of {len(moved)}",
    )  # fmt: skip
    yield Row(
        "planted faults, refused by name", took,
        notes={"kinds": len(FAULTS), "missed": [f"{one.fault} ({one.seed})" for one in spoilt if not one.refused][:5]},
        target="all of 200", figure=f"{sum(one.refused for one in spoilt)} of {len(spoilt)}",
    )  # fmt: skip


def _held_in_place() -> Iterator[Row]:
    """Arms that take hold of what is in place, where one arm brings everything; each motion spoiled in all ways."""
    seeds = range(HELD_FIRST, HELD_FIRST + HELD)
    names = "one arm brings all: regrasped, verified", "faults in holds, refused by name"
    yield from _spoiled_in_all_ways(
        names, seeds, held_problem, lambda one: replace(one, regrasp=False), HELD_FAULTS, holds_in_place
    )


def _tilted() -> Iterator[Row]:
    """Structures that one arm builds only if a positioner tilts them; each motion spoiled in all ways."""
    seeds = range(TILTED_FIRST, TILTED_FIRST + TILTED)
    names = "one arm and a positioner: tilted, verified", "faults in tilts, refused by name"
    yield from _spoiled_in_all_ways(
        names, seeds, tilted_problem, lambda one: replace(one, rules="holds"), TILTED_FAULTS
    )


def _spoiled_in_all_ways(
    names: tuple[str, str],
    seeds: range,
    drawn: Callable[[np.random.Generator], Problem],
    without: Callable[[Problem], Problem],
    faults: Faults,
    is_worth: Callable[[Motion], object] = lambda motion: True,
) -> Iterator[Row]:
    """How many problems were solved, and by `without` what they are about; how many of all faults were refused.

    `is_worth` spoiling: a motion in which the fault could be.
    """
    alone = moved = refused = planted = 0
    wrong, missed = [], []
    start = time.process_time()
    for seed in seeds:
        problem = drawn(np.random.default_rng(seed))
        alone += without(problem).solved(np.random.default_rng(seed)) is not None
        motion = problem.solved(np.random.default_rng(seed))
        if motion is None:
            continue
        moved += 1
        if not verify_motion(motion, problem.assembly).valid:
            wrong.append(seed)
        for name, (spoil, kinds) in faults.items() if is_worth(motion) else ():
            bad = spoil(motion, problem.assembly, np.random.default_rng(seed))
            if bad is None:
                continue
            planted += 1
            if {one.kind for one in verify_motion(bad, problem.assembly).complaints} & {*kinds}:
                refused += 1
            else:
                missed.append(f"{name} ({seed})")
    took = 1e3 * (time.process_time() - start) / len(seeds)
    yield Row(
        names[0], took, notes={"without": alone, "of": len(seeds), "wrong": wrong},
        target="all that are found", figure=f"{moved - len(wrong)} of {moved}",
    )  # fmt: skip
    yield Row(
        names[1], took, notes={"kinds": len(faults), "missed": missed[:5]},
        target="all", figure=f"{refused} of {planted}",
    )  # fmt: skip
