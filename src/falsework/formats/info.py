"""`info`: what a file holds."""

from __future__ import annotations

from typing import Unpack

from falsework.formats.opening import READING, Reading, Source, opened
from falsework.geometry import summary
from falsework.geometry.summary import Summary
from falsework.model.verbs import verb


@verb(*READING)
def info(source: Source, **reading: Unpack[Reading]) -> Summary:
    """What an assembly, or one in a file, is made of: parts, interfaces, mass (kg) and bounds (m, world).

    The options are those of `load`.

    >>> info("examples/bridge.txt").clutches
    16
    """
    return summary.info(opened(source, reading))
