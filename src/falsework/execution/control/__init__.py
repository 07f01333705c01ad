"""The controller: what it believes, where its arm may go, the states of a placement, and what follows a failure."""
