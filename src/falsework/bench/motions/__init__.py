"""What motions are measured on: ways among boxes, two arms that build with bricks, faults that must be refused."""
