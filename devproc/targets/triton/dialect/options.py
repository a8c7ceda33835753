"""The GPU that code is made for, as options of `dev.target`."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition, param_def

from devproc.dialects.dev import TargetAttr
from devproc.dialects.dev.options import OptionsAttr


@irdl_attr_definition
class GPUAttr(OptionsAttr):
    """The GPU, or the interpreter: `#triton.options<arch = "sm_90", interpret = 0>`.

    With `tune = 1` the schedules of kernels are the best of several.
    """

    name = "triton.options"

    arch: StringAttr = param_def()
    interpret: IntAttr = param_def()
    tune: IntAttr = param_def()

    @staticmethod
    def get(
        arch: str = "sm_90", interpret: bool = False, tune: bool = False
    ) -> GPUAttr:
        """The options; every one has a safe default."""
        numbers = (IntAttr(int(flag)) for flag in (interpret, tune))
        return GPUAttr(StringAttr(arch), *numbers)

    @classmethod
    def usual(cls, given: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        """Text leaves out that nothing is tuned."""
        return {"tune": IntAttr(0)}


def gpu_options(target: TargetAttr) -> GPUAttr:
    """The options of the GPU of a target; the defaults for a target without one."""
    own = (o for o in target.options.data.values() if isinstance(o, GPUAttr))
    return next(own, GPUAttr.get())


def is_interpreted(target: TargetAttr) -> bool:
    """Whether Triton's interpreter runs the kernels; false for a target without a GPU."""
    own = (o for o in target.options.data.values() if isinstance(o, GPUAttr))
    return any(options.interpret.data for options in own)


def arch_name(target: TargetAttr) -> str:
    """The GPU that code is made for; the default for a target without a GPU."""
    own = (o for o in target.options.data.values() if isinstance(o, GPUAttr))
    return next((options.arch.data for options in own), GPUAttr.get().arch.data)
