"""The benchmark: products and scenes at random, in four tiers."""
