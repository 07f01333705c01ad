"""Arms, tools and cells in files."""
