"""`score`: what a generator of structures asks of each one, thousands a minute, without files.

For every brick a number from 0 to 1, as published checks for generated bricks have it: 1 − how hard its busiest joint
works, 0 for what falls. Here the joints' forces are those of least energy, and what falls is proved to.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from falsework.batch.pools.named import pool_named
from falsework.formats.bricks import bricktext
from falsework.formats.detection import Recognised
from falsework.formats.loading import assembled, load
from falsework.geometry.contacts.interfaces import interfaces
from falsework.laying.repair import Fix, repaired
from falsework.model.answers import NotTrueOrFalse
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, FalseworkError, shown
from falsework.model.interfaces import Interfaces
from falsework.model.ports import WorkPool
from falsework.model.shapes import BrickShape
from falsework.model.travel import MadeAnew
from falsework.model.verbs import verb
from falsework.model.verdict import Verdict
from falsework.model.work import UNLIMITED, Limits
from falsework.planning.nodes.deadline import Deadline, Stopped
from falsework.verdicts.check import Question, answer, many_to_come
from falsework.verdicts.registry import AUTO

Structure = Assembly | str | os.PathLike[str]


@dataclass(frozen=True, slots=True, eq=False)
class Score(MadeAnew, NotTrueOrFalse):
    """What is to be said of one structure.

    >>> found = score(["2x4 (0,0,0)\\n2x4 (0,0,1)", "2x4 (0,0,0)\\n2x4 (9,9,3)"])
    >>> [one.answer for one in found], [int(value) for value in found[1].parts]
    (['stable', 'unstable'], [1, 0])
    """

    ASK_INSTEAD = "score.stands"

    answer: str  # stable, unstable, undecided, or refused: it is no structure
    utilization: float | None = None  # the least factor on all clutch strengths with which it stands
    names: tuple[str, ...] = ()  # of its parts
    parts: Array | None = None  # (parts,) from 0 to 1: what is spare at the busiest joint; 0 falls. None: refused
    falling: tuple[str, ...] = ()
    cells: Ints | None = None  # (k, 3) the cells that bricks on the grid fill: studs, studs, layers; None: not bricks
    owner: Ints | None = None  # (k,) the part of each cell
    why: str = ""  # it was refused, or is undecided
    fixes: tuple[
        Fix, ...
    ] = ()  # the cheapest found that mends it, in the order of doing; none asked for, needed, found

    @property
    def stands(self) -> bool:
        return self.answer == "stable"

    def voxels(self, shape: tuple[int, int, int] = (20, 20, 20)) -> Array:
        """The score of every cell of a grid, 1 where nothing is; cells outside it are left out."""
        grid = np.ones(shape)
        if self.cells is not None and self.owner is not None and self.parts is not None:
            inside = ((self.cells >= 0) & (self.cells < shape)).all(axis=1)
            grid[tuple(self.cells[inside].T)] = self.parts[self.owner[inside]]
        return grid


@verb()
def score(
    structures: Iterable[Structure],
    *,
    model: str = AUTO,
    repair: bool = False,
    pool: str | WorkPool | None = None,
    timeout_s: float | None = None,
) -> list[Score]:
    """Verdict, utilisation and a score for every part of many structures, in their order.

    structures  brick texts ("2x4 (0,0,0)" and the like, a line each), assemblies, or names of files
    model       by which law, as `check` has it
    repair      also look for what mends those that fall or are weak, as `falsework.repair` does; takes far longer
    pool        None: in this process; else as `batch` takes it, for thousands at a time
    timeout_s   the most seconds for one structure; after that it is undecided

    What is no structure is `refused`, and says why; the others are answered.

    >>> [one.answer for one in score(["examples/bridge.txt", "examples/stairs.txt", "2x4 (0,0"])]
    ['stable', 'unstable', 'refused']
    """
    scoring = Scoring(model, timeout_s, repair)
    if isinstance(structures, str | os.PathLike | Assembly):
        raise TypeError("score() takes several structures; falsework.check takes one")
    if pool is None:
        return [scoring(structure) for structure in structures]
    limits = UNLIMITED if timeout_s is None else Limits(timeout_s=2.0 * timeout_s + 1.0)
    found = {one.number: one for one in pool_named(pool).outcomes(scoring, structures, limits)}
    return [Score("undecided", why=found[n].lost) if found[n].lost else found[n].value for n in range(len(found))]


@dataclass(frozen=True, slots=True)
class Scoring:
    """Scores one structure."""

    model: str = AUTO
    timeout_s: float | None = None
    repair: bool = False

    def warm(self) -> None:
        """Machine code, once for all workers."""
        self("2x4 (0,0,0)\n2x4 (2,0,1)\n1x4 (0,0,2)")

    def __call__(self, structure: Structure) -> Score:
        try:
            assembly = _opened(structure)
            joints = interfaces(assembly)
            with many_to_come():
                verdict = answer(assembly, Question(self.model, timeout_s=self.timeout_s, also=False), joints)
        except BadInput as why:
            return Score("refused", why=str(why))
        except FalseworkError as why:
            return Score("undecided", why=str(why))
        return replace(_scored(assembly, joints, verdict), fixes=self._fixes(assembly))

    def _fixes(self, assembly: Assembly) -> tuple[Fix, ...]:
        """What mends it; nothing where the time for it is over."""
        if not self.repair:
            return ()
        try:
            with Deadline(self.timeout_s).kept():
                return repaired(assembly).fixes
        except Stopped:
            return ()


def _opened(structure: Structure) -> Assembly:
    if isinstance(structure, Assembly):
        return structure
    if isinstance(structure, str) and bricktext.STARTS_LIKE_BRICK.match(structure):
        return assembled(Recognised(Path("structure"), bricktext.FORMAT, text=structure), None)
    if isinstance(structure, str | os.PathLike):
        return load(structure)
    raise TypeError(f"found {shown(structure)}, expected a brick text, an Assembly or the path of a file")


def _scored(assembly: Assembly, joints: Interfaces, verdict: Verdict) -> Score:
    cells, owner = _cells(assembly)
    return Score(
        verdict.answer,
        verdict.utilization,
        assembly.names,
        part_scores(assembly, joints, verdict),
        verdict.falling,
        cells,
        owner,
        verdict.why,
    )


def part_scores(assembly: Assembly, joints: Interfaces, verdict: Verdict) -> Array:
    """(parts,) what is spare at the busiest joint of each part, 0 for those that fall; NaN where nobody knows."""
    spare = np.ones(len(assembly.bodies))
    if verdict.joint_utilization is not None:
        worked = np.where(np.isnan(verdict.joint_utilization), 0.0, verdict.joint_utilization)
        for side in (0, 1):
            np.minimum.at(spare, joints.clutches.bodies[:, side], 1.0 - worked)
    elif verdict.answer == "undecided":
        spare[:] = np.nan
    spare[[assembly.index[name] for name in verdict.falling]] = 0.0
    return np.clip(spare[: len(assembly.parts)], 0.0, 1.0)


def _cells(assembly: Assembly) -> tuple[Ints | None, Ints | None]:
    """The cells of the stud grid that bricks fill, and whose they are; None where parts are no such bricks."""
    cells, owner = [], []
    for number, part in enumerate(assembly.parts):
        if not isinstance(part.shape, BrickShape) or part.shape.kind.system != "system":
            return None, None
        measures = part.shape.kind.measures
        pitch = np.array([measures.pitch_m, measures.pitch_m, measures.brick_m])
        corners = part.T_world_part[:3, 3] + np.array([np.zeros(3), part.T_world_part[:3, :3] @ part.shape.kind.size_m])
        low, high = np.rint(np.sort(corners, axis=0) / pitch).astype(int)
        filled = np.stack(np.meshgrid(*map(np.arange, low, np.maximum(high, low + 1)), indexing="ij"), axis=-1)
        cells.append(filled.reshape(-1, 3))
        owner.append(np.full(filled[..., 0].size, number))
    return (np.concatenate(cells), np.concatenate(owner)) if cells else (None, None)
