"""Models of bricks that reach out: bridges, stairs, sticks and a corbelled arch, up to what the clutches hold."""

from __future__ import annotations

from falsework.gallery.bricklaying import Layout
from falsework.gallery.kind import Kind, Parameter, Truth
from falsework.model.assembly import Assembly


def brick_bridge(bays: int, height: int) -> Assembly:
    """Two piers, and a deck of two layers of 2x8 bricks between them, the upper over the joints of the lower."""
    layout = Layout()
    length = 8 * bays
    for layer in range(height):
        for x in (0, length - 2):
            layout.brick(2, 2, x, 0, layer)
    for bay in range(bays):
        layout.brick(8, 2, 8 * bay, 0, height)
    layout.brick(4, 2, 0, 0, height + 1)
    for bay in range(bays - 1):
        layout.brick(8, 2, 8 * bay + 4, 0, height + 1)
    layout.brick(4, 2, length - 4, 0, height + 1)
    return layout.on_baseplate()


def brick_stairs(steps: int) -> Assembly:
    """2x4 bricks, each two studs further along its length than the one below, as StableLego built them."""
    layout = Layout()
    for step in range(steps):
        layout.brick(4, 2, 2 * step, 0, step)
    return layout.on_baseplate()


def brick_stick(reach: int, height: int) -> Assembly:
    """A column with a stick of two layers of 1x8 and 1x4 bricks pointing out of it."""
    layout = Layout()
    for layer in range(height):
        layout.brick(4, 2, 0, 0, layer)
    for k in range(reach):
        layout.brick(8, 1, 8 * k, 0, height)
    layout.brick(4, 1, 0, 0, height + 1)
    for k in range(reach - 1):
        layout.brick(8, 1, 8 * k + 4, 0, height + 1)
    layout.brick(4, 2, 0, 0, height + 2)
    return layout.on_baseplate()


def brick_arch(half_span: int) -> Assembly:
    """Two sides of 2x4 bricks that step towards each other by one stud per layer, and a brick that closes them."""
    layout = Layout()
    right = 2 * half_span + 6
    for layer in range(half_span):
        layout.brick(4, 2, layer, 0, layer)
        layout.brick(4, 2, right - 4 - layer + 2, 0, layer)
    layout.brick(8, 2, half_span, 0, half_span)
    return layout.on_baseplate()


APART = "bricks that would not bear the press where they go are pressed together apart, and come as one"


def _bridge_truth(bays: int, height: int) -> Truth:
    del height
    if bays <= 18:
        why = "the clutches over the joints hold the bending of the deck"
        if bays <= 3:
            return Truth(True, why, hands=1, building=APART)
        held = "a second hand holds the deck where the closing brick is pressed on: its free ends do not bear it"
        return Truth(True, why, hands=2, building=held) if bays <= 8 else Truth(True, why)
    if bays >= 25:
        return Truth(False, "the bending of a long deck tears the clutches over its joints")
    return Truth(None, "between the known cases")


def _stairs_truth(steps: int) -> Truth:
    if steps <= 19:
        why = "the lowest clutch holds the overturning moment; StableLego built 19 such steps"
        if steps <= 5:
            return Truth(True, why, hands=1, building="the lowest clutch also holds the press on the last step")
        return Truth(True, why, hands=1, building=APART) if steps <= 13 else Truth(True, why)
    return Truth(False, "the overturning moment tears the lowest clutch; StableLego saw 20 such steps fall")


def _stick_truth(reach: int, height: int) -> Truth:
    del height
    if reach <= 8:
        return Truth(True, "the clutches hold the moment of a short stick", hands=1, building=APART)
    if reach >= 12:
        return Truth(False, "the stick's own weight bends it out of its clutches")
    return Truth(None, "between the known cases")


def _arch_truth(half_span: int) -> Truth:
    if half_span <= 8:
        why = "both sides lean on each other through the closing brick"
        return Truth(True, why, hands=1, building="each side also stands alone, and bears the press on its last brick")
    return Truth(None, "wide: not known beforehand")


_HEIGHT = Parameter("height", 4, "bricks", "height of the supports", 1, 100)

KINDS = (
    Kind(
        "brick-bridge",
        "a deck of 2x8 bricks between two piers",
        (Parameter("bays", 3, "", "2x8 bricks along the deck", 1, 100), _HEIGHT),
        brick_bridge,
        _bridge_truth,
        knob="bays",
    ),
    Kind(
        "brick-stairs",
        "2x4 bricks that climb out over nothing",
        (Parameter("steps", 10, "", "bricks", 1, 200),),
        brick_stairs,
        _stairs_truth,
        knob="steps",
    ),
    Kind(
        "brick-stick",
        "a stick of thin bricks that points out of a column",
        (Parameter("reach", 2, "", "1x8 bricks along the stick", 1, 60), _HEIGHT),
        brick_stick,
        _stick_truth,
        knob="reach",
    ),
    Kind(
        "brick-arch",
        "two sides that step towards each other and meet",
        (Parameter("half_span", 4, "bricks", "layers below the closing brick", 1, 60),),
        brick_arch,
        _arch_truth,
    ),
)
