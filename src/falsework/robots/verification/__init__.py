"""Whether a motion may be carried out: judged anew, with none of the code that made it."""
