"""The shipped examples: each loads, and stands or falls as it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from falsework import check
from falsework.formats import detect, load

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KNOWN = {
    "arch.yaml": ("falsework-assembly/1", "stable"),
    "bird-house.yaml": ("falsework-assembly/1", "stable"),
    "bridge.txt": ("brick-text", "stable"),
    "diamond.yaml": ("falsework-assembly/1", "unstable"),
    "dome.json": ("falsework-assembly/1", "stable"),
    "duplo-bridge.yaml": ("product-yaml", "stable"),
    "duplo-gatehouse.yaml": ("falsework-assembly/1", "stable"),
    "duplo-lighthouse.yaml": ("falsework-assembly/1", "stable"),
    "duplo-viaduct.yaml": ("falsework-assembly/1", "stable"),
    "guitar.ldr": ("ldraw", "stable"),
    "stairs.txt": ("brick-text", "unstable"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_example_is_what_it_is_said_to_be(name: str) -> None:
    format, verdict = KNOWN[name]
    assert detect(EXAMPLES / name) == format
    assert check(load(EXAMPLES / name)).answer == verdict


def test_examples_are_small() -> None:
    assert max((EXAMPLES / name).stat().st_size for name in KNOWN) < 10_000


def test_the_arch_falls_without_its_keystone() -> None:
    assert check(load(EXAMPLES / "arch.yaml"), absent=["keystone"]).answer == "unstable"
