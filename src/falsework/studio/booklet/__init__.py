"""Building instructions as people know them: steps with pictures, parts lists, call-outs; as PDF, HTML and LDraw."""
