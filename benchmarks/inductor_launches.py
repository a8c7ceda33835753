"""Kernels that TorchInductor launches for a model, beside ours; needs no GPU.

    python benchmarks/inductor_launches.py unet swin [--dtype bfloat16] [--write]

PyTorch is told that there is an H100, and exported models get weights that are there but
have no memory, so that Inductor writes its Python code; nothing is compiled. The code
launches Triton kernels of its own, and library kernels (`extern`), each of which is counted
as one. Attention stays as it is exported: the patterns that raise it run on a GPU.
"""

# pyright: reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

import argparse
import re
from types import SimpleNamespace
from typing import Any

import torch
import torch._inductor.config as config
import torch._inductor.decomposition as decomposition
import torch._inductor.fx_passes.joint_graph as joint_graph
import triton
from gpu.forms import export
from results import write_section
from torch._dynamo.device_interface import CudaInterface
from torch._inductor.compile_fx import compile_fx
from torch._inductor.graph import GraphLowering
from torch._subclasses.fake_tensor import FakeTensorMode
from triton.backends.compiler import GPUTarget

from devproc.options import set_options, target_options
from devproc.source import read_source
from devproc.targets.triton.cost.program_kernels import program_kernels

CUDA = torch.device("cuda", 0)

H100 = SimpleNamespace(
    name="NVIDIA H100", major=9, minor=0, multi_processor_count=132, warp_size=32,
    total_memory=80 << 30, regs_per_multiprocessor=1 << 16, gcnArchName="",
    max_threads_per_multi_processor=2048, max_threads_per_block=1024,
    L2_cache_size=50 << 20, shared_memory_per_block=48 << 10,
    shared_memory_per_block_optin=227 << 10, shared_memory_per_multiprocessor=228 << 10,
)  # fmt: skip

HEAD = [
    "| model | dtype | Inductor | of these, of libraries | DevProc |",
    "|---|---|---|---|---|",
]


class Driver:
    """What Inductor asks Triton's driver for."""

    def get_current_target(self) -> GPUTarget:
        """An H100."""
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self) -> int:
        """The first one."""
        return 0

    def get_current_stream(self, device: int = 0) -> int:
        """The default one."""
        return 0


class Written(Exception):
    """Carries the code that Inductor has written."""


def pretend() -> None:
    """Make PyTorch and Triton believe that there is an H100."""
    answers: dict[Any, dict[str, Any]] = {
        torch.cuda: {
            "is_available": True, "device_count": 1, "current_device": 0,
            "get_device_properties": H100, "get_device_capability": (9, 0),
            "_lazy_init": None, "set_rng_state": None, "_exchange_device": 0,
            "_maybe_exchange_device": 0, "current_stream": SimpleNamespace(cuda_stream=0),
            "get_rng_state": torch.zeros(16, dtype=torch.uint8),
        },
        CudaInterface: {
            "is_available": True, "get_compute_capability": 90, "current_device": 0,
            "is_bf16_supported": True, "is_triton_capable": True,
            "raise_if_triton_unavailable": None, "get_device_properties": H100,
        },
        CudaInterface.Worker: {"get_device_properties": H100, "current_device": 0},
        joint_graph: {"lazy_init": None},
    }  # fmt: skip
    for place, found in answers.items():
        for name, value in found.items():
            answer = lambda *_, value=value, **__: value  # noqa: E731
            is_class = isinstance(place, type)
            setattr(place, name, staticmethod(answer) if is_class else answer)
    torch.version.cuda = "12.8"
    triton.runtime.driver.set_active(Driver())
    config.compile_threads, config.force_disable_caches = 1, True
    config.joint_graph_constant_folding = False
    # The usual one indexes a tensor in C++, on the device.
    aten = torch.ops.aten
    decomposition.decompositions[aten.index_select.default] = lambda x, dim, index: (
        aten.index.Tensor(x, [None] * (dim % x.dim()) + [index])
    )
    GraphLowering.compile_to_module = _write  # type: ignore[method-assign]


def _write(graph: GraphLowering) -> Any:
    code = graph.codegen()[0]
    raise Written(getattr(code, "value", code))


def code_of(name: str, dtype: str) -> str:
    """The code that Inductor writes for a model."""
    program = export(name, dtype)
    module, given = program.module(), program.example_inputs
    assert given is not None
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    with mode:
        examples = [torch.empty(x.shape, dtype=x.dtype, device=CUDA) for x in given[0]]
        for part in module.modules():
            for table in (part._parameters, part._buffers):
                for key, value in table.items():
                    if value is not None:
                        made = torch.empty(value.shape, dtype=value.dtype, device=CUDA)
                        table[key] = made
    for node in module.graph.nodes:
        if "device" in node.kwargs:
            node.kwargs = {**node.kwargs, "device": CUDA}
        node.args = tuple(
            CUDA if isinstance(arg, torch.device) else arg for arg in node.args
        )
    module.recompile()
    try:
        with torch.no_grad(), mode:
            compile_fx(module, examples)(*examples)
    except Exception as error:
        found: BaseException | None = error
        while found is not None and not isinstance(found, Written):
            found = found.__cause__ or found.__context__
        if found is None:
            raise
        return str(found)
    raise AssertionError("Inductor has written no code")


def launches(code: str) -> tuple[int, int]:
    """The kernels that a call launches: all, and those of libraries."""
    body = code[code.rindex("def call(") :]
    extern = len(re.findall(r"extern_kernels\.\w+\(|torch\.ops\.aten\.\w+\.", body))
    return len(re.findall(r"\.run\(", body)) + extern, extern


def own_launches(name: str, dtype: str) -> int:
    """The kernels that DevProc launches."""
    source = read_source(export(name, dtype))
    set_options(source.module, target_options("cuda", arch="sm_90"), None)
    return sum(kernel.launches for kernel in program_kernels(source.module))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--write", action="store_true", help="into RESULTS.md")
    args = parser.parse_args()
    own = {name: own_launches(name, args.dtype) for name in args.models}
    pretend()
    lines = list(HEAD)
    for name in args.models:
        count, extern = launches(code_of(name, args.dtype))
        lines.append(f"| {name} | {args.dtype} | {count} | {extern} | {own[name]} |")
    print("\n".join(lines))
    if args.write:
        command = f"python benchmarks/inductor_launches.py {' '.join(args.models)}"
        write_section("GPU, launches beside Inductor's", command, lines)


if __name__ == "__main__":
    main()
