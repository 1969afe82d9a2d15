# examples/ppo_gymnasium.py: masked PPO against a bot. Needs pip install 'liars-dice[rl]' sb3-contrib. Run it: python examples/ppo_gymnasium.py --steps 50000
import argparse

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO

import liars_dice.learn.envs.gymnasium_env  # noqa: F401 - registers LiarsDice-v0


def win_rate(model, env, games):
    """How many of these games the model wins when it always does what it thinks best."""
    wins = 0
    for game in range(games):
        observation, info = env.reset(seed=game)
        over = False
        while not over:
            action, _ = model.predict(observation, action_masks=info["action_mask"], deterministic=True)
            observation, reward, over, _, info = env.step(action)
        wins += reward > 0
    return wins / games


def main():
    parser = argparse.ArgumentParser(description="Train masked PPO to beat an agent at Liar's Dice.")
    parser.add_argument("--steps", type=int, default=50_000, help="how many decisions to learn from")
    parser.add_argument("--dice", type=int, default=1, help="dice of each player")
    parser.add_argument("--opponent", default="truthful")
    parser.add_argument("--games", type=int, default=2000, help="how many games to measure with")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    env = gymnasium.make("LiarsDice-v0", rules="classic", dice=arguments.dice, opponents=arguments.opponent)
    batch = int(np.clip(arguments.steps, 2, 2048))
    model = MaskablePPO("MlpPolicy", env, n_steps=batch, batch_size=min(batch, 256), seed=arguments.seed, device="cpu")
    print(f"win rate before: {win_rate(model, env, arguments.games):.3f}")
    model.learn(arguments.steps)
    print(f"win rate after {model.num_timesteps} steps: {win_rate(model, env, arguments.games):.3f}")


if __name__ == "__main__":
    main()
