"""The page of a check: the verdict, the forces that prove it or the motion that refutes it."""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly, Load
from falsework.model.figures import count, listed, mass, milliseconds, of_the_load, percent
from falsework.model.interfaces import Interfaces
from falsework.model.provenance import Provenance
from falsework.model.verdict import Forces, Motion, Verdict
from falsework.studio.contact_forces import ContactForces, contact_forces
from falsework.studio.drawing import Drawing, drawing, redrawn
from falsework.studio.provenance import provenance_rows
from falsework.studio.scene import Column, FirstMotion, Headline, Joints, Parts, Scalar, Scene, Table
from falsework.studio.tables import MAX_ROWS, known, parts_table, round_up, shortened, without_noise
from falsework.verdicts.missing_contacts import sentence
from falsework.verdicts.other_laws import disagreement
from falsework.verdicts.registry import described

MOTION_NOTE = (
    "The motion that proves no forces can balance it, enlarged. Where parts slide they also lift off: "
    "it is a proof, not a film of the fall."
)
NAMED = 5  # falling parts in the headline; more are counted
LEAST_SHARE = 0.01  # the end of the scale of utilisation is never less: below it nothing is loaded


def check_scene(
    assembly: Assembly,
    joints: Interfaces,
    verdict: Verdict,
    title: str,
    *,
    held: tuple[str, ...] = (),
    absent: tuple[str, ...] = (),
    loads: tuple[Load, ...] = (),
    provenance: Provenance | None = None,
    drawn: Drawing | None = None,
    margin_known: bool = True,
) -> Scene:
    """The scene of `falsework check`, from what was asked and what was answered.

    `drawn` is the assembly as it was drawn before; without `margin_known` the margin is still being looked for.

    >>> import falsework
    >>> arch = falsework.load("examples/arch.yaml")
    >>> check_scene(arch, falsework.interfaces(arch), falsework.check(arch), "arch").headline.word
    'Stands'
    """
    states = (frozenset(held), frozenset(absent), frozenset(verdict.falling))
    drawn = drawing(assembly, *states) if drawn is None else redrawn(drawn, assembly, *states)
    forces = None
    if isinstance(verdict.certificate, Forces):
        proved = joints if verdict.about is None else verdict.about
        forces = contact_forces(assembly, proved, verdict.certificate, frozenset(absent), loads)
    drawn_joints = _joints(assembly, joints, verdict)
    scalars = _scalars(drawn.parts, joints, verdict, forces)
    motion = verdict.certificate.twists if isinstance(verdict.certificate, Motion) else None
    tables = [
        *([_connections(drawn_joints)] if drawn_joints is not None else []),
        *([forces.table] if forces is not None and forces.table is not None else []),
        *([_falling(drawn.parts, motion)] if motion is not None else []),
        parts_table(drawn.parts, scalars),
    ]
    return Scene(
        kind="check",
        title=title,
        headline=_headline(assembly, verdict),
        meshes=drawn.meshes,
        parts=drawn.parts,
        facts=_facts(assembly, joints, verdict, margin_known),
        notes=(*_notes(verdict), *drawn.notes),
        arrows=None if forces is None else forces.arrows,
        motion=None if motion is None else FirstMotion(motion, MOTION_NOTE),
        scalars=tuple(scalars),
        joints=drawn_joints,
        tables=tuple(tables),
        provenance=provenance_rows(provenance),
        color_by="state" if motion is not None else _worth_colouring(scalars),
    )


def _headline(assembly: Assembly, verdict: Verdict) -> Headline:
    proved = isinstance(verdict.certificate, (Forces, Motion))
    if verdict.answer != "undecided" and not proved:
        stands = verdict.answer == "stable"
        passed = f"By the published test of {verdict.model}, which is weaker than a proof."
        return Headline("yes" if stands else "no", "Stands" if stands else "Falls", passed)
    if verdict.answer == "stable":
        if verdict.utilization is None:
            return Headline("yes", "Stands", "Forces that balance every part were found and checked.")
        share = percent(verdict.utilization)
        return Headline("yes", "Stands", f"It needs {share} of the clutch strength it has.")
    if verdict.answer == "unstable":
        named = f": {listed(verdict.falling, NAMED)}" if verdict.falling else ""
        falling = f"{count(len(verdict.falling), 'part')} of {count(len(assembly.parts))} fall{named}."
        missing = sentence(verdict.missing)
        told = f"{missing}. " if missing else ""
        return Headline("no", "Falls", f"{told}{described(verdict.model).falls_because}; {falling}")
    return Headline("open", "Undecided", verdict.why or "Neither forces nor a motion could be proved.")


def _facts(assembly: Assembly, joints: Interfaces, verdict: Verdict, margin_known: bool) -> tuple[tuple[str, str], ...]:
    facts = [("Model", verdict.model), ("Parts", count(len(assembly.parts))), ("Mass", mass(assembly.mass_kg))]
    if len(joints.clutches):
        facts.append(("Clutches", count(len(joints.clutches))))
        margin = "none suffices" if verdict.unbounded else "not found" if margin_known else "…"
        facts.append(("Strength needed", margin if verdict.utilization is None else percent(verdict.utilization)))
    kinds = joints.counts()
    if len(joints.patches):
        facts.append(("Contacts", count(kinds["contacts"])))
    facts += [(kind.title(), count(kinds[kind])) for kind in ("edges", "corners", "ambiguous") if kinds[kind]]
    if len(joints.patches):
        facts.append(("Friction μ", f"{assembly.friction:g}"))
    if len(joints.hinges):
        facts.append(("Hinges", count(len(joints.hinges))))
    if verdict.residual is not None:
        figure = described(verdict.model).motion_figure.capitalize()
        proofs: tuple[tuple[type, str], ...] = ((Forces, "Imbalance"), (Motion, figure))
        what = next((label for kind, label in proofs if isinstance(verdict.certificate, kind)), "Residual")
        facts.append((what, of_the_load(verdict.residual)))
    facts.append(("Build + solve", f"{milliseconds(verdict.build_ms)} + {milliseconds(verdict.solve_ms)}"))
    return tuple(facts)


def _notes(verdict: Verdict) -> tuple[str, ...]:
    notes = [f"By the model {disagreement(model, answer)}." for model, answer in verdict.also.items()]
    return (*notes, *(() if verdict.calibrated else ("The clutch strength of these bricks has not been calibrated.",)))


def _joints(assembly: Assembly, joints: Interfaces, verdict: Verdict) -> Joints | None:
    clutches = joints.clutches
    if not len(clutches):
        return None
    shares = np.full(len(clutches), np.nan) if verdict.joint_utilization is None else verdict.joint_utilization
    names = [body.name for body in assembly.bodies]
    broken = set(verdict.breaking)
    breaking = [(names[a], names[b]) in broken for a, b in clutches.bodies.tolist()]
    return Joints(clutches.bodies, clutches.T_world_clutch[:, :3, 3], shares, np.array(breaking, dtype=bool))


def _scalars(parts: Parts, joints: Interfaces, verdict: Verdict, forces: ContactForces | None) -> list[Scalar]:
    scalars = []
    ground = np.array([role == "ground" for role in parts.role])
    shares = verdict.joint_utilization
    if shares is not None and np.isfinite(shares).any():
        worst = np.where(ground, np.nan, _worst(len(parts), joints.clutches.bodies, shares))
        scalars.append(Scalar("Utilisation", "%", worst, 0.0, max(LEAST_SHARE, round_up(worst))))
    if forces is not None and forces.on_part_n.max(initial=0.0) > 0:
        felt = np.where(ground, np.nan, forces.on_part_n)
        scalars.append(Scalar("Contact force", "N", felt, 0.0, round_up(felt)))
    return scalars


def _worth_colouring(scalars: list[Scalar]) -> str:
    """Utilisation, where there is some to see."""
    loaded = [scalar.label for scalar in scalars if scalar.unit == "%" and np.nanmax(scalar.values) >= LEAST_SHARE]
    return loaded[0] if loaded else "part"


def _worst(count: int, bodies: Ints, values: Array) -> Array:
    """(count,) the largest value at any joint of each part, NaN where there is none."""
    worst = np.full(count, -np.inf)
    there = np.isfinite(values)
    for side in (0, 1):
        np.maximum.at(worst, bodies[there, side], values[there])
    return np.where(np.isfinite(worst), worst, np.nan)


def _connections(joints: Joints) -> Table:
    """Most loaded first; what breaks before all."""
    key = np.where(np.isfinite(joints.utilization), joints.utilization, -1.0) + 1e9 * joints.breaking
    order = np.argsort(-key, kind="stable")[:MAX_ROWS].tolist()
    shares = [known(float(joints.utilization[row])) for row in order]
    state = ["breaks" if joints.breaking[row] else "" for row in order]
    columns = [
        Column("Stud side", "part", tuple(int(joints.bodies[row, 0]) for row in order)),
        Column("Hole side", "part", tuple(int(joints.bodies[row, 1]) for row in order)),
        Column("Utilisation", "share", tuple(shares)),
        *([Column("State", "text", tuple(state))] if any(state) else []),
    ]
    return Table("Connections", tuple(columns), shortened(len(joints), "most loaded"))


def _falling(parts: Parts, twists: Array) -> Table:
    rows = np.flatnonzero(parts.falling)
    rows = rows[np.argsort(-np.linalg.norm(twists[rows, :3], axis=1), kind="stable")][:MAX_ROWS].tolist()
    felt = without_noise(twists)
    speeds = [[known(float(value)) for value in felt[row]] for row in rows]
    labels = ("ax (m/s²)", "ay (m/s²)", "az (m/s²)", "αx (rad/s²)", "αy (rad/s²)", "αz (rad/s²)")
    axes = [Column(label, "number", tuple(speed[axis] for speed in speeds)) for axis, label in enumerate(labels)]
    columns = (Column("Part", "part", tuple(rows)), *axes)
    return Table("Falling", columns, shortened(int(parts.falling.sum()), "fastest"))
