"""`python -m falsework.brickworld.warm`: compile what brick worlds run on now rather than in their first frame."""

from __future__ import annotations

from falsework.brickworld.simulate import Action, simulate
from falsework.gallery.bricklaying import Layout
from falsework.statics.warm import warm as warm_statics


def warm() -> None:
    """The solvers of statics, one brick pulled off another, and some that fall asleep."""
    warm_statics()
    layout = Layout()
    layout.brick(2, 2, 0, 0, 0)
    layout.brick(2, 2, 0, 0, 1)
    simulate(layout.on_baseplate(), actions=[Action("pull", "2", 12.0)], seconds=0.2)
    simulate(layout.on_baseplate(), drop_m=0.0, tilt_deg=0.0, seconds=0.2)


if __name__ == "__main__":
    warm()
