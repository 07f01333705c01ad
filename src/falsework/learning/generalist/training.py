"""How the generalist that ships was made: `python -m falsework.learning.generalist.training FILE`.

Labels of the gallery's assemblies, exact for small ones (`course`), a few assemblies at a time, each turned about the
vertical and mirrored at random, which changes nothing about what falls; the loss of a state is −log of the chance to do
something right, and of the chance to do what is cheapest. A lost state teaches the judge only. The same settings
give the same weights on the same machine: all that is random comes from one seed, and torch works on one thread.
"""

from __future__ import annotations

import argparse
import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from falsework.learning.generalist.course import Lesson, lessons
from falsework.learning.graphs.contact_graph import contact_graph, turned
from falsework.learning.graphs.imagining import Imagined
from falsework.learning.nets.compact import CompactInput, CompactNet, ForeseeingNet
from falsework.learning.nets.making import weights_of
from falsework.learning.nets.policy_file import PolicyFile, Shape, write_policy
from falsework.learning.nets.present import ABSENT
from falsework.model.arrays import Ints

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Schooling:
    """How long and how: the defaults made the file that ships."""

    layers: int = 4
    width: int = 48
    updates: int = 4000
    together: int = 3  # assemblies of an update
    states: int = 48  # of each
    rate: float = 3e-3
    cheap: float = 1.0  # weight of cheapest actions
    judged: float = 0.5  # weight of the judge
    seeds: int = 7  # packings of every size
    kept: int = 1500  # states of an assembly
    seed: int = 0


def train(schooling: Schooling, until_s: float | None = None, every: int = 250) -> PolicyFile:
    """A net that has been to school; `until_s` by `time.monotonic()` ends it early, which is then told."""
    torch.set_num_threads(1)
    torch.manual_seed(schooling.seed)
    rng = np.random.default_rng(schooling.seed)
    course = list(lessons(schooling.seeds, schooling.kept, rng))
    _log.info("%d assemblies, %d states", len(course), sum(len(one.worth) for one in course))
    net = ForeseeingNet(schooling.layers, schooling.width)
    inputs = [_turned(one) for one in course]
    optimiser = torch.optim.AdamW(net.parameters(), lr=schooling.rate, weight_decay=1e-4, fused=True)
    done, losses = 0, list[float]()
    share = np.sqrt([len(one.worth) for one in course])
    share /= share.sum()
    for done in range(1, schooling.updates + 1):
        if until_s is not None and time.monotonic() > until_s:
            break
        for group in optimiser.param_groups:
            group["lr"] = _rate(schooling, done)
        numbers = rng.choice(len(course), schooling.together, p=share)
        loss = torch.stack([_drawn(net, inputs[n], course[n], rng, schooling) for n in numbers]).mean()
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        losses.append(float(loss.detach()))
        if done % every == 0:
            _log.info("%d updates: loss %.4f", done, float(np.mean(losses[-every:])))
    shape = Shape("foreseeing", schooling.layers, schooling.width)
    about = {"robots": 2, "updates": done, "seed": schooling.seed, "assemblies": len(course), "judge": "holds to go"}
    return PolicyFile(shape, weights_of(net), about)


def _rate(schooling: Schooling, done: int) -> float:
    """Up within the first hundred updates, then down along a cosine."""
    return (
        schooling.rate * min(1.0, done / 100) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done / schooling.updates)))
    )


def _turned(lesson: Lesson) -> list[CompactInput]:
    """The graph of a lesson, turned and mirrored in all eight ways."""
    graph = contact_graph(lesson.assembly, lesson.joints)
    ways = [(quarters, mirrored) for quarters in range(4) for mirrored in (False, True)]
    imagined = Imagined(lesson.assembly, lesson.joints)  # which does not depend on the view
    return [CompactNet.read(turned(graph, quarters, mirrored), imagined) for quarters, mirrored in ways]


def _drawn(
    net: CompactNet, graphs: Sequence[CompactInput], lesson: Lesson, rng: np.random.Generator, schooling: Schooling
) -> Tensor:
    """The loss of a few states of a lesson, seen in one of the ways."""
    few = rng.permutation(len(lesson.worth))[: schooling.states]
    return _loss(net, graphs[int(rng.integers(len(graphs)))], lesson, few, schooling)


def _loss(net: CompactNet, graph: CompactInput, lesson: Lesson, few: Ints, schooling: Schooling) -> Tensor:
    rows = torch.from_numpy(lesson.rows[:, few].copy())
    logits, value = net(graph, *rows)
    allowed = torch.from_numpy(lesson.allowed[few])
    flat = torch.where(allowed, logits[:, : len(lesson.assembly.parts)].reshape(len(few), -1), ABSENT)
    everything = torch.logsumexp(flat, 1)
    taught = torch.from_numpy(lesson.right[few])
    worth = torch.from_numpy(lesson.worth[few]).float()
    known = ~worth.isnan()
    solvable = (worth != -1.0).float()
    right = everything - torch.logsumexp(torch.where(taught, flat, ABSENT), 1)
    cheap = everything - torch.logsumexp(torch.where(torch.from_numpy(lesson.cheapest[few]), flat, ABSENT), 1)
    chosen = ((right + schooling.cheap * cheap) * solvable).sum() / solvable.sum().clamp_min(1.0)
    off = torch.where(known, value - worth.nan_to_num(), 0.0)
    loss: Tensor = chosen + schooling.judged * (off * off).mean()
    return loss


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="falsework.learning.generalist.training", description=__doc__)
    parser.add_argument("file", type=Path, help="where the weights go")
    parser.add_argument("--updates", type=int, default=Schooling().updates)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=Schooling().seeds, help="packings of every size")
    parser.add_argument("--minutes", type=float, help="end early")
    told = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    until = None if told.minutes is None else time.monotonic() + 60 * told.minutes
    schooling = Schooling(updates=told.updates, seed=told.seed, seeds=told.seeds)
    write_policy(told.file, train(schooling, until))


if __name__ == "__main__":
    main()
