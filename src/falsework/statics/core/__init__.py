"""The convex core: one program behind every verdict, the solvers that propose, and the equilibrium that decides."""
