"""`python -m falsework.perception.warm`: compile what draws and lights scenes now, not at the first picture."""

from __future__ import annotations

from falsework.perception.scenes.dataset import samples


def warm() -> None:
    """Draw one scene with everything in it."""
    samples(0, "clutter")


if __name__ == "__main__":
    warm()
