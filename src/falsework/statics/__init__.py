"""Does it stand? Equilibrium of parts and interfaces, with forces or a motion as proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import exports

if TYPE_CHECKING:
    from falsework.statics.core.equilibrium import Equilibrium as Equilibrium

__all__, __getattr__, __dir__ = exports(
    __name__,
    {
        "core.equilibrium": "Equilibrium",
    },
)
