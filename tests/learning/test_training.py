"""Training: it learns, the same seed gives the same weights, and a run that was cut off ends as if it had not been."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from falsework.learning.nets.making import make_net  # noqa: E402
from falsework.learning.nets.policy_file import Shape, read_policy  # noqa: E402
from falsework.learning.playing.player import Player  # noqa: E402
from falsework.learning.playing.rollouts import LOST, WON, Episode, episodes, finishes  # noqa: E402
from falsework.learning.problems.problem import HOLD, REMOVE  # noqa: E402
from falsework.learning.training import learn as learning  # noqa: E402
from falsework.learning.training.checkpoints import CHECKPOINT, POLICY  # noqa: E402
from falsework.learning.training.curricula import Starts  # noqa: E402
from falsework.learning.training.hindsight import hindsight  # noqa: E402
from falsework.learning.training.learn import Trained, learn  # noqa: E402
from falsework.learning.training.ppo import batch_of  # noqa: E402
from falsework.learning.training.run import Run  # noqa: E402
from falsework.learning.training.settings import Settings  # noqa: E402
from falsework.model.errors import BadFile, BadInput  # noqa: E402
from tests.learning.small import bridge, problem  # noqa: E402

QUICK = Settings(rollouts=16, minibatch=16, epochs=2, widths=(4, 8), stop_at=2.0)
BEAM = 3


def same(one: Trained, other: Trained) -> bool:
    """Bit for bit."""
    weights = other.policy.weights
    return all((values == weights[name]).all() for name, values in one.policy.weights.items())


@pytest.mark.parametrize("net", ["compact", "published", "perceptron"])
def test_a_bridge_is_learned(net: str) -> None:
    trained = learn(bridge(), robots=2, updates=20, settings=replace(QUICK, net=net, widths=(8, 8), stop_at=1.0))
    assert trained.train_accuracy == 1.0


@pytest.mark.parametrize("curriculum", ["ranked", "rising"])
def test_the_same_seed_gives_the_same_weights(curriculum: str) -> None:
    settings = replace(QUICK, curriculum=curriculum)
    one, two = (learn(bridge(), updates=5, seed=4, settings=settings) for _ in range(2))
    assert same(one, two)
    assert not same(one, learn(bridge(), updates=5, seed=5, settings=settings))


@pytest.mark.parametrize(
    "settings",
    [QUICK, replace(QUICK, teacher="relabel"), replace(QUICK, tasks="targets"), replace(QUICK, curriculum="rising")],
)
def test_a_run_that_is_cut_off_again_and_again_ends_as_one_that_was_not(settings: Settings, tmp_path: Path) -> None:
    whole = learn(bridge(), updates=11, settings=settings, seed=1)
    for updates in (1, 2, 6, 10, 11):
        again = learn(bridge(), updates=updates, settings=settings, seed=1, out=tmp_path, resume=updates > 1)
    assert same(whole, again)
    steady = [{name: value for name, value in row.items() if name != "cpu_s"} for row in whole.curve]
    np.testing.assert_equal([{name: row[name] for name in steady[0]} for row in again.curve], steady)
    assert (read_policy(tmp_path / POLICY).about["updates"], len(steady)) == (11, 1)


def test_twenty_kills_between_checkpoints_change_neither_weights_nor_curve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = learn(bridge(), updates=20, settings=QUICK, seed=2)
    monkeypatch.setattr(learning, "SAVE_EVERY_S", 0.0)
    plain, killed_at = Run.update, list[int]()

    def killed(run: Run) -> object:
        if run.done not in killed_at:
            killed_at.append(run.done)
            raise KeyboardInterrupt
        return plain(run)

    monkeypatch.setattr(Run, "update", killed)
    again = None
    while again is None:
        with contextlib.suppress(KeyboardInterrupt):
            again = learn(bridge(), updates=20, settings=QUICK, seed=2, out=tmp_path, resume=len(killed_at) > 0)
    assert killed_at == list(range(20)) and same(whole, again)
    steady = [[{**row, "cpu_s": 0.0} for row in run.curve] for run in (whole, again)]
    assert len(steady[0]) == 2 and steady[0] == steady[1]


def test_another_run_is_not_resumed(tmp_path: Path) -> None:
    learn(bridge(), updates=1, settings=QUICK, out=tmp_path)
    with pytest.raises(BadInput, match="there is a run already; add --resume"):
        learn(bridge(), updates=2, settings=QUICK, out=tmp_path)
    for told, options in (
        ("seed: this run was begun with 0, not 1", {"seed": 1}),
        ("robots: this run was begun with 2, not 3", {"robots": 3}),
        ("settings: this run was begun with rate 0.002, not 0.1", {"settings": replace(QUICK, rate=0.1)}),
    ):
        with pytest.raises(BadFile, match=told):
            learn(bridge(), updates=2, out=tmp_path, resume=True, **{"settings": QUICK, **options})
    with pytest.raises(BadFile, match="inputs: this run was begun with other assemblies"):
        learn(bridge(scale=2.0), updates=2, settings=QUICK, out=tmp_path, resume=True)


def test_a_torn_checkpoint_is_told(tmp_path: Path) -> None:
    learn(bridge(), updates=1, settings=QUICK, out=tmp_path)
    whole = (tmp_path / CHECKPOINT).read_bytes()
    (tmp_path / CHECKPOINT).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadFile, match="this is no checkpoint, or a part of it is missing"):
        learn(bridge(), updates=2, settings=QUICK, out=tmp_path, resume=True)


def test_a_loss_that_is_no_number_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run([problem(2)], QUICK)
    with torch.no_grad():
        next(run.net.parameters()).fill_(float("nan"))
    with pytest.raises(BadInput, match="the loss is no number any more; use a smaller rate"):
        run.update()


def test_exact_labels_teach_every_training_state() -> None:
    settings = replace(QUICK, teacher="labels", widths=(16, 16))
    assert learn(bridge(), updates=15, settings=settings).train_accuracy == 1.0


def test_the_reward_is_discounted_back_to_the_first_step() -> None:
    """With values of zero and a trace of one, returns are those of the text: ±0.95 to the steps that follow."""
    one = problem(2)
    seen = [one.complete()]
    for action in (2 * BEAM + HOLD, 2 * BEAM + REMOVE, 2 * 1 + HOLD):
        seen.append(one.after(seen[-1], action))
    episode = Episode(0, seen, [2 * BEAM, 2 * BEAM + 1, 2], [0.0] * 3, [0.0] * 3, WON)
    batch = batch_of([episode, replace(episode, reward=LOST)], replace(QUICK, trace=1.0))
    np.testing.assert_allclose(batch.returns, [0.95**2, 0.95, 1.0, -(0.95**2), -0.95, -1.0])
    assert len(batch.situations) == 3  # the same ones twice
    assert batch.entropy.tolist() == [0.005] * 3 + [0.01] * 3


def test_hindsight_makes_what_was_left_standing_the_target() -> None:
    two = problem(2)
    player = Player(two, make_net(Shape.usual("compact")))
    held = two.after(two.complete(), 2 * BEAM + HOLD)
    gone = two.after(held, 2 * BEAM + REMOVE)
    more = two.after(gone, 2 * 1 + HOLD)
    lost = Episode(0, [two.complete(), held, gone, more], [6, 7, 2, 5], [0.0] * 4, [0.0] * 4, LOST)
    (again,) = hindsight(player, [lost, replace(lost, reward=WON)])
    assert again.reward == WON and again.actions == [6, 7]
    assert two.finished(again.seen[-1]) and all(here.target == gone.installed for here in again.seen)
    assert len(again.log_probabilities) == len(again.values) == 2


def test_a_rising_curriculum_begins_small_and_rises_when_it_wins() -> None:
    run = Run([problem(2)], replace(QUICK, curriculum="rising", widths=(16, 16)))
    starts = Starts(run.courses[0].split.train, run.settings)
    rng = np.random.default_rng(0)
    first = starts.drawn(32, rng)
    assert {int(starts.left[n]) for n, _ in first} == {1}
    numbers = [n for n, _ in first]
    starts.learned({n: [0.0] for n in numbers}, {n: [LOST] for n in numbers})
    assert starts.limit == 1
    starts.learned({n: [0.0] for n in numbers}, {n: [WON] for n in numbers})
    assert starts.limit == 2


def test_ranked_starts_are_new_ones_first_and_then_the_worst() -> None:
    run = Run([problem(2)], replace(QUICK, widths=(16, 16)))
    starts = Starts(run.courses[0].split.train, run.settings)
    rng = np.random.default_rng(0)
    assert len({n for n, _ in starts.drawn(len(starts.starts), rng)}) == len(starts.starts)
    everything = range(len(starts.starts))
    starts.learned({n: [float(n)] for n in everything}, {n: [LOST] for n in everything})
    drawn = [n for n, _ in starts.drawn(2000, rng)]
    counts = np.bincount(drawn, minlength=len(starts.starts))
    assert counts[-1] == counts.max() and counts[-1] > 3 * counts[0]


def test_drawn_episodes_end_as_first_choices_would_where_there_is_no_choice() -> None:
    one = problem(1)
    player = Player(one, make_net(Shape.usual("compact")))
    held = one.after(one.complete(), 2 * BEAM + HOLD)
    alone = one.after(held, 2 * BEAM + REMOVE)
    played = episodes(player, [(0, alone), (1, one.after(one.complete(), 2 * 1 + HOLD))], np.random.default_rng(0))
    assert [episode.reward for episode in played] == [WON, LOST]
    assert finishes(player, [alone, one.after(one.complete(), 2 * 1 + HOLD)]).tolist() == [True, False]


def test_where_nothing_is_allowed_nothing_is_chosen() -> None:
    one = problem(1)
    player = Player(one, make_net(Shape.usual("compact")))
    stuck = one.complete(0b0010)._replace(held=0b0010)  # the only hand holds what is to stay
    assert not one.allowed(stuck)
    assert player.first_choices([stuck, one.complete()]).tolist()[0] == -1
    assert finishes(player, [stuck]).tolist() == [False]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"net": "compakt"}, "net 'compakt': did you mean 'compact'"),
        ({"curriculum": "steep"}, "curriculum 'steep'"),
        ({"rollouts": 0}, "rollouts: found 0, expected 1 to 1000000"),
        ({"rate": float("nan")}, "rate nan, discount 0.95: expected numbers between 0 and 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(change: dict[str, object], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        Settings(**change)  # type: ignore[arg-type]
