"""The cache key of an exported program: equal keys import to the same module.

A warm compilation needs only this key of a program, so it neither imports nor lowers it. The
key covers whatever the importer reads, weights by their content. A program with a part that
cannot be keyed (an object, an operator implemented by the user's Python code) has no key
and is always imported.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node
from torch.utils._pytree import TreeSpec, treespec_dumps

from devproc.frontends.torch_export.graph.node_source import module_path, source_line
from devproc.ir.concurrency.worker_pool import WorkerPool
from devproc.ir.weights.table import KnownHashes, hash_of, memory_key
from devproc.reference.conversion.arrays import memory_of, name_of, to_numpy

NAMESPACES = frozenset({"aten", "prims", "prim"})
"""Namespaces of operators that PyTorch's version determines; others are user code."""

PARALLEL_HASHES = 4
"""Threads that hash weights: as many as memory bandwidth can feed."""

FILE_PART = 1 << 22
"""Bytes of a file that are hashed as one part."""

_PLAIN = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    type(...),
    torch.dtype,
    torch.device,
    torch.layout,
    torch.memory_format,
)


@dataclass(frozen=True)
class SourceKey:
    """The parts of a key by name, and the content hashes of tensors by their memory."""

    parts: Mapping[str, str]
    hashes: KnownHashes = field(default_factory=dict)


class _NoKey(Exception):
    """The program has a part that cannot be keyed."""


def source_key(source: object) -> SourceKey | None:
    """The key of an exported program or a `.pt2` file; None if it has none."""
    if isinstance(source, ExportedProgram):
        try:
            return _program_key(source)
        except _NoKey:
            return None
    if isinstance(source, str | Path) and Path(source).suffix == ".pt2":
        try:
            # Paths of source lines are relative to the working directory.
            content = _digest(_file_parts(Path(source)))
            return SourceKey({"file": content, "working directory": os.getcwd()})
        except OSError:
            return None
    return None


def _digest(parts: Any) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(f"{len(data)}:".encode() + data)
    return digest.hexdigest()


def _file_parts(path: Path) -> list[str]:
    """The hashes of the parts of a file, in threads: hashing releases Python's lock."""
    size = path.stat().st_size

    def part(begin: int) -> str:
        with path.open("rb", buffering=0) as file:
            file.seek(begin)
            return hashlib.sha256(file.read(FILE_PART)).hexdigest()

    with WorkerPool(PARALLEL_HASHES) as pool:
        return [str(size), *pool.map(part, range(0, size, FILE_PART))]


def _program_key(program: ExportedProgram) -> SourceKey:
    tensors: dict[str, Any] = {**program.constants, **program.state_dict}
    with WorkerPool(PARALLEL_HASHES) as pool:
        # While threads hash, which releases Python's lock.
        described, arrays, found = _begin_hashes(tensors, pool)
        parts = [*_signature(program)]
        for name, module in program.graph_module.named_modules():
            if isinstance(module, GraphModule):
                parts.append(f"module {name}")
                parts += [_node(node, module) for node in module.graph.nodes]
        hashes = {name: future.result() for name, future in found.items()}
    described += [f"{name} {hashes[name]}" for name in arrays]
    known = {memory_key(*arrays[name]): hashes[name] for name in arrays}
    graph, weights = _digest(parts), "\n".join(described)
    return SourceKey({"graph": graph, "weights": weights}, known)


def _signature(program: ExportedProgram) -> Iterator[str]:
    signature = program.graph_signature
    for spec in [*signature.input_specs, *signature.output_specs]:
        argument = spec.arg
        value = _text(getattr(argument, "value", None))
        name = _text(getattr(argument, "name", None))
        kind = f"{type(spec).__name__}.{spec.kind.name}"
        yield f"{kind} {type(argument).__name__} {name} {value} {_text(spec.target)}"
    for tree in (program.call_spec.in_spec, program.call_spec.out_spec):
        if not isinstance(tree, TreeSpec):
            raise _NoKey
        try:
            yield treespec_dumps(tree)
        except MemoryError:
            raise
        # PyTorch has no common error for containers that it cannot serialize.
        except Exception as error:
            raise _NoKey from error


def _begin_hashes(
    tensors: Mapping[str, Any], pool: Executor
) -> tuple[list[str], dict[str, tuple[Any, str]], dict[str, Future[str]]]:
    """A line for each tensor; the arrays of tensors that share no memory with an earlier
    one, and their pending content hashes.
    """
    first: dict[object, str] = {}
    arrays: dict[str, tuple[Any, str]] = {}
    lines: list[str] = []
    for name, tensor in tensors.items():
        line = f"{name} {_tensor_type(tensor)}"
        kind = name_of(tensor.dtype)
        if kind is None or tensor.device.type != "cpu" or tensor.is_quantized:
            raise _NoKey
        owner = first.setdefault(memory_of(tensor), name)
        if owner == name:
            arrays[name] = (to_numpy(tensor.detach()), kind)
        lines.append(f"{line} {owner}")
    # The longest first, so that it does not run alone at the end.
    order = sorted(arrays, key=lambda name: -arrays[name][0].nbytes)
    found = {name: pool.submit(hash_of, *arrays[name]) for name in order}
    return lines, arrays, found


def _node(node: Node, module: GraphModule) -> str:
    file, line = _source_line(node.meta.get("stack_trace"))
    return "\t".join(
        (
            node.op,
            node.name,
            _target(node, module),
            _text(node.args),
            _text(node.kwargs),
            _value(node.meta.get("val")),
            module_path(node),
            f"{file}:{line}",
        )
    )


_source_line = cache(source_line)


def _target(node: Node, module: GraphModule) -> str:
    target = node.target
    if node.op == "get_attr":
        if not isinstance(attrgetter(str(target))(module), GraphModule):
            raise _NoKey
        return str(target)
    if isinstance(target, str):
        return target
    if isinstance(target, OpOverload) and target.namespace in NAMESPACES:
        return str(target)
    if isinstance(target, HigherOrderOperator):
        return target.name()
    # operator.getitem and its like.
    if getattr(target, "__module__", None) in ("_operator", "builtins", "math"):
        return f"{target.__module__}.{target.__qualname__}"
    raise _NoKey


def _text(value: Any) -> str:
    """A value among the arguments of a node."""
    if isinstance(value, Node):
        return f"%{value.name}"
    if type(value) in _PLAIN:
        return repr(value)
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_text, value))})"
    if isinstance(value, dict):
        rows = (f"{_text(k)}: {_text(v)}" for k, v in value.items())
        return f"{{{', '.join(rows)}}}"
    if isinstance(value, slice):
        return f"slice{_text((value.start, value.stop, value.step))}"
    raise _NoKey


def _value(value: Any) -> str:
    """The value that the exporter recorded for a node."""
    if isinstance(value, torch.Tensor):
        return _tensor_type(value)
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_value, value))})"
    if isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool):
        # The importer can evaluate it if it depends on constants alone.
        return f"{type(value).__name__} {value}"
    return _text(value)


def _tensor_type(value: Any) -> str:
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        raise _NoKey
    kind = type(value).__name__
    shape, stride = tuple(value.shape), value.stride()
    # Operators such as `as_strided` count from the start of the storage.
    memory = f"{stride} at {value.storage_offset()}"
    return f"{kind} {value.dtype} {shape} {memory} {value.device}"
