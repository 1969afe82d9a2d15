# examples/dqn_tianshou.py: masked DQN at a PettingZoo table, trained by Tianshou. Needs pip install 'liars-dice[rl]' tianshou. Run it: python examples/dqn_tianshou.py --steps 20000
import argparse
import logging

import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.env.pettingzoo_env import PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from liars_dice.learn.envs import liars_dice_v0


def main():
    parser = argparse.ArgumentParser(description="Train masked DQN against random players at Liar's Dice.")
    parser.add_argument("--steps", type=int, default=20_000, help="how many moves to learn from")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--dice", type=int, default=2)
    parser.add_argument("--games", type=int, default=500, help="how many games to measure with")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    np.random.seed(arguments.seed)
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(1)
    logging.getLogger("tianshou").setLevel(logging.ERROR)  # it remarks on every episode that there are several players

    def table():
        return PettingZooEnv(liars_dice_v0.env("perudo", players=arguments.players, dice=arguments.dice))

    env, training, test = table(), DummyVectorEnv([table] * 8), DummyVectorEnv([table] * 8)
    training.seed(arguments.seed)
    test.seed(arguments.seed + 1)
    seen = env.observation_space["observation"]
    learner = DQN(
        policy=DiscreteQLearningPolicy(
            model=Net(state_shape=seen.shape, action_shape=env.action_space.n, hidden_sizes=[128, 128]),
            action_space=env.action_space,
            observation_space=seen,
            eps_training=0.15,
        ),
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        n_step_return_horizon=3,
        target_update_freq=200,
    )
    others = [
        MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space) for _ in range(arguments.players - 1)
    ]
    game = MultiAgentOffPolicyAlgorithm(algorithms=[learner, *others], env=env)
    measured = Collector(game, test)

    def win_rate():
        measured.reset()
        return (measured.collect(n_episode=arguments.games, reset_before_collect=True).returns[:, 0] > 0).mean()

    print(f"win rate before: {win_rate():.3f}")
    collector = Collector(game, training, VectorReplayBuffer(20_000, len(training)), exploration_noise=True)
    collector.collect(n_step=500, reset_before_collect=True)
    game.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=arguments.steps,
            collection_step_num_env_steps=80,
            batch_size=128,
            update_step_num_gradient_steps_per_sample=0.1,
            multi_agent_return_reduction=lambda returns: returns[:, 0],
            show_progress=False,
            verbose=False,
        )
    )
    print(f"win rate after {arguments.steps} steps: {win_rate():.3f}")


if __name__ == "__main__":
    main()
