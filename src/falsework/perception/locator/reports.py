"""What was seen, as plain numbers and words for JSON."""

from __future__ import annotations

from typing import Any

from falsework.model.perception.findings import Brick, Sight, StructureSight


def brick_as_dict(one: Brick) -> dict[str, Any]:
    """Kind, colour and pose: m and rad, in the base's frame."""
    middle = [round(float(value), 6) for value in one.middle_m]
    named = {"kind": str(one.kind), "color": one.color, "middle_m": middle, "yaw": round(one.yaw, 6)}
    return {**named, "T_base_brick": one.T_base_brick.tolist()}


def sight_as_dict(sight: Sight) -> dict[str, Any]:
    """All that was found and refused."""
    return {
        "found": [
            {**brick_as_dict(one), "covariance": one.covariance.tolist(), "seen": round(one.seen, 4)}
            for one in sight.found
        ],
        "refused": [
            {
                "why": one.why,
                "where_m": one.where_m.tolist(),
                "rivals": [[brick_as_dict(brick) for brick in rival] for rival in one.rivals],
                "decide": one.decide,
            }
            for one in sight.refused
        ],
        "T_base_cam": sight.T_base_cam.tolist(),
        "registered": list(sight.registered),
    }


def structure_as_dict(told: StructureSight) -> dict[str, Any]:
    """Every brick's state."""
    bricks = [
        {
            "name": one.name,
            "state": one.state,
            "why": one.why,
            "offset_m": one.offset_m.tolist(),
            "instead": None if one.instead is None else brick_as_dict(one.instead),
            "seen": round(one.seen, 4),
        }
        for one in told.bricks
    ]
    return {"as_expected": told.as_expected, "bricks": bricks, "registered": list(told.registered)}
