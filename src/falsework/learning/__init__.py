"""Learned policies: what to take apart next, trained by playing and by labels, never believed without proof."""
