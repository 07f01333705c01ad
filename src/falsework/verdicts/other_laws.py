"""What other laws say of a state that stands by plain equilibrium.

Plain equilibrium lets parts press against each other as hard as friction needs. A Coulomb-consistent rest does not
(`statics/published/cra.py`), so what stands only because something is wedged slides by it. The other way round they
agree: a consistent rest has forces that balance. So only states that stand are asked about. Most of them are
settled by the forces that were found already: a few steps of Newton's method make them those of a consistent rest,
which is checked.

Fits that have play are another matter. There plain equilibrium lets a shaft press against both sides of a hole at once,
which it cannot reach. What stands so is judged by the other law (`judged_with_play`), and the answer tells both.
"""

from __future__ import annotations

from dataclasses import replace

from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Answer, Forces, Motion, Verdict
from falsework.statics.core.speeds import falling


def other_answers(
    verdict: Verdict, assembly: Assembly, joints: Interfaces, state: State, timeout_s: float | None = None
) -> dict[str, Answer]:
    """By model, the answers that differ from a verdict of plain equilibrium; none where all agree."""
    forces = verdict.certificate
    if not isinstance(forces, Forces) or not _contacts_only(joints) or not joints.patches.friction.any():
        return {}
    if joints.patches.has_play:
        answer = _with_play(assembly, joints, state, timeout_s).answer
        return {} if answer == verdict.answer else {"cra": answer}
    from falsework.statics.published.cra import Cra  # brings scipy

    oracle = Cra(assembly, joints, timeout_s)
    if oracle.rests_near(state, forces.patch_forces):
        return {}
    answer = oracle.assess(state).answer
    return {} if answer == verdict.answer else {"cra": answer}


def judged_with_play(
    verdict: Verdict, assembly: Assembly, joints: Interfaces, state: State, timeout_s: float | None = None
) -> Verdict:
    """A verdict of plain equilibrium, or where it stands by that and its fits have play, what `cra` says of it."""
    if not (verdict.stands and judges_play(joints)):
        return verdict
    judged = _with_play(assembly, joints, state, timeout_s)
    if judged.stands:
        return replace(verdict, certificate=judged.certificate, residual=judged.residual)
    if isinstance(judged.certificate, Motion):
        judged = replace(judged, falling=falling(assembly, state, judged.certificate.twists))
    return replace(judged, also={verdict.model: verdict.answer})


def judges_play(joints: Interfaces) -> bool:
    """Whether there are fits with play, and `cra` knows all the interfaces."""
    return joints.patches.has_play and _contacts_only(joints)


def _contacts_only(joints: Interfaces) -> bool:
    return not len(joints.clutches) and not len(joints.hinges)


def _with_play(assembly: Assembly, joints: Interfaces, state: State, timeout_s: float | None) -> Verdict:
    from falsework.statics.published.with_play import WithPlay  # brings scipy

    return WithPlay(assembly, joints, timeout_s).assess(state)


def disagreement(model: str, answer: Answer) -> str:
    """One sentence about what another law says of something."""
    if answer == "stable":
        return f"{model}: stands by plain equilibrium, if it could wedge itself in fits that have play"
    if answer == "undecided":
        return f"{model}: undecided; it may stand only because parts are wedged, and slide by Coulomb's law"
    return f"{model}: falls; it stands only if parts are wedged, and slides by Coulomb's law"
