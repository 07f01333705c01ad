"""From a shape to bricks that stand: cells, a bond of bricks, one piece, strong enough."""

from falsework.laying.lay import Laid, lay

__all__ = ["Laid", "lay"]
