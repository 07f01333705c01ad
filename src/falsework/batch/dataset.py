"""`as_dataset`: states of assemblies, each labelled stable or not, for whoever learns from them; needs pyarrow.

Two Parquet files: `states.parquet` with a row for each state, `assemblies.parquet` with what the parts are and which of
them touch. Labels are proved, as every answer is; what stays undecided has none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from falsework.formats.basics.atomic import beside
from falsework.formats.opening import READING, Reading, Source, opened
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.bits import flags
from falsework.model.errors import BadFile, BadInput, shown
from falsework.model.extras import library
from falsework.model.shapes import corners
from falsework.model.state import State
from falsework.model.verbs import verb
from falsework.verdicts.many import check_many

LABELS = {"stable": True, "unstable": False, "undecided": None}


@dataclass(frozen=True, slots=True)
class Dataset:
    """What was written.

    >>> Dataset(Path("states.parquet"), Path("assemblies.parquet"), 10, 7, 3).undecided
    0
    """

    states: Path
    assemblies: Path
    count: int
    stable: int
    unstable: int

    @property
    def undecided(self) -> int:
        return self.count - self.stable - self.unstable


@verb(*READING)
def as_dataset(
    sources: Iterable[Source],
    folder: str | os.PathLike[str],
    *,
    states: int = 100,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Dataset:
    """Random states of assemblies, or of those in files, labelled stable or not; in Parquet.

    folder  where states.parquet and assemblies.parquet go
    states  of each assembly: some parts absent, some held, how many is itself random, none twice
    seed    random seed

    The other options are those of `load`. Masks are lists of truth values over the parts, in their order.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as made:
    ...     found = as_dataset(["examples/arch.yaml"], made, states=20)
    >>> found.count, found.undecided
    (20, 0)
    """
    pyarrow, parquet = library("pyarrow"), library("pyarrow.parquet")
    if states < 1:
        raise BadInput(f"states: found {shown(states)}, expected a whole number above 0")
    if isinstance(sources, str | os.PathLike | Assembly):
        raise TypeError("as_dataset() takes several assemblies or files, in a list")
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    about: list[dict[str, Any]] = []
    for number, source in enumerate(sources):
        assembly = opened(source, reading)
        name = f"assembly-{number}" if isinstance(source, Assembly) else os.fspath(source)
        about.append({"assembly": number, "source": name, **_described(assembly)})
        drawn = sampled(assembly, states, rng)
        for state, verdict in zip(drawn, check_many(assembly, drawn, proofs=False), strict=True):
            rows.append({"assembly": number, **_masks(assembly, state), "stable": LABELS[verdict.answer]})
    target = Path(folder)
    for file, content, schema in (
        ("states.parquet", rows, _states_schema(pyarrow)),
        ("assemblies.parquet", about, _assemblies_schema(pyarrow)),
    ):
        _write(parquet, pyarrow.Table.from_pylist(content, schema=schema), target / file)
    labels = [row["stable"] for row in rows]
    return Dataset(
        target / "states.parquet", target / "assemblies.parquet", len(rows), labels.count(True), labels.count(False)
    )


def sampled(assembly: Assembly, count: int, rng: np.random.Generator) -> list[State]:
    """States that differ; fewer where there are not so many. First as much is there as not, so that both are common."""
    free = np.array([part.name not in assembly.fixed for part in assembly.parts])
    found: dict[State, None] = {}
    for _ in range(20 * count):
        if len(found) == count:
            break
        absent = free & (rng.random(len(free)) < rng.uniform(0.0, 0.6))
        held = free & ~absent & (rng.random(len(free)) < rng.uniform(0.0, 0.3))
        masks = (int(sum(1 << int(n) for n in np.flatnonzero(mask))) for mask in (held, absent))
        found.setdefault(State.complete(assembly, *masks))
    return list(found)


def _masks(assembly: Assembly, state: State) -> dict[str, Any]:
    count = len(assembly.parts)
    return {
        "installed": flags(state.installed, len(assembly.bodies))[:count].tolist(),
        "held": flags(state.held, len(assembly.bodies))[:count].tolist(),
    }


def _described(assembly: Assembly) -> dict[str, Any]:
    """What the parts are, and the pairs that touch; −1 is the ground."""
    count = len(assembly.parts)
    joints = interfaces(assembly)
    pairs = np.concatenate([joints.patches.bodies, joints.clutches.bodies, joints.hinges.bodies])
    kinds = ["contact"] * len(joints.patches) + ["clutch"] * len(joints.clutches) + ["hinge"] * len(joints.hinges)
    return {
        "names": list(assembly.names),
        "fixed": [name in assembly.fixed for name in assembly.names],
        "mass_kg": assembly.masses_kg[:count].tolist(),
        "com_m": assembly.coms_m[:count].tolist(),
        "T_world_part": assembly.poses[:count].reshape(count, 16).tolist(),
        "size_m": [np.ptp(corners(part.shape), axis=0).tolist() for part in assembly.parts],
        "pairs": np.where(pairs >= count, -1, pairs).tolist(),
        "pair_kinds": kinds,
        "friction": assembly.friction,
    }


def _states_schema(arrow: Any) -> Any:
    masks = arrow.list_(arrow.bool_())
    return arrow.schema([("assembly", arrow.int32()), ("installed", masks), ("held", masks), ("stable", arrow.bool_())])


def _assemblies_schema(arrow: Any) -> Any:
    numbers = arrow.list_(arrow.float64())
    return arrow.schema(
        [
            ("assembly", arrow.int32()),
            ("source", arrow.string()),
            ("names", arrow.list_(arrow.string())),
            ("fixed", arrow.list_(arrow.bool_())),
            ("mass_kg", numbers),
            ("com_m", arrow.list_(numbers)),
            ("T_world_part", arrow.list_(numbers)),
            ("size_m", arrow.list_(numbers)),
            ("pairs", arrow.list_(arrow.list_(arrow.int32()))),
            ("pair_kinds", arrow.list_(arrow.string())),
            ("friction", arrow.float64()),
        ]
    )


def _write(parquet: Any, table: Any, path: Path) -> None:
    making = beside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(table, making, compression="zstd")
        making.replace(path)
    except OSError as why:
        raise BadFile(path, "", f"cannot be written: {why.strerror or why}") from why
    finally:
        making.unlink(missing_ok=True)
