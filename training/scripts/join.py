"""Give a checkpoint another's averaged network for two players: join.py many.pt two.pt joined.pt."""

import sys

import torch

many, two = (torch.load(path, map_location="cpu", weights_only=True) for path in sys.argv[1:3])
assert many["shape"] == two["shape"], f"{sys.argv[1]} has the shape {many['shape']}, {sys.argv[2]} {two['shape']}"
half = {name: weights.half() for name, weights in two["averaged"].items()}  # as many digits as the player has
torch.save({**many, "two": half}, sys.argv[3])
