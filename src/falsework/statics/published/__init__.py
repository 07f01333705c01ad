"""Other laws of standing, as their papers have them."""
