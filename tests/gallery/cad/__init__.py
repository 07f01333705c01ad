"""CAD shapes and assemblies of the gallery."""
