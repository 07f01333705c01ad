"""Arms that are driven: one that is simulated, and adapters for makers' libraries, each behind its extra."""
