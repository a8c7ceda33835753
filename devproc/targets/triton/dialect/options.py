"""The GPU that code is made for, as options of `dev.target`."""

from __future__ import annotations

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.irdl import irdl_attr_definition, param_def

from devproc.dialects.dev import TargetAttr
from devproc.dialects.dev.options import OptionsAttr


@irdl_attr_definition
class GPUAttr(OptionsAttr):
    """The GPU, or the interpreter: `#triton.options<arch = "sm_90", interpret = 0>`."""

    name = "triton.options"

    arch: StringAttr = param_def()
    interpret: IntAttr = param_def()

    @staticmethod
    def get(arch: str = "sm_90", interpret: bool = False) -> GPUAttr:
        """The options; every one has a safe default."""
        return GPUAttr(StringAttr(arch), IntAttr(int(interpret)))


def is_interpreted(target: TargetAttr) -> bool:
    """Whether Triton's interpreter runs the kernels; false for a target without a GPU."""
    own = (o for o in target.options.data.values() if isinstance(o, GPUAttr))
    return any(options.interpret.data for options in own)


def arch_name(target: TargetAttr) -> str:
    """The GPU that code is made for; the default for a target without a GPU."""
    own = (o for o in target.options.data.values() if isinstance(o, GPUAttr))
    return next((options.arch.data for options in own), GPUAttr.get().arch.data)
