"""Nets: what they must not depend on, and files that mean what they say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from safetensors.numpy import save  # noqa: E402

from falsework.learning.nets.attention import Edges, attended, heard, taken  # noqa: E402
from falsework.learning.nets.making import make_net, net_of, weights_of  # noqa: E402
from falsework.learning.nets.policy_file import KINDS, PolicyFile, Shape, read_policy, write_policy  # noqa: E402
from falsework.learning.nets.present import Rows  # noqa: E402
from falsework.learning.playing.player import Player  # noqa: E402
from falsework.learning.problems.problem import Problem, Situation  # noqa: E402
from falsework.model.errors import BadFile, BadInput  # noqa: E402
from tests.learning.small import BOXES, bridge, problem  # noqa: E402

GRAPHS = ("compact", "foreseeing", "published")


@pytest.mark.parametrize("kind", GRAPHS)
def test_the_order_of_the_parts_does_not_matter(kind: str) -> None:
    net = make_net(Shape.usual(kind), seed=3)
    other = ("beam", "right", "plate", "left")
    found = []
    for order in (tuple(BOXES), other):
        player = Player(Problem.of(bridge(order=order), 2), net)
        held = player.problem.assembly.mask(["beam"])
        logits, values = player.logits([player.problem.complete()._replace(held=held)])
        by_name = {name: logits[0, 2 * n : 2 * n + 2].tolist() for n, name in enumerate(order)}
        found.append((by_name, values[0]))
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-5)
    for name in BOXES:
        assert found[0][0][name] == pytest.approx(found[1][0][name], rel=1e-4)


@pytest.mark.parametrize("kind", GRAPHS)
def test_what_is_not_there_is_not_seen(kind: str) -> None:
    """A bridge without its beam is two posts, whether or not there was a beam."""
    net = make_net(Shape.usual(kind), seed=3)
    player = Player(problem(2), net)
    three = player.problem.assembly.mask(["plate", "left", "right"])
    rows, allowed = player.tensors([Situation(three, 0, player.problem.bare)])
    before, value = player.judged(rows, allowed)
    rows[1, 0, 3] = rows[2, 0, 3] = True  # held and to stay, but not there
    after, other = player.judged(rows, allowed)
    assert torch.equal(before[:, :6], after[:, :6]) and torch.equal(value, other)


def test_a_batch_is_judged_as_its_states_are_one_by_one() -> None:
    player = Player(problem(2), make_net(Shape.usual("published"), seed=1))
    whole = player.problem.complete()
    many = [whole, whole._replace(held=8), Situation(0b0111, 2, 1), Situation(0b0011, 0, 1)]
    together, _ = player.logits(many)
    alone = np.concatenate([player.logits([here])[0] for here in many])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def plain_softmax(scores: torch.Tensor, receivers: torch.Tensor, count: int) -> torch.Tensor:
    """(receivers, edges) weights, one receiver at a time."""
    rows = [torch.where(receivers == n, scores, -torch.inf) for n in range(count)]
    return torch.stack([torch.softmax(row, 0) if (receivers == n).any() else 0 * scores for n, row in enumerate(rows)])


def edges_of(senders: int, receivers: int) -> Edges:
    """Forty of them, and nobody sends to the last receiver."""
    return Edges(torch.randint(0, senders, (40,)), torch.randint(0, receivers - 1, (40,)))


def test_attention_and_its_gradients_are_the_plain_ones() -> None:
    torch.manual_seed(0)
    edges, towards = edges_of(9, 7), torch.randn(7, 5)
    given = [torch.randn(shape, requires_grad=True) for shape in ((9,), (7,), (9, 5))]
    sent, received, values = given
    ours = attended(sent, received, values, edges)
    scores = torch.nn.functional.leaky_relu(sent[edges.senders] + received[edges.receivers], 0.2)
    plain = plain_softmax(scores, edges.receivers, 7) @ values[edges.senders]
    torch.testing.assert_close(ours, plain)
    assert not ours[6].any()
    assert_same_gradients(ours, plain, towards, given)


def test_attention_along_contacts_and_its_gradients_are_the_plain_ones() -> None:
    torch.manual_seed(1)
    edges, towards, which = edges_of(9, 7), torch.randn(7, 5), torch.randint(0, 6, (40,))
    given = [torch.randn(shape, requires_grad=True) for shape in ((9, 5), (7, 5), (6, 5), (5,))]
    sent, received, known, attention = given
    ours = heard(sent, received, known, attention, which, edges)
    inside = sent[edges.senders] + received[edges.receivers] + known[which]
    messages = torch.nn.functional.leaky_relu(inside, 0.2)
    plain = plain_softmax(messages @ attention, edges.receivers, 7) @ messages
    torch.testing.assert_close(ours, plain)
    assert_same_gradients(ours, plain, towards, given)


def test_rows_that_are_taken_twice_get_both_gradients() -> None:
    values, towards = torch.randn(4, 3, requires_grad=True), torch.randn(5, 3)
    rows = torch.tensor([2, 0, 2, 2, 1])
    assert_same_gradients(taken(values, rows), values[rows], towards, [values])


def assert_same_gradients(ours: torch.Tensor, plain: torch.Tensor, towards: torch.Tensor, given: list) -> None:  # type: ignore[type-arg]
    found, expected = (torch.autograd.grad((one * towards).sum(), given) for one in (ours, plain))
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_no_score_overflows() -> None:
    scores, nothing = torch.tensor([500.0, -500.0]), torch.zeros(1)
    found = attended(scores, nothing, torch.tensor([[1.0], [2.0]]), Edges(torch.arange(2), torch.zeros(2).long()))
    assert found.item() == pytest.approx(1.0)


def test_means_and_maxima_are_of_what_is_there() -> None:
    rows = Rows.of(torch.tensor([[True, False, True], [False, False, False]]))
    values = torch.tensor([[1.0, -4.0], [3.0, -2.0]])
    assert rows.mean(values).tolist() == [[2.0, -3.0], [0.0, 0.0]]
    assert rows.most(values).tolist() == [[3.0, -2.0], [0.0, 0.0]]
    assert rows.spread(values)[0].tolist() == [[1.0, -4.0], [0.0, 0.0], [3.0, -2.0]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_policy_is_read_as_it_was_written(kind: str, tmp_path: Path) -> None:
    shape = Shape.usual(kind, bodies=4)
    net = make_net(shape, seed=5)
    write_policy(tmp_path / "p.safetensors", PolicyFile(shape, weights_of(net), {"robots": 3}))
    read = read_policy(tmp_path / "p.safetensors")
    assert (read.shape, read.about["robots"]) == (shape, 3)
    again = net_of(read)
    assert all(torch.equal(one, again.state_dict()[name]) for name, one in net.state_dict().items())


def test_the_same_seed_makes_the_same_net_and_leaves_random_numbers_alone() -> None:
    torch.manual_seed(0)
    before = torch.rand(1)
    torch.manual_seed(0)
    one, two, three = (weights_of(make_net(Shape.usual("compact"), seed)) for seed in (1, 1, 2))
    assert torch.equal(before, torch.rand(1))
    assert all((one[name] == two[name]).all() for name in one)
    assert any((one[name] != three[name]).any() for name in one)


def broken(tmp_path: Path, **changes: object) -> Path:
    """A policy file whose header says something else."""
    path = tmp_path / "p.safetensors"
    shape = Shape.usual("compact")
    write_policy(path, PolicyFile(shape, weights_of(make_net(shape)), {}))
    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(json.loads(raw[8 : 8 + size])["__metadata__"]["falsework"]) | changes
    path.write_bytes(save(dict(read_policy(path).weights), metadata={"falsework": json.dumps(header)}))
    return path


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"version": 99}, "format: found 'falsework-policy', version 99, expected falsework-policy, version 1"),
        ({"actions": "hold, remove, release"}, "actions: found 'hold, remove, release', expected 'hold, remove'"),
        ({"features": ["mass"]}, "features: found .* train it anew"),
        ({"net": {"kind": "compact"}}, "net: found .*expected kind, layers, width and bodies"),
        ({"net": {"kind": "compct", "layers": 3, "width": 32, "bodies": 0}}, "did you mean 'compact'"),
        ({"net": {"kind": "compact", "layers": 0, "width": 32, "bodies": 0}}, "layers: found 0, expected 1 to 64"),
    ],
)
def test_a_policy_of_another_kind_is_refused(changes: dict[str, object], told: str, tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=told):
        read_policy(broken(tmp_path, **changes))


def test_weights_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = broken(tmp_path, net={"kind": "compact", "layers": 2, "width": 32, "bodies": 0})
    with pytest.raises(BadFile, match=r"layers\.2.*found weights of shape .*, expected None"):
        net_of(read_policy(path), path)


def test_files_that_are_no_policies_are_refused(tmp_path: Path) -> None:
    path = broken(tmp_path)
    whole = path.read_bytes()
    for content in (b"", b"not a policy", whole[: len(whole) // 2], save({"x": np.zeros(1, np.float32)})):
        path.write_bytes(content)
        with pytest.raises(BadFile):
            read_policy(path)
    with pytest.raises(BadFile, match="there is no such file"):
        read_policy(tmp_path / "none.safetensors")


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    shape = Shape.usual("compact")
    weights = {**weights_of(make_net(shape))}
    weights["enter.bias"] = np.full_like(weights["enter.bias"], np.nan)
    write_policy(tmp_path / "p.safetensors", PolicyFile(shape, weights, {}))
    with pytest.raises(BadFile, match=r"enter\.bias: found weights that are not finite"):
        read_policy(tmp_path / "p.safetensors")


def test_a_perceptron_is_of_one_assembly() -> None:
    net = make_net(Shape.usual("perceptron", bodies=7))
    with pytest.raises(BadInput, match="4 bodies, and this perceptron was made for 7"):
        Player(problem(), net)
