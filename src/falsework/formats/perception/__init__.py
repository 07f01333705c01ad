"""Pictures of cameras, in and out."""
