"""`falsework instruct`: building instructions as people know them."""

from __future__ import annotations

import argparse
from pathlib import Path

from falsework.cli.common import about_input, add_json, print_json
from falsework.cli.progress import progress_bar
from falsework.model.errors import BadInput
from falsework.model.figures import count

HELP = "building instructions of a model or a plan: PDF, HTML, LDraw with steps"
MOST_SHOWN = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="INPUT", help="a plan file, or a model; its own steps are kept")
    parser.add_argument("--pdf", action="store_true", help="write instructions.pdf (default: PDF and HTML)")
    parser.add_argument("--html", action="store_true", help="write instructions.html")
    parser.add_argument("--ldraw", action="store_true", help="write instructions.ldr, the model with 0 STEP")
    parser.add_argument("--title", metavar="TEXT", help="on the cover (default: the name of the file)")
    parser.add_argument("--ground", metavar="KIND", help="baseplate, table[:MU] or none")
    parser.add_argument(
        "--parts", metavar="FOLDER", help="LDraw's parts library, a folder or complete.zip (default: $LDRAWDIR)"
    )
    parser.add_argument("--out", metavar="DIR", default=".", help="the folder to write to (default: this one)")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from falsework.studio.instruct import KINDS, instruct

    kinds = tuple(kind for kind in KINDS if getattr(arguments, kind)) or ("pdf", "html")
    try:
        with progress_bar("drawing") as progress:
            made = instruct(
                arguments.input,
                arguments.out,
                kinds=kinds,
                title=arguments.title,
                progress=progress,
                ground=arguments.ground,
                ldraw=arguments.parts,
            )
    except BadInput as why:
        raise about_input(arguments, why) from why
    if arguments.json:
        print_json(made.as_dict())
        return 0
    book = made.booklet
    orders = {"plan": "as planned", "file": "as the file has it", "layers": "layer by layer"}
    print(
        f"{arguments.input}: {count(book.count, 'part')}, {count(len(book.steps), 'step')}, {count(made.pages, 'page')}"
    )
    words = {True: "stands after every step", False: "does not stand after every step", None: "undecided"}
    print(f"  order      {orders[made.order]}; {words[made.verified.valid]}")
    for failure in made.verified.failures[:MOST_SHOWN]:
        print(f"  step {failure.step:<6}{failure.why}")
    if book.partial:
        print(f"  partial    {book.partial}")
    for file in made.files:
        print(f"  -> {Path(file)}")
    return 0
