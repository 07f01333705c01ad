"""Nothing runs into anything: MuJoCo's distances at instants, and a bound on what happens between them.

At the middle of a time 2δ long, two solids are d apart and move with v and ω. Until its ends, no point of a solid of
radius r moves more than

    (|v| + |ω| r) δ + a δ² / 2        a = Σⱼ q̈ⱼ Lⱼ + Σᵢⱼ q̇ᵢ q̇ⱼ L_max(i,j)

with L how far it can be from each joint, and the greatest speeds and accelerations of the joints in that time. Where
that is not enough, the time is halved for this pair. What touches by design (a hand and the part that it takes, a part
and what it is put on) may be pressed together a little, as measures are never exact, beyond what parts overlap in
the finished structure as its file has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.robots.motion import GripCommand, Segment, Stay
from falsework.robots.verification.complaints import Complaint
from falsework.robots.verification.stage import Stage

CLEAR_M = 5e-5  # between what must not touch
TOUCH_M = 5e-4  # by which what touches by design may overlap
SLACK_M = 1e-4  # less of the bound than this is not looked into any further
STRAIGHT = ("approach", "retreat", "press", "grip", "release", "hold", "wait")
NEAR_M = 1e-3  # up to which distances are measured in any case
NEVER = np.inf
LEVEL_M = 1e-6  # above its base, up to which what an arm stands on may reach


@dataclass(slots=True, eq=False)
class Moment:
    """What holds between two instants at which something changes."""

    begin: float
    end: float
    carried: list[tuple[Ints, Array]]  # by arm, which solids move with it, (m,), and their levers, (m, n)
    pairs: Ints  # (k, 2) to look at
    least: Array  # (k,) how near each may come
    staying: list[Stay | None]
    commands: list[GripCommand]  # fingers that move meanwhile


class Clearing:
    """Looks at a motion from beginning to end."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.looks = 0
        self.least_gap = np.inf
        self._windows = touching_windows(stage)
        self._own = _own_pairs(stage)
        self._overlaps = _overlaps(stage)
        rotary = stage.motion.cell.rotary
        self._mounted = _mounted(stage)
        self._lies_in_the_table = rotary is not None and rotary.tilt is None  # a disc; a plate is above it

    def complaints(self) -> Iterator[Complaint]:
        marks = self._marks()
        said: set[tuple[str, str]] = set()
        for begin, end in pairwise(marks):
            for time, g, h, gap in self._looked_at(self._moment(begin, end)):
                names = self.stage.geoms.names[g], self.stage.geoms.names[h]
                if names not in said:
                    said.add(names)
                    how = f"overlap by {-1e3 * gap:.2f} mm" if gap < 0 else f"are {1e3 * gap:.2f} mm apart"
                    yield Complaint("collision", time, f"{names[0]} and {names[1]} {how}", self._whose(g, h))

    def _whose(self, g: int, h: int) -> str | None:
        """The arm that one of two solids belongs to, the first of two."""
        arms = [int(self.stage.geoms.arm[one]) for one in (g, h) if self.stage.geoms.arm[one] >= 0]
        return self.stage.motion.cell.movers[arms[0]].name if arms else None

    def _marks(self) -> list[float]:
        motion = self.stage.motion
        end = motion.makespan_s
        times = [0.0, end]
        for things in (motion.segments, motion.commands, motion.grips, motion.stays):
            times += [time for thing in things for time in (thing.begin_s, thing.end_s)]
        kept = sorted({time for time in times if 0 <= time <= end})
        found = kept[:1]
        for time in kept[1:]:
            if time > found[-1] + 1e-9:
                found.append(time)
        return found

    def _moment(self, begin: float, end: float) -> Moment:
        stage, geoms = self.stage, self.stage.geoms
        middle = 0.5 * (begin + end)
        staying = stage.staying(middle)
        carrier, levers = geoms.arm.copy(), stage.levers
        names = [one.name for one in stage.motion.cell.movers]
        there = geoms.part < 0
        for number, stay in enumerate(staying):
            own = np.flatnonzero(geoms.part == number)
            if stay is not None:
                there[own] = True
            if stay is not None and stay.arm is not None:
                carrier[own] = names.index(stay.arm)
                levers = levers.copy() if levers is stage.levers else levers
                levers[own] = stage.carried_levers(stay, own)
        moving = [bool(rows.most(begin, end, 1).any()) for rows in stage.rows]
        commands = [one for one in stage.motion.commands if one.begin_s < end and one.end_s > begin]
        for one in commands:
            moving[names.index(one.arm)] = True
        if begin == 0.0:
            moving = [True] * len(names)  # so that everything is looked at once
        least = self._least(middle, carrier, there, np.array(moving), staying)
        pairs = np.argwhere(np.triu(least < NEVER, 1))
        asked = least[pairs[:, 0], pairs[:, 1]]
        owned = [np.flatnonzero(carrier == arm) for arm in range(len(names))]
        carried = [(own, levers[own, : len(rows.rest)]) for own, rows in zip(owned, stage.rows, strict=True)]
        return Moment(begin, end, carried, pairs, asked, staying, commands)

    def _least(self, time: float, carrier: Ints, there: Bools, moving: Bools, staying: list[Stay | None]) -> Array:
        """(g, g) how near two solids may come; infinite where nobody asks."""
        geoms, count = self.stage.geoms, len(carrier)
        goes = np.zeros(count, bool)
        goes[carrier >= 0] = moving[carrier[carrier >= 0]]
        ask = (goes[:, None] | goes[None]) & there[:, None] & there[None]
        same = (carrier[:, None] == carrier[None]) & (carrier >= 0)[:, None]
        ask &= ~same | self._own
        held = (geoms.part >= 0) & (carrier >= 0) & (carrier < self.stage.hands)
        for g in np.flatnonzero(held).tolist():  # what is in a hand, and the links far from that hand
            links = len(self.stage.motion.cell.arms[carrier[g]].arm.joints)
            far = (geoms.arm == carrier[g]) & ~geoms.tool & (geoms.link < links - 1)
            ask[g, far] = ask[far, g] = goes[g]
        ask &= ~self._mounted
        turns, table = (carrier == self.stage.hands) & self._lies_in_the_table, geoms.table
        disc = turns & geoms.ground
        ask &= ~((disc[:, None] & geoms.table[None]) | (geoms.table[:, None] & disc[None]))
        least = np.where(ask, CLEAR_M, NEVER)
        soft = self._may_touch(time, carrier, held)
        soft |= (turns[:, None] & table[None]) | (table[:, None] & turns[None])  # it stands on a disc in the table
        depth = TOUCH_M + np.maximum(geoms.studs[:, None], geoms.studs[None]) + self._overlaps
        return np.where(ask & soft, -depth, least)

    def _may_touch(self, time: float, carrier: Ints, held: Bools) -> Bools:
        """(g, g) what touches by design now: hands and what they take, and parts as they are taken up and put down."""
        geoms = self.stage.geoms
        soft = np.zeros((len(carrier), len(carrier)), bool)
        for arm, windows in enumerate(self._windows):
            tool = geoms.tool & (geoms.arm == arm)
            near = np.isin(geoms.part, [part for begin, end, part in windows if begin <= time <= end])
            soft |= tool[:, None] & near[None]
            if _doing(self.stage, arm, time) in STRAIGHT:
                own = held & (carrier == arm)
                solid = geoms.arm < 0
                soft |= own[:, None] & solid[None]
        return soft | soft.T

    def _looked_at(self, moment: Moment) -> Iterator[tuple[float, int, int, float]]:
        """When which solids come too near to each other, and how near, the first time in this moment."""
        bad = np.zeros(len(moment.pairs), bool)
        waiting = [(moment.begin, moment.end, np.arange(len(moment.pairs)))]
        while waiting:
            begin, end, chosen = waiting.pop()
            chosen = chosen[~bad[chosen]]
            if not len(chosen):
                continue
            gaps, moved = self._look(0.5 * (begin + end), 0.5 * (end - begin), moment, chosen)
            wrong = gaps < moment.least[chosen]
            for k in chosen[wrong].tolist():
                bad[k] = True
            for k, gap in zip(chosen[wrong].tolist(), gaps[wrong].tolist(), strict=True):
                yield 0.5 * (begin + end), int(moment.pairs[k, 0]), int(moment.pairs[k, 1]), gap
            left = ~wrong & (gaps - moved < moment.least[chosen]) & (moved > SLACK_M)
            if left.any():
                middle = 0.5 * (begin + end)
                waiting += [(middle, end, chosen[left]), (begin, middle, chosen[left])]

    def _look(self, time: float, half: float, moment: Moment, chosen: Ints) -> tuple[Array, Array]:
        """(k,) gaps of pairs, or bounds on them that are enough, and how much nearer they may come in this time."""
        stage = self.stage
        stage.put(time, moment.staying)
        self.looks += 1
        first, second = moment.pairs[chosen].T
        velocity, turning, bend = self._rates(time, half, moment)
        radius, least = stage.geoms.radius, moment.least[chosen]
        together = np.linalg.norm(velocity[first] - velocity[second], axis=1)
        spin = turning[first] * radius[first] + turning[second] * radius[second]
        if moment.commands:
            fingers = self._fingers(moment)
            spin = spin + fingers[first] + fingers[second]
        moved = (together + spin) * half + (bend[first] + bend[second]) * half**2 / 2
        gaps = self._balls(first, second)
        near = np.flatnonzero(gaps - moved < least)
        for k in near.tolist():
            most = max(float(least[k] + moved[k]) + NEAR_M, NEAR_M)
            gaps[k] = stage.distance(int(first[k]), int(second[k]), most)
            if least[k] > 0 and gaps[k] < most:
                self.least_gap = min(self.least_gap, float(gaps[k]))
        return gaps, moved

    def _balls(self, first: Ints, second: Ints) -> Array:
        """(k,) bounds on gaps by balls around solids; a box is itself."""
        stage = self.stage
        model, data, radius = stage.model, stage.data, stage.geoms.radius
        apart = data.geom_xpos[first] - data.geom_xpos[second]
        gaps: Array = np.linalg.norm(apart, axis=1) - radius[first] - radius[second]
        for one, other, sign in ((first, second, -1.0), (second, first, 1.0)):
            boxes = np.flatnonzero(model.geom_type[one] == 6)  # mjGEOM_BOX
            if len(boxes):
                turn = data.geom_xmat[one[boxes]].reshape(-1, 3, 3)
                local = np.einsum("kij,ki->kj", turn, sign * apart[boxes])
                outside = np.maximum(np.abs(local) - model.geom_size[one[boxes]], 0.0)
                gaps[boxes] = np.maximum(gaps[boxes], np.linalg.norm(outside, axis=1) - radius[other[boxes]])
        return gaps

    def _rates(self, time: float, half: float, moment: Moment) -> tuple[Array, Array, Array]:
        """Of every solid: (g, 3) the velocity of its middle, (g,) how fast it turns, (g,) how much that may change."""
        stage, count = self.stage, len(self.stage.geoms.part)
        velocity, turning, bend = np.zeros((count, 3)), np.zeros(count), np.zeros(count)
        for arm, (rows, (own, levers)) in enumerate(zip(stage.rows, moment.carried, strict=True)):
            speeds = rows.most(time - half, time + half, 1)
            if not speeds.any():
                continue
            now, pushes = rows.at(time, 1), rows.most(time - half, time + half, 2)
            axes, anchors = stage.turning(arm)
            before = (levers > 0).astype(np.float64)  # joints that a solid is behind
            rates = axes * now[:, None]  # (n, 3)
            spins = np.where(stage.slides[arm][:, None], 0.0, rates)
            total = before @ spins
            # Σ ωⱼ × (x − aⱼ) + v, over the joints before it: one product for its turning, one for each joint's place
            there = rates - spins - _cross(spins, anchors)
            velocity[own] = _cross(total, stage.data.geom_xpos[own]) + before @ there
            turning[own] = np.sqrt(np.sum(total * total, axis=1))
            sums = np.concatenate([[0.0], np.cumsum(speeds)])
            bend[own] = levers @ (pushes + sums[1:] ** 2 - sums[:-1] ** 2)
        return velocity, turning, bend

    def _fingers(self, moment: Moment) -> Array:
        """(g,) how fast fingers that open or close move in their hand, whatever that does meanwhile."""
        motion, speeds = self.stage.motion, np.zeros(len(self.stage.geoms.part))
        for one in moment.commands:
            if one.end_s > one.begin_s:
                number = [each.name for each in motion.cell.movers].index(one.arm)
                rate = abs(one.opening_m - motion.opening_at(one.arm, one.begin_s)) / (one.end_s - one.begin_s)
                bodies = motion.cell.movers[number].tool.bodies
                travel = max((float(np.linalg.norm(body.travel)) for body in bodies), default=0.0)
                own = self.stage.geoms.tool & (self.stage.geoms.arm == number)
                speeds[own] += rate * travel
        return speeds


def _mounted(stage: Stage) -> Bools:
    """(g, g) bases and what they may be mounted on; and first links and what lies below their base, as a table does."""
    geoms, model, data = stage.geoms, stage.model, stage.data
    own = (geoms.arm >= 0) & ~geoms.tool
    stands = (geoms.arm < 0) & (geoms.part < 0)
    turns = data.geom_xmat.reshape(-1, 3, 3)[:, 2]  # the rows of heights
    middle, half = model.geom_aabb[:, :3], model.geom_aabb[:, 3:]
    tops = data.geom_xpos[:, 2] + np.sum(turns * middle, axis=1) + np.sum(np.abs(turns) * half, axis=1)
    bases = np.array([one.T_world_base[2, 3] for one in stage.motion.cell.movers])
    below = tops[None] <= bases[geoms.arm][:, None] + LEVEL_M
    found: Bools = (own & (geoms.link == 0))[:, None] & stands[None]
    found = found | ((own & (geoms.link == 1))[:, None] & stands[None] & below)
    return found | found.T


def _cross(first: Array, second: Array) -> Array:
    """(k, 3) products of vectors; as `np.cross`, which takes ten times as long for a few."""
    x, y, z = first.T
    u, v, w = second.T
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=1)


def touching_windows(stage: Stage) -> list[list[tuple[float, float, int]]]:
    """For every arm: from when to when its tool may touch which part: from the approach to the retreat."""
    motion = stage.motion
    numbers = {part.name: k for k, part in enumerate(stage.parts)}
    found = []
    for one in motion.cell.arms:
        own = sorted((each for each in motion.segments if each.arm == one.name), key=lambda each: each.begin_s)
        windows = []
        for grip in motion.grips:
            if grip.arm == one.name and grip.parts[0] in numbers:
                begin = _stretched(own, grip.begin_s, ("grip", "approach", "hold", "wait"), backwards=True)
                end = _stretched(own, grip.end_s, ("release", "retreat", "hold", "wait"), backwards=False)
                windows.append((begin, end, numbers[grip.parts[0]]))
        found.append(windows)
    return found


def _stretched(segments: list[Segment], time: float, kinds: tuple[str, ...], backwards: bool) -> float:
    """From a time on, or back, as long as segments of some kinds follow each other."""
    for one in reversed(segments) if backwards else segments:
        at, to = (one.end_s, one.begin_s) if backwards else (one.begin_s, one.end_s)
        if abs(at - time) < 1e-6 and one.kind in kinds:
            time = to
    return time


def _doing(stage: Stage, arm: int, time: float) -> str:
    name = stage.motion.cell.arms[arm].name
    return next(
        (one.kind for one in stage.motion.segments if one.arm == name and one.begin_s <= time < one.end_s), "wait"
    )


def _overlaps(stage: Stage) -> Array:
    """(g, g) by how much solids of different parts overlap in the finished structure: files are never exact."""
    geoms, count = stage.geoms, stage.model.ngeom
    found = np.zeros((count, count))
    stage.put_assembled()
    own = np.flatnonzero(geoms.part >= 0)
    places, radius = stage.data.geom_xpos[own], geoms.radius[own]
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) - radius[:, None] - radius[None]
    near = (apart < 0) & (geoms.part[own][:, None] < geoms.part[own][None])
    for i, j in np.argwhere(near).tolist():
        g, h = int(own[i]), int(own[j])
        found[g, h] = found[h, g] = max(0.0, -stage.distance(g, h, 1e-6))
    return found


def _own_pairs(stage: Stage) -> Bools:
    """(g, g) solids of one arm that may run into each other: not neighbours, nor links that its maker lets touch."""
    geoms, count = stage.geoms, stage.model.ngeom
    found = np.zeros((count, count), bool)
    stage.put(0.0)
    for arm, one in enumerate(stage.motion.cell.arms):
        own = np.flatnonzero(geoms.arm == arm).tolist()
        apart = {(min(pair), max(pair)) for pair in one.arm.touching or ()}
        for g in own:
            for h in own:
                low, high = sorted((int(geoms.link[g]), int(geoms.link[h])))
                close = high - low <= 1 or (low, high) in apart
                if not close and one.arm.touching is None:
                    close = stage.distance(g, h, 1e-3) <= 0.0  # nobody has said, and so it stands at home
                found[g, h] = not close
    return found
