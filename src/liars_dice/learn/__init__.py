"""The learning lab: Q-learning and policy gradient, measured against the exact optimum, and environments.

`liars_dice.learn.envs` holds environments for other libraries; `BatchedEnv` plays many rounds at once.
"""

from .agents import LearnedAgent
from .batched_env import BatchedEnv
from .model import Model, Training
from .policy_gradient import PolicyGradient
from .q_learning import QLearning
from .sampled_evaluation import sampled_wins
from .schedule import Schedule
from .training import Trainer, TrainingError, TrainingReport, default_settings, new_model

__all__ = [
    "BatchedEnv",
    "LearnedAgent",
    "Model",
    "PolicyGradient",
    "QLearning",
    "Schedule",
    "Trainer",
    "Training",
    "TrainingError",
    "TrainingReport",
    "default_settings",
    "new_model",
    "sampled_wins",
]
