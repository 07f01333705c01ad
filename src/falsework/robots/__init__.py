"""Arms that build: how they move, what they touch, where they should stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import exports

if TYPE_CHECKING:
    from falsework.formats.robots.catalogue import arm_named as arm_named
    from falsework.formats.robots.catalogue import arm_names as arm_names
    from falsework.formats.robots.catalogue import tool_named as tool_named
    from falsework.formats.robots.catalogue import tool_names as tool_names
