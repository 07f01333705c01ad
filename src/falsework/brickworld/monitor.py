"""The assembly monitor: pairs of bricks that are pressed together hard enough, from the engine's contacts."""

from __future__ import annotations

from collections import deque

import numpy as np

from falsework.model.arrays import Array, Bools, Ints

Pressed = tuple[tuple[Ints, ...], tuple[Array, ...]]


class PressMonitor:
    """Mean forces between bricks of different groups, over whole frames."""

    def __init__(self, is_brick: Bools, frames: int, substeps: int) -> None:
        self._is_brick, self._count = is_brick, len(is_brick)
        self._codes: deque[Ints] = deque(maxlen=frames * substeps)
        self._forces: deque[Array] = deque(maxlen=frames * substeps)

    def observe(self, codes: Ints, forces: Array) -> None:
        """One step: pairs as first × parts + second, and the force on the second of each."""
        if len(codes):
            both = self._is_brick[codes // self._count] & self._is_brick[codes % self._count]
            codes, forces = codes[both], forces[both]
        self._codes.append(codes)
        self._forces.append(forces)

    def pressed(self, least_n: float) -> list[tuple[int, int, Array]]:
        """Pairs with a mean force (3,) of at least so much, on the second brick, the hardest pressed first."""
        steps = self._codes.maxlen or 1
        if len(self._codes) < steps:
            return []
        codes = np.concatenate(list(self._codes))
        if not len(codes):
            return []
        names, which = np.unique(codes, return_inverse=True)
        total = np.zeros((len(names), 3))
        np.add.at(total, which, np.concatenate(list(self._forces)))
        total /= steps
        sizes = np.linalg.norm(total, axis=1)
        order = np.argsort(-sizes, kind="stable")
        chosen = order[sizes[order] >= least_n]
        return [(int(names[k]) // self._count, int(names[k]) % self._count, total[k]) for k in chosen]

    def saved(self) -> Pressed:
        """Everything observed; the arrays are never written to."""
        return tuple(self._codes), tuple(self._forces)

    def go_back(self, to: Pressed) -> None:
        self.forget()
        self._codes.extend(to[0])
        self._forces.extend(to[1])

    def forget(self) -> None:
        """After bricks were moved, older forces mean nothing."""
        self._codes.clear()
        self._forces.clear()
