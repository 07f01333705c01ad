"""A Gymnasium environment of taking an assembly apart, for learners from elsewhere.

Observations are a Dict of padded arrays, because graph spaces are not what common libraries read: `installed`, `held`
and `target` over bodies; `nodes`, `edges`, `features` of the graph of contacts, with `there` and `joined` telling which
rows are real. Actions are 2 · part (take hold) and 2 · part + 1 (take away). `info["action_mask"]` and `action_masks()`
tell which are allowed; whatever else is tried loses, as does what lets the rest fall.

>>> import gymnasium
>>> from falsework.learning.using import environment
>>> environment.register()
>>> env = gymnasium.make("falsework/TakeApart-v0", source="examples/arch.yaml")
>>> _, info = env.reset(seed=0)
>>> int(info["action_mask"].sum())
11
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from falsework.formats.opening import Source, opened
from falsework.learning.graphs.contact_graph import EDGE_FEATURES, NODE_FEATURES, ContactGraph, contact_graph
from falsework.learning.problems.beams import start_states
from falsework.learning.problems.problem import REMOVE, Problem, Situation
from falsework.model.errors import BadInput, shown
from falsework.model.extras import library

if TYPE_CHECKING:
    import gymnasium

Cost = Literal["none", "holds", "steps"]
Starts = Literal["complete", "beam"]
WON, LOST = 1.0, -1.0
NAME = "falsework/TakeApart-v0"


def register() -> None:
    """Tell Gymnasium about `falsework/TakeApart-v0`."""
    gym = library("gymnasium")
    if NAME not in gym.registry:
        gym.register(NAME, entry_point=make_environment)


class Padding:
    """The graph of an assembly in arrays of a size that does for several."""

    def __init__(self, graph: ContactGraph, most_bodies: int, most_contacts: int) -> None:
        bodies, edges = len(graph.nodes), graph.edges.shape[1]
        if bodies > most_bodies or edges > 2 * most_contacts:
            found = f"{bodies} bodies and {edges // 2} contacts"
            raise BadInput(f"{found}, and room for {most_bodies} and {most_contacts}; ask for more room")
        self.bodies = most_bodies
        self.still = {
            "nodes": _padded(graph.nodes, (most_bodies, len(NODE_FEATURES)), np.float32),
            "edges": _padded(graph.edges, (2, 2 * most_contacts), np.int64),
            "features": _padded(graph.features, (2 * most_contacts, len(EDGE_FEATURES)), np.float32),
        }
        self.ends = graph.edges

    def observed(self, problem: Problem, here: Situation) -> dict[str, Any]:
        rows = problem.rows([here])[:, 0]
        names = ("installed", "held", "target")
        seen = {name: _padded(row, (self.bodies,), np.int8) for name, row in zip(names, rows, strict=True)}
        joined = rows[0][self.ends[0]] & rows[0][self.ends[1]]
        size = len(self.still["features"])
        still = {name: values.copy() for name, values in self.still.items()}  # whoever sees them may keep them
        return {**still, **seen, "joined": _padded(joined, (size,), np.int8)}


def _padded(values: Any, shape: tuple[int, ...], kind: Any) -> Any:
    room = np.zeros(shape, dtype=kind)
    room[tuple(slice(0, size) for size in np.shape(values))] = values
    return room


def make_environment(
    source: Source = "examples/arch.yaml",
    robots: int = 2,
    cost: Cost = "none",
    starts: Starts = "complete",
    most_bodies: int | None = None,
    most_contacts: int | None = None,
    cost_scale: float = 0.01,
) -> gymnasium.Env[dict[str, Any], int]:
    """An environment of one assembly.

    cost      what takes away from the reward, `cost_scale` each: "holds" parts that are held while another one is taken
              away, "steps" every action, or "none"
    starts    "complete": the whole; "beam": any state of a beam that builds, drawn anew each time
    most_…    room for assemblies of other sizes, so that one net reads them all; default: as much as this one needs

    >>> environment = make_environment("examples/arch.yaml")
    >>> observed, info = environment.reset(seed=0)
    >>> observed["nodes"].shape, int(info["action_mask"].sum())
    ((13, 7), 11)
    """
    for name, given, allowed in (("cost", cost, Cost), ("starts", starts, Starts)):
        if given not in get_args(allowed):
            raise BadInput(f"{name}: found {shown(given)}, expected {' or '.join(get_args(allowed))}")
    problem = Problem.of(opened(source, {}), robots)
    graph = contact_graph(problem.assembly, problem.joints)
    room = Padding(graph, most_bodies or len(graph.nodes), most_contacts or graph.edges.shape[1] // 2)
    drawn = start_states(problem).train if starts == "beam" else (problem.complete(),)
    return _environment(problem, room, drawn, cost, cost_scale)


def _environment(
    problem: Problem, room: Padding, starts: Sequence[Situation], cost: Cost, scale: float
) -> gymnasium.Env[dict[str, Any], int]:
    gym = library("gymnasium")
    spaces = gym.spaces

    class TakeApart(gym.Env):  # type: ignore[misc, name-defined]
        """One assembly, one action at a time."""

        def __init__(self) -> None:
            self.render_mode = None
            flags = {name: spaces.MultiBinary(room.bodies) for name in ("installed", "held", "target")}
            edges = len(room.still["features"])
            self.observation_space = spaces.Dict(
                {
                    **flags,
                    "joined": spaces.MultiBinary(edges),
                    "edges": spaces.Box(0, room.bodies - 1, (2, edges), np.int64),
                    "nodes": spaces.Box(-np.inf, np.inf, room.still["nodes"].shape, np.float32),
                    "features": spaces.Box(-np.inf, np.inf, room.still["features"].shape, np.float32),
                }
            )
            self.action_space = spaces.Discrete(2 * room.bodies)
            self.here = starts[0]

        def reset(
            self, *, seed: int | None = None, options: dict[str, Any] | None = None
        ) -> tuple[dict[str, Any], dict[str, Any]]:
            super().reset(seed=seed)
            chosen = starts[int(self.np_random.integers(len(starts)))]
            self.here = (options or {}).get("start", chosen)
            return room.observed(problem, self.here), self._info()

        def action_masks(self) -> Any:
            """(2 · bodies,) which actions are allowed."""
            return _padded(problem.allowed_rows([self.here])[0], (2 * room.bodies,), np.int8).astype(bool)

        def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
            if not self.action_masks()[action]:
                return room.observed(problem, self.here), LOST, True, False, {**self._info(), "illegal": True}
            price = 0.0
            if cost == "steps" or (cost == "holds" and action % 2 == REMOVE):
                price = scale * (1 if cost == "steps" else self.here.held.bit_count() - 1)
            there = problem.after(self.here, int(action))
            stands = problem.stand([there])[0]
            self.here = there if stands else self.here
            over = problem.finished(self.here)
            stuck = not over and not problem.allowed(self.here)
            reward = (WON if over else LOST if stuck or not stands else 0.0) - price
            ended = over or stuck or not stands
            return room.observed(problem, self.here), reward, ended, False, self._info() | {"fell": not stands}

        def _info(self) -> dict[str, Any]:
            return {"action_mask": self.action_masks().astype(np.int8)}

    return TakeApart()
