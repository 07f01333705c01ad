"""Attacks the proof itself: `certificate.npz`, as `check --out` writes it, computed anew on the judge's own contacts.

Forces must balance every free part to 1e-6 of its own weight and the loads on it, act where the judge knows a contact,
and stay inside exact cones; at clutches they must be the six-mode tractions of one wrench within its strength. A motion
must gain at least 1e-6 of weight × speed on a connected piece that moves, after all that the interfaces can take up.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tests.adversary.brick_grid import CLUTCH_FRICTION, Clutch
from tests.adversary.clutch_model import clutch_rows
from tests.adversary.judge import taken_up
from tests.adversary.kinds import Case
from tests.adversary.problem import Contact, Problem
from tests.adversary.solids import plane_axes
from tests.adversary.touching import hull

ALLOWED = 1e-6
ROUNDING = 1.001  # the other side's sums may round otherwise
PLACE = 1e-5  # of a part's radius: how far a force may act from where the judge sees the contact
STILL = (0.0, 1e-9, 1e-6, 1e-3)  # of the largest speed: slower parts may be left out of a motion


@dataclass(frozen=True)
class Report:
    """What `check --json --out` said and left behind."""

    verdict: str
    kind: str | None
    arrays: Mapping[str, np.ndarray]


def checked(case: Case, *options: str) -> Report:
    """Run in this process, as from the command line."""
    from falsework.cli import main

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.json"
        path.write_text(json.dumps(case.document()), encoding="utf-8")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            question = [word for name, names in case.scene.options().items() for word in (f"--{name}", ",".join(names))]
            code = main(["check", str(path), "--json", "--out", folder, *question, *options])
        if code == 2:
            return Report("refused", None, {})
        answer = json.loads(out.getvalue())
        with np.load(Path(folder) / "certificate.npz") as arrays:
            return Report(answer["verdict"], answer["certificate"]["kind"], {name: arrays[name] for name in arrays})


def complaints(case: Case, report: Report) -> list[str]:
    """What is wrong with a proof; nothing, if it holds."""
    if report.kind == "forces":
        return about_forces(case, report.arrays)
    if report.kind == "motion":
        return about_motion(case.problem, report.arrays)
    return (
        [] if report.verdict in ("undecided", "refused") else [f"{report.verdict} with a proof of kind {report.kind}"]
    )


def about_forces(case: Case, arrays: Mapping[str, np.ndarray]) -> list[str]:
    """Balance of every part, then every force at its contact."""
    problem = case.problem
    body = _bodies(problem, arrays["names"])
    left = problem.loads.copy()
    pairs = body[arrays["pairs"]]
    for (first, second), place, force in zip(pairs, arrays["points"], arrays["forces"], strict=True):
        for one, sign in ((second, 1.0), (first, -1.0)):
            if one >= 0:
                left[one, :3] += sign * force
                left[one, 3:] += sign * np.cross(place - problem.centres[one], force)
    for (first, second, _, axis), moment in zip(problem.hinges, arrays.get("hinge_moments", ()), strict=False):
        for one, sign in ((second, 1.0), (first, -1.0)):
            if one >= 0:
                left[one, 3:] += sign * moment
        if abs(moment @ axis) > ALLOWED * _lightest(problem, (first, second)) * problem.radii.max():
            return [f"a hinge carries {moment @ axis:.2e} N·m about its axis"]
    amiss = np.maximum(np.linalg.norm(left[:, :3], axis=1), np.linalg.norm(left[:, 3:], axis=1) / problem.radii)
    amiss /= problem.scales
    found = [
        f"{problem.names[k]} is out of balance by {amiss[k]:.2e} of its own load"
        for k in np.flatnonzero(~(amiss <= ROUNDING * ALLOWED))
    ]
    return found + _about_places(problem, pairs, arrays["points"], arrays["forces"])


def _bodies(problem: Problem, names: np.ndarray) -> np.ndarray:
    number = {name: row for row, name in enumerate(problem.names)}
    return np.array([number.get(str(name), -1) for name in names])


def _lightest(problem: Problem, pair: tuple[int, int]) -> float:
    return float(min(problem.scales[one] for one in pair if one >= 0))


def _about_places(problem: Problem, pairs: np.ndarray, points: np.ndarray, forces: np.ndarray) -> list[str]:
    """Every force that counts must be one that an interface of its pair can carry there."""
    found: list[str] = []
    gripped: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {}
    hinges = {frozenset((first, second)) for first, second, _, _ in problem.hinges}
    for (first, second), place, force in zip(pairs.tolist(), points, forces, strict=True):
        if first < 0 and second < 0:
            continue
        slack = ALLOWED * ROUNDING * _lightest(problem, (first, second))
        if np.linalg.norm(force) <= slack or frozenset((first, second)) in hinges:
            continue
        rows = [k for k, (a, b, one) in enumerate(problem.clutches) if {a, b} == {first, second} and _on(one, place)]
        if rows:
            upward = problem.clutches[rows[0]][1] == second
            gripped.setdefault(rows[0], []).append((place, force if upward else -force))
            continue
        if not any(_carries(problem, one, (first, second), place, force, slack) for one in problem.contacts):
            names = [problem.names[one] if one >= 0 else "what is fixed" for one in (first, second)]
            found.append(f"no contact of {names[0]} and {names[1]} carries {force} at {place}")
    for row, acting in gripped.items():
        found += _about_clutch(problem.clutches[row][2], acting)
    return found


def _carries(
    problem: Problem, contact: Contact, pair: tuple[int, int], place: np.ndarray, force: np.ndarray, slack: float
) -> bool:
    if {contact.first, contact.second} != set(pair):
        return False
    near = PLACE * min(problem.radii[one] for one in pair if one >= 0)
    if contact.normal is None:
        return bool(np.linalg.norm(contact.possible - place, axis=1).min() < near) or len(contact.possible) > 1
    on_second = force if contact.second == pair[1] else -force
    along = float(contact.normal @ on_second)
    sideways = float(np.linalg.norm(on_second - along * contact.normal))
    return along >= -slack and sideways <= contact.friction * along + slack and _reaches(contact, place, near)


def _reaches(contact: Contact, place: np.ndarray, near: float) -> bool:
    """Whether a place lies in the region of a contact, give or take."""
    if abs(float((place - contact.possible[0]) @ contact.normal)) > near:
        return False
    axes = plane_axes(contact.normal)
    ring, point = hull(contact.possible @ axes.T, 1e-12), axes @ place
    if len(ring) == 1:
        return bool(np.linalg.norm(point - ring[0]) < near)
    ways = np.roll(ring, -1, axis=0) - ring
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    if len(ring) == 2:
        along = float((point - ring[0]) @ ways[0])
        across = abs(float((point - ring[0]) @ np.array([-ways[0][1], ways[0][0]])))
        return across < near and -near < along < float(np.linalg.norm(ring[1] - ring[0])) + near
    outward = np.column_stack([ways[:, 1], -ways[:, 0]])
    return bool((np.einsum("ki,ki->k", outward, point - ring) < near).all())


def _on(clutch: Clutch, place: np.ndarray) -> bool:
    return bool(
        abs(place[2] - clutch.origin[2]) < 1e-6 and (np.abs(place - clutch.origin)[:2] < clutch.half + 1e-6).all()
    )


def _about_clutch(clutch: Clutch, acting: list[tuple[np.ndarray, np.ndarray]]) -> list[str]:
    """Forces on the upper brick: tractions at the points where studs are gripped, pressure at corners."""
    at_points, slack = np.zeros((len(clutch.points), 3)), ALLOWED * clutch.point_n
    for place, force in acting:
        flat = (place - clutch.origin)[:2]
        to_points = np.linalg.norm(clutch.points - flat, axis=1)
        if to_points.min() < 1e-7:
            at_points[int(to_points.argmin())] -= force
        elif np.linalg.norm(clutch.corners - flat, axis=1).min() < 1e-7:
            if force[2] < -slack or np.abs(force[:2]).max() > slack:
                return [f"a corner of {clutch.lower} and {clutch.upper} carries {force}"]
        else:
            return [f"{clutch.lower} and {clutch.upper} are not gripped at {place}"]
    arms = np.column_stack([clutch.points, np.zeros(len(clutch.points))])
    wrench = np.concatenate([at_points.sum(axis=0), np.cross(arms, at_points).sum(axis=0)])
    rows, limits = clutch_rows(clutch)
    over = float((rows @ wrench - limits).max())
    axial = -(rows[: len(at_points)] @ wrench)
    found = [f"{clutch.lower} and {clutch.upper} are overloaded by {over:.2e} N"] if over > slack else []
    if np.abs(axial - at_points[:, 2]).max() > slack * 10:
        found.append(f"{clutch.lower} and {clutch.upper}: tractions are not those of one rigid shift")
    inward = clutch.inward
    radial = (inward * at_points[:, :2]).sum(axis=1)
    around = inward[:, 0] * at_points[:, 1] - inward[:, 1] * at_points[:, 0]
    slides = np.abs(around) + at_points[:, 2] - CLUTCH_FRICTION * radial - clutch.point_n
    if slides.max() > 10 * slack:
        found.append(f"{clutch.lower} and {clutch.upper}: a stud slides by {slides.max():.2e} N")
    return found


def about_motion(problem: Problem, arrays: Mapping[str, np.ndarray]) -> list[str]:
    """The motion must prove a fall by the contract's measure, on some connected piece that moves."""
    problem = _surely_touching(problem)
    body = _bodies(problem, arrays["names"])
    motion = np.zeros((len(problem.names), 6))
    for row, one in enumerate(body):
        if one >= 0:
            motion[one] = arrays["motion"][row]
    best = max(power for share in STILL for power in _powers(problem, motion, share))
    return [] if best >= ALLOWED / ROUNDING else [f"the motion gains {best:.2e} of weight × speed, 1e-6 is the least"]


def _surely_touching(problem: Problem) -> Problem:
    """Where contacts are known between two bounds, as on round studs, a motion need not respect more than the inner.

    A tenth less: others may draw a circle with fewer corners.
    """
    contacts = []
    for one in problem.contacts:
        if one.normal is None or one.sure is one.possible:
            contacts.append(one)
        elif len(one.sure):
            places = one.sure + 0.1 * (one.sure.mean(axis=0) - one.sure)
            contacts.append(replace(one, sure=places, possible=places))
    return replace(problem, contacts=tuple(contacts))


def _powers(problem: Problem, motion: np.ndarray, share: float) -> list[float]:
    """Of every connected piece of parts that move faster than a share of the fastest."""
    speeds = np.maximum(np.linalg.norm(motion[:, :3], axis=1), np.linalg.norm(motion[:, 3:], axis=1) * problem.radii)
    moves = speeds > share * speeds.max()
    if not moves.any():
        return [-np.inf]
    piece = _moving_pieces(problem, moves)
    found = []
    for label in set(piece[moves].tolist()):
        mine = moves & (piece == label)
        alone = np.where(mine[:, None], motion, 0.0)
        gained = float((problem.loads * alone).sum()) - taken_up(problem, alone)
        found.append(gained / float(problem.scales[mine].sum() * speeds[mine].max()))
    return found


def _moving_pieces(problem: Problem, moves: np.ndarray) -> np.ndarray:
    label = np.arange(len(problem.names))
    pairs = [(c.first, c.second) for c in problem.contacts] + [(a, b) for a, b, _ in problem.clutches]
    for a, b in pairs + [(a, b) for a, b, _, _ in problem.hinges]:
        if a >= 0 and b >= 0 and moves[a] and moves[b] and label[a] != label[b]:
            label[label == max(label[a], label[b])] = min(label[a], label[b])
    return label
