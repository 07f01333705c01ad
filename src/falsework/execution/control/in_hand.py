"""How a brick lies in a hand, by the camera on its wrist.

Such a camera is a millimetre off where its mounting says, always by the same in the hand's frame, and errs by a
twentieth of that from one picture to the next. Bricks lie otherwise in the hand each time, as far off as sight erred
when they were taken: by 0.4 mm, to all sides alike. So what all looks have in common is the camera's, and what one
differs by is the brick's.
"""

from __future__ import annotations

from dataclasses import dataclass

MOUNTED_M = 1.5e-3  # standard deviation of where a camera is mounted
LIES_M = 4e-4  # … of where along the pads fingers close on a brick
LOOKS_M = 5e-5  # … of one look, beside what it is always off by
SLIPPED = 4.0  # times what was expected: such a brick has slipped, and says nothing of the camera


@dataclass(frozen=True, slots=True)
class WristOffset:
    """What a wrist's camera is off by along the pads, as far as looks have told: a mean and a variance.

    >>> offset = WristOffset()
    >>> for seen_m in (1.3e-3, 0.7e-3, 1.1e-3, 0.9e-3):
    ...     offset = offset.after(seen_m)
    >>> round(1e3 * offset.mean_m, 2)  # what four looks have in common
    0.98
    >>> round(1e3 * offset.of_brick(2.0e-3), 2)  # most of what the fifth differs by is how its brick lies
    0.8
    """

    mean_m: float = 0.0
    variance: float = MOUNTED_M**2

    def of_brick(self, seen_m: float) -> float:
        """How far along the pads a brick probably is from where it should be held, if it seems to be `seen_m` off."""
        known = LIES_M**2 / (LIES_M**2 + LOOKS_M**2 + self.variance)
        return known * (seen_m - self.mean_m)

    def after(self, seen_m: float) -> WristOffset:
        """What is known of the camera after one more look."""
        spread = LIES_M**2 + LOOKS_M**2
        if abs(seen_m - self.mean_m) > SLIPPED * (spread + self.variance) ** 0.5:
            return self
        gain = self.variance / (self.variance + spread)
        return WristOffset(self.mean_m + gain * (seen_m - self.mean_m), (1.0 - gain) * self.variance)
