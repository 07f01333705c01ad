"""Cases made to find wrong verdicts, and judges that share no code with what they judge."""
