"""The answer to "does it stand?", with the forces or the motion that proves it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from falsework.lazy import upstairs
from falsework.model.answers import NotTrueOrFalse
from falsework.model.arrays import Array, Ints, freeze, freeze_ints
from falsework.model.interfaces import Interfaces
from falsework.model.travel import MadeAnew

Answer = Literal["stable", "unstable", "undecided"]
FORCES_RESIDUAL = 1e-6  # of each part's weight and loads: more than this proves nothing
MOTION_POWER = 1e-6  # of weight × speed of the piece that moves: less than this proves nothing


@dataclass(frozen=True, slots=True, eq=False)
class Forces(MadeAnew):
    """Proof that it stands: a force at every contact point and a wrench at every joint, on the second body.

    >>> import falsework
    >>> verdict = falsework.check("examples/arch.yaml")
    >>> isinstance(verdict.certificate, Forces), verdict.certificate.patch_forces.shape[1]
    (True, 3)
    """

    patch_forces: Array  # (p, 3) N, world, at Patches.points
    clutch_wrenches: Array  # (k, 6) N and N·m, in the clutch's frame about its origin: what the studs carry
    clutch_pressure: Array  # (k, 4) N, along n, at the corners (+u+v, −u+v, −u−v, +u−v) of the pressed rectangle
    hinge_forces: Array  # (h, 3) N, world
    hinge_moments: Array  # (h, 3) N·m, world, normal to the axis

    def __post_init__(self) -> None:
        freeze(
            self,
            patch_forces=(None, 3),
            clutch_wrenches=(None, 6),
            clutch_pressure=(None, 4),
            hinge_forces=(None, 3),
            hinge_moments=(None, 3),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Motion(MadeAnew):
    """Proof that it cannot stand: a rigid motion on which the loads gain more than the interfaces can take up.

    Velocities in m/s, angular ones in rad/s; only their ratios matter.

    >>> import falsework
    >>> verdict = falsework.check("examples/arch.yaml", absent="keystone")
    >>> isinstance(verdict.certificate, Motion), verdict.certificate.twists.shape
    (True, (13, 6))
    """

    twists: Array  # (bodies, 6) velocity of the centre of mass, angular velocity; world axes
    clutch_slips: Array  # (3 × all contact points of the clutches,) rates at which the rows of `ClutchRows` yield

    def __post_init__(self) -> None:
        freeze(self, twists=(None, 6), clutch_slips=(None,))


@dataclass(frozen=True, slots=True, eq=False)
class Criterion(MadeAnew):
    """A published test, recomputed from the forces that its own program chose: it passes up to its limit.

    Weaker than a proof: other forces might pass where these do not.

    >>> import falsework
    >>> verdict = falsework.check("examples/bridge.txt", model="stablelego")
    >>> isinstance(verdict.certificate, Criterion), verdict.certificate.passes
    (True, True)
    """

    name: str
    value: float
    limit: float
    points: Array  # (p, 3) m, world as the model sees it
    forces: Array  # (p, 3) N, world, on the second body
    pairs: Ints  # (p, 2) bodies

    def __post_init__(self) -> None:
        freeze(self, points=(None, 3), forces=(None, 3))
        freeze_ints(self, pairs=(None, 2))

    @property
    def passes(self) -> bool:
        return self.value <= self.limit


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Verdict(MadeAnew, NotTrueOrFalse):
    """What was found, how far it is proved, and what it says about the joints.

    A verdict is not true or false, as it may be undecided: ask `verdict.stands`, or compare `verdict.answer`.

    >>> import falsework
    >>> verdict = falsework.check(falsework.new("semicircular-arch"))
    >>> verdict.answer, verdict.stands
    ('stable', True)
    """

    ASK_INSTEAD = "verdict.stands, or verdict.answer == 'stable' (or 'unstable', 'undecided')"

    answer: Answer
    model: str
    certificate: Forces | Motion | Criterion | None
    residual: float | None  # as the referee computed it
    utilization: float | None = None
    unbounded: bool = False
    joint_utilization: Array | None = None  # (clutches,) NaN where a clutch is not part of the state
    breaking: tuple[tuple[str, str], ...] = ()
    falling: tuple[str, ...] = ()
    calibrated: bool = True
    why: str = ""  # for undecided: what ran out
    also: dict[str, Answer] = field(default_factory=dict)  # what other models say, where they do not agree
    about: Interfaces | None = None  # those that the certificate speaks of, where they are not the assembly's own
    build_ms: float = 0.0
    solve_ms: float = 0.0

    def __post_init__(self) -> None:
        if self.joint_utilization is not None:
            freeze(self, joint_utilization=(None,))

    @property
    def stands(self) -> bool:
        """Whether it is proved that it stands: neither what falls nor what is undecided does."""
        return self.answer == "stable"

    def __repr__(self) -> str:
        proof = "nothing" if self.certificate is None else type(self.certificate).__name__.lower()
        falls = f", {len(self.falling)} falling" if self.falling else ""
        return f"Verdict: {self.answer} (model {self.model}, proved by {proof}{falls})"

    def _repr_html_(self) -> str:
        """In a notebook."""
        return str(upstairs("notebook_html")(self))
