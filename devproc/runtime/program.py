"""A compiled program: call it, look into it, save it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from devproc.errors import BundleError, CompileError, DevProcError, InputError
from devproc.ir.cpus import RequiredCPU
from devproc.ir.weights.aligned import aligned_copy
from devproc.runtime.calls.calling import Calling
from devproc.runtime.calls.direct_call import DirectCall
from devproc.runtime.calls.interface import (
    Interface,
    TensorSpec,
    check_array,
    is_tensor,
)
from devproc.runtime.execution.host_program import HostProgram
from devproc.runtime.execution.native_executor import NativeCode, NativeExecutor
from devproc.runtime.execution.state import ProgramState
from devproc.runtime.execution.value_checks import ValueCheck, ValueChecks
from devproc.runtime.summary import Summary, summarize
from devproc.settings import threads_problem
from devproc.targets.cpu.machine import machine_has

if TYPE_CHECKING:
    import torch

    from devproc.exactness.bound import StepBound
    from devproc.ir.weights.table import WeightTable
    from devproc.report import Report
    from devproc.runtime.execution.host_functions import HostFunction
    from devproc.runtime.execution.step_executor import Observer, StepExecutor
    from devproc.runtime.execution.trace import Event
    from devproc.targets.cpu.violations import CheckedAccess
    from devproc.targets.triton.kernel import TritonKernel
    from devproc.timings import StageRecord


@dataclass(frozen=True, repr=False)
class Artifact:
    """All that a compilation leaves, but the weights.

    `program_text` is the module of the first stage; any other stage follows from it.
    `devices` is the user's target, such as "cpu" or "cpu+cuda:interpret". `cpu` is what
    `object_code` needs; that of another machine can be saved, but not run.
    """

    devices: str
    threads: int
    cpu: RequiredCPU
    program_text: str
    interface: Interface
    calling: Calling
    host: HostProgram
    object_code: tuple[bytes, ...] | None
    kernels: Mapping[str, TritonKernel]
    prepare_text: str | None = None
    host_text: str | None = None
    """The functions that PyTorch runs, of a program with a fallback."""
    pool_code: bytes | None = None
    """The object code of the thread pool, as it came with a saved program."""
    accesses: tuple[CheckedAccess, ...] = ()
    """What the object code checks, with `check_bounds`."""
    exactness: tuple[StepBound, ...] = ()
    checks: tuple[ValueCheck, ...] = ()
    """What a call looks for, with `check_values`."""

    def __repr__(self) -> str:
        return f"<Artifact of {summarize(self).line}>"

    def why_not_here(self) -> str | None:
        """Why this machine cannot run the object code; None where it can."""
        if self.object_code is None or machine_has(self.cpu):
            return None
        from devproc.targets.cpu.cpu_target import why_not_here

        return why_not_here(self.cpu)


@dataclass(repr=False)
class Program:
    """A compiled program.

    Call it with NumPy arrays or torch tensors (torch in gives torch out). A pipeline
    takes inputs by name and returns a dict by output name; a model alone is called and
    returns as the exported module does. Inputs that are not contiguous are copied.
    Several Python threads may call one program; the calls of a program with state run
    one after another.
    """

    artifact: Artifact
    weights: WeightTable
    timings: list[StageRecord] = field(default_factory=list)

    def __post_init__(self) -> None:
        problem = threads_problem(self.artifact.threads)
        if problem is not None:
            raise BundleError(f"the program is damaged: {problem}; compile it again")
        self.interface = self.artifact.interface
        self._calling = self.artifact.calling
        self._inputs = self.interface.inputs
        self._functions = self._load_functions()
        self._refusal = self.artifact.why_not_here()
        self._code = self._load_code()
        only_cpu = all(
            s.kind == "launch" and s.device == "cpu" for s in self.artifact.host.steps
        )
        self._native = self._make_native() if only_cpu and self._code else None
        self.state = ProgramState(self.interface.states, self.weights)
        """What the program keeps between calls: mutated buffers of its model."""
        checks, outputs = self.artifact.checks, len(self.interface.outputs)
        self._checks = ValueChecks(checks, outputs) if checks else None
        self._run_native = self._native.run if self._native is not None else None
        if self._checks and self._run_native is not None:
            self._run_native = self._checks.watch_native(self._run_native)
        if self.state and self._run_native is not None:
            self._run_native = self.state.around_native(self._run_native)
        self._direct = self._run_native and DirectCall(self.interface, self._run_native)
        self._steps: StepExecutor | None = None

    @property
    def summary(self) -> Summary:
        """Name, options, inputs, outputs and sizes; print it."""
        return summarize(self.artifact, self.weights.byte_count())

    def __repr__(self) -> str:
        return f"<Program {self.summary.line.removeprefix('program ')}>"

    def __str__(self) -> str:
        return str(self.summary)

    def _repr_html_(self) -> str:
        return self.summary.html()

    def _load_code(self) -> NativeCode | None:
        artifact = self.artifact
        if artifact.object_code is None or self._refusal is not None:
            return None
        from devproc.targets.cpu.native_code import load_object

        return load_object(
            artifact.object_code,
            artifact.threads,
            artifact.pool_code,
            artifact.accesses,
        )

    def _load_functions(self) -> Mapping[str, HostFunction]:
        if self.artifact.host_text is None:
            return {}
        from devproc.runtime.execution.host_functions import load_host_functions

        try:
            return load_host_functions(self.artifact.host_text)
        except CompileError as error:
            raise BundleError(str(error)) from error

    def _make_native(self) -> NativeExecutor:
        assert self._code is not None
        keys = {s.key for s in self.artifact.host.slots if s.kind == "weight"}
        arrays = {key: self.weights.array(key) for key in keys}
        return NativeExecutor(self.artifact.host, self._code, arrays)

    def _step_executor(self) -> StepExecutor:
        """An executor that goes step by step (used with a GPU, and for traces)."""
        from devproc.runtime.calls.tensors import as_torch
        from devproc.runtime.execution.gpu import make_device
        from devproc.runtime.execution.step_executor import StepExecutor

        host, devices = self.artifact.host, self.artifact.devices
        keys = {s.key for s in host.slots if s.kind == "weight"}
        weights = {
            key: as_torch(
                aligned_copy(self.weights.array(key)), self.weights.dtype(key)
            )
            for key in keys
        }
        device = make_device(devices, self.artifact.kernels)
        return StepExecutor(host, self._code, device, weights, self._functions)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """One inference; raises InputError naming the input and both sides."""
        given = self._calling.bind(args, kwargs)
        return self._calling.result(given, self.run_flat(given))

    def run_flat(
        self, given: Sequence[Any], observe: Observer | None = None
    ) -> Sequence[Any]:
        """One inference on the inputs in the interface's order; the outputs in order.

        `observe` sees each step with its begin and end. Raises CompileError where the
        program was compiled for another CPU than this machine's.
        """
        direct = self._direct if observe is None else None
        outputs = direct(given) if direct is not None else None
        if outputs is not None:
            return outputs
        if self._refusal is not None:
            raise CompileError(f"cannot run here: {self._refusal}")
        torch_given = any(map(is_tensor, given))
        if direct is not None and direct.in_numpy and not torch_given:
            outputs = direct(_check_arrays(self._inputs, given))
            assert outputs is not None
            return outputs
        from devproc.runtime.calls.tensors import check_tensors, empty_outputs, to_numpy

        tensors = check_tensors(self._inputs, given)
        results = empty_outputs(self.interface.outputs)
        self._run(tensors, results, observe)
        return results if torch_given else [to_numpy(result) for result in results]

    def _run(
        self,
        tensors: Sequence[torch.Tensor],
        outputs: Sequence[torch.Tensor],
        observe: Observer | None,
    ) -> None:
        if self._run_native is not None and observe is None:
            self._run_native(
                [t.data_ptr() for t in tensors], [o.data_ptr() for o in outputs]
            )
            return
        if self._steps is None:
            self._steps = self._step_executor()
        run: Callable[..., None] = self._steps.run
        if self._checks is not None:
            run = self._checks.watch_tensors(run)
        if self.state:
            self.state.run_tensors(run, tensors, outputs, observe)
        else:
            run(tensors, outputs, observe)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuses `copy.copy`, `copy.deepcopy` and `pickle`."""
        raise DevProcError(
            "a compiled program cannot be copied or pickled: its machine code and memory "
            "belong to this process. Write it with program.save(path) and read it with "
            "devproc.load(path), in this process or in another one; each load is a "
            "program with a state of its own. Threads may share one program"
        )

    def reset(self) -> None:
        """Gives the program's state its initial value; see `state`."""
        self.state.reset()

    @property
    def exactness(self) -> tuple[StepBound, ...]:
        """How far each step may be from its reference; see docs/exactness.md."""
        return self.artifact.exactness

    def ir(self, stage: str) -> str:
        """The text of any stage (see `devproc.stages`), "llvm-ir" or "triton-source".

        Raises CompileError naming the known ones.
        """
        from devproc.driver import stage_text

        return stage_text(self.artifact.program_text, stage)

    def report(self) -> Report:
        """What runs where, as which kernels, moving how many bytes; print it."""
        from devproc.report import make_report

        return make_report(self.artifact.program_text, self.timings)

    def trace(self, path: str | Path, *args: Any, **kwargs: Any) -> Any:
        """One inference, kernel by kernel, written as a Chrome trace; the result.

        The program is built again with one native call per kernel, so the sum is a
        little above the untraced time. It begins with this program's state, and leaves
        that as it is.
        """
        from devproc.runtime.execution.trace import write_events

        given = self.artifact.calling.bind(args, kwargs)
        outputs, events = self.observe_flat(given)
        write_events(Path(path), events)
        return self.artifact.calling.result(given, outputs)

    def observe_flat(self, given: Sequence[Any]) -> tuple[Sequence[Any], list[Event]]:
        """One inference as `trace` makes it: the outputs in order, and what each kernel
        took.
        """
        from devproc.compiler import with_single_launches

        single = with_single_launches(self)
        # Warm, with an observer: without one, other memory would take the page faults.
        single.run_flat(given, _see_nothing)
        single.state.copy_from(self.state)
        events: list[Event] = []
        outputs = single.run_flat(
            given, lambda s, begin, end: events.append((s, begin, end))
        )
        return outputs, events

    def save(self, path: str | Path, *, key: bytes | None = None) -> None:
        """Writes the program, its code and its weights into one file.

        `key`: 16 bytes or more that sign it, for `devproc.load(path, key=...)`. Raises
        BundleError where the file cannot be written.
        """
        from devproc.runtime.bundles.bundle import save

        save(self, Path(path), key)


def _check_arrays(
    specs: Sequence[TensorSpec], given: Sequence[Any]
) -> list[NDArray[np.generic]]:
    """Contiguous arrays of the declared dtypes and shapes; all problems at once."""
    checked = [check_array(s, value) for s, value in zip(specs, given, strict=True)]
    problems = [found for found in checked if isinstance(found, str)]
    if problems:
        raise InputError("; ".join(problems))
    return [found for found in checked if not isinstance(found, str)]


def _see_nothing(*_: object) -> None:
    """An observer of a run that warms up."""
