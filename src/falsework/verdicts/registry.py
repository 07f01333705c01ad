"""The one list of stability models: what each asks, needs and promises, and how its oracle is made.

A model of your own is registered by `register`, or, so that the command line knows it too, by an entry point of the
group `falsework.stability_models` whose object is a `StabilityModel`. From then on `check`, `plan`, `verify` and the
contract tests take its name like any other.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass

from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, MissingExtra, did_you_mean, shown
from falsework.model.interfaces import Interfaces
from falsework.model.mortar import DRY, Mortar
from falsework.model.ports import StabilityOracle
from falsework.statics.core.friction_cones import Cone

AUTO = "auto"  # the first model of the convex core that fits
PLUGINS = "falsework.stability_models"  # the group of entry points


@dataclass(frozen=True, slots=True)
class Terms:
    """How an oracle is to answer, as far as its model has a choice.

    >>> Terms(timeout_s=2.0).cone
    'exact'
    """

    cone: Cone = "exact"  # of contacts; "8": the linear cones of seed 002, inside the true ones
    timeout_s: float | None = None  # undecided after so many, for one question
    compiled: bool = False  # many questions will be asked: machine code is worth loading
    mortar: Mortar = DRY  # strengths of joints, for `mortar`


USUAL = Terms()
Make = Callable[[Assembly, Interfaces, Terms], StabilityOracle]


@dataclass(frozen=True, slots=True)
class StabilityModel:
    """One law by which things stand; what it promises, its oracles promise (`model.ports.StabilityOracle`).

    >>> model_named("cra").asks
    'are there forces that a Coulomb-consistent rest has?'
    """

    name: str
    asks: str
    make: Make  # raises BadInput, "model NAME knows … only", where an assembly does not fit
    monotone_in_held: bool = False
    convex: bool = False
    is_core: bool = False  # the convex program: strengths, margins and the fast oracle of searches are about it
    needs: tuple[str, str] | None = None  # a library, and the extra that brings it
    falls_because: str = "No forces can balance it"
    motion_figure: str = "power"  # what the residual of a motion is
    criterion_source: str = "recomputed from the forces"

    def oracle(self, assembly: Assembly, joints: Interfaces, terms: Terms = USUAL) -> StabilityOracle:
        """The oracle of one assembly; `BadInput` that names the models which fit where this one does not."""
        if not self.is_usable and self.needs is not None:
            raise MissingExtra(*self.needs)
        try:
            return self.make(assembly, joints, terms)
        except BadInput as why:
            raise BadInput(f"{why}; use {_either(fitting(assembly, joints))}") from why

    @property
    def is_usable(self) -> bool:
        """Whether the library that it needs is installed."""
        return self.needs is None or importlib.util.find_spec(self.needs[0]) is not None

    def misfit(self, assembly: Assembly, joints: Interfaces) -> str:
        """Why it has nothing to say about an assembly; empty where it fits."""
        try:
            self.make(assembly, joints, USUAL)
        except BadInput as why:
            return str(why)
        return ""


def models() -> tuple[StabilityModel, ...]:
    """Every model that is registered, those of the convex core first.

    >>> [model.name for model in models() if model.is_core]
    ['blocks', 'snapfit']
    """
    return tuple(_MODELS.values())


def register(model: StabilityModel) -> None:
    """Make a model known by its name.

    >>> import dataclasses, falsework
    >>> register(dataclasses.replace(model_named("blocks"), name="mine", is_core=False))
    >>> falsework.check("examples/arch.yaml", model="mine").model
    'mine'
    >>> unregister("mine")
    """
    if model.name in (AUTO, *_MODELS):
        raise BadInput(f"model {shown(model.name)}: there is one of this name already; give yours another")
    _MODELS[model.name] = model


def unregister(name: str) -> None:
    """Forget a model that was registered.

    >>> register(StabilityModel("nobody's", "does it?", _nothing))
    >>> unregister("nobody's")
    """
    if name in _BUILT_IN or name not in _MODELS:
        raise BadInput(f"model {shown(name)} was not registered, so it cannot be forgotten")
    del _MODELS[name]


def model_named(name: str) -> StabilityModel:
    """The model of this name; `BadInput` with the nearest one where nobody knows it.

    >>> model_named("snapfit").convex
    True
    """
    if name not in _MODELS:
        _load_plugins()
    if name not in _MODELS:
        raise BadInput(f"model {shown(name)}: {did_you_mean(name, (AUTO, *_MODELS))}")
    return _MODELS[name]


def model_for(name: str, assembly: Assembly, joints: Interfaces) -> StabilityModel:
    """The model of this name, or for `auto` the first of the convex core that fits."""
    if name != AUTO:
        return model_named(name)
    return next(model for model in models() if model.is_core and not model.misfit(assembly, joints))


def fitting(assembly: Assembly, joints: Interfaces) -> tuple[str, ...]:
    """The names of the models that have something to say about an assembly; of the convex core only the first."""
    fit = [model for model in models() if model.is_usable and not model.misfit(assembly, joints)]
    core = [model.name for model in fit if model.is_core][:1]
    return (*core, *(model.name for model in fit if not model.is_core))


def _either(names: tuple[str, ...]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def usual_model(assembly: Assembly) -> str:
    """The name of the model for what these parts are, before anybody has looked where they touch."""
    return "snapfit" if any(part.is_brick for part in assembly.parts) else "blocks"


def described(name: str) -> StabilityModel:
    """The model that signed a verdict, or one that says no more than its name."""
    return _MODELS.get(name) or StabilityModel(name, "", _nothing)


def _load_plugins() -> None:
    for entry in importlib.metadata.entry_points(group=PLUGINS):
        made = entry.load()
        if not isinstance(made, StabilityModel):
            raise BadInput(f"entry point {shown(entry.name)} of {PLUGINS}: {shown(made)} is not a StabilityModel")
        if made.name not in _MODELS:
            register(made)


def _nothing(assembly: Assembly, joints: Interfaces, terms: Terms) -> StabilityOracle:
    raise BadInput("this model is not registered")


def _blocks(assembly: Assembly, joints: Interfaces, terms: Terms) -> StabilityOracle:
    if len(joints.clutches):
        raise BadInput(f"model blocks knows no clutches, and this has {len(joints.clutches)}")
    return _snapfit(assembly, joints, terms)


def _snapfit(assembly: Assembly, joints: Interfaces, terms: Terms) -> StabilityOracle:
    from falsework.statics.core.eight_edges import EightEdges
    from falsework.statics.core.equilibrium import Equilibrium

    return EightEdges(assembly, joints) if terms.cone == "8" else Equilibrium(assembly, joints, compiled=terms.compiled)


def _cra(assembly: Assembly, joints: Interfaces, terms: Terms) -> StabilityOracle:
    from falsework.statics.published.cra import Cra
    from falsework.statics.published.with_play import WithPlay

    return (WithPlay if joints.patches.has_play else Cra)(assembly, joints, terms.timeout_s)


def _bricksim(assembly: Assembly, joints: Interfaces, terms: Terms) -> StabilityOracle:
    from falsework.statics.published.bricksim import BrickSim

    return BrickSim(assembly, joints, timeout_s=terms.timeout_s)


def _stablelego(assembly: Assembly, joints: Interfaces, terms: Terms) -> StabilityOracle:
    from falsework.statics.published.stablelego import StableLego

    return StableLego(assembly, joints, terms.timeout_s)


def _mortar(assembly: Assembly, joints: Interfaces, terms: Terms) -> StabilityOracle:
    from falsework.statics.mortar.oracle import MortarOracle

    return MortarOracle(assembly, joints, terms.mortar, terms.timeout_s)


def _simulated(assembly: Assembly, joints: Interfaces, terms: Terms) -> StabilityOracle:
    from falsework.engine.simulated_check import SimulatedCheck

    return SimulatedCheck(assembly, joints, timeout_s=terms.timeout_s)


def _core(name: str, asks: str, make: Make) -> StabilityModel:
    return StabilityModel(name, asks, make, monotone_in_held=True, convex=True, is_core=True)


_BUILT_IN = {
    model.name: model
    for model in (
        _core("blocks", "are there forces at the contacts?", _blocks),
        _core("snapfit", "are there forces at contacts and clutches?", _snapfit),
        StabilityModel(
            "cra",
            "are there forces that a Coulomb-consistent rest has?",
            _cra,
            falls_because="It cannot rest with Coulomb friction",
            motion_figure="complementarity",
        ),
        StabilityModel(
            "mortar",
            "are there forces that joints with cohesion and crushing strength bear?",
            _mortar,
            monotone_in_held=True,
            convex=True,
            falls_because="No forces that its joints bear can balance it",
        ),
        StabilityModel("bricksim", "does the published test of BrickSim pass?", _bricksim),
        StabilityModel("stablelego", "does the published test of StableLego pass?", _stablelego),
        StabilityModel(
            "simulated",
            "does anything move when it is let go?",
            _simulated,
            needs=("mujoco", "engine"),
            criterion_source="as simulated",
        ),
    )
}
_MODELS = dict(_BUILT_IN)
