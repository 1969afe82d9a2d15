"""The learning lab: features, Q-learning and policy gradient, measured against the exact optimum."""
