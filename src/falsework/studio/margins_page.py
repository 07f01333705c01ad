"""The page of margins: the check, and how far it is from falling, part by part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.model.assembly import Assembly, Load
from falsework.model.figures import above, below, count, degrees, friction, listed, lower, percent, probability, upper
from falsework.model.interfaces import Interfaces
from falsework.model.provenance import Provenance
from falsework.model.verdict import Verdict
from falsework.studio.check_page import check_scene
from falsework.studio.proofs import told
from falsework.studio.scene import Column, Headline, Scalar, Scene, Table
from falsework.studio.tables import known, round_up
from falsework.verdicts.margins import Margins

NAMED = 6  # parts in a line of text; more are counted
FALLING = "Falls without it"


def margins_scene(
    assembly: Assembly,
    joints: Interfaces,
    margins: Margins,
    title: str,
    *,
    held: tuple[str, ...] = (),
    absent: tuple[str, ...] = (),
    loads: tuple[Load, ...] = (),
    provenance: Provenance | None = None,
) -> Scene:
    """The scene of `falsework margins`: that of the check, coloured by what would fall without each part.

    >>> import falsework
    >>> arch = falsework.load("examples/arch.yaml")
    >>> margins_scene(arch, falsework.interfaces(arch), falsework.margins(arch, only="friction"), "arch").title
    'arch'
    """
    verdict = _whole(assembly, joints, margins)
    checked = check_scene(
        assembly, joints, verdict, title, held=held, absent=absent, loads=loads, provenance=provenance
    )
    needed = _needed(assembly, margins)
    stands = margins.verdict.answer == "stable"
    tables = (_loads(assembly, margins), _tilts(margins), _without(assembly, margins), _weakest(assembly, margins))
    return replace(
        checked,
        headline=Headline(checked.headline.tone, checked.headline.word, _sentence(margins, checked.headline.sentence)),
        facts=(*checked.facts, *_facts(assembly, margins)),
        scalars=(*checked.scalars, *([needed] if needed is not None else [])),
        tables=(*(table for table in tables if table is not None), *checked.tables),
        color_by=FALLING if stands and needed is not None else checked.color_by,
    )


def _whole(assembly: Assembly, joints: Interfaces, margins: Margins) -> Verdict:
    """The verdict with what its proof and the limit analysis say of parts and joints."""
    verdict = told(assembly, joints, margins.state, margins.verdict)
    strength = margins.strength
    if strength is None:
        return verdict
    shares = strength.joints if np.isfinite(strength.joints).any() else None
    return replace(verdict, utilization=strength.utilization, unbounded=strength.unbounded, joint_utilization=shares)


def _sentence(margins: Margins, otherwise: str) -> str:
    """The margins that matter most, in one line."""
    words = []
    if margins.strength is not None and margins.strength.utilization is not None:
        words.append(f"needs {percent(margins.strength.utilization)} of the clutch strength")
    if margins.friction is not None and margins.friction.stands is not None:
        words.append(f"needs friction {upper(margins.friction.stands)}")
    falls = [tilt.degrees.stands for tilt in margins.tilts if tilt.degrees.stands is not None]
    if falls:
        words.append(f"bears a tilt of {degrees(below(min(falls), 2))}")
    if margins.verdict.answer != "stable" or not words:
        return otherwise
    return f"It {', '.join(words)}."


def _facts(assembly: Assembly, margins: Margins) -> list[tuple[str, str]]:
    facts = []
    if margins.friction is not None:
        facts.append(("Friction needed", friction(margins.friction.stands, margins.friction.falls)))
    if margins.holding is not None:
        holding = margins.holding
        names = "more hands than asked for" if holding.held is None else listed(assembly.named(holding.held), NAMED)
        facts.append(("Hold" if holding.exact else "Hold (a smaller set may be enough)", names or "nothing"))
    if margins.chance is not None:
        facts.append(("Stands with probability", probability(margins.chance.low, margins.chance.high)))
    return facts


def _needed(assembly: Assembly, margins: Margins) -> Scalar | None:
    """How many parts fall without each."""
    if not margins.without:
        return None
    fallen = np.full(len(assembly.bodies), np.nan)
    for part, names in margins.without.items():
        if names is not None:
            fallen[assembly.index[part]] = len(names)
    return Scalar(FALLING, "parts", fallen, 0.0, max(1.0, round_up(fallen)))


def _loads(assembly: Assembly, margins: Margins) -> Table | None:
    if not margins.loads:
        return None
    rows = margins.loads
    columns = (
        Column("Part", "part", tuple(assembly.index[one.part] for one in rows)),
        *(
            Column(f"towards {axis}", "number", tuple(known(float(one.direction[k])) for one in rows))
            for k, axis in enumerate("xyz")
        ),
        Column("Bears (N)", "number", tuple(_lower(one.newtons.stands) for one in rows)),
        Column("Falls at (N)", "number", tuple(_upper(one.newtons.falls) for one in rows)),
    )
    least = min((one.newtons.stands for one in rows if one.newtons.stands is not None), default=None)
    return Table(
        "Greatest loads",
        columns,
        "" if least is None else f"The least of them: {lower(least)} N.",
    )


def _tilts(margins: Margins) -> Table | None:
    if not margins.tilts:
        return None
    rows = margins.tilts
    columns = (
        *(
            Column(f"axis {axis}", "number", tuple(known(float(tilt.axis[k])) for tilt in rows))
            for k, axis in enumerate("xyz")
        ),
        Column("Stands at (°)", "number", tuple(_lower(tilt.degrees.stands, 2) for tilt in rows)),
        Column("Falls at (°)", "number", tuple(_upper(tilt.degrees.falls, 2) for tilt in rows)),
        Column("Every angle between", "text", tuple("proved" if tilt.proved else "looked at" for tilt in rows)),
    )
    return Table("Tilt", columns)


def _without(assembly: Assembly, margins: Margins) -> Table | None:
    """Parts whose loss lets most fall come first."""
    if not margins.without:
        return None
    rows = sorted(margins.without.items(), key=lambda row: -len(row[1] or ()))
    columns = (
        Column("Without", "part", tuple(assembly.index[part] for part, _ in rows)),
        Column("Parts that fall", "number", tuple(None if names is None else len(names) for _, names in rows)),
        Column("They are", "text", tuple("undecided" if names is None else listed(names, NAMED) for _, names in rows)),
    )
    spared = sum(names == () for _, names in rows)
    return Table(FALLING, columns, f"{count(spared, 'part')} can go without anything falling.")


def _weakest(assembly: Assembly, margins: Margins) -> Table | None:
    if margins.weakest is None or not margins.weakest.pairs:
        return None
    sides = [tuple(assembly.index[pair[side]] for pair in margins.weakest.pairs) for side in (0, 1)]
    return Table("Gives way first", (Column("Part", "part", sides[0]), Column("and", "part", sides[1])))


def _lower(value: float | None, decimals: int | None = None) -> float | None:
    return None if value is None else known(below(value, decimals))


def _upper(value: float | None, decimals: int | None = None) -> float | None:
    return None if value is None else known(above(value, decimals))
