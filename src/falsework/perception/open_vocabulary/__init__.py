"""Seed 004's chain: a prompt, boxes, masks, filters, then a pose. Models come from folders of the user's."""
