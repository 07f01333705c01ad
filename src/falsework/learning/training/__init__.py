"""How nets learn: masked PPO, curricula, hindsight, imitation; runs that can be cut off and resumed."""
