"""The rates of GPUs, for estimates of time without one.

Each constant has its origin; `benchmarks/gpu_queue.py` measures them on a card.
"""

from __future__ import annotations

from dataclasses import dataclass

from devproc.errors import CompileError


@dataclass(frozen=True)
class GPU:
    """A GPU as the model sees it; the cycles are those of one multiprocessor."""

    name: str
    multiprocessors: int
    hertz: float
    """Under load."""
    bytes_per_second: float
    """Of a long copy, reads and writes together."""
    tensor_16: int
    """Multiply-adds for each cycle on tensor cores, of bf16 and f16."""
    tensor_32: int
    """Of tf32."""
    vector_32: int
    """Without tensor cores, of f32."""
    shared_bytes: int
    """Shared memory of a multiprocessor."""
    registers: int = 1 << 16
    warps: int = 64
    blocks: int = 32
    """The most programs that are resident at once."""

    def rate(self, element: str, on_tensor_cores: bool) -> int:
        """Multiply-adds for each cycle, of factors of this type."""
        if not on_tensor_cores:
            return self.vector_32 if element != "f64" else self.vector_32 // 2
        return self.tensor_32 if element == "f32" else self.tensor_16

    def peak(self, element: str) -> float:
        """The operations per second of the fastest product without loss of digits.

        float32 takes three products of tf32 on tensor cores, which is faster than one
        multiply-add without them.
        """
        exact = self.tensor_32 / 3 if element == "f32" else self.rate(element, True)
        if element == "f64":
            exact = self.rate(element, False)
        return 2 * self.multiprocessors * self.hertz * exact


GPUS = {
    # NVIDIA's data sheets: 312 TFLOP/s of bf16, 156 of tf32, 19.5 of f32; 2.04 TB/s, of
    # which a copy reaches 88 %.
    "sm_80": GPU("A100 SXM", 108, 1.41e9, 1.8e12, 1024, 512, 64, 164 << 10),
    # 989 TFLOP/s of bf16, 495 of tf32, 67 of f32; 3.35 TB/s, a copy reaches 90 %.
    "sm_90": GPU("H100 SXM", 132, 1.755e9, 3.0e12, 2048, 1024, 128, 228 << 10),
    # 2250 TFLOP/s of bf16, 1100 of tf32, 80 of f32; 8 TB/s, a copy reaches 90 %.
    "sm_100": GPU("B200 SXM", 148, 1.85e9, 7.2e12, 4096, 2048, 128, 228 << 10),
}
"""Architecture -> its data-centre GPU."""


def gpu_of(arch: str) -> GPU:
    """The GPU of an architecture; raises CompileError for one that is not known."""
    found = GPUS.get(arch.rstrip("a"))
    if found is None:
        known = ", ".join(GPUS)
        raise CompileError(f"no rates are known for '{arch}'; there are {known}")
    return found
