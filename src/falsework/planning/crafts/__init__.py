"""How work is done under each rule set: one craft per file."""
