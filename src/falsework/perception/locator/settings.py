"""What may be changed about the locator."""

from __future__ import annotations

from dataclasses import dataclass

from falsework.model.errors import BadInput


@dataclass(frozen=True, slots=True)
class LocatorSettings:
    """Thresholds, with their units. The defaults are for bricks of 8 pixels a stud or more.

    >>> LocatorSettings().yaws
    30
    """

    yaws: int = 30  # of a quarter turn, at which rectangles are tried
    cells_per_stud: int = 8  # of the layers seen from above
    slack_m: float = 0.002  # of depth, besides three times its noise
    least_shown: float = 0.25  # of a brick's pixels that must show it
    most_against: float = 0.25  # of the pixels that show it or speak against it
    brick_cost: float = 0.5  # of a stud's cell in one view, in pixels: that it is one brick more,
    chance: float = 0.1  # and what one more explains by chance
    most_doubted: float = 0.12  # of the same, for a brick that is said to be found
    most_dim: float = 0.3  # of the pixels inside its rim, in the shade or of the floor's colour, that may say nothing
    rival_px: float = 20.0  # a rival that explains so many pixels less, or fewer, is as good,
    rival_share: float = 0.01  # with this share of the brick's own pixels added
    carried_px: int = 60  # that a brick stands on something that is seen, where several views show what there is
    least_studs: float = 0.4  # of the height of a brick's studs that must be seen on its top,
    studs_known: float = 0.25  # where depth can tell: the deviation of that share
    sure_pitch: float = 0.25  # of the pitch: what the 95 % ellipse of a place may reach
    sure_yaw_deg: float = 6.0

    def __post_init__(self) -> None:
        if self.yaws < 1 or self.cells_per_stud < 2:
            raise BadInput("locator: expected a yaw or more, and two cells a stud or more")
