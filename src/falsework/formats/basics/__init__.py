"""What every format is made of: text, nodes that know their place, limits, colours, losses."""
