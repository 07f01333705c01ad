"""What trained nets are good for: rollouts, selectors for plans, answers to disruptions, an environment."""
