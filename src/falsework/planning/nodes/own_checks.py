"""Checks that a caller passes to `plan`, `replan` and `verify`: any `PlacementCheck`, or one of the two made here.

>>> def wired_first(placement: Placement) -> Objection | None:
...     missing = WIRES & ~placement.before.installed
...     return Objection("the wires are not in yet", missing) if placement.parts & LID and missing else None
>>> plan(assembly, checks=[Condition("wiring", wired_first)])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown
from falsework.model.placement import Objection, Placement
from falsework.model.ports import PlacementCheck, Reach
from falsework.model.state import State

TAKEN = ("path", "connected", "table", "grasp", "stability", "press")  # what the rules' own checks are called


@dataclass(frozen=True, slots=True)
class Condition:
    """A check that is one function of the placement; what it promises is up to whoever writes it."""

    name: str
    objects: Callable[[Placement], Objection | None]
    certain: bool = True
    minds_hands: bool = False

    def objection(self, placement: Placement) -> Objection | None:
        return self.objects(placement)


@dataclass(frozen=True, slots=True, eq=False)
class ReachCheck:
    """An arm can carry the parts to their place, or one of those that come as one; each state is asked about once."""

    reach: Reach
    name: str = "reach"
    minds_hands: bool = True
    _known: dict[tuple[State, bytes], int] = field(default_factory=dict)

    @property
    def certain(self) -> bool:
        return self.reach.certain

    def objection(self, placement: Placement) -> Objection | None:
        turn = placement.T_world_assembly
        key = placement.before, b"" if turn is None else turn.tobytes()
        if key not in self._known:
            self._known[key] = self.reach.reachable(placement.before, turn)
        return None if placement.parts & self._known[key] else Objection("no arm that is free can bring it there")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A check of an assembly, asked about some of its parts that are put together apart.

    `numbers`: by body of the smaller assembly, its number in the whole one.
    """

    check: PlacementCheck
    numbers: tuple[int, ...]

    @property
    def name(self) -> str:
        return self.check.name

    @property
    def certain(self) -> bool:
        return self.check.certain

    @property
    def minds_hands(self) -> bool:
        return self.check.minds_hands

    def objection(self, placement: Placement) -> Objection | None:
        before = State(self._whole(placement.before.installed), self._whole(placement.before.held))
        found = self.check.objection(replace(placement, parts=self._whole(placement.parts), before=before, apart=True))
        return found and replace(found, blockers=self._here(found.blockers), hold=self._here(found.hold))

    def _whole(self, mask: int) -> int:
        return sum(1 << number for body, number in enumerate(self.numbers) if mask >> body & 1)

    def _here(self, mask: int) -> int:
        return sum(1 << body for body, number in enumerate(self.numbers) if mask >> number & 1)


def own_checks(checks: Iterable[PlacementCheck]) -> tuple[PlacementCheck, ...]:
    """The same, looked at: every one has a name of its own."""
    given = tuple(checks)
    names: set[str] = set()
    for check in given:
        lacking = [word for word in ("name", "certain", "minds_hands", "objection") if not hasattr(check, word)]
        if lacking:
            raise BadInput(f"check {shown(check)} has no {lacking[0]}; see PlacementCheck, or wrap it in a Condition")
        if not isinstance(check.name, str) or not check.name.strip() or not check.name.isprintable():
            raise BadInput(f"a check is called {shown(check.name)}, expected a word")
        if check.name in TAKEN or check.name in names:
            raise BadInput(f"check {shown(check.name)}: there is one of this name already; call yours otherwise")
        names.add(check.name)
    return given


def asked(check: PlacementCheck, placement: Placement) -> Objection | None:
    """What a check has against a placement; `BadInput` if it does not answer as it should."""
    found = check.objection(placement)
    if found is not None and not isinstance(found, Objection):
        raise BadInput(f"check {shown(check.name)} answered {shown(found)}, expected None or an Objection")
    return found


def elsewhere(checks: Iterable[PlacementCheck], whole: Assembly, part: Assembly) -> tuple[PlacementCheck, ...]:
    """The checks of an assembly for some of its parts alone."""
    numbers = tuple(whole.index[one.name] for one in part.parts)
    return tuple(Elsewhere(check, numbers) for check in checks)


def missing_checks(asked: Sequence[str], checks: Iterable[PlacementCheck]) -> tuple[str, ...]:
    """Which of the checks that a plan was made under are not among these."""
    known = {check.name for check in checks}
    return tuple(name for name in asked if name not in known)
