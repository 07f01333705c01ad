"""Sets of rules: what a builder may do."""
