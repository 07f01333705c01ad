"""Building it: a cell seen through its cameras and sensors, a state machine, recovery, tiers and a referee."""
