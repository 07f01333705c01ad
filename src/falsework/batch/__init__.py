"""Many questions: pools of workers, on this machine or many; what they answer is kept, and never asked twice."""
