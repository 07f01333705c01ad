"""What is to be learned: taking assemblies apart as a decision process, and from where to begin."""
