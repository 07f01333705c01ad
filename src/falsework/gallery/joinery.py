"""Joints of carpentry on a cubic grid: a mortise-and-tenon frame, and a bookshelf that locks itself."""

from __future__ import annotations

from falsework.gallery.kind import Kind, Parameter, Truth, always
from falsework.gallery.stones import Cell, cubes, cuboid
from falsework.model.assembly import Assembly

CELL_M = 0.02


def mortise_frame(bays: int, span: int, height: int, closed: int) -> Assembly:
    """Posts with tenons in a fixed sill, and rails with tenons in the posts' heads.

    Open heads are forks, into which the rails drop from above. Closed heads are mortises, into which they slide
    sideways: then a post must enter the sill from above and take a rail from the side at once.
    """
    pitch = span + 3
    width = bays * pitch + 3
    posts = [_post(bay * pitch, height, bool(closed)) for bay in range(bays + 1)]
    rails = [_rail(bay * pitch, pitch, height) for bay in range(bays)]
    for post, rail in [(post, rail) for post in posts for rail in rails]:
        post -= rail
    sill = cuboid((-2, 0, -3), (width + 2, 3, 0))
    for post in posts:
        sill -= post
    parts = [cubes("sill", sill, CELL_M)]
    parts += [cubes(f"post-{k}", post, CELL_M) for k, post in enumerate(posts, start=1)]
    parts += [cubes(f"rail-{k}", rail, CELL_M) for k, rail in enumerate(rails, start=1)]
    return Assembly(tuple(parts), fixed=frozenset(["sill"]))


def _post(x: int, height: int, closed: bool) -> set[Cell]:
    """A square post with a tenon below; a closed one reaches over the rails."""
    return cuboid((x, 0, 0), (x + 3, 3, height + (2 if closed else 0))) | cuboid((x + 1, 1, -2), (x + 2, 2, 0))


def _rail(x: int, pitch: int, height: int) -> set[Cell]:
    """A rail between two posts, with a tenon one cell long at each end."""
    return cuboid((x + 3, 0, height - 2), (x + pitch, 3, height)) | cuboid(
        (x + 2, 1, height - 2), (x + pitch + 1, 2, height)
    )


def locked_bookshelf(height: int) -> Assembly:
    """Two boards on a fixed base, and on them a ring of four bars whose joints slide along z, x, z, x in turn.

    Every bar has one joint of each direction, so none can leave alone; two of them slide out together (seed 002,
    Fig. 11).
    """
    front, right, back, left = _ring()
    lifted = [{(x, y, z + height) for x, y, z in bar} for bar in (front, right, back, left)]
    base = cuboid((-1, 0, -1), (15, 15, 0))
    boards = [cuboid((0, 3, 0), (3, 12, height)), cuboid((11, 3, 0), (14, 12, height))]
    named = zip(("front", "right", "back", "left"), lifted, strict=True)
    parts = [cubes("base", base, CELL_M)]
    parts += [cubes(name, board, CELL_M) for name, board in zip(("board-left", "board-right"), boards, strict=True)]
    parts += [cubes(name, bar, CELL_M) for name, bar in named]
    return Assembly(tuple(parts), fixed=frozenset(["base"]))


def _ring() -> tuple[set[Cell], set[Cell], set[Cell], set[Cell]]:
    """Bars at the front (y low), right (x high), back and left; the side bars have T-shaped heads at both ends."""
    right = cuboid((11, 3, 0), (14, 12, 5)) | _upright_head(11, 2, 1) | _level_head(11, 12, 13)
    left = cuboid((0, 3, 0), (3, 12, 5)) | _upright_head(0, 12, 13) | _level_head(0, 2, 1)
    front = cuboid((0, 0, 0), (15, 3, 5)) - left - right
    back = cuboid((-1, 12, 0), (14, 15, 5)) - left - right
    return front, right, back, left


def _upright_head(x: int, neck_y: int, head_y: int) -> set[Cell]:
    """A head that leaves its slot along z: a T seen from above."""
    return cuboid((x + 1, neck_y, 0), (x + 2, neck_y + 1, 5)) | cuboid((x, head_y, 0), (x + 3, head_y + 1, 5))


def _level_head(x: int, neck_y: int, head_y: int) -> set[Cell]:
    """A head that leaves its slot along x: a T seen from the end."""
    return cuboid((x, neck_y, 2), (x + 3, neck_y + 1, 3)) | cuboid((x, head_y, 1), (x + 3, head_y + 1, 4))


def _frame_truth(bays: int, span: int, height: int, closed: int) -> Truth:
    del bays, span, height
    why = "posts stand upright in their mortises and the rails lie on the posts"
    if closed:
        return Truth(True, why, unbuildable="rails enter the posts sideways, but posts enter the sill from above")
    return Truth(True, why, hands=1)


KINDS = (
    Kind(
        "mortise-frame",
        "posts in a sill and rails in the posts, by mortise and tenon",
        (
            Parameter("bays", 2, "", "bays between posts", 1, 200),
            Parameter("span", 6, "cells", "clear width of a bay", 2, 40),
            Parameter("height", 8, "cells", "height of the posts", 4, 60),
            Parameter("closed", 0, "", "1: mortises closed at the top, 0: open forks", 0, 1),
        ),
        mortise_frame,
        _frame_truth,
    ),
    Kind(
        "locked-bookshelf",
        "a shelf whose four top bars can only leave two at a time (seed 002, Fig. 11)",
        (Parameter("height", 10, "cells", "height of the boards", 1, 60),),
        locked_bookshelf,
        always(
            Truth(
                True,
                "the bars lie on the two boards",
                unbuildable="each top bar has two joints that slide along different directions",
            )
        ),
    ),
)
