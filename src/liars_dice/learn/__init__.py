"""The learning lab: features, Q-learning and policy gradient, measured against the exact optimum.

Environments for other learners are in `liars_dice.learn.envs`, many rounds at once in `liars_dice.learn.batched_env`.
"""

from .agents import LearnedAgent
from .batched_env import BatchedEnv
from .model import Model, Training
from .policy_gradient import PolicyGradient
from .q_learning import QLearning
from .sampled_evaluation import sampled_wins
from .schedule import Schedule
from .training import Report, Trainer, TrainingError, new_model, usual_settings

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
    "sampled_wins",
    "usual_settings",
]
