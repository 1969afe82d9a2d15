"""A player for every table, in training: a batched game, a network, the self-play trainer, and a player in numpy.

Enter its modules one by one: all but `player` need PyTorch (`pip install 'liars-dice[train]'`). They import nothing
else of this package, so that a machine that has only PyTorch can train: put this folder's parent on the path.
"""

__all__: list[str] = []
