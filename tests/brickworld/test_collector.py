"""Frames without a pause."""

from __future__ import annotations

import gc

from falsework.brickworld.collector import nothing_old_collected


def test_what_was_there_is_left_out_and_comes_back() -> None:
    assert gc.get_freeze_count() == 0
    with nothing_old_collected():
        assert gc.get_freeze_count() > 0
    assert gc.get_freeze_count() == 0


def test_whoever_froze_first_unfreezes() -> None:
    with nothing_old_collected():
        with nothing_old_collected():
            pass
        assert gc.get_freeze_count() > 0
