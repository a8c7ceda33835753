"""Outlines each region of a device that takes whole regions into a function."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.passes import ModulePass

from devproc.backend.installed import backend
from devproc.dialects.dev import HostCallOp, KernelAttr, LaunchOp, RegionOp, YieldOp
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.ir.text.location import fuse_locations


def outline(region: RegionOp, name: str) -> FuncOp:
    """The function of a region; its launch takes the region's place."""
    body = region.body
    last = body.block.last_op
    assert isinstance(last, YieldOp)
    ops = [o for o in body.block.ops if not isinstance(o, WeightOp | ConstantOp)]
    types = ([v.type for v in region.inputs], [v.type for v in region.outputs])
    body.block.add_op(ReturnOp(*last.values))
    last.detach()
    last.erase()
    ops.remove(last)
    function = FuncOp(name, types, region.detach_region(body), "private")
    sources = [o.target.data if isinstance(o, HostCallOp) else o.name for o in ops]
    function.attributes["dev.kernel"] = KernelAttr.get(
        region.device.data, KernelAttr.REGION, list(dict.fromkeys(sources))
    )
    function.location = fuse_locations(o.location for o in ops)
    launch = LaunchOp(name, region.inputs, types[1])
    launch.location = function.location
    assert region.parent is not None
    region.parent.insert_op_before(launch, region)
    for old, new in zip(region.outputs, launch.outputs, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    region.detach()
    region.erase()
    return function


@dataclass(frozen=True)
class OutlineRegionsPass(ModulePass):
    """Outlines regions into functions on tensors, which no later common pass lowers.

    So for PyTorch on the host, and for every device whose backend builds regions whole
    (not `Backend.lowers_kernels`).

    The launch of such a function is a step of the host program like any other, and the
    memory plan allocates its tensors. All remaining ops become kernels.

    Before:

    ```mlir
    func.func @main(%x: tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">> {
      %r = dev.region "host" (%x) : (tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">> {
      ^bb0(%a: tensor<4xf32, #dev.on<"cpu">>):
        %y = dev.host_call "aten.logit.default" (%a) args [#dev.operand<0>] kwargs {}
           why "the operator is not supported"
           : (tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
        dev.yield %y : tensor<4xf32, #dev.on<"cpu">>
      }
      func.return %r : tensor<4xf32, #dev.on<"cpu">>
    }
    ```

    After:

    ```mlir
    func.func @main(%x: tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">> {
      %r = dev.launch @host_0(%x) : (tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
      func.return %r : tensor<4xf32, #dev.on<"cpu">>
    }
    func.func private @host_0(%a: tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
        attributes {dev.kernel = #dev.kernel<"host", "region", ["aten.logit.default"]>} {
      %y = dev.host_call "aten.logit.default" (%a) args [#dev.operand<0>] kwargs {}
         why "the operator is not supported"
         : (tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
      func.return %y : tensor<4xf32, #dev.on<"cpu">>
    }
    ```
    """

    name = "outline-regions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if not isinstance(function, FuncOp) or function.sym_name.data != "main":
                continue
            numbers = Counter[str]()
            for region in list(function.body.block.ops):
                if not isinstance(region, RegionOp):
                    continue
                device = region.device.data
                if not backend(device).lowers_kernels:
                    name = f"{device}_{numbers[device]}"
                    op.body.block.add_op(outline(region, name))
                    numbers[device] += 1
