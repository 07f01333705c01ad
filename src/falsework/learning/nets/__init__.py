"""Policies and values: the published net, a compact one, a multilayer perceptron, and their files."""
