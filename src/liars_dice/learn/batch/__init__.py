"""Whole games, thousands at a time, as arrays: on a processor with numba, on a processor or a GPU with PyTorch.

`batched_games` has `BatchedGames`, which is all that most programs need. `game_arrays` and `torch_games` import nothing
else of this package, so that they run where only PyTorch is installed.
"""

__all__: list[str] = []
