"""The GPU of the queue, or a dry one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from devproc.targets.triton.cost import measuring
from devproc.targets.triton.kernel import TritonKernel

LEAST_SECONDS = 1e-9


@dataclass
class Card:
    """The GPU of this process; a dry one runs nothing and every time is the least."""

    dry: bool

    @property
    def name(self) -> str:
        """As the driver calls it."""
        return "none" if self.dry else measuring.card_name()

    @property
    def arch(self) -> str:
        """The architecture; a dry card is an H100."""
        if self.dry:
            return "sm_90"
        major, minor = torch.cuda.get_device_capability()
        return f"sm_{major}{minor}"

    @property
    def device(self) -> str:
        """Where PyTorch puts tensors for it."""
        return "meta" if self.dry else "cuda"

    def seconds(self, call: Callable[[], object], graph: bool = False) -> float:
        """The median time of a call, as `measuring.seconds`."""
        return LEAST_SECONDS if self.dry else measuring.seconds(call, graph)

    def random(self, kernel: TritonKernel, sizes: Sequence[int]) -> list[Any]:
        """A tensor for each argument of a kernel."""
        return measuring.arguments_of(kernel, sizes, self.device)

    def launch(self, kernel: TritonKernel, tensors: Sequence[Any]) -> None:
        """Queues one launch."""
        if not self.dry:
            measuring.launch(kernel, tensors)
