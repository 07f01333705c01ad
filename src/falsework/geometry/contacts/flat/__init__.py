"""Contacts of flat faces: which facets lie on each other, in what they overlap, and the patches of one plane."""
