"""Where an arm's hand is for given joints, and which joints bring it where it should be."""
