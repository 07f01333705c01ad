"""Contacts of curved surfaces: where forms touch, whatever triangles stand for them."""
