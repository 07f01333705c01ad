"""What is there of the contacts of a part: how many below, beside and above it, and how far its supports reach.

Attention takes means over neighbours, so a net does not see how many there are, nor whether a centre of mass lies
between its supports or beyond them. Both cost next to nothing to look up in a state.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from falsework.learning.graphs.contact_graph import ContactGraph
from falsework.model.arrays import Bools

SUPPORT_FEATURES = ("below", "beside", "above", *(f"support {way}" for way in ("+x", "-x", "+y", "-y")))
STEEP = 0.5  # vertical part of a normal from which on a contact is below or above
USUAL = 4.0  # contacts
FARTHEST = 2.0  # in units of the assembly's own; as near as nothing where there is no support


class Supports:
    """Of one graph, asked about many states at once."""

    def __init__(self, graph: ContactGraph) -> None:
        self._senders, self._receivers = graph.edges
        self._heard, self._starts = np.unique(self._receivers, return_index=True)
        self._bodies = len(graph.nodes)
        up = graph.features[:, 2]  # of normals out of the receiver
        ways = np.stack([up < -STEEP, np.abs(up) <= STEEP, up > STEEP], axis=1)
        self._ways = (ways / USUAL).astype(np.float32)
        reach = np.where(ways[:, :1], np.clip(graph.reach, -FARTHEST, FARTHEST), -FARTHEST)
        self._reach = reach.astype(np.float32)

    def __call__(self, installed: Bools) -> npt.NDArray[np.float32]:
        """(states, bodies, SUPPORT_FEATURES) of what is installed, (states, bodies)."""
        found = np.zeros((len(installed), self._bodies, len(SUPPORT_FEATURES)), np.float32)
        found[:, :, 3:] = -FARTHEST
        if len(self._heard):
            both = (installed[:, self._senders] & installed[:, self._receivers])[:, :, None]
            found[:, self._heard, :3] = np.add.reduceat(both * self._ways, self._starts, axis=1)
            reach = np.where(both, self._reach, np.float32(-FARTHEST))
            found[:, self._heard, 3:] = np.maximum.reduceat(reach, self._starts, axis=1)
        return found
