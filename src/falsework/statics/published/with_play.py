"""Model `cra` where fits have play: a shaft in a hole that is a little wider touches it on one side only.

Patches of such a fit stand all around it, each with the gap that it has to close (`Patches.gaps_m`). Parts are let go
where they are drawn, with what touches there. As long as `cra` finds a motion from rest, they follow it until the next
gap closes; what has parted by then touches no longer. So a shaft drops to the bottom of its hole, and one that is
turned rolls up its side. Where they rest, they stand. Where they move and nothing comes in their way, they fall.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces, Patches
from falsework.model.state import State
from falsework.model.verdict import Forces, Motion, Verdict
from falsework.statics.proofs.coulomb import relative
from falsework.statics.published.cra import Cra, undecided

STEPS = 200  # gaps that may close, one after the other
CLOSED = 1e-6  # of the widest gap: what is nearer touches
FAR = 30.0  # gaps: what moves further than this before it has closed one is not stopped by it
ALONG = 1e-9  # of its speed: what comes nearer by less moves along


class WithPlay:
    """The stability oracle `cra` of one assembly whose fits have play."""

    monotone_in_held = False
    convex = False
    calibrated = True

    def __init__(self, assembly: Assembly, joints: Interfaces, timeout_s: float | None = None) -> None:
        """Undecided after so many seconds, counted between steps."""
        if len(joints.clutches) or len(joints.hinges):
            raise BadInput("model cra knows contacts only, no clutches or hinges")
        self._assembly, self._joints = assembly, joints
        self._timeout_s = np.inf if timeout_s is None else timeout_s
        self._cra = Cra(assembly, joints, timeout_s)
        self._points = _apart(joints.patches)

    def assess(self, state: State) -> Verdict:
        """Whether a state stands."""
        start = time.perf_counter()
        pieces = [self._followed(piece, start + self._timeout_s) for piece in self._cra.pieces(state)]
        about = [piece.about for piece in pieces if piece.about is not None]
        whole = self._cra.together(pieces)
        about_it = about[0] if whole.answer == "unstable" and about else None
        return replace(whole, about=about_it, solve_ms=1e3 * (time.perf_counter() - start))

    def _followed(self, state: State, until: float) -> Verdict:
        points = self._points
        assert points.gaps_m is not None, "there is play"
        widest = float(points.gaps_m.max())
        gaps = points.gaps_m.copy()
        for _ in range(STEPS):
            if time.perf_counter() > until:
                return undecided("time ran out")
            touching = gaps <= CLOSED * widest
            kept = replace(self._joints, patches=replace(points.chosen(touching), gaps_m=None))
            left = None if np.isinf(until) else max(until - time.perf_counter(), 0.0)
            verdict = Cra(self._assembly, kept, left).assess(state)
            if isinstance(verdict.certificate, Forces):
                return self._stands(verdict, verdict.certificate, touching)
            if not isinstance(verdict.certificate, Motion):
                return verdict
            step = self._until_closed(verdict.certificate.twists, gaps)
            if step is None:
                return replace(verdict, about=kept)
            gaps = np.maximum(gaps + step, 0.0)
        return undecided("it kept moving within its play")

    def _stands(self, verdict: Verdict, forces: Forces, touching: Bools) -> Verdict:
        """With forces at the points of the assembly's own interfaces."""
        all_forces = np.zeros_like(self._joints.patches.points)
        all_forces[touching] = forces.patch_forces
        return replace(verdict, certificate=replace(forces, patch_forces=all_forces))

    def _until_closed(self, twists: Array, gaps: Array) -> Array | None:
        """(p,) by how much gaps grow until the next is closed; None where nothing stops the motion."""
        points = self._points
        apart = relative(self._assembly, points, twists)
        speed = np.linalg.norm(apart, axis=1)
        along = (apart * points.normals).sum(axis=1)
        widest = float(gaps.max())
        closing = (gaps > CLOSED * widest) & (along < -ALONG * speed.max(initial=0.0))
        if not closing.any():
            return None
        times = np.full(len(gaps), np.inf)
        times[closing] = gaps[closing] / -along[closing]
        first = int(np.argmin(times))
        if speed[first] * times[first] > FAR * widest:
            return None
        growth: Array = times[first] * along
        growth[first] = -gaps[first]
        return growth


def _apart(patches: Patches) -> Patches:
    """Every point as a patch of its own: of a line one end may touch."""
    owner = patches.owner
    assert patches.gaps_m is not None, "there is play"
    return Patches(
        patches.bodies[owner],
        patches.normals[owner],
        patches.friction[owner],
        np.arange(len(owner) + 1),
        patches.points,
        patches.gaps_m[owner],
    )
