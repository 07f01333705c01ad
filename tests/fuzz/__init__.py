"""Inputs that nobody wrote, for every reader and every verb: each must end in an answer or in one line.

`cases.py` makes a case from a `random.Random`, `judging.py` runs one and says what is wrong with how it ended.
Hypothesis drives both in the suite, with a small budget; `python -m tests.fuzz.run` (`make fuzz`) runs thousands in a
process with limits on memory and time.
"""
