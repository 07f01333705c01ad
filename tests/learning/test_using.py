"""Policies at work: they order a search, advise, and play in an environment; whatever they say, plans are right."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import falsework  # noqa: E402
from falsework.cli import main  # noqa: E402
from falsework.learning.nets.making import make_net, weights_of  # noqa: E402
from falsework.learning.nets.policy_file import KINDS, PolicyFile, Shape, write_policy  # noqa: E402
from falsework.learning.using.advice import advise  # noqa: E402
from falsework.learning.using.policy import Policy, policy_selector  # noqa: E402
from falsework.model.errors import BadFile, BadInput  # noqa: E402
from falsework.model.state import State  # noqa: E402
from tests.learning.small import ARCH, bridge  # noqa: E402


def untrained(kind: str, bodies: int, factor: float = 1.0, seed: int = 0) -> Policy:
    """Nobody has taught it anything; with a factor of −1 it says the opposite of that."""
    shape = Shape.usual(kind, bodies)
    weights = {name: np.float32(factor) * values for name, values in weights_of(make_net(shape, seed)).items()}
    return Policy(PolicyFile(shape, weights, {"robots": 2}))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("factor", [1.0, -1.0, 0.0])
def test_no_policy_makes_a_wrong_plan(kind: str, factor: float) -> None:
    arch = falsework.load(ARCH)
    policy = untrained(kind, len(arch.bodies), factor)
    planned = falsework.plan(arch, robots=2, paths="none", selector=falsework.planning.Learned(policy))
    assert planned.status == "complete"
    assert falsework.verify(planned.plan, arch).valid


def test_a_policy_of_another_assembly_is_refused_in_one_line() -> None:
    with pytest.raises(BadInput, match="13 bodies, and this perceptron was made for 5"):
        falsework.plan(ARCH, robots=2, selector=falsework.planning.Learned(untrained("perceptron", 5)))


def test_a_selector_prefers_what_the_policy_prefers() -> None:
    """What is held is scored by its removal, what is not by being held and then removed."""
    small = bridge()
    policy = untrained("compact", 4, seed=2)
    player = policy.player(small)
    here = player.problem.complete()._replace(held=0b1000)
    scores = policy(small, State(here.installed, here.held), [1, 2, 3])
    chances, _ = player.logits([here, here._replace(held=0b1010)])
    assert scores[2] == pytest.approx(chances[0, 7]) and scores[0] == pytest.approx(chances[0, 2] + chances[1, 3])


def test_advice_is_safe_or_there_is_none() -> None:
    arch = falsework.load(ARCH)
    player = untrained("compact", len(arch.bodies)).player(arch)
    rng = np.random.default_rng(0)
    states = [State.complete(arch), State(player.problem.bare, 0)]
    for _ in range(60):
        gone = sum(1 << int(part) for part in rng.choice(11, rng.integers(0, 5), replace=False))
        installed = player.problem.whole & ~gone | player.problem.bare
        held = [part for part in range(11) if installed >> part & 1 and not player.problem.bare >> part & 1][:2]
        states.append(State(installed, sum(1 << part for part in held)))
    found = advise(player, states)
    assert found[1].does == "done" and {one.does for one in found} >= {"hold", "remove"}
    for state, one in zip(states, found, strict=True):
        assert one.safe == (one.does != "none")
        part = arch.mask([one.part]) if one.part else 0
        left = State(state.installed & ~part, state.held & ~part) if one.does == "remove" else state
        if one.does == "remove":
            assert state.held & part and player.problem.oracle.assess(left).stands
    with pytest.raises(BadInput, match="advice is for states of this assembly as it lies"):
        advise(player, [replace(states[0], gravity=(0.0, 1.0, -9.0))])


def test_the_environment_is_what_gymnasium_expects() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    from falsework.learning.using import environment

    environment.register()
    env = gymnasium.make(environment.NAME, source=str(ARCH), most_bodies=16, most_contacts=20)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(infinity|render_modes|not within the obs).*")
        check_env(env.unwrapped)


def test_right_actions_win_and_wrong_ones_lose_in_the_environment() -> None:
    pytest.importorskip("gymnasium")
    from falsework.learning.using.environment import make_environment

    env = make_environment(bridge(), robots=1, cost="steps")
    hold, remove = (lambda part: 2 * part), (lambda part: 2 * part + 1)
    observed, info = env.reset(seed=1)
    assert observed["installed"].tolist() == [1, 1, 1, 1] and info["action_mask"].nonzero()[0].tolist() == [2, 4, 6]
    rewards = [env.step(action)[1] for part in (3, 1, 2) for action in (hold(part), remove(part))]
    assert rewards == pytest.approx([-0.01] * 5 + [0.99])
    env.reset()
    env.step(hold(1))
    _, reward, over, _, info = env.step(remove(1))
    assert (reward, over, info["fell"]) == (pytest.approx(-1.01), True, True)
    env.reset()
    assert env.step(remove(3))[1:3] == (-1.0, True)  # nobody holds it


def test_a_vector_of_environments_steps_together() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    from falsework.learning.using import environment

    environment.register()
    several = gymnasium.make_vec(environment.NAME, 3, vectorization_mode="sync", source=bridge(), starts="beam")
    _, info = several.reset(seed=0)
    actions = [int(row.nonzero()[0][0]) for row in info["action_mask"]]
    assert several.step(np.array(actions))[0]["installed"].shape == (3, 4)


def test_an_environment_too_small_for_its_assembly_is_refused() -> None:
    pytest.importorskip("gymnasium")
    from falsework.learning.using.environment import make_environment

    with pytest.raises(BadInput, match="4 bodies and 4 contacts, and room for 3 and 4; ask for more room"):
        make_environment(bridge(), most_bodies=3)
    with pytest.raises(BadInput, match="cost: found 'money', expected none or holds or steps"):
        make_environment(bridge(), cost="money")  # type: ignore[arg-type]


def test_the_command_line_trains_plans_and_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "learned"
    assert main(["learn", str(ARCH), "--updates", "1", "--out", str(out)]) == 0
    assert "finished by first choices" in capsys.readouterr().out
    assert "A policy, trained" in (out / "report.html").read_text()
    policy = out / "policy.safetensors"
    words = ["plan", str(ARCH), "--paths", "none", "--selector"]
    assert main([*words, f"policy:{policy}", "--out", str(tmp_path / "plan")]) == 0
    assert main(["verify", str(tmp_path / "plan" / "plan.json")]) == 0
    capsys.readouterr()
    for word, told in (
        (f"policy:{ARCH}", "this is no policy"),
        ("policy:", "expected policy:FILE"),
        ("policy", "expected policy:FILE"),
        ("polcy", "least-blocked"),
    ):
        assert main([*words, word]) == 2
        complaint = capsys.readouterr().err
        assert told in complaint and complaint.count("\n") == 1
    assert main(["learn", str(ARCH), "--net", "published", "--updates", "2", "--out", str(out), "--resume"]) == 2
    assert "net 'compact', not 'published'; ask for the same" in capsys.readouterr().err


def test_a_selector_from_a_torn_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.safetensors"
    shape = Shape.usual("compact")
    write_policy(path, PolicyFile(shape, weights_of(make_net(shape)), {}))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(BadFile, match="this is no policy, or a part of it is missing"):
        policy_selector(path)
