"""The generalist: numpy says what torch says, lessons what the truth says; whatever it says, plans are plans."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework.gallery.registry import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.learning.generalist.course import lessons
from falsework.learning.generalist.course_costs import holds_of, worth_of
from falsework.learning.generalist.numpy_net import NumpyNet, weight_shapes
from falsework.learning.generalist.shipped import READS_ANY, WEIGHTS, Generalist, generalist
from falsework.learning.graphs.contact_graph import contact_graph
from falsework.learning.graphs.imagining import Imagined
from falsework.learning.nets.policy_file import Kind, PolicyFile, Shape, read_policy, write_policy
from falsework.model.errors import BadFile, BadInput
from falsework.model.state import State
from falsework.planning.plans.truth import truth_of

ARCH = make("semicircular-arch", 0, stones=7)


def test_numpy_says_what_torch_says() -> None:
    torch = pytest.importorskip("torch")
    from falsework.learning.nets.making import net_of

    policy, joints = read_policy(WEIGHTS), interfaces(ARCH)
    rng, bodies = np.random.default_rng(0), len(ARCH.bodies)
    installed = rng.random((20, bodies)) < 0.7
    installed[0], installed[1] = False, True
    held = installed & (rng.random((20, bodies)) < 0.2)
    target = np.zeros((20, bodies), bool)
    net = NumpyNet(policy.weights, contact_graph(ARCH, joints), Imagined(ARCH, joints))
    logits, worth = net(installed, held, target)
    other = net_of(policy)
    with torch.inference_mode():
        expected = other(other.prepared(ARCH, joints), *(torch.from_numpy(one) for one in (installed, held, target)))
    assert np.abs(np.where(installed[:, :, None], logits - expected[0].numpy(), 0)).max() < 1e-3
    assert np.abs(worth - expected[1].numpy()).max() < 1e-3


def test_it_is_evaluated_without_torch() -> None:
    asked = (
        "import sys; from falsework.learning.generalist.shipped import generalist, WEIGHTS, _read; _read(str(WEIGHTS))"
    )
    told = subprocess.run([sys.executable, "-c", f"{asked}; print('torch' in sys.modules)"], capture_output=True)
    assert told.stdout.strip() == b"False", told.stderr


def test_it_ships_and_is_small() -> None:
    assert WEIGHTS.stat().st_size < 1_000_000
    assert read_policy(WEIGHTS).shape.kind == "foreseeing"


def test_a_plan_that_it_leads_is_verified_and_the_same_every_time() -> None:
    plans = [falsework.plan(ARCH, paths="none", guide=generalist(ARCH)) for _ in range(2)]
    assert plans[0].status == "complete" and falsework.verify(plans[0].plan, ARCH).valid
    assert [step.parts for step in plans[0].plan.steps] == [step.parts for step in plans[1].plan.steps]


def test_scores_do_not_depend_on_who_else_is_asked_about() -> None:
    guide, truth = generalist(ARCH), truth_of(ARCH)
    states = [State(int(truth.installed[row]), int(truth.held[row])) for row in range(0, len(truth), 7)]
    together = guide.cost_to_go(states)
    assert together.shape == (len(states),) and np.isfinite(together).all()
    assert np.allclose(together, [guide.cost_to_go([state])[0] for state in states], atol=1e-3)


def test_lessons_are_solvable_states_with_something_right_and_something_wrong() -> None:
    lesson = next(lessons(1, 50, np.random.default_rng(0)))
    taught = lesson.worth > -1
    assert taught.any() and lesson.right[taught].any(axis=1).all()
    assert (lesson.allowed & ~lesson.right)[taught].any(axis=1).all()
    assert not (lesson.cheapest & ~lesson.right).any() and not (lesson.right & ~lesson.allowed).any()


def test_worth_and_holds_are_each_others_way_back() -> None:
    assert np.allclose(holds_of(worth_of(np.arange(30))), np.arange(30))
    assert np.isfinite(holds_of([-1.0])).all()


def test_a_net_that_reads_one_assembly_only_is_refused() -> None:
    with pytest.raises(BadInput, match="kind compact"):
        Generalist(ARCH, interfaces(ARCH), PolicyFile(Shape("perceptron", 3, 64, 9), {}))
    with pytest.raises(BadInput, match="no such file"):
        generalist(ARCH, policy="nowhere.safetensors")


@pytest.mark.parametrize("kind", READS_ANY)
def test_numpy_knows_the_shapes_of_all_weights(kind: Kind) -> None:
    pytest.importorskip("torch")
    from falsework.learning.nets.making import make_net, weights_of

    made = weights_of(make_net(Shape(kind, 2, 24)))
    assert weight_shapes(2, 24, READS_ANY[kind]) == {name: values.shape for name, values in made.items()}


def test_a_guide_whose_weights_do_not_fit_is_refused_in_one_line(tmp_path: Path) -> None:
    policy = read_policy(WEIGHTS)
    few = {name: values for name, values in policy.weights.items() if not name.startswith("layers.1.")}
    for number, weights in enumerate((few, {}, {**policy.weights, "enter.weight": np.zeros((2, 2), np.float32)})):
        path = tmp_path / f"{number}.safetensors"
        write_policy(path, PolicyFile(policy.shape, weights))
        with pytest.raises(BadFile, match=r"found weights of shape .*, expected"):
            generalist(ARCH, policy=path)


def test_a_compact_net_that_was_trained_for_an_assembly_leads_too() -> None:
    pytest.importorskip("torch")
    from falsework.learning.nets.making import make_net, weights_of

    shape = Shape.usual("compact")
    guide = Generalist(ARCH, interfaces(ARCH), PolicyFile(shape, weights_of(make_net(shape))))
    assert np.isfinite(guide.logits([State(2 ** len(ARCH.bodies) - 1)])[0]).all()


def test_the_same_schooling_gives_the_same_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from falsework.learning.generalist import training

    course = [next(lessons(1, 50, np.random.default_rng(0)))]
    monkeypatch.setattr(training, "lessons", lambda *told: iter(course))
    school = training.Schooling(layers=1, width=8, updates=3, states=8, seed=5)
    one, two = (training.train(school).weights for _ in range(2))
    assert all((one[name] == two[name]).all() for name in one) and one["enter.weight"].any()
