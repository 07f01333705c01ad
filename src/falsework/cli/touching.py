"""What the verbs say about touching: up to which distance, and what is missing where something falls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

MOST_NAMED = 8  # kinds of parts that are not there

if TYPE_CHECKING:
    from falsework.model.assembly import Assembly
    from falsework.model.near_misses import NearMisses


def first_line(source: str, answer: str, missing: NearMisses | None = None) -> str:
    """The input, the answer in a word, and what is missing where that may be all there is to it."""
    from falsework.verdicts.missing_contacts import sentence

    told = sentence(missing)
    return f"{source}: {answer}: {told}" if told else f"{source}: {answer}"


def gap_dict(assembly: Assembly) -> dict[str, float | None]:
    """Up to which distance parts touch: what was asked for, and between what bounds it is, by the sizes of parts."""
    from falsework.geometry.contacts.near_misses import touching_range

    least, most = touching_range(assembly) or (None, None)
    return {"asked_m": assembly.gap_m, "least_m": least, "most_m": most}


def partial_dict(assembly: Assembly) -> dict[str, Any]:
    """What of the file is not in the assembly as it is in reality, for programs; nothing where all of it is."""
    return {"partial": [one.as_dict() for one in assembly.partial]} if assembly.partial else {}


def print_partial(assembly: Assembly, width: int = 11) -> None:
    """The same in one line for people."""
    if not assembly.partial:
        return
    named = [f"{one.count} of {one.part}" for one in assembly.partial]
    more = f" and {len(named) - MOST_NAMED} kinds more" if len(named) > MOST_NAMED else ""
    whole = sum(one.count for one in assembly.partial)
    boxes = sum(one.count for one in assembly.partial if one.became == "box")
    words = [f"{whole - boxes} left out" if whole > boxes else "", f"{boxes} taken as boxes" if boxes else ""]
    told = " and ".join(filter(None, words))
    unknown = any(one.why.startswith("unknown") for one in assembly.partial)
    advice = "; give LDraw's parts with --ldraw" if unknown else f"; {assembly.partial[0].why}"
    print(f"  {'partial':{width}}{told}: {', '.join(named[:MOST_NAMED])}{more}{advice}")


def touching_dict(assembly: Assembly, missing: NearMisses | None) -> dict[str, Any]:
    """The gap, and what is missing, for programs."""
    told: dict[str, Any] = {"gap": gap_dict(assembly), **partial_dict(assembly)}
    if missing is None:
        return told | {"isolated": [], "near_misses": []}
    told |= {"isolated": list(missing.isolated), "near_misses": [miss.as_dict() for miss in missing.pairs]}
    return told if missing.gap_m is None else told | {"suggested_gap_m": missing.gap_m}
