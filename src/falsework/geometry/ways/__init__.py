"""Ways out: along which paths parts leave, and what they meet."""
