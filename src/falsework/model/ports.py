"""Where the house can be extended. An implementation is anything with these methods; no base class needed.

Every implementation of a port passes the contract test of that port (`tests/contracts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.perception.findings import Brick, Detection, LocatedPart, Refused
from falsework.model.perception.frames import Frame
from falsework.model.placement import Objection, Placement
from falsework.model.robots.driving import ArmState, Pressed
from falsework.model.robots.instructing import Command, Instruction, Observation
from falsework.model.robots.motion import Track
from falsework.model.state import State
from falsework.model.verdict import Verdict
from falsework.model.work import UNLIMITED, Limits, Outcome


class ContactFinder(Protocol):
    """Finds contacts of one kind. `geometry.interfaces` asks one finder after the other.

    Normals are unit and point from the first body of a pair, which has the lower number, into the second; points lie
    on both surfaces, to within the tolerance of `geometry.scene`. What is found does not depend on the order of the
    parts or on how the assembly lies in the world, and comes in the same order every time.

    >>> from falsework.geometry.contacts.interfaces import FINDERS
    >>> all(hasattr(finder, "find") for finder in FINDERS)
    True
    """

    def find(self, assembly: Assembly, known: Interfaces) -> Interfaces:
        """The contacts of this kind that `known`, what the finders before have found, does not cover."""
        ...


class StabilityOracle(Protocol):
    """Says of states of one assembly whether they stand.

    >>> import falsework
    >>> from falsework.statics import Equilibrium
    >>> arch = falsework.load("examples/arch.yaml")
    >>> oracle: StabilityOracle = Equilibrium(arch, falsework.interfaces(arch))
    >>> oracle.assess(State.complete(arch)).answer
    'stable'
    """

    @property
    def monotone_in_held(self) -> bool:
        """Holding more parts never makes a stable state unstable."""
        ...

    @property
    def convex(self) -> bool:
        """The wrenches each interface can transmit form a convex set."""
        ...

    def assess(self, state: State) -> Verdict:
        """Stable with forces, unstable with a motion, or undecided; never a guess."""
        ...


class RemovalOracle(Protocol):
    """Says how parts can leave. Masks are over `Assembly.bodies`.

    `moved` leave together; they are taken out of `installed`, and fixed parts are always there.

    >>> sorted(name for name in vars(RemovalOracle) if not name.startswith("_"))
    ['blockers', 'certain', 'directions', 'leaves', 'path']
    """

    @property
    def certain(self) -> bool:
        """Where no way was found, there is none."""
        ...

    def leaves(self, moved: int, installed: int) -> bool:
        """Whether the moved bodies can leave at all."""
        ...

    def blockers(self, moved: int) -> tuple[int, ...]:
        """The least sets of bodies, one of which must be gone entirely for `moved` to leave along a straight line."""
        ...

    def directions(self, moved: int, installed: int) -> Array:
        """(k, 3) unit directions along which the moved bodies leave the installed rest without touching it."""
        ...

    def path(self, moved: int, installed: int, up: Array | None = None) -> Array | None:
        """(k, 4, 4) poses of the first of the moved bodies, from free to final; None where none leads out.

        `up`: where that is, if not against gravity; no way then leads down.
        """
        ...


class PartSelector(Protocol):
    """Orders the parts a search should try to remove next.

    >>> class HeaviestFirst:
    ...     def order(self, assembly, state, candidates):
    ...         return sorted(candidates, key=lambda body: -assembly.masses_kg[body])
    >>> import falsework
    >>> falsework.plan("examples/arch.yaml", selector=HeaviestFirst()).status
    'complete'
    """

    def order(self, assembly: Assembly, state: State, candidates: Sequence[int]) -> Sequence[int]:
        """The candidates, most promising first."""
        ...


class Guide(Protocol):
    """Says which moves look promising, and how much a state still costs: for one assembly, and never wrongly.

    A search that has one runs in turns with those that have none, and puts every move to the same checks. So a guide
    changes in which order things are tried, and nothing else: not what is a plan, nor what is proved.

    >>> import numpy as np
    >>> class Heaviest:
    ...     def __init__(self, assembly):
    ...         self._masses = assembly.masses_kg
    ...     def scores(self, state, moves):
    ...         touched = [parts or after.held & ~state.held for parts, after in moves]
    ...         return np.array([self._masses[one.bit_length() - 1] for one in touched])
    ...     def cost_to_go(self, states):
    ...         return np.zeros(len(states))
    >>> import falsework
    >>> arch = falsework.load("examples/arch.yaml")
    >>> falsework.plan(arch, guide=Heaviest(arch)).status
    'complete'
    """

    def scores(self, state: State, moves: Sequence[tuple[int, State]]) -> Array:
        """A number for each move, the highest is tried first; what is not a number comes last.

        A move removes parts (a bit mask over `Assembly.bodies`), or none, and leaves the state that it is given with:
        parts that are held there and were not before are taken hold of. Under rules `holds` moves are asked about hand
        by hand, as a hand makes them: a part is taken hold of, and removed by another move or kept.
        """
        ...

    def cost_to_go(self, states: Sequence[State]) -> Array:
        """For each state about how many holds a plan still takes; `plan(…, minimise="holds")` goes by it."""
        ...


class PlacementCheck(Protocol):
    """One thing that every placement of a plan needs, beside what its rules ask for.

    The same placement gets the same answer, every time. A search asks often and remembers the answers; `verify` asks
    anew. Neither asks about anything but placements.
    """

    @property
    def name(self) -> str:
        """One word, as refusals and plan files show it."""
        ...

    @property
    def certain(self) -> bool:
        """What it objects to cannot be done. If not, as where it samples, no search ends with "there is no plan"."""
        ...

    @property
    def minds_hands(self) -> bool:
        """Its answer may depend on which parts are held. If so, to hold more may be worse, and so may to hold less."""
        ...

    def objection(self, placement: Placement) -> Objection | None:
        """None if the parts may be placed so."""
        ...


class InverseKinematics(Protocol):
    """Says which joints bring the hand of one arm to a pose, in the frame of the arm's base.

    Whatever it answers is within the arm's limits and reaches the pose; the same pose gets the same answer.

    >>> from falsework import arm_named
    >>> from falsework.robots import Kinematics
    >>> solver: InverseKinematics = Kinematics(arm_named("ur5e"))
    >>> solver.complete
    True
    """

    @property
    def complete(self) -> bool:
        """Where no branch is found, there is none: it computes all of them, and does not search."""
        ...

    def branches(self, T_base_tool: Array, near: Array | None = None) -> Array:
        """(k, n) joints that reach a pose (4, 4), each once; whole turns chosen near to `near` (n,)."""
        ...

    def solve(self, T_base_tool: Array, near: Array | None = None) -> Array | None:
        """(n,) one of them, near to `near`; None where none was found."""
        ...


class Camera(Protocol):
    """Gives pictures of colour and depth: a real one, a simulated one, or a folder of pictures that were recorded.

    Frames of one camera have the same size and the same K, and their times never go back. Where the camera rides on an
    arm, `T_base_cam` is where it was when it looked.
    """

    @property
    def name(self) -> str:
        """As its cell calls it, and its frames."""
        ...

    def look(self) -> Frame:
        """What it sees now; BadInput where there is nothing more to see, as at the end of a recording."""
        ...


class Detector(Protocol):
    """Says which pixels of a frame may show one thing each.

    Masks have the frame's shape, do not overlap and are never empty; the same frame gives the same detections.
    """

    def detect(self, frame: Frame) -> Sequence[Detection]:
        """What may be there, the surest first; none where nothing is."""
        ...


class PoseEstimator(Protocol):
    """Says where the thing is that a mask shows, or why it does not.

    Poses are in the base's frame. What it cannot tell it refuses, with a reason and what would help: it never guesses.
    """

    def estimate(self, frame: Frame, detection: Detection) -> Brick | LocatedPart | Refused:
        """The thing with its pose, or a refusal."""
        ...


class Reach(Protocol):
    """Says which parts arms can bring to their place: a bit mask a state, so that one answer serves many moves."""

    @property
    def certain(self) -> bool:
        """No arm reaches what is not in the mask."""
        ...

    def reachable(self, before: State, T_world_assembly: Array | None) -> int:
        """Bodies that an arm can carry to their place onto `before`, while other arms hold what is held there.

        `T_world_assembly`: how it lies; None: as the file has it. Of parts that come as one, an arm carries one.
        """
        ...


Hands = tuple[tuple[int, int], ...]  # who holds what: parts, and the way by which an arm took each


class Crew(Protocol):
    """Arms that carry a plan out: who brings a part in which way, and who can let go. Its ways are numbered.

    A search asks it for every node, with `hands` on what is held; what it does not find may yet be possible.
    """

    @property
    def lies(self) -> Sequence[Array]:
        """(4, 4) T_world_assembly of every way in which the structure can be made to lie; the first: as it is given."""
        ...

    def ways(self, part: int, installed: int, hands: Hands, pose: int = 0) -> Iterable[int]:
        """Ways in which arms whose hands are free can bring a body to its place onto what is there, best first."""
        ...

    def pair_ways(self, upper: int, lower: int, installed: int, hands: Hands) -> Iterable[int]:
        """Ways in which two bodies are put together elsewhere, and brought as one by the hand on the upper one."""
        ...

    def holds(self, part: int, installed: int, hands: Hands, pose: int = 0) -> Iterable[int]:
        """Ways in which arms whose hands are free can take hold of a body that is in place, best first."""
        ...

    def taken_over(self, part: int, installed: int, hands: Hands) -> Iterable[Hands]:
        """Whose hands are on what is held once another arm has taken hold of a part that one has, which then left."""
        ...

    def gripped(self, way: int) -> int:
        """The body that a way's hand is on."""
        ...

    def reaches(self, part: int, installed: int, pose: int = 0) -> bool:
        """Whether some arm could bring a body there, were nothing in its way but what never leaves."""
        ...

    def let_go(self, installed: int, hands: Hands, parts: int) -> Hands | None:
        """Whose hands are left on what is there when those parts (a mask) are let go; None: a hand does not get away.

        With no parts, whether all hands can still get away, or None.
        """
        ...

    def objection(self, part: int, installed: int, hands: Hands, pose: int = 0) -> Objection:
        """Why there are no ways to bring a part there."""
        ...

    def hands_on(self, installed: int, held: int) -> Hands | None:
        """Hands on what is held at the beginning; None where arms do not get there."""
        ...


class Driver(Protocol):
    """Moves one arm, real or not. Every call returns when it is done; what cannot be done raises FalseworkError.

    >>> sorted(name for name in vars(Driver) if not name.startswith("_"))
    ['grip', 'move', 'press_until', 'state', 'stop']
    """

    def state(self) -> ArmState:
        """Where the arm is now."""
        ...

    def move(self, track: Track) -> None:
        """Follow a track from its first row to its last, in its time; the arm must be at the first one."""
        ...

    def grip(self, opening_m: float, force_n: float) -> float:
        """Move the fingers to an opening, or switch a cup on or off, with that force; the opening that was reached."""
        ...

    def press_until(self, until_n: float, stop_n: float, most_m: float, speed_m_s: float) -> Pressed:
        """Go straight along the tool's z axis until something pushes back with `until_n`.

        It ends at once where that is `stop_n` or more, and after `most_m` where there is nothing.
        """
        ...

    def stop(self) -> None:
        """Stand still now: called from any thread, also while another call is under way, which may then raise."""
        ...


class Instructor(Protocol):
    """Turns a product into instructions, as a language model does that is given its parts list.

    Every instruction is about a brick of the product, none comes twice, and the same product gets the same ones.

    >>> from falsework.model.robots.instructing import Instruction
    >>> class LowestFirst:
    ...     def instructions(self, product):
    ...         lowest = sorted(product.parts, key=lambda part: part.T_world_part[2, 3])
    ...         return [Instruction(part.name) for part in lowest]
    >>> import falsework
    >>> len(LowestFirst().instructions(falsework.load("examples/duplo-bridge.yaml")))
    5
    """

    def instructions(self, product: Assembly) -> Sequence[Instruction]:
        """What to do, first things first."""
        ...


class Policy(Protocol):
    """Carries instructions out by what it observes of a cell: a learned one, or a stand-in. It never sees the truth.

    Limits of safety hold whatever it commands, and the referee judges what comes of it.

    >>> sorted(name for name in vars(Policy) if not name.startswith("_"))
    ['act', 'begin']
    """

    def begin(self, instruction: Instruction) -> None:
        """What follows is about this one."""
        ...

    def act(self, observation: Observation) -> Command | None:
        """What to do now; None where the instruction is done, or nothing can be done about it."""
        ...


class WorkPool(Protocol):
    """Does many jobs at a time, in processes that may die of them.

    Every task is done once and has one outcome. Outcomes come in any order; their values do not depend on the pool, on
    how many workers it has or on what a worker did before. A worker that dies, exceeds a limit or is killed costs the
    task that it was at one try, and nothing else anything: its other tasks go to others. What `work` raises is told as
    the outcome of that task, and not tried again.

    >>> sorted(name for name in vars(WorkPool) if not name.startswith("_"))
    ['outcomes', 'shares_files', 'workers']
    """

    @property
    def workers(self) -> int:
        """How many tasks are done at a time."""
        ...

    @property
    def shares_files(self) -> bool:
        """Workers see the same files under the same names."""
        ...

    def outcomes(
        self, work: Callable[[Any], Any], tasks: Iterable[Any], limits: Limits = UNLIMITED
    ) -> Iterator[Outcome]:
        """What became of each task; closing the iterator ends whatever is under way, and every worker.

        Tasks are taken as workers need them, so there may be any number. `work` and tasks must pickle; where `work` has
        a method `warm`, workers call it before their first task.
        """
        ...
