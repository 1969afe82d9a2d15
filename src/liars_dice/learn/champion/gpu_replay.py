"""What a GPU does differently: half precision, and steps that are recorded once and replayed (CUDA graphs)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def autocast(device: torch.device) -> torch.autocast:
    """On a GPU, networks compute in half precision."""
    cuda = device.type == "cuda"  # a recorded step must not keep casts of weights that have changed since
    return torch.autocast(device.type, torch.bfloat16, enabled=cuda, cache_enabled=False)


class Replayed:
    """A function without arguments that a GPU records once and then replays.

    Launching its hundreds of small kernels one by one takes longer than running them. The function must use the same
    tensors every time and must never wait for the GPU. On other devices it is called as it is.
    """

    def __init__(self, function: Callable[[], Any], device: torch.device, generator: torch.Generator) -> None:
        self.function, self.device, self.generator = function, device, generator
        self.calls = 0
        self.graph: torch.cuda.CUDAGraph | None = None
        self.result: Any = None

    def __call__(self) -> Any:
        """What the function returns; on a GPU the next call writes over it."""
        self.calls += 1
        if self.device.type != "cuda":
            return self.function()
        if self.calls <= 3:  # what is made on first use (tables, optimizer states, compiled code) is not to be recorded
            stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                self.result = self.function()
            torch.cuda.synchronize()
            return self.result
        if self.graph is None:
            self.result = None
            self.graph = torch.cuda.CUDAGraph()
            self.graph.register_generator_state(self.generator)
            with torch.cuda.graph(self.graph):
                self.result = self.function()
        self.graph.replay()
        return self.result
