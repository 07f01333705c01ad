"""A plan checked anew. Nothing here imports a search."""
