"""The referee: arithmetic that accepts or refuses certificates and shares nothing with the solvers."""
