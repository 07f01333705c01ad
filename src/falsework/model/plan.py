"""A plan: steps that build an assembly, in assembly order, and the rules they were found under."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

from falsework.lazy import upstairs
from falsework.model.answers import NotTrueOrFalse
from falsework.model.arrays import Array, freeze, frozen
from falsework.model.assembly import Ground
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.provenance import Provenance
from falsework.model.travel import MadeAnew

NO_GROUND = Ground()
PLAN_FORMAT = "falsework-plan/1"
Action = Literal["place", "hold", "release", "reorient"]
ACTIONS: tuple[Action, ...] = get_args(Action)
PlanStatus = Literal["complete", "infeasible", "budget", "timeout"]
STATUSES: tuple[PlanStatus, ...] = get_args(PlanStatus)
ProofKind = Literal["fall", "hands", "bricks", "search"]  # of the end, too few hands, a core of bricks, all states
PROOF_KINDS: tuple[ProofKind, ...] = get_args(ProofKind)
Secured = Literal["clamped", "self-locked"]
SECURED: tuple[Secured, ...] = get_args(Secured)
GraspKind = Literal["side", "top"]
GRASP_KINDS: tuple[GraspKind, ...] = get_args(GraspKind)
Grasping = Literal["any", "side", "none"]
GRASPINGS: tuple[Grasping, ...] = get_args(Grasping)
PathKind = Literal["straight", "none", "any"]
PATH_KINDS: tuple[PathKind, ...] = get_args(PathKind)


@dataclass(frozen=True, slots=True, eq=False)
class Grasp(MadeAnew):
    """A hand on a part, in the assembly frame; it comes along `approach`.

    side: two fingers close along `closing` upon a width. top: a tool that takes the studs of a brick.

    Lengths are in m.

    >>> Grasp((0, 0, 0.1), (1, 0, 0), (0, 0, -1), 0.016).kind
    'side'
    """

    point_m: Array  # (3,) midway between the fingers
    closing: Array  # (3,) unit
    approach: Array  # (3,) unit, the way the hand comes
    width_m: float
    kind: GraspKind = "side"

    def __post_init__(self) -> None:
        freeze(self, point_m=(3,), closing=(3,), approach=(3,))
        if self.kind not in GRASP_KINDS:
            raise BadInput(f"grasp: kind {shown(self.kind)}: {did_you_mean(self.kind, GRASP_KINDS)}")
        if not 0 < self.width_m < math.inf:
            raise BadInput(f"grasp: width_m: found {shown(self.width_m)}, expected a positive number")


@dataclass(frozen=True, slots=True, eq=False)
class Press(MadeAnew):
    """How a brick is pressed home: the force on it, where, and how far that takes each joint that it loads.

    Force in N, point in m, both in the assembly's frame.

    >>> Press((0, 0, -1.25), (0, 0, 0.1)).force_n.tolist()
    [0.0, 0.0, -1.25]
    """

    force_n: Array  # (3,) assembly frame
    point_m: Array  # (3,)
    utilization: float | None = None
    joints: tuple[tuple[str, str, float], ...] = ()  # stud part, hole part, how far toward its capacity

    def __post_init__(self) -> None:
        freeze(self, force_n=(3,), point_m=(3,))


@dataclass(frozen=True, slots=True, eq=False)
class Step(MadeAnew):
    """One action; `held` is what is held once it is done. Several parts are placed as one, moving together.

    Paths and poses are 4 x 4 matrices in the assembly's frame, m.

    >>> Step("place", ("keystone",), held=("keystone",)).action
    'place'
    """

    action: Action
    parts: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    path: Array | None = None  # (k, 4, 4) poses of the first part in the assembly frame, from free to final
    T_world_assembly: Array | None = None  # (4, 4), for reorient
    utilization: float | None = None
    grasp: Grasp | None = None
    robot: str | None = None
    press: Press | None = None
    secured: Secured | None = None  # for reorient: what keeps the parts together meanwhile
    margin_deg: float | None = None  # how far what is there may then be tilted about x or y
    grasped: tuple[str, ...] = ()  # of parts placed as one: the one that a hand carries all by, or all; (): not said

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise BadInput(f"step: action: found {shown(self.action)}, expected place, hold, release or reorient")
        if self.action != "reorient" and not self.parts:
            raise BadInput(f"step: {self.action} names no part")
        if self.action in ("hold", "release") and len(self.parts) > 1:
            raise BadInput(f"step: {self.action} names {len(self.parts)} parts, expected one")
        if self.action == "reorient" and self.T_world_assembly is None:
            raise BadInput("step: reorient has no T_world_assembly")
        if self.secured is not None and self.secured not in SECURED:
            raise BadInput(f"step: secured {shown(self.secured)}: {did_you_mean(self.secured, SECURED)}")
        if self.margin_deg is not None and not 0 <= self.margin_deg <= 90:
            raise BadInput(f"step: margin_deg: found {shown(self.margin_deg)}, expected 0 to 90")
        if self.grasped and (self.action != "place" or not set(self.grasped) <= set(self.parts)):
            raise BadInput(f"step: grasped names {shown(self.grasped[0])}, expected parts that the step places")
        if len(self.grasped) not in (0, 1, len(self.parts)):
            found = f"names {len(self.grasped)} of {len(self.parts)} parts"
            raise BadInput(f"step: grasped {found}, expected the one that carries all, or all of them")
        if self.path is not None:
            object.__setattr__(self, "path", frozen(self.path, (None, 4, 4)))
        if self.T_world_assembly is not None:
            object.__setattr__(self, "T_world_assembly", frozen(self.T_world_assembly, (4, 4)))


@dataclass(frozen=True, slots=True)
class Rules:
    """What a plan may do. Which sets of rules there are is not known here: planning keeps their list.

    >>> Rules(robots=3).name
    'holds'
    """

    name: str = "holds"
    robots: int = 2  # hands, the carrying one included
    regrasp: bool = False
    paths: PathKind = "straight"
    mu: float = 0.55
    model: str = "blocks"
    cone: str = "exact"  # "8" in older plans: linear cones inside the true ones, so they stand with these too
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    press_n: float | None = None  # N through a joint of every brick that is placed; None: presses are not looked at
    grasps: Grasping | None = None  # bricks: `side` as seed 004, `any` (as None) adds a tool that takes studs, `none`
    require_connected: bool = False  # what a part is put on hangs together, as in seed 001
    checks: tuple[str, ...] = ()  # names of the caller's own checks that it was made under

    def __post_init__(self) -> None:
        if self.robots < 1:
            raise BadInput(f"robots: found {self.robots}, expected 1 hand or more")


@dataclass(frozen=True, slots=True)
class Source:
    """The assembly that a plan builds: where it was read from, and how.

    >>> Source("arch.yaml", 64 * "0", fixed=("left", "right")).scale
    1.0
    """

    path: str  # relative to the plan file once that is written
    sha256: str
    fixed: tuple[str, ...] = ()
    ground: Ground = NO_GROUND
    scale: float = 1.0
    allow_overlap_m: float | None = None
    gap_m: float | None = None  # up to which distance parts touch; None: by their sizes


@dataclass(frozen=True, slots=True, eq=False)
class Start(MadeAnew):
    """What a plan begins with: parts in place, those of them that are held, and how they lie.

    >>> Start(installed=("a", "b"), held=("b",)).held
    ('b',)
    """

    installed: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    T_world_assembly: Array | None = None  # (4, 4); None: as the file has it

    def __post_init__(self) -> None:
        if self.T_world_assembly is not None:
            object.__setattr__(self, "T_world_assembly", frozen(self.T_world_assembly, (4, 4)))


NOTHING = Start()


@dataclass(frozen=True, slots=True, eq=False)
class Subassembly(MadeAnew):
    """Parts that are placed as one, and how they are built apart before that, on one of them that is held fast.

    >>> Subassembly(("a", "b"), "a", (Step("place", ("b",)),)).fast
    'a'
    """

    parts: tuple[str, ...]
    fast: str
    steps: tuple[Step, ...]  # at their end the parts are free, or each in the hand that carries it

    def __post_init__(self) -> None:
        if self.fast not in self.parts:
            raise BadInput(f"subassembly: {shown(self.fast)} is held fast, but is not one of its parts")


@dataclass(frozen=True, slots=True)
class Proof:
    """What was proved where there is no plan: of which plans, and how.

    >>> Proof("fall", "it falls when it is done").by
    'fall'
    """

    by: ProofKind
    why: str
    groups: bool = False  # of plans that place parts as one too; else of those that place them one by one
    directions: int | None = None  # along which parts may leave, beside those that contacts suggest; None: any

    def __post_init__(self) -> None:
        if self.by not in PROOF_KINDS:
            raise BadInput(f"proof: by {shown(self.by)}: {did_you_mean(self.by, PROOF_KINDS)}")


@dataclass(frozen=True, slots=True, eq=False)
class Plan(MadeAnew, NotTrueOrFalse):
    """How to build it.

    >>> import falsework
    >>> plan = falsework.plan("examples/arch.yaml", robots=2).plan
    >>> plan.status, plan.steps[0].action
    ('complete', 'place')
    """

    ASK_INSTEAD = "plan.status == 'complete'"

    rules: Rules
    status: PlanStatus
    steps: tuple[Step, ...]
    provenance: Provenance = field(default_factory=Provenance)
    source: Source | None = None
    start: Start = NOTHING  # what is there before the first step, beside the fixed parts
    target: tuple[str, ...] | None = None  # the parts to be there in the end; None: all
    apart: tuple[Subassembly, ...] = ()  # how what is placed as one is built
    proof: Proof | None = None  # where it is infeasible

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))
        if self.status not in STATUSES:
            raise BadInput(f"plan: status {shown(self.status)}: {did_you_mean(self.status, STATUSES)}")

    def _repr_html_(self) -> str:
        """In a notebook."""
        return str(upstairs("notebook_html")(self))

    @property
    def max_held(self) -> int:
        """The most hands that are in use at once; parts that came in one hand are one until it lets go."""
        most, came, grasped = 0, set[str](), set[str]()
        for step in self.steps:
            if step.action == "place":
                came, grasped = set(step.parts), set(step.grasped)
            held = set(step.held)
            most = max(most, len(held - came) + (len(held & grasped) if grasped else bool(held & came)))
        return most
