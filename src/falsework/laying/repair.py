"""`repair`: where a model is weak or falls, what mends it with the fewest parts, checked.

Proposals come from the way it fails (`repairs/proposals.py`): from the parts that fall, the joints that break and those
that work hardest. Each is built and judged by `check`, so that what is told has a certificate of its own. Where no
single one is enough, the best so far is kept and the next is looked for on top of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from falsework.formats.opening import READING, Reading, Source, opened
from falsework.geometry.contacts.interfaces import interfaces
from falsework.laying.repairs.proposals import Proposal, proposals
from falsework.laying.repairs.props import supported
from falsework.laying.repairs.site import site_of
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.bits import bits
from falsework.model.checkpoints import checkpoint
from falsework.model.errors import BadInput, shown
from falsework.model.figures import percent
from falsework.model.interfaces import Interfaces
from falsework.model.verbs import verb
from falsework.model.verdict import Motion, Verdict
from falsework.verdicts.check import check

STRONG = 0.7  # of their strength: joints that work less are not weak
ROUNDS = 5  # fixes on top of one another
MOST_TRIED = 150  # proposals of one round
MOST_WEAK = 12  # parts that are looked at in one round
GOOD = 8  # proposals tried after the first that is enough, for a better one of the same cost

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Fix:
    """What to do, in words; the model when it is done; and what `check` says of that.

    >>> fix = repair("examples/stairs.txt").fixes[0]
    >>> fix.verdict.stands
    True
    """

    words: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    assembly: Assembly
    verdict: Verdict

    def as_dict(self) -> dict[str, object]:
        """As `falsework check --fix --json` prints it."""
        from falsework.model.shapes import BrickShape

        parts = [self.assembly.parts[self.assembly.index[name]] for name in self.added]
        kinds = [str(part.shape.kind) if isinstance(part.shape, BrickShape) else "prop" for part in parts]
        return {
            "words": self.words,
            "add": [
                {"name": part.name, "kind": kind, "pose": part.T_world_part.tolist()}
                for part, kind in zip(parts, kinds, strict=True)
            ],
            "remove": list(self.removed),
            "verdict": self.verdict.answer,
            "utilization": self.verdict.utilization,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Repair:
    """What was wrong, and the steps that mend it; none where nothing is weak, or nothing was found.

    >>> repair("examples/bridge.txt").weak
    ''
    """

    before: Verdict
    weak: str  # in words; empty where nothing is weak
    fixes: tuple[Fix, ...]
    tried: int

    @property
    def is_mended(self) -> bool:
        """Whether something was weak or fell, and now stands strong."""
        return bool(self.fixes) and self.fixes[-1].verdict.stands


@verb(*READING)
def repair(
    source: Source, *, strong: float = STRONG, progress: Progress | None = None, **reading: Unpack[Reading]
) -> Repair:
    """What mends a model that falls, or whose joints work at more than a share of their strength.

    strong    up to which share of its strength a joint may work, and the whole of its clutches
    progress  is told how many proposals of a round were tried, and of how many

    Bricks get a brick across two, a column below, or a longer brick in place of two; other parts a prop below or a
    shore beside them, which stand fast. Every fix comes with the model that has it and the verdict on that. The other
    options are those of `load`.

    >>> mended = repair("examples/stairs.txt")
    >>> mended.before.answer, mended.is_mended
    ('unstable', True)
    """
    if not 0 < strong <= 1:
        raise BadInput(f"strong: found {shown(strong)}, expected a share above 0, up to 1")
    assembly = opened(source, reading)
    return repaired(assembly, strong, progress)


def repaired(assembly: Assembly, strong: float = STRONG, progress: Progress | None = None) -> Repair:
    """The same of an assembly.

    >>> from falsework import load
    >>> repaired(load("examples/bridge.txt")).fixes
    ()
    """
    joints = interfaces(assembly)
    before = now = check(assembly, joints=joints, also=False)
    weak = weakness(assembly, joints, before, strong)
    fixes: list[Fix] = []
    tried = 0
    while is_weak(now, joints, strong) and len(fixes) < ROUNDS:
        found, count = _best(assembly, joints, now, strong, progress)
        tried += count
        if found is None:
            break
        fixes.append(found)
        assembly, now, joints = found.assembly, found.verdict, interfaces(found.assembly)
    if fixes and not fixes[-1].verdict.stands:
        fixes = []  # it was not mended, so nothing of it is advice
    return Repair(before, weak, tuple(fixes), tried)


def weakness(assembly: Assembly, joints: Interfaces, verdict: Verdict, strong: float = STRONG) -> str:
    """What is weak, in words; nothing where nothing is."""
    if not is_weak(verdict, joints, strong):
        return ""
    if verdict.answer == "unstable":
        names = ", ".join(verdict.falling[:4]) + (" and more" if len(verdict.falling) > 4 else "")
        return f"{names or 'it'} would fall"
    worst = _worst_joint(joints, verdict)
    if worst is None:
        return "undecided"
    share, row = worst
    a, b = (assembly.bodies[body].name for body in joints.clutches.bodies[row].tolist())
    return f"the joint of {a} and {b} works at {percent(share)}"


def is_weak(verdict: Verdict, joints: Interfaces, strong: float) -> bool:
    """Whether something is weak."""
    if not verdict.stands:
        return True
    worst = _worst_joint(joints, verdict)
    return (verdict.utilization or 0.0) > strong or (worst is not None and worst[0] > strong)


def _worst_joint(joints: Interfaces, verdict: Verdict) -> tuple[float, int] | None:
    shares = verdict.joint_utilization
    if shares is None or not len(shares) or np.isnan(shares).all():
        return None
    row = int(np.nanargmax(shares))
    return float(shares[row]), row


def _score(verdict: Verdict | None, joints: Interfaces | None) -> tuple[float, ...]:
    """The less the better: what falls, how many parts and with what power; of what stands, how much it needs."""
    if verdict is None or verdict.answer == "undecided":
        return 3.0, 0.0, 0.0
    if not verdict.stands:
        needs = verdict.utilization
        if needs is None:
            return 2.0, float(len(verdict.falling)), verdict.residual or 0.0
        return 1.0, needs, float(len(verdict.falling))
    worst = None if joints is None else _worst_joint(joints, verdict)
    return 0.0, max(verdict.utilization or 0.0, 0.0 if worst is None else worst[0]), 0.0


def _best(
    assembly: Assembly, joints: Interfaces, now: Verdict, strong: float, progress: Progress | None
) -> tuple[Fix | None, int]:
    """The cheapest fix that is enough; else the one that helps most; and how many were tried."""
    best: Fix | None = None
    least = _score(now, joints)
    enough_cost, since = None, 0
    count = 0
    for count, (cost, words, candidate) in enumerate(_candidates(assembly, joints, now), start=1):
        checkpoint()
        if count > MOST_TRIED or (enough_cost is not None and (cost > enough_cost or since >= GOOD)):
            break
        if progress is not None:
            progress(count, MOST_TRIED)
        judged = _judged(candidate)
        if judged is None:
            continue
        verdict, after = judged
        score = _score(verdict, after)
        since += enough_cost is not None
        if score < least:
            best, least = _fix(words, assembly, joints, now, candidate, verdict), score
            if enough_cost is None and not is_weak(verdict, after, strong):
                enough_cost = cost
    return best, count


def _judged(candidate: Assembly) -> tuple[Verdict, Interfaces] | None:
    """What `check` says; None where it cannot be built so."""
    try:
        joints = interfaces(candidate)
        return check(candidate, joints=joints, also=False), joints
    except BadInput:
        return None


def _candidates(assembly: Assembly, joints: Interfaces, now: Verdict) -> Iterator[tuple[int, str, Assembly]]:
    """What may be done: its cost in parts, in words, and the model that has it."""
    parts = _weak_parts(assembly, joints, now)
    site = site_of(assembly)
    if site is not None:
        for one in proposals(site, parts):
            try:
                yield one.cost, one.words, _built(site.with_added, one)
            except BadInput:
                continue
    loose = [part for part in parts if not assembly.parts[part].is_brick]
    twists = now.certificate.twists if isinstance(now.certificate, Motion) else None
    for several in ([part for part in loose if _falls(assembly, now, part)], loose):
        yield from supported(assembly, several, twists, [_borne(assembly, joints, now, part) for part in several])


def _falls(assembly: Assembly, now: Verdict, part: int) -> bool:
    return assembly.parts[part].name in now.falling


def _borne(assembly: Assembly, joints: Interfaces, now: Verdict, part: int) -> Array:
    """The centre of mass of what falls together with a part, m."""
    falling = {assembly.index[name] for name in now.falling}
    near = joints.neighbours(len(assembly.bodies))
    piece, fresh = {part}, {part}
    while fresh:
        fresh = {body for one in fresh for body in bits(near[one]) if body in falling} - piece
        piece |= fresh
    rows = sorted(piece)
    centre: Array = np.average(assembly.coms_m[rows], axis=0, weights=assembly.masses_kg[rows])
    return centre


def _built(with_added: Callable[..., Assembly], one: Proposal) -> Assembly:
    return with_added(one.added, one.removed)


def _weak_parts(assembly: Assembly, joints: Interfaces, now: Verdict) -> list[int]:
    """Parts to begin with: of joints that break, parts that fall, parts of the joints that work hardest."""
    order: list[int] = []
    for pair in now.breaking:
        order += [assembly.index[name] for name in pair]
    falling = sorted((assembly.index[name] for name in now.falling), key=lambda body: -assembly.masses_kg[body])
    order += falling[:MOST_WEAK]
    if now.joint_utilization is not None and len(now.joint_utilization):
        hardest = np.argsort(-np.nan_to_num(now.joint_utilization), kind="stable")[:4]
        order += joints.clutches.bodies[hardest].ravel().tolist()
    near = joints.neighbours(len(assembly.bodies))
    for body in list(dict.fromkeys(order)):
        order += [other for other in range(len(assembly.parts)) if near[body] >> other & 1]
    chosen = [body for body in dict.fromkeys(order) if body < len(assembly.parts)]
    return chosen[:MOST_WEAK]


def _fix(words: str, assembly: Assembly, joints: Interfaces, now: Verdict, candidate: Assembly, then: Verdict) -> Fix:
    added = tuple(name for name in candidate.names if name not in assembly.index)
    removed = tuple(name for name in assembly.names if name not in candidate.index)
    return Fix(f"{words}: {_outcome(assembly, joints, now, candidate, then)}", added, removed, candidate, then)


def _outcome(assembly: Assembly, joints: Interfaces, now: Verdict, candidate: Assembly, then: Verdict) -> str:
    """What it brings: of the joint that was worst where that is still there, else of the whole."""
    if not then.stands:
        fewer = len(then.falling) < len(now.falling)
        return (
            f"still falls, {f'{len(then.falling)} parts instead of {len(now.falling)}' if fewer else 'with less power'}"
        )
    worst = _worst_joint(joints, now) if now.stands else None
    if worst is not None:
        first, second = (assembly.bodies[body].name for body in joints.clutches.bodies[worst[1]].tolist())
        share = _share_of(candidate, then, first, second)
        if share is not None:
            return f"brings the joint of {first} and {second} from {percent(worst[0])} to {percent(share)}"
    if then.utilization is None:
        return "stands"
    return f"stands, {percent(then.utilization)} of the clutch strength is needed"


def _share_of(assembly: Assembly, verdict: Verdict, first: str, second: str) -> float | None:
    """How far a joint of two parts is toward its capacity; None where there is none."""
    clutches = interfaces(assembly).clutches
    shares = verdict.joint_utilization
    if shares is None or first not in assembly.index or second not in assembly.index:
        return None
    rows = (clutches.bodies == (assembly.index[first], assembly.index[second])).all(axis=1)
    return float(shares[rows].max()) if rows.any() else None
