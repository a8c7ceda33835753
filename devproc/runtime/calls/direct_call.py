"""The fast path of a call: an all-native program on arguments that need no conversion.

The overhead around the native code dominates calls of small programs, so everything
independent of the arguments is prepared in advance. Arguments that do not fit take the slow
path (`Program.run_flat`), which copies, converts, or reports what is wrong.
"""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from devproc.ir.weights.aligned import address_of, contiguous_address
from devproc.runtime.calls.interface import Interface

if TYPE_CHECKING:
    import torch

Run = Callable[[Sequence[int], Sequence[int]], None]
"""One inference, on the addresses of contiguous inputs and outputs."""

# Saves an attribute lookup for each use.
_ndarray, _empty = np.ndarray, np.empty


class DirectCall:
    """Runs a program on contiguous tensors of its dtypes and shapes, all of one kind."""

    def __init__(self, interface: Interface, run: Run):
        self._interface = interface
        self._run = run
        specs = (*interface.inputs, *interface.outputs)
        self.in_numpy = all(spec.dtype != "bfloat16" for spec in specs)
        """Whether all dtypes are NumPy's."""
        if self.in_numpy:
            self._arrays = [
                (number, dtype := np.dtype(s.dtype), s.shape, dtype.alignment - 1)
                for number, s in enumerate(interface.inputs)
            ]
            self._outputs = [(s.shape, np.dtype(s.dtype)) for s in interface.outputs]
        self._tensors: Callable[[Sequence[Any]], list[torch.Tensor] | None] | None = (
            None
        )

    def __call__(self, given: Sequence[Any]) -> Sequence[Any] | None:
        """The outputs, of the kind of the inputs; None if an input does not fit."""
        if self.in_numpy and (not given or type(given[0]) is _ndarray):
            return self._run_arrays(given)
        if not given or type(given[0]).__module__ != "torch":
            return None
        if self._tensors is None:
            self._tensors = self._for_tensors()
        return self._tensors(given)

    def _run_arrays(self, given: Sequence[Any]) -> list[NDArray[Any]] | None:
        inputs: list[int] = []
        for number, dtype, shape, misaligned in self._arrays:
            value = given[number]
            if type(value) is not _ndarray or value.shape != shape:
                return None
            # Dtypes are mostly the same object, and comparing them takes longer.
            if value.dtype is not dtype and value.dtype != dtype:
                return None
            address = contiguous_address(value)
            if address is None or address & misaligned:
                return None
            inputs.append(address)
        # A loop: a comprehension is a function call before Python 3.12.
        outputs: list[NDArray[Any]] = []
        addresses: list[int] = []
        for shape, dtype in self._outputs:
            output = _empty(shape, dtype)
            outputs.append(output)
            addresses.append(address_of(output))
        self._run(inputs, addresses)
        return outputs

    def _for_tensors(self) -> Callable[[Sequence[Any]], list[torch.Tensor] | None]:
        """The same for tensors; imports PyTorch."""
        import torch

        from devproc.runtime.calls.tensors import TORCH_DTYPES

        kind, strided, empty = torch.Tensor, torch.strided, torch.empty
        cpu = torch.device("cpu")
        specs = [
            (number, TORCH_DTYPES[s.dtype], s.shape)
            for number, s in enumerate(self._interface.inputs)
        ]
        results = [(TORCH_DTYPES[s.dtype], s.shape) for s in self._interface.outputs]
        run = self._run

        def run_tensors(given: Sequence[Any]) -> list[torch.Tensor] | None:
            inputs: list[int] = []
            for number, dtype, shape in specs:
                value = given[number]
                if (
                    type(value) is not kind
                    or value.is_nested
                    or value.dtype is not dtype
                    or value.shape != shape
                    or value.layout is not strided
                    or not value.is_cpu
                    or not value.is_contiguous()
                    or value.is_neg()
                ):
                    return None
                address = value.data_ptr()
                if not address:
                    return None
                inputs.append(address)
            outputs = [empty(shape, dtype=t, device=cpu) for t, shape in results]
            run(inputs, [output.data_ptr() for output in outputs])
            return outputs

        return run_tensors
