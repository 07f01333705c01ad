"""A net bound to a problem: masked logits and values of many situations at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from falsework.learning.nets.present import ABSENT
from falsework.learning.problems.problem import Problem, Situation
from falsework.model.arrays import Array, Ints

AT_ONCE = 1024  # situations of one pass, so that memory stays small


class Player:
    """Chooses actions of one problem by one net.

    With `sees_target` off the net is shown the plain task, to take everything apart, and only the mask knows what is
    to stay: the baseline of Table 4.
    """

    def __init__(self, problem: Problem, net: nn.Module, *, sees_target: bool = True) -> None:
        self.problem, self.net, self._sees_target = problem, net, sees_target
        self._graph = net.prepared(problem.assembly, problem.joints)  # type: ignore[operator]

    def judged(self, rows: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
        """Masked logits (situations, 2 · parts) and values, of `Problem.rows` and `allowed_rows` as tensors."""
        logits, values = self.net(self._graph, *rows)
        flat = logits[:, : self.problem.parts].reshape(len(values), -1)
        return torch.where(allowed, flat, ABSENT), values

    def tensors(self, many: Sequence[Situation]) -> tuple[Tensor, Tensor]:
        """What `judged` takes."""
        seen = many if self._sees_target else [here._replace(target=self.problem.bare) for here in many]
        rows, allowed = self.problem.rows(seen), self.problem.allowed_rows(many)
        return torch.from_numpy(rows.copy()), torch.from_numpy(allowed.copy())

    def logits(self, many: Sequence[Situation]) -> tuple[Array, Array]:
        """(situations, 2 · parts) log-probabilities, ABSENT where not allowed, and (situations,) values."""
        found, worth = [], []
        with torch.inference_mode():
            for begin in range(0, len(many), AT_ONCE):
                rows, allowed = self.tensors(many[begin : begin + AT_ONCE])
                logits, values = self.judged(rows, allowed)
                found.append(torch.where(allowed, torch.log_softmax(logits, 1), ABSENT).double().numpy())
                worth.append(values.double().numpy())
        return np.concatenate(found), np.concatenate(worth)

    def first_choices(self, many: Sequence[Situation]) -> Ints:
        """The likeliest action of each; −1 where none is allowed."""
        logits, _ = self.logits(many)
        return np.where(logits.max(axis=1) > 0.5 * ABSENT, logits.argmax(axis=1), -1)
