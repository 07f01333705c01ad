"""From a question to a plan: jobs, solvers, better plans and other plans."""
