"""`falsework calibrate`: lens and mount of a camera."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from falsework.cli.common import add_json, print_json
from falsework.model.figures import count

if TYPE_CHECKING:
    from falsework.perception.calibration.calibrate import Calibration

HELP = "lens and mount of a camera, from pictures of a ChArUco board"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", metavar="FOLDER", nargs="+", help="with rgb.png, and camera.yaml with T_base_flange")
    parser.add_argument(
        "--board", metavar="BOARD", default="7x5:0.03:0.022",
        help="squares, their side and the markers' in m, perhaps the dictionary (default 7x5:0.03:0.022:5X5_100)",
    )  # fmt: skip
    parser.add_argument("--mounted", metavar="HOW", default="hand", help="hand (default) or stand")
    parser.add_argument("--out", metavar="FILE", help="a YAML file for what was found")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from falsework.perception.calibration.calibrate import calibrate

    found = calibrate(arguments.folders, board=arguments.board, mounted=arguments.mounted)
    if arguments.out is not None:
        from falsework.formats.basics.atomic import write_whole
        from falsework.formats.native.writing import plain_yaml

        write_whole(Path(arguments.out), plain_yaml(found.as_dict()))
    if arguments.json:
        print_json(found.as_dict())
    else:
        _print(found)
    return 0


def _print(found: Calibration) -> None:
    K, spread = found.lens.K, found.lens.deviation_px
    print(f"{count(len(found.used), 'picture')}: corners fit to {found.lens.residual_px:.2g} px")
    print(f"  focal      {K[0, 0]:.2f} ± {spread[0]:.2g}, {K[1, 1]:.2f} ± {spread[1]:.2g} px")
    print(f"  middle     {K[0, 2]:.2f} ± {spread[2]:.2g}, {K[1, 2]:.2f} ± {spread[3]:.2g} px")
    print(f"  distortion {', '.join(f'{one:.4g}' for one in found.lens.distortion)}")
    if found.mount is not None:
        x, y, z = 1000 * found.mount.T_mount_cam[:3, 3]
        near = f"± {1000 * found.mount.deviation_m:.2g} mm, {found.mount.deviation_deg:.2g}°"
        print(f"  mount      on the {found.mount.mounted} at {x:.2f}, {y:.2f}, {z:.2f} mm {near}")
        print(f"             corners fit to {found.mount.residual_px:.2g} px")
    for folder, why in found.left_out:
        print(f"  left out   {folder}: {why}")
