"""`python -m liars_dice` runs the command `liars-dice`."""

import sys
from pathlib import Path

here = Path.cwd()
if here != Path(__file__).parents[1]:  # a bot's file called json.py in this folder is not the module
    sys.path[:] = [place for place in sys.path if place and Path(place) != here]

from .cli import main  # noqa: E402

main(prog_name="liars-dice")
