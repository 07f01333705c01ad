"""Files whose parts share space are well formed: they load, and are refused when contacts are looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from falsework.formats import load
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.errors import Overlap
from tests.corpus import bad_geometry


def test_overlapping_parts_load_and_are_refused_by_geometry(tmp_path: Path) -> None:
    for kind, path in bad_geometry(tmp_path):
        assembly = load(path)
        assert len(assembly.parts) == 2, kind
        with pytest.raises(Overlap):
            interfaces(assembly)
