"""Long work that says where it can be stopped."""

from __future__ import annotations

import threading

import pytest

from falsework.model.checkpoints import checkpoint, is_stoppable, stoppable


class Enough(Exception):
    pass


def refuse() -> None:
    raise Enough


def test_nobody_minds_by_default() -> None:
    checkpoint()
    assert not is_stoppable()


def test_work_stops_at_its_next_checkpoint_and_only_inside() -> None:
    done = []
    with pytest.raises(Enough), stoppable(refuse):
        done.append("before")
        checkpoint()
        done.append("after")
    checkpoint()
    assert done == ["before"]


def test_scopes_nest_and_all_of_them_are_asked() -> None:
    asked: list[str] = []
    with stoppable(lambda: asked.append("outer")):
        with stoppable(lambda: asked.append("inner")):
            checkpoint()
        checkpoint()
    assert asked == ["outer", "inner", "outer"]


def test_other_threads_are_not_stopped() -> None:
    told: list[bool] = []
    with stoppable(refuse):
        thread = threading.Thread(target=lambda: told.append(is_stoppable()))
        thread.start()
        thread.join()
    assert told == [False]
