"""A policy that needs no training: one net for any assembly, taught by exact labels of the gallery."""
