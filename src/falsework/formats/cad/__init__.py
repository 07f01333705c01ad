"""Files of CAD systems, whose faces are surfaces and not triangles."""
