"""Calls of a compiled program, and its state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from devproc.backend.installed import backend, memory_of
from devproc.errors import (
    BundleError,
    CompileError,
    DevProcError,
    InputError,
    check_memory,
)
from devproc.ir.devices import HOST
from devproc.ir.weights.aligned import aligned_copy
from devproc.runtime.bundles.artifact import Artifact
from devproc.runtime.bundles.summary import Summary, summarize
from devproc.runtime.calls.direct_call import DirectCall, Run
from devproc.runtime.calls.interface import check_array, is_tensor, require_all
from devproc.runtime.execution.native_executor import NativeCode, NativeExecutor
from devproc.runtime.execution.repeating import Follow, NativeRepeat, repeat_calls
from devproc.runtime.execution.state import ProgramState
from devproc.runtime.execution.value_checks import ValueChecks
from devproc.settings import threads_problem

if TYPE_CHECKING:
    import torch

    from devproc.exactness.bound import StepBound
    from devproc.ir.weights.table import Array, WeightTable
    from devproc.runtime.execution.step_executor import Observer, StepExecutor
    from devproc.runtime.execution.trace import Event, Watch
    from devproc.timings import StageRecord


@dataclass(repr=False)
class RunnableProgram:
    """The part of a `Program` that runs it, without xDSL and the compiler."""

    artifact: Artifact
    weights: WeightTable
    timings: list[StageRecord] = field(default_factory=list)
    shared: ProgramState | None = None
    """The states that several entries of a program share; without it, its own."""
    watch: Watch | None = None
    """What notes the kernels of each call, for a trace."""

    def __post_init__(self) -> None:
        problem = threads_problem(self.artifact.threads)
        if problem is not None:
            raise BundleError(f"the program is damaged: {problem}; compile it again")
        self.interface = self.artifact.interface
        self._calling = self.artifact.calling
        self._inputs = self.interface.inputs
        self._refusal = self.artifact.why_not_here()
        self._loaded = {} if self._refusal is not None else self._load_code()
        only_native = all(
            s.kind == "launch" and s.device == HOST for s in self.artifact.host.steps
        )
        self._native = self._make_native() if only_native else None
        states = self.interface.states
        own = ProgramState(states, self.weights) if self.shared is None else self.shared
        self.state = own
        """The state that the program keeps between calls: mutated buffers of its model."""
        self._states = [spec.name for spec in states]
        updated = (n - len(self._inputs) for n in self.artifact.host.updated_inputs)
        self._in_place = {self._states[number] for number in updated}
        checks, outputs = self.artifact.checks, len(self.interface.outputs)
        self._checks = ValueChecks(checks, outputs) if checks else None
        self._run_native = self._native.run if self._native is not None else None
        if self._checks and self._run_native is not None:
            self._run_native = self._checks.watch_native(self._run_native)
        self._direct: DirectCall | None = None
        if self._run_native is not None:
            if self._states:
                self._run_native = own.around_native(
                    self._run_native, self._states, self._in_place
                )
            self._direct = DirectCall(self.interface, self._run_native)
        self._steps: StepExecutor | None = None
        self._repeat = self._make_repeat()

    def _make_repeat(self) -> NativeRepeat | None:
        """The native loop over calls of the program; None without one."""
        repeat, direct = self.artifact.host.repeat, self._direct
        if repeat is None or not repeat.symbol or self._native is None:
            return None
        if direct is None or not direct.in_numpy:
            return None
        run = self.state.around_repeat(self._native.repeat, self._states)
        between = self.state.between_calls
        outputs = self.interface.outputs
        return NativeRepeat(run, repeat, outputs, self._checks, between)

    @property
    def summary(self) -> Summary:
        """Name, options, inputs and outputs with shapes and dtypes, sizes in bytes; print
        it.
        """
        return summarize(self.artifact, self.weights.byte_count())

    def __repr__(self) -> str:
        return f"<Program {self.summary.line.removeprefix('program ')}>"

    def __str__(self) -> str:
        return str(self.summary)

    def _repr_html_(self) -> str:
        return self.summary.html()

    def _load_code(self) -> dict[str, Any]:
        """The code that shares the memory of the host, loaded by its backends.

        That of other devices is loaded by the first call: a program can be saved and
        inspected where such a device is missing.
        """
        code = self.artifact.code
        there = (name for name in code if memory_of(name) == HOST)
        loaded = {name: backend(name).load(code[name], {}) for name in there}
        if self.watch is not None and HOST in loaded:
            native: NativeCode = loaded[HOST]
            loaded[HOST] = native.watched(self.watch.operands, self.watch.note)
        return loaded

    def _make_native(self) -> NativeExecutor | None:
        if HOST not in self._loaded:
            return None
        code: NativeCode = self._loaded[HOST]
        return NativeExecutor(self.artifact.host, code, self._bound_weights())

    def _bound_weights(self) -> dict[str, Array]:
        names = self.artifact.host.weight_names
        return {name: self.weights.array(name) for name in names}

    def _step_executor(self) -> StepExecutor:
        """The executor that runs step by step, used with other devices and for traces."""
        from devproc.backend.target import parse_target
        from devproc.runtime.calls.tensors import as_torch
        from devproc.runtime.execution.loaded_code import LoadedCode
        from devproc.runtime.execution.step_executor import StepExecutor

        artifact, options = self.artifact, parse_target(self.artifact.devices)
        weights = {
            key: as_torch(aligned_copy(array), self.weights.dtype(key))
            for key, array in self._bound_weights().items()
        }
        loaded: dict[str, LoadedCode] = {}
        for name, code in artifact.code.items():
            device, handle = backend(name), self._loaded.get(name)
            if handle is None:
                own = artifact.code_weights.get(name, ())
                arrays = {key: self.weights.array(key) for key in own}
                handle = device.load(code, arrays, options.get(name, ""))
            loaded[name] = LoadedCode(device, handle)
        return StepExecutor(artifact.host, loaded, weights)

    def _open_steps(self) -> None:
        """Loads the code of all devices, and the fast path of calls with values on the host."""
        steps = self._step_executor()
        steps.place_states(self.state, self._states, len(self._inputs))
        self._steps = steps
        run = None if self._states or self._native else steps.staged_call()
        if run is not None:
            if self._checks is not None:
                run = self._checks.watch_native(run)
            self._direct = DirectCall(self.interface, run)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """One inference, on arrays of the declared shapes and dtypes (`print(program)`).

        Raises InputError with every input that does not fit, BusyError for a call within a
        call of the same thread, CompileError for code of another CPU, and BoundsError in a
        program compiled with `check_bounds`.
        """
        given = self._calling.bind(args, kwargs)
        try:
            return self._calling.result(given, self.run_flat(given))
        except RuntimeError as error:
            check_memory(error)
            raise

    def repeat(self, count: int, follow: Follow | None = None) -> dict[str, Any]:
        """Up to `count` calls in a row, each on the states that the last one left.

        The result is a dict of NumPy arrays by output name: `[calls, ...]`, each output with
        a first axis for the calls, in its own dtype. The last call is that whose output
        `until` is true (`Pipeline.repeat`), or after which `follow`, called with its outputs
        as arrays, returns a false value. An exception of `follow`, or of a signal handler,
        is raised when the call is done. Raises InputError for a program that is not
        repeated or for too many calls, and CompileError for code of another CPU.
        """
        repeat = self.artifact.host.repeat
        if repeat is None:
            raise InputError(
                "the program is called once at a time: end its pipeline with repeat()"
            )
        if not 1 <= count <= repeat.at_most:
            raise InputError(f"count is {count}; give 1 to {repeat.at_most}")
        if self._repeat is not None:
            return self._repeat(count, follow)
        names = [spec.name for spec in self.interface.outputs]

        def call() -> dict[str, Any]:
            return dict(zip(names, self.run_flat(()), strict=True))

        return repeat_calls(call, repeat, count, follow)

    def run_flat(
        self, given: Sequence[Any], observe: Observer | None = None
    ) -> Sequence[Any]:
        """One inference; takes the inputs and returns the outputs in the interface's order.

        `observe` is called after each step with its begin and end. Raises CompileError if
        the program was compiled for another CPU.
        """
        direct = self._direct if observe is None else None
        outputs = direct(given) if direct is not None else None
        if outputs is not None:
            return outputs
        if self._refusal is not None:
            raise CompileError(f"cannot run here: {self._refusal}")
        torch_given = any(map(is_tensor, given))
        if direct is not None and direct.in_numpy and not torch_given:
            pairs = zip(self._inputs, given, strict=True)
            outputs = direct(require_all(check_array(spec, v) for spec, v in pairs))
            assert outputs is not None
            return outputs
        if self._run_native is not None and observe is None:
            results = self._run_on_host(given, self._run_native)
        elif self._steps is None:
            self._open_steps()
            return self.run_flat(given, observe)
        else:
            results = self._run_steps(self._steps, given, observe)
        if torch_given:
            return results
        from devproc.runtime.calls.tensors import to_numpy

        return [to_numpy(result) for result in results]

    def _run_on_host(self, given: Sequence[Any], run: Run) -> list[torch.Tensor]:
        from devproc.runtime.calls.tensors import check_tensors, empty_outputs

        tensors = check_tensors(self._inputs, given)
        outputs = empty_outputs(self.interface.outputs)
        run([t.data_ptr() for t in tensors], [o.data_ptr() for o in outputs])
        return outputs

    def _run_steps(
        self, steps: StepExecutor, given: Sequence[Any], observe: Observer | None
    ) -> list[torch.Tensor]:
        """On any devices: outputs are where the inputs are, on the host or a device."""
        from devproc.runtime.calls.tensors import check_tensors

        tensors = check_tensors(self._inputs, given, steps.keeps)
        place = steps.place_of(given)
        outputs = steps.outputs(self.interface.outputs, place)
        run: Callable[..., None] = steps.run
        if self._checks is not None:
            run = self._checks.watch_tensors(run)
        if self._states:
            run = self.state.around_tensors(run, self._states, self._in_place)
        run(tensors, outputs, observe)
        if place is None:
            return outputs
        return [o if place.holds(o) else place.upload(o) for o in outputs]

    def trace(self, path: str | Path, *args: Any, **kwargs: Any) -> Any:
        """One inference, kernel by kernel, written as a Chrome trace; the result.

        Arguments and result are those of a call, in shape and dtype too. The kernels are
        called through Python, so the sum is a little above the untraced time; with
        `check_bounds`, all kernels of a segment are one event. It begins with this program's
        state, and leaves that as it is. Times are in microseconds. Raises what a call
        raises: InputError, CompileError.
        """
        from devproc.runtime.execution.trace import write_events

        given = self._calling.bind(args, kwargs)
        outputs, events = self.observe_flat(given)
        write_events(Path(path), events)
        return self._calling.result(given, outputs)

    def observe_flat(self, given: Sequence[Any]) -> tuple[Sequence[Any], list[Event]]:
        """One inference as in `trace`: the outputs in order, and the events of all steps."""
        from devproc.runtime.execution.trace import Watch

        watch = Watch(self.artifact.host)
        watched = type(self)(self.artifact, self.weights, watch=watch)
        observe = None if watched._native else watch.observe
        # Warm up in the same way: otherwise, other memory would take the page faults.
        watched.run_flat(given, observe)
        watched.state.copy_from(self.state)
        watch.clear()
        outputs = watched.run_flat(given, observe)
        return outputs, watch.events

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuses `copy.copy`, `copy.deepcopy` and `pickle`."""
        raise DevProcError(
            "a compiled program cannot be copied or pickled: its machine code and memory "
            "belong to this process. Write it with program.save(path) and read it with "
            "devproc.load(path), in this process or in another one; each load is a "
            "program with a state of its own. Threads may share one program"
        )

    def reset(self, *names: str) -> None:
        """Resets the states of these names, or of the models of these names, to their
        initial values; all without names. See `state`. Raises InputError for a name that
        neither has.
        """
        self.state.reset(*names)

    def saved_artifact(self, report: bool) -> Artifact:
        """What `save` writes, if the program has no report yet with one."""
        return self.artifact

    @property
    def exactness(self) -> tuple[StepBound, ...]:
        """How far each step may be from its reference: a `limit`, absolute or relative to
        the largest value as `measure` says (docs/exactness.md).
        """
        return self.artifact.exactness

    def save(
        self, path: str | Path, *, key: bytes | None = None, report: bool = False
    ) -> None:
        """Writes the program, its code and its weights into one file.

        `key`: 16 bytes or more that sign it, for `devproc.load(path, key=...)`. `report`:
        whether the file contains the report, which takes the time of `report()`; without
        it, only the compiler can make one. Raises BundleError where the file cannot be
        written.
        """
        from devproc.runtime.bundles.bundle import save

        save(self, Path(path), key, report)
