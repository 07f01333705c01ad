"""Which parts are screws, nuts, pins and washers, by their shape and by what is around them."""

from falsework.geometry.fasteners.recognising import Fastener, fasteners

__all__ = ["Fastener", "fasteners"]
