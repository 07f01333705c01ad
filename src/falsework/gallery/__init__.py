"""Assemblies of our own, made from parameters and a seed, each with a declared truth."""

from falsework.gallery.kind import Kind, Parameter, Truth
from falsework.gallery.planning_set import Specimen, planning_set
from falsework.gallery.registry import cad_kinds, kind_named, kinds, make, truth

__all__ = [
    "Kind",
    "Parameter",
    "Specimen",
    "Truth",
    "cad_kinds",
    "kind_named",
    "kinds",
    "make",
    "planning_set",
    "truth",
]
