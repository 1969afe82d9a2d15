"""The champion, a player for every table: a batched game, a network, the self-play trainer, and the player in numpy.

Enter its modules one by one: all but `player` and `agent` need PyTorch (`pip install 'liars-dice[train]'`). All but
`agent` import nothing else of this package, so that a machine that has only PyTorch can train: put this folder's parent
on the path.
"""

__all__: list[str] = []
