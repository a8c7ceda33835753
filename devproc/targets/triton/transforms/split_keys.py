"""Splits the keys of attention in parts where queries are too few for all processors."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.passes import ModulePass

from devproc.dialects.dev import device_of, target_of
from devproc.dialects.nn.attention import AttentionOp, CachedAttentionOp
from devproc.ir.types import tensor_of
from devproc.targets.triton import GPU
from devproc.targets.triton.archs import arch_of

LEAST_KEYS = 128
"""Keys of a part: fewer take less time than the program that adds them up."""

MOST_ROWS = 64
"""Queries, of all heads that share keys, of one program."""


def parts_of(op: AttentionOp | CachedAttentionOp, processors: int) -> int:
    """The parts of the keys: as many, of equal size, as occupy all processors."""
    *outer, queries, _ = tensor_of(op.result).get_shape()
    *shared, keys, _ = tensor_of(op.key).get_shape()
    heads = prod(shared)
    rows = prod(outer) * queries // max(heads, 1)
    has_band = isinstance(op, AttentionOp) and op.band is not None
    if has_band or rows > MOST_ROWS:
        return 1
    most = min(processors // max(heads, 1), keys // LEAST_KEYS)
    return next((n for n in range(most, 1, -1) if keys % n == 0), 1)


@dataclass(frozen=True)
class SplitKeysPass(ModulePass):
    """Computes the keys of an attention with few queries in parts, by programs of their own
    (flash decoding; Dao and others, 2023). A head of one query would otherwise be one
    program that reads all keys, while most processors are idle. Over a cache, the programs
    of parts that no query sees read none.

    Before:
    ```mlir
    func.func @main(%q: tensor<2x1x64xf32, #dev.on<"cuda">>, %k: tensor<2x1024x64xf32, #dev.on<"cuda">>)
        -> tensor<2x1x64xf32, #dev.on<"cuda">> {
      %r = nn.attention %q, %k, %k scale 1.0 : f64 empty 0
        : (tensor<2x1x64xf32, #dev.on<"cuda">>, tensor<2x1024x64xf32, #dev.on<"cuda">>,
           tensor<2x1024x64xf32, #dev.on<"cuda">>) -> tensor<2x1x64xf32, #dev.on<"cuda">>
      func.return %r : tensor<2x1x64xf32, #dev.on<"cuda">>
    }
    ```

    After:
    ```mlir
    func.func @main(%q: tensor<2x1x64xf32, #dev.on<"cuda">>, %k: tensor<2x1024x64xf32, #dev.on<"cuda">>)
        -> tensor<2x1x64xf32, #dev.on<"cuda">> {
      %r = nn.attention %q, %k, %k scale 1.0 : f64 empty 0 parts 8
        : (tensor<2x1x64xf32, #dev.on<"cuda">>, tensor<2x1024x64xf32, #dev.on<"cuda">>,
           tensor<2x1024x64xf32, #dev.on<"cuda">>) -> tensor<2x1x64xf32, #dev.on<"cuda">>
      func.return %r : tensor<2x1x64xf32, #dev.on<"cuda">>
    }
    ```
    """

    name = "split-keys"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        processors = arch_of(target_of(op)).processors
        for inner in op.walk():
            if not isinstance(inner, AttentionOp | CachedAttentionOp):
                continue
            if device_of(inner.result.type) == GPU:
                parts = parts_of(inner, processors)
                if parts > 1:
                    inner.parts = IntegerAttr(parts, i64)
