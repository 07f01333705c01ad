"""Handles to what an MJCF file brought into a scene.

The engine's numbers and arrays are new whenever bricks join or break; names stay. A handle looks its name up each time.

>>> arm = world.handle("joint", "turn")
>>> arm.data.qpos[0], arm.model.range
>>> world.handle("actuator", "motor").data.ctrl[0] = 1e-3
>>> world.handle("equality", "grasp").active = True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from falsework.model.errors import BadInput, did_you_mean, shown

if TYPE_CHECKING:
    from falsework.engine.composites import Composites

Kind = Literal["body", "joint", "geom", "site", "actuator", "sensor", "tendon", "equality", "camera", "light"]
KINDS: tuple[Kind, ...] = get_args(Kind)
OURS = "falsework:"  # what names of ours in the scene begin with: they come and go


class Handle:
    """One thing of the scene. Its arrays are views into the engine's: use them, do not keep them."""

    def __init__(self, scene: Composites, kind: Kind, name: str) -> None:
        if kind not in KINDS:
            raise BadInput(f"handle: found {shown(kind)}; {did_you_mean(kind, KINDS)}")
        self._scene, self.kind, self.name = scene, kind, name
        names = [one.name for one in _all(scene.model, kind) if one.name and not one.name.startswith(OURS)]
        if name not in names:
            raise BadInput(f"there is no {kind} {shown(name)} in the scene; {did_you_mean(name, names)}")

    def __repr__(self) -> str:
        return f"Handle({self.kind!r}, {self.name!r})"

    @property
    def model(self) -> Any:
        """Its view of the model, as `MjModel.body("name")` and the like give it."""
        return getattr(self._scene.model, self.kind)(self.name)

    @property
    def data(self) -> Any:
        """Its view of the data; equalities have none but `active`."""
        if self.kind == "equality":
            raise BadInput(f"equality {shown(self.name)} has no data of its own; see `active`")
        return getattr(self._scene.data, self.kind)(self.name)

    @property
    def id(self) -> int:
        """Until bricks join or break again."""
        return int(self.model.id)

    @property
    def active(self) -> bool:
        """Of an equality: whether it holds."""
        self._refuse_others()
        return bool(self._scene.data.eq_active[self.id])

    @active.setter
    def active(self, holds: bool) -> None:
        self._refuse_others()
        self._scene.data.eq_active[self.id] = holds

    def _refuse_others(self) -> None:
        if self.kind != "equality":
            raise BadInput(f"{self.kind} {shown(self.name)} cannot be active or inactive; only equalities can")


def _all(model: Any, kind: Kind) -> list[Any]:
    """Views of everything of a kind."""
    counts = {"body": "nbody", "joint": "njnt", "actuator": "nu", "sensor": "nsensor", "equality": "neq"}
    counts |= {"geom": "ngeom", "site": "nsite", "tendon": "ntendon", "camera": "ncam", "light": "nlight"}
    return [getattr(model, kind)(number) for number in range(getattr(model, counts[kind]))]
