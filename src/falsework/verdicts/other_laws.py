"""What other laws say of a state that stands by plain equilibrium.

Plain equilibrium lets parts press against each other as hard as friction needs. A Coulomb-consistent rest does not
(`statics/published/cra.py`), so what stands only because something is wedged slides by it. The other way round they
agree: a consistent rest has forces that balance. So only states that stand are asked about. Most of them are
settled by the forces that were found already: a few steps of Newton's method make them those of a consistent rest,
which is checked.
"""

from __future__ import annotations

from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Answer, Forces, Verdict


def other_answers(
    verdict: Verdict, assembly: Assembly, joints: Interfaces, state: State, timeout_s: float | None = None
) -> dict[str, Answer]:
    """By model, the answers that differ from a verdict of plain equilibrium; none where all agree."""
    forces = verdict.certificate
    contacts_only = not len(joints.clutches) and not len(joints.hinges)
    if not isinstance(forces, Forces) or not contacts_only or not joints.patches.friction.any():
        return {}
    from falsework.statics.published.cra import Cra  # brings scipy

    oracle = Cra(assembly, joints, timeout_s)
    if oracle.rests_near(state, forces.patch_forces):
        return {}
    answer = oracle.assess(state).answer
    return {} if answer == verdict.answer else {"cra": answer}


def disagreement(model: str, answer: Answer) -> str:
    """One sentence about what another law says of something that stands by plain equilibrium."""
    if answer == "undecided":
        return f"{model}: undecided; it may stand only because parts are wedged, and slide by Coulomb's law"
    return f"{model}: falls; it stands only if parts are wedged, and slides by Coulomb's law"
