"""What the controller learns from pictures, and what it believes then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from falsework.execution.control.belief import Belief, moved
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.sight import Eyes, Inspected
from falsework.execution.control.unclear import put_together
from falsework.execution.facade import Facade, Stopped
from falsework.execution.journal import Journal
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown
from falsework.model.part import Part
from falsework.model.perception.findings import Brick, Sight
from falsework.model.perception.frames import Frame
from falsework.model.shapes import BrickShape

Answer = TypeVar("Answer")

DARK = 0.02  # share of pixels with a depth below which a camera shows nothing
MOVED_M = 1e-3  # by which a plate must seem elsewhere, to all cameras alike
ALIKE = 0.5  # of that: how far each may see it otherwise, as it takes some of a shift for a tilt of its own; one camera
# of two that was pushed itself differs by the whole
STILL_S = 0.02  # within which a picture is of this moment
LOOKS, WAIT_S = 5, 1.0  # that a camera gets, and between them


class Looking:
    """A belief, and the cameras that stand in a cell and keep it true."""

    def __init__(
        self, facade: Facade, eyes: Eyes, product: Assembly, settings: ControlSettings, journal: Journal
    ) -> None:
        cell = facade.cell
        if not any(camera.arm is None for camera in cell.cameras):
            raise BadInput(f"cell {cell.name}: it has no camera that stands; a build needs one that sees the bricks")
        self.facade, self.eyes, self.settings, self.journal = facade, eyes, settings, journal
        self.belief = Belief(product, cell.T_world_structure)
        self.looking_s = 0.0
        self._looked = False
        self._cameras: Array | None = None  # (n, 2) where they were when they first saw the plate
        self._handled: list[Array] = []  # (3,) where hands have closed since the last look
        self._taken: tuple[float, list[Frame]] | None = None  # when, and the pictures

    def tell(self, event: str, **more: Any) -> None:
        self.journal.tell(self.facade.time_s, event, **more)

    def picture_of_hand(self, arm: str) -> Frame | None:
        """By the camera on an arm's wrist; None where it has none, or that shows nothing."""
        riding = [camera.name for camera in self.facade.cell.cameras if camera.arm == arm]
        if not riding:
            return None
        self.facade.pause(self.settings.looks_s)
        self.looking_s += self.settings.looks_s
        frame = self.facade.look(riding[0])
        return frame if frame.known.mean() > DARK else None

    def _see(self, anew: bool = False) -> None:
        belief = self.belief
        sight = self._asked(
            lambda frames: self.eyes.loose(frames, belief.product, belief.T_world_structure, belief.placed), anew
        )
        if self._plate_has_moved(sight):
            self._see()
            return
        self._noticed(sight)
        loose = self.belief.not_placed(sight.found)
        for one, by_m in moved(self.belief.loose, loose, self._handled):
            self.tell("moved", kind=str(one.kind), color=one.color, place_m=one.middle_m, by_m=by_m)
        self._handled.clear()
        self.belief = replace(self.belief, loose=loose, unclear=put_together(sight.refused))
        self._looked = True
        self.tell("sight", loose=len(loose), refused=[one.why for one in sight.refused])

    def _noticed(self, sight: Sight) -> None:
        """Of what is seen, what concerns more than what lies loose."""

    def _plate_has_moved(self, sight: Sight) -> bool:
        """Whether all cameras see the plate elsewhere than at first, in the same way: then it was moved, not they.

        Cameras are placed by the plate that they see, so a plate that moves one way seems to move them the other.
        """
        cameras = sight.T_base_cam[:, :2, 3]
        if not all(sight.registered):
            return False
        if self._cameras is None:
            self._cameras = cameras
        apart = self._cameras - cameras
        shift = apart.mean(axis=0)
        far_m = float(np.linalg.norm(shift))
        if len(cameras) < 2 or far_m < MOVED_M or np.linalg.norm(apart - shift, axis=1).max() > ALIKE * far_m:
            return False
        T = np.array(self.belief.T_world_structure)
        T[:2, 3] += shift
        self.belief = replace(self.belief, T_world_structure=T)
        self.tell("plate", moved_m=shift)
        return True

    def _toppled(self, part: Part) -> Brick | None:
        """A brick like one of the product that lies on a side or upside down, by the pictures of this moment."""
        if not isinstance(part.shape, BrickShape):
            return None
        belief, sought = self.belief, Brick(part.shape.kind, part.color or "white", np.eye(4))
        return self._asked(
            lambda frames: self.eyes.toppled(frames, sought, belief.T_world_structure, belief.placed, belief.loose),
            anew=False,
        )

    def _look_over(self, names: frozenset[str]) -> dict[str, Inspected]:
        """How bricks stand that should; those that are gone are believed to be in place no more."""
        if not names:
            return {}
        found = self._inspected(names)
        for name, one in sorted(found.items()):
            if one.state in ("missing", "wrong", "off"):
                self.tell("seen", brick=name, state=one.state, off_m=one.off_m, high_m=one.high_m, why=one.words)
        gone = {name for name, one in found.items() if one.state == "missing"} & self.belief.placed
        if gone:  # one picture may err: nothing is believed gone that two of them do not miss
            again = self._inspected(names, anew=True)
            gone = {name for name in gone if again[name].state == "missing"}
        self.belief = replace(self.belief, placed=self.belief.placed - gone)
        return found

    def _inspected(self, names: frozenset[str], anew: bool = False) -> dict[str, Inspected]:
        product, T = self.belief.product, self.belief.T_world_structure
        return self._asked(lambda frames: self.eyes.structure(frames, product, T, names), anew)

    def _asked(self, question: Callable[[list[Frame]], Answer], anew: bool) -> Answer:
        """What eyes make of pictures; those that show no table, or no plate where it should be, are taken again.

        Something may have passed before a camera. What stays so ends the build: a plate that is gone, a camera that
        looks elsewhere.
        """
        why = ""
        for _ in range(LOOKS):
            try:
                return question(self._pictures(anew))
            except BadInput as trouble:
                why, anew = str(trouble), True
                self.tell("useless", why=why)
                self.facade.pause(WAIT_S)
        raise Stopped(f"pictures are of no use: {why}")

    def _pictures(self, anew: bool = False) -> list[Frame]:
        """Of all cameras that stand; those of this very moment are not taken twice, unless another look is wanted."""
        if anew or self._taken is None or self.facade.time_s - self._taken[0] > STILL_S:
            self.facade.pause(self.settings.looks_s)
            self.looking_s += self.settings.looks_s
            frames = [self._picture(camera.name) for camera in self.facade.cell.cameras if camera.arm is None]
            self._taken = self.facade.time_s, frames
        return self._taken[1]

    def _picture(self, camera: str) -> Frame:
        """Of a camera that shows something; one that does not is waited for, and then the build stops."""
        for _ in range(LOOKS):
            frame = self.facade.look(camera)
            if frame.known.mean() > DARK:
                return frame
            self.tell("dark", camera=camera)
            self.facade.pause(WAIT_S)
        raise Stopped(f"camera {shown(camera)} shows nothing")
