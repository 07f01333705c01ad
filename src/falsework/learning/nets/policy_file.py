"""Policies in files: weights as safetensors, what they mean as JSON in the same file's header. Needs no torch.

The header names the version of the format, the kind of net and its size, the features it was trained on and the actions
it chooses between. A file that says anything else than this version of Falsework means by it is refused: weights on
other features are numbers without a meaning.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from falsework.formats.basics.atomic import write_whole
from falsework.learning.graphs.contact_graph import EDGE_FEATURES, NODE_FEATURES
from falsework.learning.graphs.imagining import IMAGINED_FEATURES
from falsework.learning.graphs.supports import SUPPORT_FEATURES
from falsework.model.errors import BadFile, BadInput, did_you_mean, shown

Kind = Literal["compact", "foreseeing", "published", "perceptron"]
Weights = Mapping[str, npt.NDArray[np.float32]]
KINDS: tuple[Kind, ...] = get_args(Kind)
FORMAT, VERSION = "falsework-policy", 1
ACTIONS = "hold, remove"  # two logits a body, in this order
FEATURES: Mapping[Kind, tuple[str, ...]] = {
    "compact": (*NODE_FEATURES, "held", "target", *SUPPORT_FEATURES, *EDGE_FEATURES),
    "foreseeing": (*NODE_FEATURES, "held", "target", *SUPPORT_FEATURES, *IMAGINED_FEATURES, *EDGE_FEATURES),
    "published": ("mass", "held + 2 target", "normal", "arm"),
    "perceptron": ("installed", "held", "target"),
}
_HEADER = "falsework"
_USUAL: Mapping[Kind, tuple[int, int]] = {
    "compact": (3, 32),
    "foreseeing": (4, 48),
    "published": (8, 16),
    "perceptron": (3, 64),
}
_MOST_LAYERS, _MOST_WIDTH = 64, 1024


@dataclass(frozen=True, slots=True)
class Shape:
    """Which net: its kind, how many layers, how wide; `bodies` of a perceptron, which is of one assembly.

    >>> Shape.usual("published")
    Shape(kind='published', layers=8, width=16, bodies=0)
    """

    kind: Kind
    layers: int
    width: int
    bodies: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadInput(f"net {shown(self.kind)}: {did_you_mean(str(self.kind), KINDS)}")
        for name, found, most in (("layers", self.layers, _MOST_LAYERS), ("width", self.width, _MOST_WIDTH)):
            if type(found) is not int or not 1 <= found <= most:
                raise BadInput(f"net {self.kind}: {name}: found {shown(found)}, expected 1 to {most}")
        if type(self.bodies) is not int or (self.bodies < 1) == (self.kind == "perceptron"):
            raise BadInput(f"net {self.kind}: bodies: found {shown(self.bodies)}; a perceptron has 1 or more, others 0")

    @staticmethod
    def usual(kind: str, bodies: int = 0) -> Shape:
        """As the seed has it; the compact one as ours is."""
        if kind not in KINDS:
            raise BadInput(f"net {shown(kind)}: {did_you_mean(kind, KINDS)}")
        return Shape(kind, *_USUAL[kind], bodies if kind == "perceptron" else 0)


@dataclass(frozen=True, slots=True, eq=False)
class PolicyFile:
    """A net's shape, its weights by name, and what is told about them: robots, how trained, accuracy.

    >>> PolicyFile(Shape.usual("compact"), {}, {"robots": 2}).about["robots"]
    2
    """

    shape: Shape
    weights: Weights
    about: Mapping[str, Any] = field(default_factory=dict)


def write_policy(path: Path, policy: PolicyFile) -> None:
    """Whole or not at all: whoever reads while it is written finds the file as it was before."""
    from safetensors.numpy import save

    header = {
        "format": FORMAT,
        "version": VERSION,
        "net": asdict(policy.shape),
        "actions": ACTIONS,
        "features": list(FEATURES[policy.shape.kind]),
        "about": dict(policy.about),
    }
    text = json.dumps(header, sort_keys=True, allow_nan=False)
    write_whole(path, save(dict(policy.weights), metadata={_HEADER: text}))


def read_policy(path: str | Path) -> PolicyFile:
    """A policy from its file; `BadFile` in one line for anything else.

    >>> try:
    ...     read_policy("examples/arch.yaml")
    ... except BadFile as why:
    ...     print(str(why)[:40])
    examples/arch.yaml: this is no policy, o
    """
    place = Path(path)
    if not place.is_file():
        raise BadFile(path, "", "there is no such file; `falsework learn` writes policies")
    weights, header = _opened(place)
    if header.get("format") != FORMAT or header.get("version") != VERSION:
        found = f"{shown(header.get('format'))}, version {shown(header.get('version'))}"
        raise BadFile(path, "format", f"found {found}, expected {FORMAT}, version {VERSION}; train it anew")
    shape = _shape(place, header.get("net"))
    if header.get("actions") != ACTIONS:
        found = shown(header.get("actions"))
        raise BadFile(path, "actions", f"found {found}, expected {shown(ACTIONS)}; train it anew")
    if (seen := header.get("features")) != (expected := list(FEATURES[shape.kind])):
        raise BadFile(path, "features", f"found {_otherwise(seen, expected)}; train it anew")
    for name, values in weights.items():
        if values.dtype != np.float32 or not np.isfinite(values).all():
            raise BadFile(path, name, "found weights that are not finite numbers of 32 bits")
    about = header.get("about")
    return PolicyFile(shape, weights, about if isinstance(about, dict) else {})


def _otherwise(seen: Any, expected: list[str]) -> str:
    """How features differ from those that are expected."""
    if not isinstance(seen, list):
        return f"{shown(seen)}, expected a list of {len(expected)} names"
    less, more = ([name for name in one if name not in other] for one, other in ((expected, seen), (seen, expected)))
    odd = [f"{word} {shown(names)}" for word, names in (("no", less), ("also", more)) if names]
    return ", ".join(odd) or "them in another order"


def fits(policy: PolicyFile, expected: Mapping[str, tuple[int, ...]], path: str | Path) -> None:
    """`BadFile` unless the weights are those of a net with such weights."""
    found = {name: values.shape for name, values in policy.weights.items()}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            raise BadFile(path, name, f"found weights of shape {found.get(name)}, expected {expected.get(name)}")


def _opened(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "numpy") as opened:
            text = (opened.metadata() or {}).get(_HEADER)
            weights = {name: opened.get_tensor(name) for name in list(opened.keys())}
        header = json.loads(text or "null")
    except (SafetensorError, OSError, ValueError, TypeError, KeyError) as why:
        raise BadFile(path, "", f"this is no policy, or a part of it is missing: {why}") from why
    if not isinstance(header, dict):
        raise BadFile(path, "", f"weights without a header of {FORMAT}; `falsework learn` writes policies")
    return weights, header


def _shape(path: Path, net: Any) -> Shape:
    if not isinstance(net, dict) or set(net) != {"kind", "layers", "width", "bodies"}:
        raise BadFile(path, "net", f"found {shown(net)}, expected kind, layers, width and bodies")
    try:
        return Shape(**net)
    except BadInput as why:
        raise BadFile(path, "net", str(why)) from why
