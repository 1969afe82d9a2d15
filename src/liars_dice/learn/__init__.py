"""The learning lab: features, Q-learning and policy gradient, measured against the exact optimum.

Environments for other learners are in `liars_dice.learn.envs`, many rounds at once in `liars_dice.learn.batched`.
"""

from .agents import LearnedAgent
from .batched import BatchedEnv
from .model import Model, Training
from .policy_gradient import PolicyGradient
from .q_learning import QLearning
from .schedule import Schedule
from .training import Report, Trainer, TrainingError, new_model

__all__ = [
    "BatchedEnv",
    "LearnedAgent",
    "Model",
    "PolicyGradient",
    "QLearning",
    "Report",
    "Schedule",
    "Trainer",
    "Training",
    "TrainingError",
    "new_model",
]
