"""The arms of a cell as planning sees them: who can bring a part, who holds it, and who can let go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from falsework.geometry.ways.removal import StraightRemovals
from falsework.model.arrays import Array
from falsework.model.bits import bits
from falsework.model.placement import Objection
from falsework.model.ports import Hands, RemovalOracle
from falsework.model.poses import inverse
from falsework.model.robots.tilting import UPRIGHT, Stance
from falsework.robots.keyframes.frames import Keyframe, Pick, Piecing, Transfer
from falsework.robots.keyframes.table import Lacking
from falsework.robots.keyframes.turning import TurnedTables

WAYS = 3  # of one arm for one part that a search is offered
HOLDS = 6  # of one arm on one part in place
MORE_WAYS = 3  # straight ways for a part beside the most upward one
SAME_WAY = 0.98  # cosine
UP_M = 0.1  # by which a part is brought from above where nobody asks for ways


class CellCrew:
    """The port `Crew` for tables of keyframes; ways are numbers of keyframes."""

    def __init__(self, tables: TurnedTables, removals: RemovalOracle | None) -> None:
        self.tables, self._removals = tables, removals
        self.table = tables.at(UPRIGHT)
        self._frames = lru_cache(maxsize=None)(self._found_frames)
        self._meet: dict[tuple[int, int, str], bool] = {}
        self._swept: dict[int, int] = {}

    @property
    def lies(self) -> Sequence[Array]:
        """The ways to lie that the turntable offers."""
        return self.tables.lies

    def ways(self, part: int, installed: int, hands: Hands, pose: int = 0) -> Iterator[int]:
        """Keyframes of free arms, those of each arm first that bar the fewest parts still to come.

        Those first that need no turning of the table.
        """
        for stance in self._stances(hands, pose):
            yield from self._ways_at(stance, part, installed, hands)

    def _stances(self, hands: Hands, pose: int) -> tuple[Stance, ...]:
        """How the turntable may stand: as it does while hands are on the structure, else in any way of a pose."""
        return (self.table.frames[hands[0][1]].turned,) if hands else self.tables.stances(pose)

    def _ways_at(self, stance: Stance, part: int, installed: int, hands: Hands) -> Iterator[int]:
        frames, _ = self._frames(part, installed, stance)
        given: dict[int, int] = {}
        for frame in frames:
            if given.get(frame.arm, 0) < WAYS and self.against(frame, installed, hands) is None:
                given[frame.arm] = given.get(frame.arm, 0) + 1
                yield frame.number

    def pair_ways(self, upper: int, lower: int, installed: int, hands: Hands) -> Iterator[int]:
        """Keyframes by which free arms bring two bricks that they have put together in the air before."""
        if len(self.table.stations) < 2 + len(hands):
            return
        paths = self._pair_paths(upper, lower, installed)
        present = self.table.site.present(installed, upper)
        for stance in self._stances(hands, 0) if paths else ():
            table = self.tables.at(stance)
            frames, _ = table.of(upper, paths, present & ~self.table.site.own(lower))
            given: dict[int, int] = {}
            for frame in table.pairs(upper, lower, sorted(frames, key=lambda one: _bars(one, ~installed))):
                if given.get(frame.arm, 0) < WAYS and self.against(frame, installed, hands) is None:
                    given[frame.arm] = given.get(frame.arm, 0) + 1
                    yield frame.number

    def _pair_paths(self, upper: int, lower: int, installed: int) -> list[Array]:
        """(k, 4, 4) of the upper one, along which both come as one."""
        parts = self.table.site.assembly.parts
        if self._removals is None:
            return self.paths(upper, installed)
        path = self._removals.path(1 << upper | 1 << lower, installed)
        if path is None:
            return []
        first = parts[min(upper, lower)].T_world_part
        return [path @ inverse(first) @ parts[upper].T_world_part]

    def piecing_for(self, frame: Keyframe, installed: int, hands: Hands) -> Piecing | None:
        """The first way to put a pair together that nothing bars."""
        assert frame.lower is not None
        site = self.tables.of(frame).site
        present = site.present(installed, frame.part) & ~site.own(frame.lower)
        first = site.present(installed, frame.lower)  # the lower one is taken up while the other still waits
        held = [self.table.frames[way] for _, way in hands]
        for number, piecing in enumerate(frame.piecings):
            if piecing.blockers & present or piecing.pick.blockers & first:
                continue
            if any(one.arm == piecing.arm for one in held):
                continue
            joints = np.concatenate([piecing.pick.coming, piecing.pick.lifting, piecing.q[None], piecing.leaving])
            station = self.table.stations[piecing.arm]
            meets = False
            for other in held:
                key = frame.number, other.number, f"piecing {number}"
                if key not in self._meet:
                    holder, opening = self.table.stations[other.arm], other.grasp.opening_m
                    self._meet[key] = station.meets(
                        joints, piecing.grasp.open_m, holder, other.q, opening
                    ) or self.table.stations[frame.arm].meets(
                        piecing.coming, frame.grasp.opening_m, holder, other.q, opening
                    )
                meets = meets or self._meet[key]
            if not meets:
                return piecing
        return None

    def holds(self, part: int, installed: int, hands: Hands, pose: int = 0) -> Iterator[int]:
        """Keyframes by which free arms take hold of a part in its place, those first that bar the fewest to come."""
        later = ~installed & (1 << len(self.table.site.assembly.parts)) - 1
        for stance in self._stances(hands, pose):
            given: dict[int, int] = {}
            for frame in sorted(self.tables.at(stance).holdings.of(part), key=lambda one: _bars(one, later)[0]):
                if given.get(frame.arm, 0) < HOLDS and self.against(frame, installed, hands) is None:
                    given[frame.arm] = given.get(frame.arm, 0) + 1
                    yield frame.number

    def taken_over(self, part: int, installed: int, hands: Hands) -> Iterator[Hands]:
        """Hands once another arm has taken hold of a part that one has, and that one has left."""
        first = next(self.table.frames[way] for one, way in hands if one == part)
        rest = tuple(pair for pair in hands if pair[0] != part)
        if self.let_go(installed, hands, 1 << part) is None:
            return
        for way in self.holds(part, installed, hands):
            if not self._known_meet(first, self.table.frames[way], "leave", first.leaving):
                yield (*rest, (part, way))

    def gripped(self, way: int) -> int:
        """The part by which a way brings what it brings."""
        return self.table.frames[way].part

    def reaches(self, part: int, installed: int, pose: int = 0) -> bool:
        """Whether there is a keyframe for it at all."""
        return any(self._frames(part, installed, stance)[0] for stance in self.tables.stances(pose))

    def _found_frames(self, part: int, installed: int, stance: Stance) -> tuple[list[Keyframe], dict[int, Lacking]]:
        present = self.table.site.present(installed, part)
        frames, lacking = self.tables.at(stance).of(part, self.paths(part, installed, stance), present)
        later = ~installed & (1 << len(self.table.site.assembly.parts)) - 1
        return sorted(frames, key=lambda frame: _bars(frame, later)), lacking

    def against(self, frame: Keyframe, installed: int, hands: Hands) -> str | None:
        """What stands against a keyframe, with hands on what is there; None where it works."""
        site, names = self.table.site, self.table.site.assembly.names
        held = [self.table.frames[way] for _, way in hands]
        for other in held:
            if other.arm == frame.arm:
                return f"it holds {names[other.part]}"
        present = site.present(installed, frame.part)
        masks = frame.blocks_coming | frame.blocks_leaving
        if masks & present:
            return f"{site.told(masks & present)} in its way"
        for other in held:
            barred = other.blocks_staying | other.blocks_leaving
            if barred >> frame.part & 1:
                return f"the part is in the way of {site.cell.arms[other.arm].name}, which holds {names[other.part]}"
        for other in held:
            if self._meets(frame, other):
                return f"{site.cell.arms[other.arm].name}, which holds {names[other.part]}, is in its way"
        if not frame.in_place and self.pick_for(frame, installed, hands) is None:
            return "what waits beside the part, or another arm, is in its way where it takes it up"
        if frame.lower is not None and self.piecing_for(frame, installed, hands) is None:
            return "no arm is free to hold the other brick out for it"
        swept = self._swept_masks(frame)
        if swept & present:
            return f"{site.told(swept & present)} in its way"
        return None

    def pick_for(self, frame: Keyframe, installed: int, hands: Hands) -> Pick | None:
        """The first way to take the part up that nothing bars."""
        present = self.table.site.present(installed, frame.part)
        held = [self.table.frames[way] for _, way in hands]
        for number, pick in enumerate(frame.picks):
            if pick.blockers & present or not self._transferred(frame, number, pick.before, present, held):
                continue
            joints = np.concatenate([pick.coming, pick.lifting])
            if not any(self._known_meet(frame, other, f"pick {number}", joints) for other in held):
                return pick
        return None

    def _transferred(
        self, frame: Keyframe, number: int, before: Transfer | None, present: int, held: list[Keyframe]
    ) -> bool:
        """Whether the transfer before a pick, if there is one, has its arm free and nothing in the way."""
        if before is None:
            return True
        if (before.blockers | before.pick.blockers) & present or any(one.arm == before.arm for one in held):
            return False
        station = self.table.stations[before.arm]
        joints = np.concatenate([before.pick.coming, before.pick.lifting, before.going, before.leaving])
        for other in held:
            key = frame.number, other.number, f"transfer {number}"
            if key not in self._meet:
                holder = self.table.stations[other.arm]
                self._meet[key] = station.meets(
                    joints, before.grasp.open_m, holder, other.q, other.grasp.opening_m
                ) or holder.meets_load(other.q, other.grasp.opening_m, frame.part, before.T_world_part[None])
            if self._meet[key]:
                return False
        return True

    def _meets(self, frame: Keyframe, other: Keyframe) -> bool:
        """Whether an arm that comes and leaves meets one that holds, or brings the part into it."""
        joints = np.concatenate([frame.coming, frame.leaving])
        met = self._known_meet(frame, other, "place", joints)
        if met or frame.in_place:
            return met
        key = frame.number, other.number, "load"
        if key not in self._meet:
            holder = self.table.stations[other.arm]
            met = holder.meets_load(other.q, other.grasp.opening_m, frame.part, frame.T_world_part)
            if frame.lower is not None and not met:
                parts = self.table.site.assembly.parts
                beside = inverse(parts[frame.part].T_world_part) @ parts[frame.lower].T_world_part
                met = holder.meets_load(other.q, other.grasp.opening_m, frame.lower, frame.T_world_part @ beside)
            self._meet[key] = met
        return self._meet[key]

    def _known_meet(self, frame: Keyframe, other: Keyframe, what: str, joints: Array) -> bool:
        key = frame.number, other.number, what
        if key not in self._meet:
            mover, holder = self.table.stations[frame.arm], self.table.stations[other.arm]
            self._meet[key] = mover.meets(joints, frame.grasp.open_m, holder, other.q, other.grasp.opening_m)
        return self._meet[key]

    def _swept_masks(self, frame: Keyframe) -> int:
        """What is in the way between looks too, asked of keyframes that are about to be used; own part left out."""
        if frame.number not in self._swept:
            station, grasp = self.tables.of(frame).stations[frame.arm], frame.grasp
            found = station.swept(frame.leaving, grasp.open_m)
            if not frame.in_place:  # else it comes as it leaves
                found |= station.swept(frame.coming, grasp.opening_m)
            own = self.table.site.own(frame.part) | (0 if frame.lower is None else self.table.site.own(frame.lower))
            self._swept[frame.number] = found & ~own
        return self._swept[frame.number]

    def let_go(self, installed: int, hands: Hands, parts: int) -> Hands | None:
        """Hands let go in the order of parts; then none of the others may be shut in."""
        left = hands
        present = self.table.site.present(installed, 0)
        for part in bits(parts):
            way = next(way for one, way in left if one == part)
            left = tuple(pair for pair in left if pair[0] != part)
            frame = self.table.frames[way]
            if frame.blocks_leaving & present:
                return None
            others = [self.table.frames[other] for _, other in left]
            if any(self._known_meet(frame, other, "leave", frame.leaving) for other in others):
                return None
        if any(self.table.frames[way].blocks_leaving & present for _, way in left):
            return None
        return left

    def objection(self, part: int, installed: int, hands: Hands, pose: int = 0) -> Objection:
        """By arm, what stands against the part, where the turntable is or begins."""
        frames, lacking = self._frames(part, installed, self._stances(hands, pose)[0])
        if not frames and not lacking:
            return Objection("no way leads to its place past what is there")
        told, blockers = [], 0
        for number, arm in enumerate(self.table.site.cell.arms):
            if number in lacking:
                why, blockers = lacking[number].why, blockers | lacking[number].blockers
            else:
                own = [frame for frame in frames if frame.arm == number]
                best = min(own, key=lambda frame: self._in_the_way(frame, installed).bit_count())
                why = self.against(best, installed, hands) or "all its ways were tried"
                blockers |= self._in_the_way(best, installed)
            told.append(f"{arm.name}: {why}")
        bodies = (1 << len(self.table.site.assembly.bodies)) - 1
        return Objection("; ".join(told), blockers & bodies)

    def _in_the_way(self, frame: Keyframe, installed: int) -> int:
        present = self.table.site.present(installed, frame.part)
        return (frame.blocks_coming | frame.blocks_leaving) & present

    def hands_on(self, installed: int, held: int) -> Hands | None:
        """For all parts that are held at the beginning, arms that take hold of them beside each other."""
        return next(self._hands_on(installed, tuple(bits(held)), ()), None)

    def _hands_on(self, installed: int, parts: tuple[int, ...], hands: Hands) -> Iterator[Hands]:
        if not parts:
            yield hands
            return
        for way in self.holds(parts[0], installed, hands):
            if self.table.frames[way].turned == UPRIGHT:
                yield from self._hands_on(installed, parts[1:], (*hands, (parts[0], way)))

    def paths(self, part: int, installed: int, stance: Stance = UPRIGHT) -> list[Array]:
        """(k, 4, 4) each: along which a part may come, in the assembly's frame; the most upward one first."""
        final, up = self.table.site.assembly.parts[part].T_world_part, self._up(stance)
        if self._removals is None:
            start = np.array(final)
            start[:3, 3] += UP_M * (np.array([0.0, 0.0, 1.0]) if up is None else up)
            return [np.stack([start, final])]
        first = self._removals.path(1 << part, installed, up)
        if first is None or not isinstance(self._removals, StraightRemovals):
            return [] if first is None else [first]
        return [first, *self._others(part, installed, first)]

    def _up(self, stance: Stance) -> Array | None:
        """(3,) what is above in the assembly's frame where it is tilted."""
        rotary = self.table.site.cell.rotary
        if rotary is None or stance.tilt == 0.0:
            return None
        up: Array = (rotary.turned(*stance) @ self.table.site.cell.T_world_structure)[2, :3]
        return up

    def _others(self, part: int, installed: int, first: Array) -> Iterator[Array]:
        """Straight ways beside the first: one amid all there are, then ever the one farthest from those before."""
        removals, final = self._removals, self.table.site.assembly.parts[part].T_world_part
        assert isinstance(removals, StraightRemovals)
        directions = removals.directions(1 << part, installed)
        if len(first) != 2 or len(directions) < 2:
            return
        taken = [(first[0] - first[1])[:3, 3] / np.linalg.norm((first[0] - first[1])[:3, 3])]
        rest = removals.rest(1 << part, installed)
        for number in range(MORE_WAYS):
            amid = directions @ directions.sum(axis=0)
            chosen = int(np.argmax(amid) if number == 0 else np.argmin((directions @ np.array(taken).T).max(axis=1)))
            way = directions[chosen]
            if max(float(way @ one) for one in taken) > SAME_WAY:
                continue
            taken.append(way)
            start = np.array(final)
            start[:3, 3] += way * removals.clear_after(way, 1 << part, rest)
            yield np.stack([start, final])

    def path_of(self, frame: Keyframe, installed: int) -> Array | None:
        """The whole path along which a keyframe brings its part onto what is installed."""
        table = self.tables.of(frame)
        return next(
            (path for path in self.paths(frame.part, installed, frame.turned) if table.follows(frame, path)), None
        )


def _bars(frame: Keyframe, later: int) -> tuple[int, float]:
    """How many parts still to come a hand would bar, and how well it holds."""
    return ((frame.blocks_staying | frame.blocks_leaving) & later).bit_count(), -frame.grasp.margin
