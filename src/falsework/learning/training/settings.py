"""How a net is trained: numbers as data, with those of seed 002 beside ours."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from falsework.learning.nets.policy_file import Kind
from falsework.model.errors import BadInput, did_you_mean, shown

Curriculum = Literal["ranked", "rising", "none"]
Tasks = Literal["states", "targets"]
Teacher = Literal["play", "labels", "relabel"]
DROPS = {"published": (40, 80), "perceptron": (400, 800)}  # updates after which the rate drops, by net


@dataclass(frozen=True, slots=True)
class Settings:
    """Of one run. A run with the same settings, seed and updates gives the same weights.

    net         which net
    tasks       "states": take everything apart; "targets": down to any target (5.3), with hindsight
    curriculum  which starts to play from: "ranked" by how badly they went, new ones first, as the seed's code has it;
                "rising" numbers of parts, as its text has it; "none": from the whole only, as in Fig. 6
    teacher     "play": PPO; "labels": exact labels of the starts; "relabel": of all that the policy gets into, too
    rollouts    episodes an update; learned from in `epochs` passes, `minibatch` situations at a time
    drops       updates after which the rate of learning is a tenth of what it was

    >>> Settings().curriculum
    'ranked'
    """

    net: Kind = "compact"
    tasks: Tasks = "states"
    curriculum: Curriculum = "ranked"
    teacher: Teacher = "play"
    rollouts: int = 256
    minibatch: int = 128
    epochs: int = 4
    rate: float = 2e-3
    drops: tuple[int, ...] = (100, 200)
    clip: float = 0.2
    discount: float = 0.95
    trace: float = 0.95  # of generalised advantages
    value_weight: float = 0.5
    entropy: float = 0.005
    most_entropy: float = 0.01  # for starts that failed
    momenta: tuple[float, float] = (0.95, 0.999)
    steepest: float = 0.5  # norm at which gradients are cut
    rank_power: float = 0.8
    raise_at: float = 0.8  # of a rising curriculum: share of episodes won at which parts are added
    stop_at: float = 1.0  # accuracy on the training states at which it is over, if nine of ten episodes are won too
    widths: tuple[int, int] = (64, 128)

    def __post_init__(self) -> None:
        for name, allowed in (("curriculum", Curriculum), ("tasks", Tasks), ("teacher", Teacher), ("net", Kind)):
            found = getattr(self, name)
            if found not in get_args(allowed):
                raise BadInput(f"{name} {shown(found)}: {did_you_mean(str(found), get_args(allowed))}")
        for name in ("rollouts", "minibatch", "epochs"):
            if not 1 <= getattr(self, name) <= 1_000_000:
                raise BadInput(f"{name}: found {shown(getattr(self, name))}, expected 1 to 1000000")
        if not 0 < self.rate < 1 or not 0 < self.discount <= 1:
            raise BadInput(f"rate {self.rate}, discount {self.discount}: expected numbers between 0 and 1")

    @staticmethod
    def usual(net: str, **changes: Any) -> Settings:
        """Ours for a net: what learns more slowly, by the second, gets fewer updates before its rate drops.

        The seed's code has 1024 episodes an update and drops after 100 and 300 of them, on a graphics card.

        >>> Settings.usual("published").drops
        (40, 80)
        """
        given: Any = {"net": net, "drops": DROPS.get(net, Settings().drops), **changes}
        return Settings(**given)

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {name: list(found) if isinstance(found, tuple) else found for name, found in asdict(self).items()}
