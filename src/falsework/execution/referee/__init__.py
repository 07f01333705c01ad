"""The referee: judges what was built from the truth, which no controller sees."""
