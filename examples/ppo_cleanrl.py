# examples/ppo_cleanrl.py: masked PPO in one file, in the style of CleanRL, on many games at once. Needs pip install 'liars-dice[rl,train]'. Run it: python examples/ppo_cleanrl.py --rules Perudo --players 3
import argparse
from dataclasses import dataclass, fields

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import liars_dice.learn.envs.gymnasium_env  # noqa: F401 - registers LiarsDice/...


@dataclass
class Args:
    rules: str = "HeadsUp"  # LiarsDice/RULES-v0
    players: int = 2
    dice: int = 2
    opponent: str = "random"
    steps: int = 200_000  # decisions to learn from, over all games
    envs: int = 64
    rollout: int = 32  # decisions per game before each update
    epochs: int = 4
    minibatches: int = 4
    learning_rate: float = 1e-3
    gamma: float = 1.0
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    games: int = 2000  # to measure with
    seed: int = 0


class Agent(nn.Module):
    def __init__(self, inputs, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.actor, self.critic = nn.Linear(128, actions), nn.Linear(128, 1)

    def forward(self, seen, mask):
        hidden = self.body(seen)
        # where no action is legal, the game has just ended and the action is ignored
        legal = mask | ~mask.any(-1, keepdim=True)
        return Categorical(logits=self.actor(hidden).masked_fill(~legal, -1e9)), self.critic(hidden).squeeze(-1)


def win_rate(agent, env, games, seed):
    """How many of these games the agent wins when it always does what it thinks best."""
    observation, info = env.reset(seed=seed)
    results = []
    while len(results) < games:
        with torch.no_grad():
            policy, _ = agent(torch.as_tensor(observation), torch.as_tensor(info["action_mask"], dtype=torch.bool))
        observation, reward, over, _, info = env.step(policy.logits.argmax(-1).numpy())
        results += (reward[over] > 0).tolist()
    return float(np.mean(results[:games]))


def train(args):
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    env = gymnasium.make_vec(
        f"LiarsDice/{args.rules}-v0", num_envs=args.envs, players=args.players, dice=args.dice, opponents=args.opponent
    )
    agent = Agent(env.single_observation_space.shape[0], int(env.single_action_space.n))
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    print(f"win rate before: {win_rate(agent, env, args.games, 10**6):.3f}")
    observation, info = env.reset(seed=args.seed)
    shape = args.rollout, args.envs
    seen = torch.zeros(*shape, observation.shape[1])
    masks = torch.zeros(*shape, int(env.single_action_space.n), dtype=torch.bool)
    actions, log_probs, rewards, dones, values = (torch.zeros(shape) for _ in range(5))
    for _ in range(args.steps // (args.rollout * args.envs)):
        for t in range(args.rollout):
            seen[t], masks[t] = torch.as_tensor(observation), torch.as_tensor(info["action_mask"], dtype=torch.bool)
            with torch.no_grad():
                policy, values[t] = agent(seen[t], masks[t])
                actions[t] = policy.sample()
                log_probs[t] = policy.log_prob(actions[t])
            observation, reward, over, _, info = env.step(actions[t].long().numpy())
            rewards[t], dones[t] = torch.as_tensor(reward), torch.as_tensor(over, dtype=torch.float32)
        with torch.no_grad():
            following = agent(torch.as_tensor(observation), torch.as_tensor(info["action_mask"], dtype=torch.bool))[1]
        advantages, last = torch.zeros(shape), 0.0
        for t in reversed(range(args.rollout)):
            goes_on = 1 - dones[t]
            last = (
                rewards[t]
                + args.gamma * goes_on * following
                - values[t]
                + args.gamma * args.gae_lambda * goes_on * last
            )
            advantages[t], following = last, values[t]
        decided = masks.any(-1).flatten().nonzero().squeeze(1)  # the steps that only began a game teach nothing
        flat = [x.flatten(0, 1)[decided] for x in (seen, masks, actions, log_probs, advantages, advantages + values)]
        for _ in range(args.epochs):
            for batch in torch.randperm(len(decided)).chunk(args.minibatches):
                s, m, a, old, advantage, target = (x[batch] for x in flat)
                policy, value = agent(s, m)
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                ratio = (policy.log_prob(a) - old).exp()
                gain = torch.min(ratio * advantage, ratio.clamp(1 - args.clip, 1 + args.clip) * advantage).mean()
                loss = 0.5 * (value - target).square().mean() - gain - args.entropy * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
    print(f"win rate after {args.steps} steps: {win_rate(agent, env, args.games, 10**6):.3f}")


def main():
    parser = argparse.ArgumentParser(description="Train masked PPO to beat a bot at Liar's Dice.")
    for field in fields(Args):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=field.type, default=field.default)
    train(Args(**vars(parser.parse_args())))


if __name__ == "__main__":
    main()
