"""The controller: what it believes, where its arm may go, the states of one placement, and what it does when one fails."""
