"""Ctrl-C at random moments, in all verbs."""
