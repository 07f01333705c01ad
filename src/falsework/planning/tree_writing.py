"""The tree that a search walked, as JSON that can be looked at."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from falsework.formats.atomic import write_whole
from falsework.model.assembly import Assembly
from falsework.planning.ledger import Branch

TREE_FORMAT = "falsework-tree/1"


def write_tree(path: str | Path, assembly: Assembly, tree: Sequence[Branch]) -> None:
    """One line a node: its parent (null for the root of a walk), the parts moved, what is held, how many are left."""
    lines = [
        json.dumps(
            {
                "id": number,
                "parent": None if branch.parent < 0 else branch.parent,
                "parts": list(assembly.named(branch.parts)),
                "held": list(assembly.named(branch.node.held)),
                "left": branch.left,
            }
        )
        for number, branch in enumerate(tree)
    ]
    write_whole(path, f'{{"format": "{TREE_FORMAT}", "nodes": [\n' + ",\n".join(lines) + "\n]}\n")
