"""The learning lab: Q-learning and policy gradient, measured against the exact optimum, and environments.

`liars_dice.learn.envs` holds environments for other libraries; `BatchedEnv` plays many rounds at once.
"""

from .agents import LearnedAgent, NetworkAgent, SoftmaxAgent
from .batch.batched_games import BatchedGames
from .batched_env import BatchedEnv
from .model import SELF, CurvePoint, Model, Training
from .policy_gradient import PolicyGradient
from .q_learning import QLearning
from .sampled_evaluation import sampled_wins
from .schedule import Schedule
from .training import PolicyReturn, Trainer, TrainingError, TrainingReport, default_settings, new_model, train

__all__ = [
    "SELF",
    "BatchedEnv",
    "BatchedGames",
    "CurvePoint",
    "LearnedAgent",
    "Model",
    "NetworkAgent",
    "PolicyGradient",
    "PolicyReturn",
    "QLearning",
    "Schedule",
    "SoftmaxAgent",
    "Trainer",
    "Training",
    "TrainingError",
    "TrainingReport",
    "default_settings",
    "new_model",
    "sampled_wins",
    "train",
]
