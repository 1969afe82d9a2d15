"""Environments for Gymnasium, PettingZoo and OpenSpiel (`pip install 'liars-dice[rl]'`).

Nothing is imported here. `gymnasium_env` has `LiarsDiceEnv`, `gymnasium_vector_env` many of them side by side,
`liars_dice_v0` the PettingZoo environment and `openspiel_game` the OpenSpiel game; `encoding` says how observations and
actions become numbers.
"""

__all__: list[str] = []
