"""Parts that are no bricks, by their meshes: templates of how they can lie, fitted to distance fields."""
