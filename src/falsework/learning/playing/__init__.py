"""Nets at play: what they choose, sampled episodes, and how many starts their first choices finish."""
