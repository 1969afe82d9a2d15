"""What commands that train networks need: PyTorch, and a device that is there."""

from __future__ import annotations

import os

import click

from ..core import check_extra

device_option = click.option(
    "--device",
    type=click.Choice(("cpu", "gpu")),
    default="cpu",
    show_default=True,
    help="Where to compute: on the processor, or on an NVIDIA GPU.",
)


def check_torch(command: str, device: str) -> None:
    """Raise an error of one line unless PyTorch is installed and finds the device."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # its threads would spin on cores that others need
    check_extra(command, "torch", "train")
    import torch

    if device == "gpu" and not torch.cuda.is_available():
        raise click.ClickException("--device gpu: PyTorch finds no GPU; --device cpu works anywhere.")


def check_supported(command: str, fits: bool) -> None:
    """Raise an error of one line unless the champion's networks are made for the rules."""
    if not fits:
        raise click.ClickException(
            f"{command} does not support these rules: expected Perudo for 2 to 6 players with the same number of dice "
            "each, at most five (perudo or perudo-tournament; with or without exact calls, palifico and wild ones)."
        )
