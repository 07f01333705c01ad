"""What an arm feels while it follows a way on which it should feel nothing but what it carries."""

from __future__ import annotations

import numpy as np

from falsework.execution.facade import Facade

STRUCK_N = 1.0  # more than it felt as the way began: ten times what a brick of Duplo weighs


class Feeling:
    """Called again and again on a way (`Facade.meanwhile`): the greatest force that the tool felt there."""

    def __init__(self, facade: Facade, arm: str) -> None:
        self._facade, self._arm = facade, arm
        self._begun_n = self.most_n = self._now_n

    def __call__(self) -> None:
        self.most_n = max(self.most_n, self._now_n)

    @property
    def _now_n(self) -> float:
        return float(np.linalg.norm(self._facade.state(self._arm).wrench[:3]))

    @property
    def has_struck(self) -> bool:
        """Whether something was in the way."""
        return self.most_n > self._begun_n + STRUCK_N
