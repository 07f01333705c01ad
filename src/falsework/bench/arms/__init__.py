"""What arms do with an assembly, measured."""
