"""What simulated cameras look at: bricks and other things under a light, drawn by ray casting, with the truth."""
