"""Contacts and clutches from shapes and poses; solids, faces and meshes of parts."""
