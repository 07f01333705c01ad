"""Files in and out, one file per format."""

from falsework.formats.basics.text import read_text
from falsework.formats.detection import FORMATS, detect
from falsework.formats.loading import load
from falsework.formats.meshes.voxelfile import read_voxels
from falsework.formats.native.writing import dumps, write
from falsework.formats.plans.reading import read_plan
from falsework.formats.plans.writing import write_plan
from falsework.formats.saving import WRITABLE, convert, save, writable_format

__all__ = [
    "FORMATS",
    "WRITABLE",
    "convert",
    "detect",
    "dumps",
    "load",
    "read_plan",
    "read_text",
    "read_voxels",
    "save",
    "writable_format",
    "write",
    "write_plan",
]
