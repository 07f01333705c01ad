"""Pages of cells: arms where they wait, the table, the feeders, and what stands between them."""
