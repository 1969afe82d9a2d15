"""`python -m liars_dice` runs the command `liars-dice`."""

from .cli import main

main(prog_name="liars-dice")
