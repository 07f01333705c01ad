"""`falsework learn`: a policy that takes assemblies apart, trained here and now."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from falsework.cli.common import add_reading, positive, print_json, read
from falsework.cli.plan import count
from falsework.model.errors import BadInput
from falsework.model.figures import percent

if TYPE_CHECKING:
    from falsework.learning.training.learn import Trained
    from falsework.learning.training.settings import Settings
    from falsework.model.assembly import Assembly

HELP = "a policy that says what to take apart next, trained on files; use it with plan --selector policy:FILE"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", metavar="FILE", nargs="+", help="assemblies to train on, which take turns")
    add_reading(parser)
    parser.add_argument("--robots", metavar="N", type=count, default=2, help="hands (default 2)")
    parser.add_argument("--minutes", metavar="M", type=positive, help="of processor time (default 5)")
    parser.add_argument("--updates", metavar="N", type=count, help="so many updates, or whichever comes first")
    parser.add_argument("--out", metavar="DIR", help="policy, curve, report.html and checkpoints go there")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out, if there is one")
    parser.add_argument("--net", default="compact", help="compact (default), foreseeing, published, perceptron")
    parser.add_argument(
        "--tasks", default="states", help="states (default): take all apart; targets: down to any target"
    )
    parser.add_argument(
        "--teacher", default="play", help="play (default), labels or relabel: exact ones, of small assemblies"
    )
    parser.add_argument("--curriculum", default="ranked", help="ranked (default), rising, or none")
    parser.add_argument("--paths", default="none", help="none (default), or straight: parts must be able to leave so")
    parser.add_argument("--rate", metavar="R", type=positive, help="of learning (default 0.002)")
    parser.add_argument("--runs", metavar="N", type=count, help="train so often, with seeds --seed, --seed + 1, …")
    parser.add_argument("--pool", help="who trains for --runs: serial, processes (default), processes:N, ray[:ADDRESS]")
    parser.add_argument("--tensorboard", metavar="DIR", help="write curves there too; needs tensorboard")


def run(arguments: argparse.Namespace) -> int:
    from falsework.learning.training.learn import learn
    from falsework.learning.training.settings import Settings

    changed = {} if arguments.rate is None else {"rate": arguments.rate}
    settings = Settings.usual(
        arguments.net,
        tasks=arguments.tasks,
        teacher=arguments.teacher,
        curriculum=arguments.curriculum,
        **changed,
    )
    assemblies = [read(arguments, source) for source in arguments.inputs]
    if arguments.runs is not None:
        return _several(arguments, assemblies, settings)
    if arguments.pool is not None:
        raise BadInput("--pool is of several runs; add --runs N, or leave it out")
    with _shown(arguments) as progress:
        trained = learn(
            assemblies,
            robots=arguments.robots,
            minutes=arguments.minutes,
            updates=arguments.updates,
            out=arguments.out,
            resume=arguments.resume,
            seed=arguments.seed,
            settings=settings,
            paths=arguments.paths,
            progress=progress,
        )
    page = None
    if arguments.out is not None:
        from falsework.studio.learning_page import write_learning_page

        page = write_learning_page(arguments.out, trained)
    if arguments.json:
        print_json(as_dict(trained) | {"report": None if page is None else str(page)})
    else:
        _print(arguments, trained)
    return 0


def _several(arguments: argparse.Namespace, assemblies: Sequence[Assembly], settings: Settings) -> int:
    """The same with several seeds, at the same time where the pool has several workers."""
    from falsework.batch.pools.named import pool_named
    from falsework.learning.training.seeds import learn_seeds

    if arguments.tensorboard is not None:
        raise BadInput("--tensorboard follows one run; leave it out, or --runs")
    seeds = range(arguments.seed, arguments.seed + arguments.runs)
    runs = learn_seeds(
        assemblies,
        seeds,
        pool_named(arguments.pool or "processes"),
        out=arguments.out,
        robots=arguments.robots,
        minutes=arguments.minutes,
        updates=arguments.updates,
        resume=arguments.resume,
        settings=settings,
        paths=arguments.paths,
    )
    if arguments.json:
        print_json({"runs": [{"seed": seed} | as_dict(run) for seed, run in zip(seeds, runs, strict=True)]})
        return 0
    for seed, run in zip(seeds, runs, strict=True):
        test = f", test {percent(run.test_accuracy)} of {run.test_states}" if run.test_states else ""
        print(f"seed {seed}: train {percent(run.train_accuracy)} of {run.train_states}{test}, {run.updates} updates")
    return 0


def as_dict(trained: Trained) -> dict[str, Any]:
    """As `falsework learn --json` prints it."""
    test = trained.test_accuracy
    return {
        "accuracy": trained.train_accuracy if test != test else test,
        "oracle_calls": trained.oracle_calls,
        "minutes": round(trained.cpu_s / 60.0, 4),
        "updates": trained.updates,
        "cpu_s": round(trained.cpu_s, 2),
        "stopped": trained.stopped,
        "train_states": trained.train_states,
        "train_accuracy": trained.train_accuracy,
        "test_states": trained.test_states,
        "test_accuracy": None if test != test else test,
        "policy": None if trained.path is None else str(trained.path),
    }


def _print(arguments: argparse.Namespace, trained: Trained) -> None:
    print(
        f"{', '.join(arguments.inputs)}: trained  ({arguments.net}, {arguments.robots} robots, seed {arguments.seed})"
    )
    print(f"  updates    {trained.updates} in {trained.cpu_s:.0f} s of processor time, ended by {trained.stopped}")
    print(f"  train      {percent(trained.train_accuracy)} of {trained.train_states} states finished by first choices")
    if trained.test_states:
        print(f"  test       {percent(trained.test_accuracy)} of {trained.test_states} others")
    if trained.path is not None:
        print(f"  policy     {trained.path}")


@contextlib.contextmanager
def _shown(arguments: argparse.Namespace) -> Iterator[Callable[[dict[str, float]], None]]:
    """A line for every look at the accuracy, on a terminal; curves for TensorBoard where that is asked for."""
    writer = _tensorboard(arguments.tensorboard) if arguments.tensorboard is not None else None

    def show(row: dict[str, float]) -> None:
        if sys.stderr.isatty():
            told = [f"{name} {percent(row[name])}" for name in ("train", "test", "won") if row[name] == row[name]]
            print(f"update {row['update']:.0f}: {', '.join(told)}, {row['cpu_s']:.0f} s", file=sys.stderr, flush=True)
        if writer is not None:
            for name, value in row.items():
                writer.add_scalar(name, value, int(row["update"]))

    try:
        yield show
    finally:
        if writer is not None:
            writer.close()


def _tensorboard(folder: str) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as why:
        raise BadInput("--tensorboard: tensorboard is not installed: pip install tensorboard, or leave it out") from why
    return SummaryWriter(folder)
