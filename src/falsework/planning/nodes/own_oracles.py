"""A stability oracle that a caller passes to `plan`, `replan` and `verify`, in place of a model of the registry.

It was made for one assembly, as it stands. Where planning asks about others (turned over on a table, parts in a hand,
groups that are built apart) it takes a model, which makes an oracle for each: register one (`verdicts.registry`).
"""

from __future__ import annotations

from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown
from falsework.model.interfaces import Interfaces
from falsework.model.ports import StabilityOracle
from falsework.verdicts.registry import StabilityModel, Terms

OWN = "own:"  # how plan files tell such an oracle from a model


def own_model(oracle: StabilityOracle, assembly: Assembly) -> StabilityModel:
    """The oracle as a model that knows this assembly only."""

    def make(asked: Assembly, joints: Interfaces, terms: Terms) -> StabilityOracle:
        del joints, terms
        if asked is not assembly:
            raise BadInput(
                f"oracle {type(oracle).__name__} knows the assembly as it stands, and is asked about parts of it in a "
                "hand, apart or turned over; register a StabilityModel that makes such oracles"
            )
        return oracle

    return StabilityModel(model_name(oracle), "what its maker asks", make, oracle.monotone_in_held, oracle.convex)


def model_name(oracle: StabilityOracle) -> str:
    """What a plan calls its model if it was made by this oracle."""
    lacking = [word for word in ("assess", "monotone_in_held", "convex") if not hasattr(oracle, word)]
    if lacking:
        raise BadInput(f"oracle {shown(oracle)} has no {lacking[0]}; see StabilityOracle in model/ports.py")
    return OWN + type(oracle).__name__


def require_oracle(model: str, oracle: StabilityOracle | None) -> None:
    """`BadInput` where a plan was made by an oracle of its maker's and there is none."""
    if oracle is None and model.startswith(OWN):
        name = model.removeprefix(OWN)
        raise BadInput(f"it was planned with an oracle of its maker's own, {shown(name)}; pass such a one: oracle=…")
