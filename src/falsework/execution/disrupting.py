"""Disruptions done to a simulated cell, while a controller works in it and is told nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.brickworld.by_hand import put, shift_plate
from falsework.execution.simulated import SimulatedCell
from falsework.execution.tiers.disruptions import Disruption, shift_m
from falsework.execution.tiers.tasks import BuildTask, free_place
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.perception.frames import Frame
from falsework.model.poses import about
from falsework.model.shapes import BrickShape

AWAY_M = 1.8  # where bricks are that nobody sees
FALLS_M, DROP_M = 0.09, 0.02  # beside the structure, and from how high, what was knocked off comes down
ADDED = "added"
TUMBLED = (np.eye(3), about(0, 90.0), about(1, 90.0), about(0, 180.0))  # see `Disruption.tumbles`


class DisruptedCell(SimulatedCell):
    """A simulated cell in which one thing goes wrong."""

    def __init__(self, task: BuildTask, disruption: Disruption, **more: object) -> None:
        product, loose = task.product, dict(task.loose)
        if disruption.kind == "brick-added":
            product, loose = _with_another(product, disruption.brick, loose)
        super().__init__(task.cell, product, loose, **more)  # type: ignore[arg-type]
        self.disruption, self._product = disruption, task.product
        self._began = self._ended = False
        self._where = loose
        self._world.each_frame.append(self._watch_clock)
        self._watch_clock()

    def look(self, camera: str) -> Frame:
        frame = super().look(camera)
        if self.disruption.kind != "camera-blocked" or not self._began or self._ended:
            return frame
        return replace(frame, rgb=np.zeros_like(frame.rgb), depth_m=np.zeros_like(frame.depth_m))

    def follow(
        self, arm: str, way: Array, share: float, speed_m_s: float | None = None, stop_n: float = np.inf
    ) -> float:
        if self.disruption.kind == "arm-lost" and self._began:
            self._world.run(0.1)
            return 0.0
        return super().follow(arm, way, share, speed_m_s, stop_n)

    def _watch_clock(self) -> None:
        begins = self.disruption.at_s
        if not self._began and self.time_s >= begins and self._may_begin():
            self._began = True
            self._begin()
        if self._began and not self._ended and self.time_s >= begins + self.disruption.seconds:
            self._ended = True
            if self.disruption.kind == "brick-late":
                self._put(self.disruption.brick, self._where[self.disruption.brick])

    def _may_begin(self) -> bool:
        """Nobody takes a brick out of a hand, or moves a plate on which a hand presses."""
        if self.disruption.kind in ("camera-blocked", "arm-lost", "brick-missing", "brick-late"):
            return True
        if self.disruption.kind == "brick-taken" and not self._standing():
            return False
        if self.disruption.kind == "knocked-over" and len(self._standing()) < 2:
            return False
        return not any(self._world.touched(arm) for arm in self._world.arms)

    def _begin(self) -> None:
        kind, brick = self.disruption.kind, self.disruption.brick
        if kind in ("brick-missing", "brick-late"):
            away = np.array(self._where[brick])
            away[:2, 3] = AWAY_M
            self._put(brick, away)
        elif kind == "brick-taken":
            top = self._standing()[-1]
            self._put(top, self._where[top])
        elif kind == "brick-added":
            self._put(ADDED, self._room_for(ADDED))
        elif kind == "knocked-over":
            top = self._standing()[-1]
            self._put(top, self._fallen(top))
        elif kind == "plate-moved":
            shift_plate(self._world.world, shift_m(self.disruption))

    def _fallen(self, name: str) -> Array:
        """(4, 4) over the plate, so far aside that it falls beside what stands, turned as it was pushed."""
        toward, T = self.disruption.toward_rad, np.array(self._world.T_world_part(name))
        shape = self._product.parts[self._product.index[name]].shape
        size = np.array(shape.kind.size_m) if isinstance(shape, BrickShape) else np.zeros(3)
        aside = FALLS_M * np.array([np.cos(toward), np.sin(toward), 0.0])
        middle = T[:3, :3] @ (size / 2) + T[:3, 3] + aside
        T[:3, :3] = about(2, np.rad2deg(toward)) @ T[:3, :3] @ TUMBLED[self.disruption.tumbles]
        T[:3, 3] = middle - T[:3, :3] @ (size / 2)
        lowest = float(np.minimum(T[2, :3] * size, 0.0).sum())
        T[2, 3] = self.cell.T_world_structure[2, 3] + DROP_M - lowest
        return T

    def _put(self, name: str, T_world_part: Array) -> None:
        put(self._world.world, name, T_world_part)

    def _room_for(self, name: str) -> Array:
        """(4, 4) a place on the trays that nothing else is near."""
        world = self._world.world
        part = world.assembly.parts[world.number(name)]
        taken = {one.name: one.T_world_part for one in self._parts() if one.name != name}
        return free_place(part, self.cell.feeders, world.assembly, taken, np.random.default_rng(len(taken)))

    def _standing(self) -> list[str]:
        """What hangs together with the plate, the lowest first."""
        world = self._world.world
        ground = world.assembly.ground_part
        still = next((one for one in world.components if ground is not None and ground.name in one), [])
        heights = {name: float(world.poses()[world.number(name), 2, 3]) for name in still}
        return sorted((name for name in still if ground is None or name != ground.name), key=lambda one: heights[one])


def _with_another(product: Assembly, like: str, loose: dict[str, Array]) -> tuple[Assembly, dict[str, Array]]:
    """With one brick more, like one of the product, out of sight for now."""
    part = replace(product.parts[product.index[like]], name=ADDED)
    T = np.array(loose[like])
    T[:2, 3] = AWAY_M
    return product.changed(parts=(*product.parts, part)), {**loose, ADDED: T}
