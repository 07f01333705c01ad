"""Files in and out, one format a file."""

from falsework.formats.detection import FORMATS, detect
from falsework.formats.loading import load
from falsework.formats.native_writing import dumps, write
from falsework.formats.saving import WRITABLE, convert, save
from falsework.formats.text import read_text

__all__ = ["FORMATS", "WRITABLE", "convert", "detect", "dumps", "load", "read_text", "save", "write"]
