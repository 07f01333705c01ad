"""Which bricks no picture can tell: the same view of another legal packing differs in fewer than N pixels.

For the bricks of one colour and height that touch on one stud grid, every other way is tried to fill the cells that
are seen; hidden cells may be filled or not, and bricks of other colours may make room where they are hidden. The
picture of the whole scene is drawn anew, without noise. A pixel differs where the colour is another one or the depth
differs by more than 2 mm. A brick is ambiguous in a view if a legal packing without it differs from the truth in fewer
than `FEWEST_PIXELS` pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.catalogue import BrickType
from falsework.model.poses import inverse
from falsework.perception.cameras.simulated import View
from falsework.perception.scenes.drawing import BACKGROUND, PLATE, Labels, Stage
from falsework.perception.scenes.layouts import clash
from falsework.perception.scenes.making_room import SeenCells, ways_to_make_room
from falsework.perception.scenes.packings import DUPLO, Cells, Placed, flat_cells, is_merged, placements, rests
from falsework.perception.scenes.scene import Scene, SceneBrick
from falsework.perception.scenes.windows import around, cut_out, joined, projected

FEWEST_PIXELS = 40
SAME_DEPTH_M = 0.002
MOST_PACKINGS = 400  # of one cluster
REACH = 4  # studs: hidden bricks of one colour that are so far apart may be one

Packing = tuple[SceneBrick, ...]


def rival_packings(
    scene: Scene, view: View, visible: Sequence[float], fewest: int = FEWEST_PIXELS, kinds: Sequence[BrickType] = DUPLO
) -> list[tuple[Packing, ...]]:
    """Of every brick: legal packings of its cluster, without it, that look the same; `visible` are shares.

    Bricks that do not stand upright have none: they are on no grid.
    """
    found: list[list[Packing]] = [[] for _ in scene.bricks]
    for cluster in _clusters(scene, visible):
        if all(visible[n] <= 0 for n in cluster):
            continue
        for packing, missing in _Cluster(scene, view, cluster, kinds, fewest).rivals():
            for n in missing:
                found[n].append(packing)
    return [tuple(one) for one in found]


def _clusters(scene: Scene, visible: Sequence[float]) -> list[list[int]]:
    """Upright bricks of one colour and height whose cells touch on one grid; hidden ones may be farther apart."""
    left = [n for n, one in enumerate(scene.bricks) if one.upright]
    clusters = []
    while left:
        cluster, grid = [left.pop(0)], scene.bricks
        first = grid[cluster[0]]
        cells = {cluster[0]: flat_cells(first, first.T_base_brick)}
        grown = True
        while grown:
            grown = False
            for n in list(left):
                one = grid[n]
                if one.color != first.color or one.kind.plates != first.kind.plates:
                    continue
                own = flat_cells(one, first.T_base_brick)
                if own is None:
                    continue
                for member in list(cluster):
                    reach = 1 if min(visible[n], visible[member]) > 0.999 else REACH
                    if _apart(own, cells[member] or own) <= reach:
                        cluster.append(n)
                        cells[n] = own
                        left.remove(n)
                        grown = True
                        break
        clusters.append(sorted(cluster))
    return clusters


def _apart(one: Cells, other: Cells) -> int:
    """How many steps along the grid from cells to cells; 1: they share a side or, nearly, a corner."""
    a, b = np.array(sorted(one)), np.array(sorted(other))
    return int(np.abs(a[:, None] - b[None]).max(axis=2).min())


class _Cluster:
    """One cluster of bricks, and the piece of the picture that it is seen in."""

    def __init__(self, scene: Scene, view: View, members: list[int], kinds: Sequence[BrickType], fewest: int) -> None:
        bricks = [scene.bricks[n] for n in members]
        self.scene, self.members, self.fewest = scene, members, fewest
        self.color, self.T_base_grid = bricks[0].color, bricks[0].T_base_brick
        plates, system = bricks[0].kind.plates, bricks[0].kind.system
        same = [kind for kind in kinds if (kind.plates, kind.system) == (plates, system)]
        self.kinds = tuple(dict.fromkeys([*(one.kind for one in bricks), *same]))
        self.cells = [flat_cells(one, self.T_base_grid) or frozenset() for one in bricks]
        self.union: Cells = frozenset().union(*self.cells)
        self.true_keys = {(str(one.kind), cells) for one, cells in zip(bricks, self.cells, strict=True)}
        pitch = bricks[0].kind.measures.pitch_m
        margin = int(5 * pitch * view.K[0, 0] / max(1e-3, view.T_base_cam[2, 3] - bricks[0].middle_m[2])) + 2
        rows, columns = joined([around(one, view, margin) for one in bricks])
        self.part = cut_out(view, rows, columns)
        self.depth, self.look, labels = self._picture(scene)
        shown = np.bincount(labels[labels >= 0], minlength=len(scene.bricks))
        inside = set(members)
        rest = [n for n in range(len(scene.bricks)) if n not in inside]
        self.hidden = [n for n in rest if shown[n] < fewest and scene.bricks[n].upright and self._in_part(n)]
        self.others = [n for n in rest if n not in self.hidden]
        self.labels = labels
        self.seen = self._seen_cells(members, self.T_base_grid, self.union)
        self.partly: dict[int, SeenCells] = {}  # what is seen of bricks that may make room, once it was asked
        self.empty: dict[tuple[int, int], bool] = {}  # cells beside the cluster, once they were asked about

    def _in_part(self, number: int) -> bool:
        """Whether a brick, were it seen, would be seen in the piece of the picture."""
        at = projected(self.scene.bricks[number].middle_m[None], self.part)[0]
        return bool((at >= 0).all() and (at < self.part.pixels).all())

    def rivals(self) -> list[tuple[Packing, list[int]]]:
        """Other packings that look the same, each with the members that it does without."""
        if not any(count >= self.fewest for count in self.seen.values()):
            return []
        choices = [one for one in placements(self.kinds, self.T_base_grid, self.union) if self._possible(one)]
        if {one.key for one in choices} <= self.true_keys:
            return []
        found: list[tuple[Packing, list[int]]] = []
        for packing in self._fillings(choices):
            keys = {one.key for one in packing}
            missing = [n for n, own in zip(self.members, self._keys(), strict=True) if own not in keys]
            if missing and not is_merged(packing, self.kinds):
                bricks = tuple(self._brick(n, one) for n, one in enumerate(packing))
                same = self._looking_the_same(bricks)
                if same is not None:
                    found.append((same[0], [*missing, *same[1]]))
        return found

    def _keys(self) -> list[tuple[str, Cells]]:
        return [(str(self.scene.bricks[n].kind), cells) for n, cells in zip(self.members, self.cells, strict=True)]

    def _brick(self, number: int, placed: Placed) -> SceneBrick:
        return SceneBrick(f"rival {number}", placed.kind, self.color, placed.T_base_brick)

    def _picture(self, scene: Scene) -> tuple[Array, Labels, Labels]:
        """Depth, colours as numbers, and labels of the piece of the picture."""
        part = self.part
        drawn = Stage.of(scene).drawn(part.K, part.T_base_cam, part.pixels, colour=False)
        names = sorted({one.color for one in self.scene.bricks} | {self.color})
        color = {name: number for number, name in enumerate(names)}
        looks = [color[one.color] for one in scene.bricks] + [100 + n for n in range(len(scene.things))]
        table = np.array([*looks, BACKGROUND, PLATE, -1], dtype=np.int32)  # the last three by negative labels
        return drawn.depth_m, table[drawn.labels], drawn.labels

    def _seen_cells(self, numbers: list[int], T_base_grid: Array, cells: Cells) -> SeenCells:
        """How many pixels show the upper side of every one of these cells, of bricks of one height."""
        mine = np.isin(self.labels, numbers)
        v, u = np.nonzero(mine)
        z = self.depth[mine]
        K = self.part.K
        points = np.column_stack([(u - K[0, 2]) / K[0, 0] * z, (v - K[1, 2]) / K[1, 1] * z, z, np.ones_like(z)])
        local = points @ (inverse(T_base_grid) @ self.part.T_base_cam).T
        kind = self.scene.bricks[numbers[0]].kind
        upper = local[:, 2] > kind.size_m[2] - 1e-6
        places, counts = np.unique(
            np.floor(local[upper, :2] / kind.measures.pitch_m).astype(int), axis=0, return_counts=True
        )
        counted = {(int(x), int(y)): int(count) for (x, y), count in zip(places, counts, strict=True)}
        return {cell: counted.get(cell, 0) for cell in cells}

    def _possible(self, placed: Placed) -> bool:
        """No cell that is seen to be empty is filled, and what is in the way may make room."""
        if placed.key in self.true_keys:
            return True
        for cell in placed.cells - self.union:
            if cell not in self.empty:
                self.empty[cell] = self._seen_empty(cell, placed.kind)
            if self.empty[cell]:
                return False
        brick = self._brick(0, placed)
        if any(not self._may_make_room(n) for n in self.others if clash(brick, self.scene.bricks[n])):
            return False
        return self.scene.plate is None or not clash(brick, self.scene.plate)

    def _may_make_room(self, number: int) -> bool:
        """Whether a brick of another colour has cells that nobody sees."""
        brick = self.scene.bricks[number]
        if number not in self.partly:
            cells = flat_cells(brick, brick.T_base_brick) if brick.upright else None
            self.partly[number] = self._seen_cells([number], brick.T_base_brick, cells) if cells else {}
        return any(pixels < self.fewest for pixels in self.partly[number].values())

    def _seen_empty(self, cell: tuple[int, int], kind: BrickType) -> bool:
        """Whether the picture shows something below the middle of a cell's upper side, or what is no cluster's."""
        pitch = kind.measures.pitch_m
        spots = np.array([(0.5, 0.5), (0.2, 0.2), (0.8, 0.2), (0.2, 0.8), (0.8, 0.8)])
        local = np.column_stack(
            [(np.array(cell) + spots) * pitch, np.full(len(spots), kind.size_m[2]), np.ones(len(spots))]
        )
        at = local @ (inverse(self.part.T_base_cam) @ self.T_base_grid).T
        pixels = np.rint(at[:, :2] @ np.diag(np.diag(self.part.K)[:2]) / at[:, 2:3] + self.part.K[:2, 2]).astype(int)
        width, height = self.part.pixels
        inside = (pixels >= 0).all(axis=1) & (pixels[:, 0] < width) & (pixels[:, 1] < height)
        if not inside.any():
            return False
        u, v = pixels[inside].T
        return bool((self.depth[v, u] > at[inside, 2] + SAME_DEPTH_M).all())

    def _fillings(self, choices: list[Placed]) -> list[list[Placed]]:
        """Sets of disjoint placements that cover all cells that are seen, and some or none of those glimpsed."""
        needed = {cell for cell, count in self.seen.items() if count >= self.fewest}
        cells = sorted(self.seen, key=lambda cell: (cell not in needed, cell))
        done: list[list[Placed]] = []

        def fill(chosen: list[Placed], filled: Cells, at: int) -> None:
            while at < len(cells) and cells[at] in filled:
                at += 1
            if len(done) >= MOST_PACKINGS:
                return
            if at == len(cells):
                done.append(list(chosen))
                return
            if cells[at] not in needed:
                fill(chosen, filled, at + 1)
            for one in choices:
                if cells[at] in one.cells and not one.cells & filled:
                    fill([*chosen, one], filled | one.cells, at + 1)

        fill([], frozenset(), 0)
        return done

    def _looking_the_same(self, bricks: Packing) -> tuple[Packing, list[int]] | None:
        """A legal scene with these instead of the cluster that differs in too few pixels.

        Its bricks that are new, and the numbers of those of other colours that made room; None where there is none.
        """
        displaced = [n for n in self.others if any(clash(self.scene.bricks[n], one) for one in bricks)]
        gone = set(displaced)
        kept = [self.scene.bricks[n] for n in self.others if n not in gone]
        kept += [
            self.scene.bricks[n] for n in self.hidden if not any(clash(self.scene.bricks[n], one) for one in bricks)
        ]
        moved = [(self.scene.bricks[n], self.partly[n]) for n in displaced]
        for instead in ways_to_make_room(moved, [*kept, *bricks], self.kinds, self.fewest):
            new = (*bricks, *instead)
            if self._is_the_same((*kept, *new)):
                return new, displaced
        return None

    def _is_the_same(self, standing: Packing) -> bool:
        """Whether these bricks all rest on something, and look like those of the scene."""
        if not all(rests(one, self.scene, [o for o in standing if o is not one]) for one in standing if one.upright):
            return False
        depth, look, _ = self._picture(replace(self.scene, bricks=standing))
        differs: Bools = (look != self.look) | (np.abs(depth - self.depth) > SAME_DEPTH_M)
        return int(differs.sum()) < self.fewest
