"""Processes in C and C++ that run a model: by a bundle, ONNX Runtime, or ExecuTorch.

Their sources are in `hosts/`, and what they share, and print, in `hosts/host.h`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch

HOSTS = Path(__file__).parent / "hosts"
ONNX_TYPES = {"float32": 1, "int64": 7, "uint8": 2}
TORCH_TYPES = {"float32": 6, "int64": 4, "uint8": 0}
"""Numbers of dtypes: ONNXTensorElementDataType, and ScalarType."""


@dataclass(frozen=True)
class Facts:
    """The first line of a host: milliseconds, and kilobytes before and at the peak."""

    create: float
    first: float
    bare: float
    peak: float


class Host:
    """A process that runs a model in turns; `code_bytes` are those of its libraries."""

    def __init__(self, folder: Path, command: Sequence[str], code: Sequence[Path]):
        self.folder = folder
        self.code_bytes = sum(path.stat().st_size for path in code)
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.facts = Facts(*self._line())

    def _line(self) -> list[float]:
        output: IO[str] | None = self._process.stdout
        assert output is not None
        words = output.readline().split()
        if not words:
            raise RuntimeError(f"the host in {self.folder} ended; its error is above")
        return [float(word) for word in words]

    def turn(self, seconds: float) -> tuple[float, float]:
        """The median and least time of a turn, in milliseconds."""
        given = self._process.stdin
        assert given is not None
        given.write(f"{seconds}\n")
        given.flush()
        median, least = self._line()
        return median, least

    def outputs(self) -> bytes:
        """All outputs of the first run, one after the other."""
        return (self.folder / "outputs").read_bytes()

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


def write_inputs(folder: Path, inputs: Sequence[Any]) -> None:
    """The file of the inputs, each at a multiple of 64."""
    data = b"".join(x.tobytes() + bytes(-x.nbytes % 64) for x in inputs)
    (folder / "inputs").write_bytes(data)


def build(folder: Path, clock: str, source: str, *arguments: str) -> None:
    """Builds the host `folder / "host"`."""
    compiler = ["c++", "-std=c++17"] if source.endswith(".cpp") else ["cc"]
    files = [str(HOSTS / source), "-o", str(folder / "host")]
    options = ["-O2", "-w", f"-DCLOCK={clock}"]
    subprocess.run([*compiler, *options, *files, *arguments], check=True)


def bundle_host(folder: Path, clock: str, name: str, threads: int) -> Host:
    """Runs the bundle in the folder."""
    library = folder / f"lib{name}.a"
    macros = [f'-DHEADER="{name}.h"', f"-DNAME={name}", f"-I{folder}"]
    build(folder, clock, "bundle.c", *macros, str(library), "-pthread")
    command = ["./host", f"{name}.weights", "inputs", str(threads)]
    return Host(folder, command, [folder / f"lib{name}.so.1"])


def onnxruntime_host(
    folder: Path, clock: str, exported: Any, inputs: Sequence[Any], threads: int
) -> Host | None:
    """Runs a model by ONNX Runtime's C API; None where it is not installed."""
    spec = find_spec("onnxruntime")
    if spec is None or spec.origin is None:
        return None
    (library,) = (Path(spec.origin).parent / "capi").glob("libonnxruntime.so.*")
    torch.onnx.export(
        exported,
        f=folder / "m.onnx",
        dynamo=True,
        external_data=True,
        verbose=False,
    )
    import onnx  # pyright: ignore[reportMissingImports]

    graph: Any = onnx.load(folder / "m.onnx", load_external_data=False).graph
    result = graph.output[0]
    count = int(np.prod([d.dim_value for d in result.type.tensor_type.shape.dim]))
    words = [str(library), "m.onnx", "inputs", str(threads)]
    for value, array in zip(graph.input, inputs, strict=True):
        words += [value.name, form(array, ONNX_TYPES)]
    build(folder, clock, "onnxruntime.c", "-ldl")
    return Host(folder, ["./host", *words, result.name, str(4 * count)], [library])


def executorch_host(
    folder: Path, clock: str, exported: Any, inputs: Sequence[Any], threads: int
) -> Host | None:
    """Runs a model by ExecuTorch with XNNPACK; None where it is not installed."""
    spec = find_spec("executorch")
    if spec is None or not spec.submodule_search_locations:
        return None
    root = Path(next(iter(spec.submodule_search_locations)))
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import (  # pyright: ignore
        XnnpackPartitioner,
    )
    from executorch.exir import to_edge_transform_and_lower  # pyright: ignore

    edge: Any = to_edge_transform_and_lower(
        exported, partitioner=[XnnpackPartitioner()]
    )
    (folder / "m.pte").write_bytes(edge.to_executorch().buffer)
    include, libraries = root / "include", root / "lib"
    portable = include / "executorch" / "runtime" / "core" / "portable_type" / "c10"
    # Backends and kernels register themselves; nothing refers to them by name.
    names = ["backend_xnnpack", "kernels_optimized", "threadpool"]
    used = ["-lexecutorch", "-Wl,--no-as-needed", *(f"-lexecutorch_{n}" for n in names)]
    flags = ["-DC10_USING_CUSTOM_GENERATED_MACROS", f"-I{include}", f"-I{portable}"]
    places = [f"-L{libraries}", f"-Wl,-rpath,{libraries}"]
    build(folder, clock, "executorch.cpp", *flags, *places, *used)
    words = ["m.pte", "inputs", str(threads), *(form(x, TORCH_TYPES) for x in inputs)]
    code = [libraries / "libexecutorch.so"]
    code += [libraries / f"libexecutorch_{name}.so" for name in names]
    return Host(folder, ["./host", *words], code)


def form(array: Any, types: dict[str, int]) -> str:
    """`1,1,3,224,224` of an array float32 (1, 3, 224, 224), by ONNX's numbers."""
    return ",".join(map(str, [types[str(array.dtype)], *array.shape]))
