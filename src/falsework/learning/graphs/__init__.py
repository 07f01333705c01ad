"""Assemblies as nets see them: a compact graph of contacts, and the force-torque graph of seed 002. Without torch."""
