"""Grasps: where a tool can take a part, how hard, and how much of that is spare."""
