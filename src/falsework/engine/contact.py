"""How hard contacts are and how they are solved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from falsework.engine.library import mujoco


@dataclass(frozen=True, slots=True)
class ContactSettings:
    """The engine's contacts: springs with damping along the normal, Coulomb friction across.

    A contact answers a gap r with the acceleration −k·r − b·ṙ, k = (1/(ζ·T))² and b = 2/T: `settle_s` is T, at least
    two steps, and `damping` ζ. `hard` is the share d of that which the solver enforces (MuJoCo's impedance), the
    softness left (1 − d)/d of the bodies' own: a stack of ten bricks sinks by micrometres.

    MuJoCo's friction is the associated one: what slides at a speed v is lifted by about 2·μ·T·v and hops.

    >>> ContactSettings(step_s=5e-4).iterations
    200
    """

    step_s: float = 1e-3
    frame_steps: int = 1  # after which whoever steps looks at what came of it
    settle_s: float = 5e-3
    damping: float = 1.0
    hard: tuple[float, float] = (0.99, 0.9999)  # of contacts that just touch, and of deep ones
    deep_m: float = 1e-3
    friction_stiffness: float = 10.0  # of friction against the normal: more creeps less
    margin_m: float = 0.0  # at which contacts begin: what starts without a gap is then held from the first step on
    skin_m: float = 0.0  # of boxes, see `write_box`
    iterations: int = 200
    tolerance: float = 1e-12
    deepest_m: float = np.inf  # that two bodies may overlap before a step is taken again in finer ones
    foreseeing: bool = True  # what moves far meets others at their surfaces, see `foresight`; composite bodies only
    sleeping: bool = False  # of what has come to rest, see `sleep`; composite bodies only

    def options(self, spec: Any) -> None:
        """Write them into a scene."""
        library = mujoco()
        option = spec.option
        option.timestep = self.step_s
        option.integrator = library.mjtIntegrator.mjINT_EULER
        option.cone = library.mjtCone.mjCONE_ELLIPTIC
        option.solver = library.mjtSolver.mjSOL_NEWTON
        option.impratio = self.friction_stiffness
        option.iterations = self.iterations
        option.tolerance = self.tolerance
        option.disableflags = library.mjtDisableBit.mjDSBL_AUTORESET  # a NaN is ours to catch, not to hide

    def geom(self, friction: float) -> dict[str, Any]:
        """Of every shape that collides; without friction contacts have only their normal."""
        first, last = self.hard
        return {
            "friction": (friction, 0.0, 0.0),
            "condim": 3 if friction > 0 else 1,
            "solref": (max(self.settle_s, 2 * self.step_s), self.damping),
            "solimp": (first, last, self.deep_m, 0.5, 2.0),
            "margin": self.margin_m,
        }

    def write(self, geom: Any, friction: float) -> None:
        """The same, into a shape that is there."""
        for name, value in self.geom(friction).items():
            setattr(geom, name, value)

    def write_box(self, geom: Any, friction: float) -> None:
        """For boxes, whose sizes must be larger by the skin: contacts begin that much later.

        A face that lies on a face touches at its corners, edges that cross at one point. MuJoCo takes them for crossing
        edges where that explains their overlap better by 5 % or more, so that boxes at rest, which overlap by a
        micrometre, lose corners from one step to the next and rattle for ever. With a skin they overlap by twice that.
        Edges reach out of it by √2 − 1 of the skin, corners by √3 − 1. Contacts are looked for a little before they
        begin: right at it, trees of bounding boxes miss one body in thirty that lies on a plane.
        """
        self.write(geom, friction)
        geom.type = mujoco().mjtGeom.mjGEOM_BOX
        geom.margin, geom.gap = self.margin_m - self.skin_m, 0.1 * self.skin_m
