"""Verdicts: the registry of stability models, and the verbs that ask one of them, `check` and `margins`."""
