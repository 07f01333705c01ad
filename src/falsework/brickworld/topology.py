"""Which brick holds which: seed 000's topology graph, in whole numbers.

A connection says where the hole grid of one brick sits on the stud grid of another: an offset in studs and quarter
turns, both seen from the stud brick. Bricks that hang together share a lattice, so the place of each in it is three
whole numbers and a quarter turn, and all paths between two bricks must agree on them: `connect` refuses what does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from falsework.geometry.shapes.lattice import QUARTER_TURNS
from falsework.model.arrays import Array, Ints
from falsework.model.catalogue import BrickType, brick_type
from falsework.model.errors import BadInput

FORMAT = "falsework-topology/1"


@dataclass(frozen=True, slots=True)
class Connection:
    """A stud grid in a hole grid: part numbers, offset in studs and quarter turns, seen from the stud brick."""

    stud: int
    hole: int
    offset: tuple[int, int]
    turns: int


@dataclass(frozen=True, slots=True)
class Place:
    """Of a brick on its component's lattice: studs, studs, plates, quarter turns."""

    x: int
    y: int
    z: int
    turns: int

    def then(self, x: int, y: int, z: int, turns: int) -> Place:
        """The place of something at these coordinates in this brick's frame."""
        dx, dy = QUARTER_TURNS[self.turns] @ (x, y)
        return Place(self.x + int(dx), self.y + int(dy), self.z + z, (self.turns + turns) % 4)


ORIGIN = Place(0, 0, 0, 0)


class Topology:
    """Bricks and their connections; parts that are no bricks are there, but hold nothing."""

    def __init__(self, kinds: Sequence[BrickType | None]) -> None:
        self.kinds = tuple(kinds)
        self.connections: dict[int, Connection] = {}  # by number; numbers are never used again
        self.places = [ORIGIN for _ in kinds]
        self.component_of: Ints = np.arange(len(self.kinds))  # each named for one of its parts
        self._at: list[set[int]] = [set() for _ in kinds]  # connections of each part
        self._next = 0

    def members(self, component: int) -> Ints:
        """Parts of a component, in order."""
        return np.flatnonzero(self.component_of == component)

    @property
    def components(self) -> list[Ints]:
        """Parts of every component, in order of their first parts."""
        order = np.argsort(self.component_of, kind="stable")
        labels = self.component_of[order]
        found = np.split(order, np.flatnonzero(np.diff(labels)) + 1) if len(order) else []
        return sorted(found, key=lambda members: int(members[0]))

    def between(self, first: int, second: int) -> list[int]:
        """Connections between two parts."""
        return sorted(self._at[first] & self._at[second])

    def number(self, one: Connection) -> int:
        """Of a connection that is there."""
        return next(number for number in self.between(one.stud, one.hole) if self.connections[number] == one)

    def connect(self, new: Connection) -> int:
        """Insert a connection and give its number; BadInput if the bricks cannot be there."""
        wanted = self._place_of_hole(new)
        stud, hole = new.stud, new.hole
        if self.component_of[stud] == self.component_of[hole]:
            if self.places[hole] != wanted:
                raise BadInput(f"connection {stud}-{hole}: the bricks are held at {self.places[hole]}, not at {wanted}")
            if any(self.connections[number] == new for number in self.between(stud, hole)):
                raise BadInput(f"connection {stud}-{hole}: it is there already")
        else:
            self._merge(stud, hole, wanted)
        number = self._next
        self._next += 1
        self.connections[number] = new
        self._at[stud].add(number)
        self._at[hole].add(number)
        return number

    def disconnect(self, numbers: Iterable[int]) -> list[Ints]:
        """Remove connections; the components that what they joined is now part of, in order."""
        loose: list[int] = []
        for number in numbers:
            if number not in self.connections:
                raise BadInput(f"there is no connection {number}")
            gone = self.connections.pop(number)
            self._at[gone.stud].discard(number)
            self._at[gone.hole].discard(number)
            loose += [gone.stud, gone.hole]
        found: dict[int, Ints] = {}
        seen: set[int] = set()
        for part in loose:
            if part in seen:
                continue
            members = self._reachable(part)
            seen.update(members)
            found[min(members)] = np.array(sorted(members), dtype=np.int64)
            self.component_of[found[min(members)]] = min(members)
        return [found[first] for first in sorted(found)]

    def copy(self) -> Topology:
        """Another that can be changed without changing this one."""
        other = Topology(self.kinds)
        other.connections, other.places = dict(self.connections), list(self.places)
        other.component_of = self.component_of.copy()
        other._at, other._next = [set(numbers) for numbers in self._at], self._next
        return other

    def table(self) -> tuple[Ints, Ints, int]:
        """Connections (k, 6) number, stud, hole, offset, turns; places (n, 4) of all parts; the next number."""
        rows = [
            (number, one.stud, one.hole, *one.offset, one.turns) for number, one in sorted(self.connections.items())
        ]
        places = [(place.x, place.y, place.z, place.turns) for place in self.places]
        return np.array(rows, dtype=np.int64).reshape(-1, 6), np.array(places, dtype=np.int64), self._next

    @staticmethod
    def of_table(kinds: Sequence[BrickType | None], rows: Ints, places: Ints, following: int) -> Topology:
        """What `table` describes."""
        made = Topology(kinds)
        for number, stud, hole, x, y, turns in rows.tolist():
            made.connections[number] = Connection(stud, hole, (x, y), turns)
            made._at[stud].add(number)
            made._at[hole].add(number)
        for part in range(len(made.kinds)):
            if made.component_of[part] == part:
                made.component_of[list(made._reachable(part))] = part
        made.places = [Place(*row) for row in places.tolist()]
        made._next = following
        return made

    def _place_of_hole(self, new: Connection) -> Place:
        lower, upper = self.kinds[new.stud], self.kinds[new.hole]
        if lower is None or upper is None or not lower.has_studs or not upper.has_holes:
            raise BadInput(f"connection {new.stud}-{new.hole}: {lower} has no studs or {upper} no holes")
        if lower.system != upper.system:
            raise BadInput(f"connection {new.stud}-{new.hole}: {lower} and {upper} are of different makes")
        first = np.array([[0, 0], [upper.length, upper.width]]) @ QUARTER_TURNS[new.turns % 4].T + new.offset
        low, high = first.min(axis=0), first.max(axis=0)
        if not (np.maximum(low, 0) < np.minimum(high, [lower.flat, lower.width])).all():
            raise BadInput(f"connection {new.stud}-{new.hole}: no stud stands in a hole at offset {new.offset}")
        return self.places[new.stud].then(*new.offset, lower.plates, new.turns)

    def _merge(self, stud: int, hole: int, wanted: Place) -> None:
        """The hole brick's component takes places on the stud brick's lattice, or the other way round if smaller."""
        upper, lower = self.members(int(self.component_of[hole])), self.members(int(self.component_of[stud]))
        at = self.places[hole]
        turns = (wanted.turns - at.turns) % 4
        moving, back = upper, False
        if len(upper) > len(lower):
            moving, back, turns = lower, True, -turns % 4
        old, new = (wanted, at) if back else (at, wanted)
        for part in moving.tolist():
            one = self.places[part]
            dx, dy = QUARTER_TURNS[turns] @ (one.x - old.x, one.y - old.y)
            place = Place(new.x + int(dx), new.y + int(dy), new.z + one.z - old.z, (one.turns + turns) % 4)
            self.places[part] = place
        label = min(int(upper[0]), int(lower[0]))
        self.component_of[upper] = self.component_of[lower] = label

    def _reachable(self, part: int) -> set[int]:
        seen, waiting = {part}, [part]
        while waiting:
            for number in self._at[waiting.pop()]:
                one = self.connections[number]
                for other in (one.stud, one.hole):
                    if other not in seen:
                        seen.add(other)
                        waiting.append(other)
        return seen

    def as_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """For JSON: parts by name, connections in order of their numbers."""
        parts = [
            {"name": name, "kind": None if kind is None else str(kind)}
            for name, kind in zip(names, self.kinds, strict=True)
        ]
        joined = [
            {**asdict(one), "stud": names[one.stud], "hole": names[one.hole]}
            for _, one in sorted(self.connections.items())
        ]
        return {"format": FORMAT, "parts": parts, "connections": joined}


def topology_from(document: dict[str, Any]) -> tuple[Topology, tuple[str, ...]]:
    """The topology that `as_dict` described, and the names of its parts."""
    if document.get("format") != FORMAT:
        raise BadInput(f"topology: found format {document.get('format')!r}, expected {FORMAT!r}")
    try:
        names = tuple(str(part["name"]) for part in document["parts"])
        kinds = [None if part["kind"] is None else brick_type(part["kind"]) for part in document["parts"]]
        made, index = Topology(kinds), {name: number for number, name in enumerate(names)}
        for one in document["connections"]:
            x, y = one["offset"]
            made.connect(Connection(index[one["stud"]], index[one["hole"]], (int(x), int(y)), int(one["turns"]) % 4))
    except (KeyError, TypeError, ValueError) as why:
        raise BadInput(f"topology: {type(why).__name__}: {why}") from why
    return made, names


def hole_pose(stud: BrickType, connection: Connection) -> Array:
    """(4, 4) T_stud_hole: the hole brick's frame in the stud brick's."""
    pose = np.eye(4)
    pose[:2, :2] = QUARTER_TURNS[connection.turns % 4]
    pose[:2, 3] = np.array(connection.offset) * stud.measures.pitch_m
    pose[2, 3] = stud.size_m[2]
    return pose
