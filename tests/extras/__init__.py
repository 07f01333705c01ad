"""Every verb with every choice of optional libraries."""
