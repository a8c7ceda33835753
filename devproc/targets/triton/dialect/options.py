"""The GPU that code is made for, as options of `dev.target`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition, param_def

from devproc.dialects.dev import TargetAttr
from devproc.dialects.dev.options import OptionsAttr


@irdl_attr_definition
class GPUAttr(OptionsAttr):
    """The GPU, or the interpreter: `#triton.options<arch = "sm_90", interpret = 0>`.

    With `tune = 1` the schedules of kernels are the best of several. `others`: more GPUs
    for which the same file has machine code.
    """

    name = "triton.options"

    arch: StringAttr = param_def()
    interpret: IntAttr = param_def()
    tune: IntAttr = param_def()
    others: ArrayAttr[StringAttr] = param_def()

    @staticmethod
    def get(
        arch: str = "sm_90",
        interpret: bool = False,
        tune: bool = False,
        others: Sequence[str] = (),
    ) -> GPUAttr:
        """The options; every one has a safe default."""
        names = ArrayAttr([StringAttr(name) for name in others])
        numbers = IntAttr(int(interpret)), IntAttr(int(tune))
        return GPUAttr(StringAttr(arch), *numbers, names)

    @classmethod
    def usual(cls, given: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        """Text leaves out that nothing is tuned, and that there is one GPU."""
        return {"tune": IntAttr(0), "others": ArrayAttr([])}


def gpu_options(target: TargetAttr) -> GPUAttr:
    """The options of the GPU of a target; the defaults for a target without one."""
    own = (o for o in target.options.data.values() if isinstance(o, GPUAttr))
    return next(own, GPUAttr.get())


def arch_name(target: TargetAttr) -> str:
    """The GPU that code is made for; the default for a target without a GPU."""
    own = (o for o in target.options.data.values() if isinstance(o, GPUAttr))
    return next((options.arch.data for options in own), GPUAttr.get().arch.data)


def with_arch(target: TargetAttr, arch: str) -> TargetAttr:
    """A target whose only GPU is another one."""
    options = dict(target.options.data)
    for device, own in options.items():
        if isinstance(own, GPUAttr):
            options[device] = GPUAttr(
                StringAttr(arch), own.interpret, own.tune, ArrayAttr([])
            )
    return TargetAttr(
        *(target.devices, target.precision, target.threads),
        *(target.check_bounds, target.check_values, target.weights),
        DictionaryAttr(options),
    )
