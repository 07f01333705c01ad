"""Bricks that stand: from a shape to bricks, and models whose clutches work as hard as asked for."""

from falsework.laying.aiming import Aimed, aimed
from falsework.laying.lay import Laid, lay
from falsework.laying.repair import Fix, Repair, repair, repaired

__all__ = ["Aimed", "Fix", "Laid", "Repair", "aimed", "lay", "repair", "repaired"]
