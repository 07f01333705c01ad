"""What the controller learns from pictures, and what it believes then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from falsework.execution.control.belief import Belief
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.sight import Eyes, Inspected
from falsework.execution.facade import Facade, Stopped
from falsework.execution.journal import Journal
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown
from falsework.model.perception.frames import Frame

DARK = 0.02  # share of pixels with a depth below which a camera shows nothing
LOOKS, WAIT_S = 3, 1.0  # that a camera gets, and between them


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

    def tell(self, event: str, **more: Any) -> None:
        self.journal.tell(self.facade.time_s, event, **more)

    def _see(self) -> None:
        sight = self.eyes.loose(self._pictures())
        loose = self.belief.not_placed(sight.found)
        self.belief = replace(self.belief, loose=loose, unclear=sight.refused)
        self._looked = True
        self.tell("sight", loose=len(loose), refused=[one.why for one in sight.refused])

    def _look_over(self, names: frozenset[str]) -> dict[str, Inspected]:
        """How bricks stand that should; those that are gone are believed to be in place no more."""
        if not names:
            return {}
        found = self.eyes.structure(self._pictures(), self.belief.product, self.belief.T_world_structure, names)
        for name, one in sorted(found.items()):
            if one.state in ("missing", "off"):
                self.tell("seen", brick=name, state=one.state, off_m=one.off_m, high_m=one.high_m, why=one.words)
        gone = {name for name, one in found.items() if one.state == "missing"} & self.belief.placed
        if gone:  # one picture may err: nothing is believed gone that two of them do not miss
            again = self.eyes.structure(self._pictures(), self.belief.product, self.belief.T_world_structure, names)
            gone = {name for name in gone if again[name].state == "missing"}
        self.belief = replace(self.belief, placed=self.belief.placed - gone)
        return found

    def _pictures(self) -> list[Frame]:
        self.facade.pause(self.settings.looks_s)
        self.looking_s += self.settings.looks_s
        return [self._picture(camera.name) for camera in self.facade.cell.cameras if camera.arm is None]

    def _picture(self, camera: str) -> Frame:
        """Of a camera that shows something; one that does not is waited for, and then the build stops."""
        for _ in range(LOOKS):
            frame = self.facade.look(camera)
            if frame.known.mean() > DARK:
                return frame
            self.tell("dark", camera=camera)
            self.facade.pause(WAIT_S)
        raise Stopped(f"camera {shown(camera)} shows nothing")
