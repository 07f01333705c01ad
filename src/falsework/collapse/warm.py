"""`python -m falsework.collapse.warm`: compile the solver and the search for contacts now, not at the first fall."""

from __future__ import annotations

from falsework.collapse.collapse import collapse
from falsework.gallery import make


def warm() -> None:
    """A tower that falls without friction, and one with."""
    collapse(make("diamond-tower", widest=5), seconds=0.002)
    collapse(make("leaning-tower", bricks=3, lean=0.4), seconds=0.002)


if __name__ == "__main__":
    warm()
