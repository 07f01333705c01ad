"""The oracle of a search: thousands of states a second of one assembly, most of them without a solve.

A state falls into pieces: free bodies joined by interfaces, with the held and fixed bodies that they touch. Pieces do
not know of each other, so each is solved, remembered and reasoned about alone. What is proved of one piece often
settles another, because forces stay forces where there is less to carry and motions stay motions where there is less
in the way:

    forces for the free bodies F beside F ∪ A    prove that F′ stands, if F′ ⊆ F and what F′ touched is there again
    a motion of M with its neighbours B there    proves that F′ cannot, if M ⊆ F′ and M has no neighbour besides B

Both follow from convex interfaces that may also carry nothing. Holding more never hurts is a special case.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from falsework.kernels.machine_code_loading import load_in_pieces
from falsework.model.assembly import Assembly
from falsework.model.checkpoints import checkpoint, is_stoppable
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Answer, Verdict
from falsework.statics.core.batches import STABLE, Finding
from falsework.statics.core.compiled_cones import CompiledCones
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.pieces import Pieces
from falsework.statics.core.worth_compiling import FEW, pays_off
from falsework.verdicts.crew import Crew
from falsework.verdicts.lasting_motions import LastingMotion, lasting

CONE_SOLVER, CLUTCH_SOLVER = (
    "falsework.statics.cones.solver",
    "falsework.statics.clutches.solver",
)  # fetched when needed
REMEMBERED = 100_000  # pieces; about 300 bytes each
IMPLYING = 48  # of the last proofs of each kind that are looked at for one that settles a new piece
LASTING = 8  # the same for motions of clutches that are tried anew
CONTEXTS = 1024  # loads and gravities whose proofs are kept
PATIENCE = 6000  # contact points, summed over solves, before machine code is loaded for a few contacts


class Piece(NamedTuple):
    """Free bodies that act on each other, what is there beside them, and what pulls on them."""

    free: int
    there: int  # the free bodies and every installed body that touches them
    context: tuple[object, ...]  # gravity and loads


@dataclass(slots=True)
class Counts:
    """How the pieces asked about were settled."""

    asked: int = 0
    remembered: int = 0
    implied: int = 0
    solved: int = 0


@dataclass(slots=True)
class _Proofs:
    """Pieces known to stand as (free, there), motions as (moving, neighbours that were not there)."""

    stable: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=IMPLYING))
    motions: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=IMPLYING))
    lasting: deque[LastingMotion] = field(default_factory=lambda: deque(maxlen=LASTING))


class Oracle:
    """Says of states of one assembly whether they stand; models `blocks` and `snapfit`."""

    monotone_in_held = True
    convex = True

    def __init__(
        self,
        assembly: Assembly,
        joints: Interfaces,
        *,
        remember: int = REMEMBERED,
        threads: int = 1,
        compiled: bool | None = None,
        journal: dict[State, Finding] | None = None,
    ) -> None:
        """`remember` bounds the memory, in pieces; 0 solves everything anew. Answers do not depend on `threads`.

        Every solve is written into `journal`, where there is one and gravity and loads are the assembly's own, and none
        is made that is there: with the journal of an earlier run the same questions get the same answers in no time.
        """
        if remember < 0 or threads < 1:
            raise BadInput(f"an oracle remembers 0 pieces or more on 1 thread or more, not {remember} on {threads}")
        self.assembly, self.joints = assembly, joints
        self.counts = Counts()
        few = compiled is None and CompiledCones.fits(joints) and len(joints.patches) <= FEW
        self._patience = PATIENCE if few else None
        fast = not few and _compiles(joints) if compiled is None else compiled
        self._equilibrium = Equilibrium(assembly, joints, compiled=fast)
        self._threads, self._remember, self._journal = threads, remember, journal
        self._crew = Crew(self._equilibrium, threads)
        self._fixed = assembly.fixed_mask()
        self._pieces_of = Pieces(assembly, joints)
        self._known: OrderedDict[Piece, Finding] = OrderedDict()
        self._proofs: OrderedDict[tuple[object, ...], _Proofs] = OrderedDict()

    @property
    def model(self) -> str:
        return self._equilibrium.model

    @property
    def is_compiled(self) -> bool:
        """Whether machine code answers by now."""
        return self._equilibrium.is_compiled

    @property
    def remembered(self) -> int:
        """How many pieces it has in memory now."""
        return len(self._known)

    def assess(self, state: State) -> Verdict:
        """The whole state with its certificate, solved now."""
        return self._equilibrium.assess(state)

    def answer(self, state: State) -> Answer:
        """Whether one state stands."""
        return self.answers([state])[0]

    def answers(self, states: Sequence[State]) -> list[Answer]:
        """Whether states stand: proved now, remembered, or implied by what was proved before this call."""
        return [finding.answer for finding in self.findings(states)]

    def findings(self, states: Sequence[State]) -> list[Finding]:
        """The same, and for states that fall the bodies whose motion proves it: to hold any other is vain."""
        checkpoint()
        split: list[list[Piece]] = []
        settled: dict[Piece, Finding] = {}
        opened: dict[Piece, State] = {}
        found = self._solve(self._to_solve(states, split, settled, opened), len(states))
        for (piece, state), finding in zip(opened.items(), found, strict=True):
            settled[piece] = finding
            self._learn(piece, state, finding)
        return [_worst(pieces, settled) for pieces in split]

    def _to_solve(
        self,
        states: Sequence[State],
        split: list[list[Piece]],
        settled: dict[Piece, Finding],
        opened: dict[Piece, State],
    ) -> Iterator[State]:
        """The pieces that have to be solved, one by one, so that threads begin with the first of them.

        Fills in the pieces of every state, those that need no solve, and those that do.
        """
        for state in states:
            pieces = self._pieces(state)
            split.append(pieces)
            self.counts.asked += len(pieces)
            unsettled = [piece for piece in pieces if piece in opened or not self._settles(piece, settled)]
            if len(unsettled) < len(pieces) and _falls(pieces, settled):
                continue
            for piece in unsettled:
                if piece not in opened:
                    opened[piece] = self._pieces_of.alone(state, piece.free, piece.there)
                    yield opened[piece]

    def lasting(self, state: State) -> list[tuple[LastingMotion, int]]:
        """Motions of clutches that proved falls under the loads of this state, each with what its piece consists of.

        Without a journal only: a journal keeps answers, and a search that goes on from one must be told the same.
        """
        pieces = [piece for piece in self._pieces(state) if piece.context in self._proofs]
        return [(motion, piece.there) for piece in pieces for motion in self._proofs[piece.context].lasting]

    def _pieces(self, state: State) -> list[Piece]:
        installed = state.installed
        bare = None if state.loads_of(self.assembly) else (state.gravity,)
        return [
            Piece(free, free | near & installed, bare or self._context(state, free))
            for free, near in self._pieces_of.of_free(installed & ~state.held & ~self._fixed)
        ]

    def _context(self, state: State, free: int) -> tuple[object, ...]:
        """Everything but the bodies that the answer depends on."""
        loads = [
            (load.part, load.force_n.tobytes(), b"" if load.point_m is None else load.point_m.tobytes())
            for load in self._pieces_of.acting(state, free)
        ]
        return (state.gravity, *sorted(loads))

    def _settles(self, piece: Piece, settled: dict[Piece, Finding]) -> bool:
        """Whether the piece is known, or follows from what is."""
        if piece in settled:
            self.counts.remembered += 1
            return True
        finding = self._known.get(piece)
        if finding is not None:
            self._known.move_to_end(piece)
            self.counts.remembered += 1
        else:
            finding = self._implied(piece)
            if finding is None:
                return False
            self.counts.implied += 1
            self._keep(piece, finding)
        settled[piece] = finding
        return True

    def _implied(self, piece: Piece) -> Finding | None:
        """What earlier proofs say about the piece, if anything."""
        proofs = self._proofs.get(piece.context)
        if proofs is None:
            return None
        absent, not_free = ~piece.there, ~piece.free
        near = self._pieces_of.touched(piece.free) | piece.free
        for free, there in proofs.stable:
            if not piece.free & ~free and not near & there & absent:
                return STABLE
        for moving, in_the_way in proofs.motions:
            if not moving & not_free and not in_the_way & piece.there:
                return Finding("unstable", moving)
        for motion in proofs.lasting:
            if motion.proves(piece.free, piece.there):
                return Finding("unstable", motion.moving & piece.free)
        return None

    def _solve(self, states: Iterator[State], most: int) -> list[Finding]:
        """Of pieces of at most so many states, in their order."""
        if self._patience is None and self._journal is None:
            return self._solve_now(states, most)
        asked = list(states)
        self._lose_patience(len(asked))
        if self._journal is None:
            return self._solve_now(iter(asked), len(asked))
        known = {state: self._journal[state] for state in asked if state in self._journal}
        new = [state for state in asked if state not in known]
        known.update(zip(new, self._solve_now(iter(new), len(new)), strict=True))
        plain = [state for state in new if state.gravity is None and state.loads is None]
        self._journal.update((state, replace(known[state], motion=None)) for state in plain)
        return [known[state] for state in asked]

    def _lose_patience(self, asked: int) -> None:
        """A few small questions are answered sooner than machine code is loaded; more of them are worth it.

        What a journal knows counts too: a search that is resumed asks the same solver as before.
        """
        if self._patience is None:
            return
        self._patience -= asked * len(self.joints.patches.points)
        if self._patience < 0:
            self._patience = None
            if _compiles(self.joints):
                self._equilibrium = Equilibrium(self.assembly, self.joints, compiled=True)
                self._crew = Crew(self._equilibrium, self._threads)

    def _solve_now(self, states: Iterator[State], most: int) -> list[Finding]:
        if self.is_compiled:
            load_in_pieces(CONE_SOLVER if self._equilibrium.has_contacts_only else CLUTCH_SOLVER)
        found = self._crew.findings(states, most)
        self.counts.solved += len(found)
        return found

    def _learn(self, piece: Piece, state: State, finding: Finding) -> None:
        if finding.answer == "undecided" or not self._remember:
            return
        self._keep(piece, Finding(finding.answer, finding.moving))
        proofs = self._proofs.pop(piece.context, None) or _Proofs()
        self._proofs[piece.context] = proofs
        if len(self._proofs) > CONTEXTS:
            self._proofs.popitem(last=False)
        if finding.answer == "stable":
            proofs.stable.appendleft((piece.free, piece.there))
        else:
            proofs.motions.appendleft((finding.moving, self._pieces_of.touched(finding.moving) & ~piece.there))
            if finding.motion is not None and self._journal is None and len(self.joints.clutches):
                proofs.lasting.appendleft(lasting(self._equilibrium, state, finding.motion))

    def _keep(self, piece: Piece, finding: Finding) -> None:
        self._known[piece] = finding
        if len(self._known) > self._remember:
            self._known.popitem(last=False)


def _compiles(joints: Interfaces) -> bool:
    """Whether to ask compiled solvers; where somebody minds the time, only if nothing has to be compiled first."""
    return pays_off(joints, worthwhile=False if is_stoppable() else None)


def _falls(pieces: list[Piece], settled: dict[Piece, Finding]) -> bool:
    """Whether one of the pieces is known to fall."""
    return any(piece in settled and settled[piece].answer == "unstable" for piece in pieces)


def _worst(pieces: list[Piece], settled: dict[Piece, Finding]) -> Finding:
    """A state falls if a piece of it falls, by the motion of the fewest bodies, and stands if all do."""
    worst = STABLE
    for piece in pieces:
        finding = settled.get(piece, STABLE)  # not asked, where another piece falls
        if finding.answer == "unstable":
            if worst.answer != "unstable" or finding.moving.bit_count() < worst.moving.bit_count():
                worst = finding
        elif worst.answer == "stable":
            worst = finding
    return worst
