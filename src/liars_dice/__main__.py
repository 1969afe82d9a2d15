"""`python -m liars_dice` is `liars-dice`."""

from .cli import main

main(prog_name="liars-dice")
