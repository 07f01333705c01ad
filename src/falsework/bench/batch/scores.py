"""`score` beside the published model of StableLego: how fast, and where they disagree."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

import numpy as np

from falsework.batch.scoring import Scoring
from falsework.bench.rows import Row
from falsework.gallery import kinds, make
from falsework.model.assembly import Assembly
from falsework.verdicts.check import check

MOST_BRICKS = 60


def scores(count: int) -> Iterator[Row]:
    """Random structures, and as many that reach further and further out, until they fall."""
    assemblies = [*_random(count // 2), *_reaching(count - count // 2)]
    scoring = Scoring()
    scoring.warm()
    check(assemblies[0], model="stablelego")
    begun = time.process_time()
    ours = [scoring(assembly) for assembly in assemblies]
    spent = 1e3 * (time.process_time() - begun) / len(assemblies)
    begun = time.process_time()
    theirs = [check(assembly, model="stablelego").answer for assembly in assemblies]
    published = 1e3 * (time.process_time() - begun) / len(assemblies)
    pairs = Counter((one.answer, other) for one, other in zip(ours, theirs, strict=True))
    agreed = sum(number for (one, other), number in pairs.items() if one == other)
    yield Row(
        f"score of {len(assemblies)} structures",
        spent,
        published,
        "model stablelego, processor time",
        {
            "a_minute": 6e4 / spent,
            "agree": f"{agreed}/{len(assemblies)}",
            **{f"{one}, published {other}": number for (one, other), number in sorted(pairs.items())},
        },
        target="thousands a minute on one core",
        figure=f"{6e4 / spent:,.0f} a minute; {100 * agreed / len(assemblies):.0f} % agree",
    )


def _random(count: int) -> Iterator[Assembly]:
    for seed in range(count):
        bricks = int(np.random.default_rng(seed).integers(1, 31))
        yield make("random-bricks", seed, bricks=bricks)


def _reaching(count: int) -> Iterator[Assembly]:
    """Kinds of the gallery whose utilisation grows with one parameter, from its least value on."""
    turned = [kind for kind in kinds().values() if kind.knob]
    for kind in turned:
        (knob,) = (one for one in kind.parameters if one.name == kind.knob)
        for value in range(int(knob.low), int(knob.low) + max(count // len(turned), 1)):
            assembly = make(kind.name, 0, **{kind.knob: value})
            if value > knob.high or len(assembly.parts) > MOST_BRICKS:
                break
            yield assembly
