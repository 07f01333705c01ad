"""How long the bench of learning tries, and what the seed reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from falsework.gallery.registry import make
from falsework.model.assembly import Assembly


@dataclass(frozen=True, slots=True)
class Effort:
    """Minutes of processor time by net and model, random seeds, and which models are tried."""

    seeds: tuple[int, ...]
    compact_min: float
    published_min: float
    large_min: float  # for more than 20 parts
    models: tuple[str, ...]
    by_published: tuple[str, ...]  # of these, with the published net too
    with_targets: tuple[str, ...]  # of these, with targets too
    vaults: tuple[int, ...]  # robots
    examined: int  # states that search and rules are examined on, at most


SMALL_MODELS = ("Bottle-12", "Tetris-17", "Tetris-14")
QUICK = Effort((0,), 1.5, 3.0, 0.0, SMALL_MODELS, SMALL_MODELS[:1], SMALL_MODELS[:1], (), 200)
MODELS = (*SMALL_MODELS, "Dome-37")
FULL = Effort((0, 1, 2, 3, 4), 5.0, 10.0, 60.0, MODELS, MODELS, MODELS, (2, 3, 4, 5, 6), 1000)

# Table 3: training states, hours, % of them; test states, % of them
TABLE_3: Mapping[str, tuple[int, float, float, int, float]] = {
    "Bottle-12": (1077, 0.28, 95.70, 1159, 86.53),
    "Tetris-17": (1757, 0.25, 98.04, 2571, 92.64),
    "Tetris-14": (1337, 0.21, 94.29, 1734, 86.55),
    "Tetris-13": (1228, 0.15, 97.33, 1447, 92.32),
    "Cube-13": (1820, 0.29, 93.74, 2680, 90.85),
    "Dog-35": (4216, 1.14, 99.15, 8130, 98.98),
    "Dome-37": (4540, 1.6, 97.36, 8433, 90.96),
    "Vault-62 (2)": (4781, 21.3, 92.32, 10229, 38.90),
    "Vault-62 (3)": (5876, 9.5, 97.86, 11494, 53.44),
    "Vault-62 (4)": (5082, 7.62, 96.18, 11054, 69.04),
    "Vault-62 (5)": (5618, 9.85, 94.59, 10699, 70.77),
    "Vault-62 (6)": (5619, 9.84, 91.24, 11004, 78.39),
    "Dome-72": (9018, 16.05, 97.64, 17801, 96.40),
}
# Table 4: % of target states, by the plain policy with target parts masked, and by the target policy
TABLE_4: Mapping[str, tuple[float, float]] = {
    "Bottle-12": (6.46, 66.03),
    "Tetris-17": (3.46, 81.03),
    "Tetris-14": (3.51, 77.44),
    "Dome-37": (3.29, 85.23),
}
# Table 5: steps, hours, train %, test %. Its test figure of the Bottle contradicts Table 3's
TABLE_5: Mapping[str, tuple[int, float, float, float]] = {
    "Bottle-12 perceptron": (8_675, 0.084, 99.82, 88.97),
    "Bottle-12 published": (4_119, 0.38, 99.45, 95.86),
    "Vault-62 (4) perceptron": (558_351, 9.51, 90.35, 17.85),
    "Vault-62 (4) published": (67_131, 7.62, 96.18, 69.04),
}
TRANSFERRED = 66.0  # % of the Dog's training states, by the Bottle's policy
PLAIN_STEPS, VAULT_STEPS = 55, 94  # Fig. 6: where plain PPO gets stuck, and how many actions it takes at least


def vault() -> Assembly:
    """The seed's vault is not shared: one of the gallery, of 63 stones."""
    return make("barrel-vault", stones=9, rows=7)
