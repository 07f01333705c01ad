"""Every number that a brick world can be asked to change, with where it comes from."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace

from falsework.engine.contact import ContactSettings
from falsework.model.errors import BadInput, shown

SKIN_M = 1e-4  # of boxes: with half of it one body in 170 of a pile never comes to rest, without it one in 30
DEEPEST_M = 1.7e-4  # a tenth of a stud's height
DEEP_M = 1e-4  # at which contacts are as hard as the engine lets them be: a press of newtons goes through grams
MARGIN_M = 1e-6  # of contacts: newtons on a loose gram go millimetres in a step before anything is noticed


@dataclass(frozen=True, slots=True)
class JoinRules:
    """When a brick pressed on studs snaps in: seed 000, section V, with its named defaults.

    Lengths are those of System bricks; other makes scale them with their stud pitch.

    >>> JoinRules().press_n
    1.0
    """

    height_m: float = 1e-3  # ε_z, about the height at which a brick lies on stud tops (H_S)
    tilt_deg: float = 5.0  # ε_tilt
    yaw_deg: float = 5.0  # ε_ψ
    offset_m: float = 2e-3  # ε_xy
    press_n: float = 1.0  # F_asm, along the studs
    press_frames: int = 1  # over which the force is averaged


@dataclass(frozen=True, slots=True)
class StudGrip:
    """Bricks without clutches, as a general engine has them: walls and tubes around studs, held by friction.

    The friction is what a press of `JoinRules.press_n` still drives eight studs home against: see findings.

    >>> StudGrip().edge_m
    0.001
    """

    play_m: float = 0.0  # between a stud and what is around it: contacts begin a micrometre before
    edge_m: float = 1e-3  # of the slope around the tops of studs: what lies further aside does not go in
    friction: float = 0.025  # of studs


@dataclass(frozen=True, slots=True)
class Settings:
    """Of one world. `window_s` and `stiffness_per_s2` are calibrated on drops, see docs/brickworld.md.

    >>> Settings(breaking=False).frames(1.0)
    60
    """

    frame_s: float = 1 / 60
    substeps: int = 8  # of the engine, a frame
    window_s: float = 1 / 240  # of the sliding mean of all loads that the breakage test looks at
    stiffness_per_s2: float = 4e4  # of contacts: acceleration per metre of depth
    damping: float = 1.0  # of contacts: 1 is critical
    deepest_m: float = DEEPEST_M  # that bodies may overlap: more is a failure of the engine, not silent
    # What proofs may cost a frame of up to 100 bricks, counted in about milliseconds; more bricks may cost more. What
    # is not proved by then is carried to the next frame. Infinity: everything is decided in its own frame.
    proof_ms: float = 5.0
    breaking: bool = True
    joining: bool = True
    sleeping: bool = True  # what lies still is left out by the engine until something disturbs it
    play_m: float = 0.0  # by which the sides of bricks stay behind the lines of the stud grid: real ones, 0.1 mm
    clutch: float = 1.0  # what clutches hold, as a share of what their kinds do
    join: JoinRules = field(default_factory=JoinRules)
    grip: StudGrip | None = None  # studs and walls collide, and nothing snaps in or breaks; None: clutches

    def __post_init__(self) -> None:
        for name in ("frame_s", "window_s", "stiffness_per_s2", "damping", "deepest_m", "clutch"):
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise BadInput(f"{name}: found {shown(value)}, expected a positive number")
        if not 0 <= self.play_m < 1e-3:
            raise BadInput(f"play_m: found {shown(self.play_m)}, expected 0 or more, less than a millimetre")
        if not self.proof_ms > 0:
            raise BadInput(f"proof_ms: found {shown(self.proof_ms)}, expected a positive number")
        if self.substeps < 1 or self.substeps != int(self.substeps):
            raise BadInput(f"substeps: found {shown(self.substeps)}, expected a whole number, 1 or more")
        for one in fields(self.join):
            if not 0 <= getattr(self.join, one.name) < math.inf:
                raise BadInput(f"join {one.name}: found {shown(getattr(self.join, one.name))}, expected 0 or more")
        if self.join.press_frames < 1:
            raise BadInput(f"join press_frames: found {shown(self.join.press_frames)}, expected 1 or more")
        if self.grip is not None and (self.breaking or self.joining):
            raise BadInput("grip: studs that collide know no clutches that snap in or break; see Settings.by_studs")
        if self.contact.settle_s < 2 * self.step_s:
            most = (2 * self.step_s * self.damping) ** -2
            raise BadInput(
                f"stiffness {self.stiffness_per_s2:g} 1/s² is too much for steps of {1e3 * self.step_s:.3g} ms; "
                f"expected at most {most:.3g}, or more substeps"
            )

    @staticmethod
    def stepping(step_s: float) -> Settings:
        """The usual ones in steps of this length: frames as near to the usual as whole steps allow."""
        usual = Settings()
        if not 0 < step_s <= usual.frame_s:
            raise BadInput(f"timestep: found {shown(step_s)} s, expected a positive number up to {usual.frame_s:.3g}")
        substeps = round(usual.frame_s / step_s)
        return Settings(frame_s=substeps * step_s, substeps=substeps)

    def by_studs(self) -> Settings:
        """The same for bricks that nothing but contact and friction holds: see `StudGrip`."""
        return replace(self, grip=StudGrip(), breaking=False, joining=False)

    @property
    def step_s(self) -> float:
        return self.frame_s / self.substeps

    def frames(self, seconds: float) -> int:
        """Whole frames that last at least so long."""
        if not 0 <= seconds < math.inf:
            raise BadInput(f"seconds: found {shown(seconds)}, expected 0 or more")
        return math.ceil(seconds / self.frame_s - 1e-9)

    @property
    def window_steps(self) -> int:
        """The window in whole steps of the engine."""
        return max(1, round(self.window_s / self.step_s))

    @property
    def contact(self) -> ContactSettings:
        """k = (1/(ζ·T))² gives the time T in which contacts settle."""
        settle = 1.0 / (self.damping * math.sqrt(self.stiffness_per_s2))
        return ContactSettings(
            step_s=self.step_s,
            frame_steps=self.substeps,
            settle_s=settle,
            damping=self.damping,
            hard=(0.99, 0.9999),
            deep_m=DEEP_M,
            margin_m=MARGIN_M,
            skin_m=SKIN_M if self.grip is None else 0.0,
            deepest_m=self.deepest_m,
            iterations=100,
            tolerance=1e-8,
            foreseeing=self.grip is None,  # what studs are squeezed by is overlap
            sleeping=self.sleeping,
        )
