"""Converts images to channels-last layout, for devices that compute on it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from devproc.backend.installed import backend
from devproc.dialects.dev import target_of
from devproc.ir.verification.verify import PREPARE
from devproc.transforms.tensor.channels_last import convert


@dataclass(frozen=True)
class ConvertToNhwcPass(ModulePass):
    """Convert convolutions, pools, and the ops between them to NHWC images.

    The channels of a pixel are then contiguous whatever the image width, a 1x1
    convolution is a plain matrix product, and zero padding consists of whole lines.
    Only for programs whose devices all compute on NHWC images (`channels_last`). Padding
    becomes `nn.pad`, so that the op that computes the image can write it inside its
    padding, unless a device masks it (`masks_padding`). Transposes remain where
    a value is needed in NCHW; adjacent ones cancel in `canonicalize`. One walk rather
    than patterns: the layout of a value depends on those of values before and after it.

    Before:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
        cpu = #cpu.machine<vector_bits = 512>>} {
      func.func @main(%x: tensor<1x3x8x9xf32>) -> tensor<1x4x8x9xf32> {
        %w = nn.weight @w hash "1f" : tensor<4x3x3x3xf32>
        %c = nn.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1
          : (tensor<1x3x8x9xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x9xf32>
        %r = nn.relu %c : (tensor<1x4x8x9xf32>) -> tensor<1x4x8x9xf32>
        func.return %r : tensor<1x4x8x9xf32>
      }
    }
    ```

    After:
    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
        cpu = #cpu.machine<vector_bits = 512>>} {
      func.func @main(%x: tensor<1x3x8x9xf32>) -> tensor<1x4x8x9xf32> {
        %w = nn.weight @w hash "1f" : tensor<4x3x3x3xf32>
        %0 = nn.pad %x low [0, 0, 1, 1] high [0, 0, 1, 1]
          : (tensor<1x3x8x9xf32>) -> tensor<1x3x10x11xf32>
        %1 = nn.transpose %0 by [0, 2, 3, 1]
          : (tensor<1x3x10x11xf32>) -> tensor<1x10x11x3xf32>
        %2 = nn.transpose %w by [2, 3, 1, 0] : (tensor<4x3x3x3xf32>) -> tensor<3x3x3x4xf32>
        %c = nn.conv2d %1, %2 stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 layout "nhwc"
          : (tensor<1x10x11x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x9x4xf32>
        %r = nn.relu %c : (tensor<1x8x9x4xf32>) -> tensor<1x8x9x4xf32>
        %3 = nn.transpose %r by [0, 3, 1, 2] : (tensor<1x8x9x4xf32>) -> tensor<1x4x8x9xf32>
        func.return %3 : tensor<1x4x8x9xf32>
      }
    }
    ```
    """

    name = "convert-to-nhwc"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if "devproc.target" not in op.attributes:
            return
        devices = [backend(name) for name in target_of(op).device_names]
        if not all(device.channels_last for device in devices):
            return
        masks_padding = any(device.masks_padding for device in devices)
        for function in op.ops:
            if isinstance(function, FuncOp) and function.sym_name.data != PREPARE:
                for block in function.body.blocks:
                    convert(block, masks_padding)
