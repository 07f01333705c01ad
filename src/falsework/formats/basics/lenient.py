"""Text of other people's programs, in whatever encoding it was saved in."""

from __future__ import annotations


def decoded_leniently(data: bytes) -> str:
    """LDraw text: only names and remarks are not plain ASCII."""
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig")):
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")
