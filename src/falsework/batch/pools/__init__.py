"""Who does the work: one process after the other, several at a time, or the machines of a Ray cluster."""
