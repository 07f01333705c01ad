"""The tree that a search walked, as JSON that can be looked at."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from falsework.formats.basics.atomic import write_whole
from falsework.model.assembly import Assembly
from falsework.planning.nodes.ledger import Branch, Refused

TREE_FORMAT = "falsework-tree/1"


def write_tree(path: str | Path, assembly: Assembly, tree: Sequence[Branch], refused: Sequence[Refused] = ()) -> None:
    """One line per node: its parent (null for the root of a walk), the parts moved, what is held, how many are left.

    `refused`: the moves that could not be made from there, and why; those of a search without a tree come by
    themselves at the end.
    """
    at: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for one in refused:
        at[one.branch].append(_refusal_entry(assembly, one))
    lines = [
        json.dumps(
            {
                "id": number,
                "parent": None if branch.parent < 0 else branch.parent,
                "parts": list(assembly.named(branch.parts)),
                "held": list(assembly.named(branch.node.held)),
                "left": branch.left,
                **({"refused": at[number]} if number in at else {}),
            }
        )
        for number, branch in enumerate(tree)
    ]
    elsewhere = ",\n".join(json.dumps(entry) for entry in at[-1])
    nodes = ",\n".join(lines)
    write_whole(path, f'{{"format": "{TREE_FORMAT}", "nodes": [\n{nodes}\n], "refused": [\n{elsewhere}\n]}}\n')


def _refusal_entry(assembly: Assembly, refused: Refused) -> dict[str, Any]:
    refusal = refused.refusal
    return {
        "parts": list(assembly.named(refused.move.parts)),
        "check": refusal.check,
        "why": refusal.why,
        "blockers": list(assembly.named(refusal.blockers)),
    }
