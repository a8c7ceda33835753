"""Every lock of the package: forked while another thread holds it, and a signal while held.

Each check runs in a forked child that is killed when it hangs.
"""

from __future__ import annotations

import ast
import ctypes
import gc
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from devproc.errors import BusyError
from devproc.ir import garbage
from devproc.ir.concurrency import thread_switches
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.concurrency.locks import ForkSafeLock, OneCallAtATime
from devproc.runtime.execution.step_executor import StepExecutor
from devproc.targets.cpu import jit, thread_pool
from devproc.targets.cpu.machine.cpu_target import CPUTarget
from tests.repository import ROOT
from tests.runtime.children import handler, inside_in_a_thread, run_in_child
from tests.runtime.test_threads import bits, compiled

IR = "define void @f(ptr %p) {{\n  store i32 {}, ptr %p\n  ret void\n}}\n"
X = np.arange(15, dtype=np.float32).reshape(3, 5)


class Counter(nn.Module):
    """Counts its calls and sums what it is given."""

    count: torch.Tensor
    total: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.tensor(3))
        self.register_buffer("total", torch.zeros(5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count.add_(1)
        self.total.add_(x.sum(0))
        return self.total * 2


@cache
def exported() -> torch.export.ExportedProgram:
    return torch.export.export(Counter(), (torch.zeros(3, 5),))


def counter(**options: Any) -> devproc.Program:
    return devproc.compile(exported(), threads=1, **options)


def two_places() -> devproc.Program:
    """A counter whose states all have two places: a check could refuse the call."""
    return counter(check_bounds=True)


def check_counter(program: devproc.Program, calls: int) -> None:
    """The call after so many, and the states that it leaves."""
    torch.testing.assert_close(
        program(torch.from_numpy(X)), torch.from_numpy(X.sum(0) * 2 * (calls + 1))
    )
    assert program.state["count"] == 3 + calls + 1


def hold_native(program: devproc.Program) -> Callable[[Callable[[], None]], None]:
    """Stays in a call that has written a part of the next state, and then fails."""

    def run(stay: Callable[[], None], outputs: Any) -> None:
        ctypes.memset(outputs[0], 77, 4)
        stay()
        raise KeyError

    def hold(stay: Callable[[], None]) -> None:
        with suppress(KeyError):
            program.state.around_native(lambda _, outputs: run(stay, outputs))([], [])

    return hold


def test_state_in_a_forked_child() -> None:
    program = two_places()
    check_counter(program, 0)
    with inside_in_a_thread(hold_native(program)):
        assert run_in_child(lambda: check_counter(program, 1)) == 0
        assert run_in_child(program.reset) == 0
    check_counter(program, 1)


@pytest.mark.parametrize(
    "options", [{"target": "cuda:interpret"}, {"check_bounds": True}]
)
def test_other_programs_in_a_forked_child(options: dict[str, Any]) -> None:
    """Held where the state is, and where a program has one memory or table for all calls."""
    program = counter(**options)
    check_counter(program, 0)
    locks = list(locks_of(program))
    assert len(locks) == 2
    for lock in locks:
        with inside_in_a_thread(lambda stay, lock=lock: lock.run(stay)):
            assert run_in_child(lambda: check_counter(program, 1)) == 0
    check_counter(program, 1)


def locks_of(program: devproc.Program) -> list[OneCallAtATime]:
    """The locks of a program, found from its objects."""
    found = [program.state._calls]  # pyright: ignore[reportPrivateUsage]
    steps = program._steps  # pyright: ignore[reportPrivateUsage]
    if isinstance(steps, StepExecutor):
        found.append(steps._calls)  # pyright: ignore[reportPrivateUsage]
    violations = getattr(program._loaded.get("cpu"), "_violations", None)  # pyright: ignore[reportPrivateUsage]
    return [*found, violations._calls] if violations is not None else found


def test_a_handler_reads_the_state_before_the_call() -> None:
    program, seen = two_places(), list[Any]()

    def check() -> None:
        def read() -> None:
            seen.append({name: program.state[name] for name in program.state})

        with handler(read) as interrupt:
            hold_native(program)(interrupt)
        check_counter(program, 0)
        assert seen[0]["count"] == 3
        np.testing.assert_array_equal(seen[0]["total"], np.zeros(5))

    assert run_in_child(check) == 0


CHANGES: dict[str, Callable[[devproc.Program], Any]] = {
    "call": lambda program: program(torch.from_numpy(X)),
    "reset": lambda program: program.reset(),
    "assign": lambda program: program.state.__setitem__("count", np.int64(9)),
    "copy": lambda program: program.state.copy_from(program.state),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_handler_may_not_change_the_state_of_a_call(change: str) -> None:
    program = counter()

    def refused() -> None:
        with pytest.raises(BusyError, match=r"signal handler.*after the call"):
            CHANGES[change](program)

    def check() -> None:
        with handler(refused) as interrupt:
            program.state.around_native(interrupt)([], [])
        program.reset()
        check_counter(program, 0)

    assert run_in_child(check) == 0


@pytest.mark.parametrize(
    "options", [{"target": "cuda:interpret"}, {"check_bounds": True}]
)
def test_a_handler_in_a_program_with_one_memory(options: dict[str, Any]) -> None:
    program = devproc.compile(
        torch.export.export(nn.Softmax(-1), (torch.zeros(3, 5),)), threads=1, **options
    )
    wanted = torch.softmax(torch.from_numpy(X), -1)
    torch.testing.assert_close(program(torch.from_numpy(X)), wanted)

    def call() -> None:
        torch.testing.assert_close(program(torch.from_numpy(X)), wanted)

    def refused() -> None:
        with pytest.raises(BusyError, match="this program"):
            call()

    def check() -> None:
        with handler(refused) as interrupt:
            locks_of(program)[1].run(interrupt)
        call()

    assert run_in_child(check) == 0


def test_a_child_forked_inside_of_a_call_still_refuses_it() -> None:
    """The thread that forks goes on in the child: there, too, the call is not over."""
    program = counter()

    def refused() -> None:
        with pytest.raises(BusyError):
            program.reset()

    codes: list[int] = []
    program.state.around_native(lambda *_: codes.append(run_in_child(refused)))([], [])
    assert codes == [0]


def test_copies_of_states_of_each_other() -> None:
    first, second = counter(), counter()

    def check() -> None:
        first.state.copy_from(first.state)
        threads = [
            threading.Thread(
                target=lambda a=a, b=b: [a.copy_from(b) for _ in range(300)]
            )
            for a, b in ((first.state, second.state), (second.state, first.state))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert run_in_child(check) == 0


def test_fork_while_a_thread_is_in_a_parallel_region() -> None:
    """The child's first worker must not go on with the region that the thread is in."""
    wanted = [bits(compiled(2), seed) for seed in range(2)]
    end = threading.Event()

    def call() -> None:
        while not end.is_set():
            bits(compiled(2), 0)

    caller = threading.Thread(target=call)
    caller.start()
    try:
        codes = [run_in_child(lambda: check_bits(wanted[1]), 20) for _ in range(20)]
    finally:
        end.set()
        caller.join()
    assert codes == [0] * 20


def check_bits(wanted: bytes) -> None:
    for _ in range(3):
        assert bits(compiled(2), 1) == wanted


def compile_anew(number: int) -> bytes:
    """An object that no cache has."""
    return jit.compile_object(
        IR.format(number), CPUTarget.host(), cache=jit.ObjectCache(None)
    )


def test_fork_while_a_thread_is_in_llvm() -> None:
    """The fork waits for it: LLVM's state in the middle of its work is of no use."""
    end = threading.Event()

    def compile_on() -> None:
        number = 0
        while not end.is_set():
            compile_anew(number := number + 1)

    caller = threading.Thread(target=compile_on)
    caller.start()
    try:
        codes = [run_in_child(lambda: compile_anew(-1), 20) for _ in range(20)]
    finally:
        end.set()
        caller.join()
    assert codes == [0] * 20


def test_a_handler_that_compiles_while_llvm_works() -> None:
    def check() -> None:
        with handler(lambda: compile_anew(5)) as interrupt:
            emit = jit._emit  # pyright: ignore[reportPrivateUsage]

            def emit_interrupted(function: Any, module: Any) -> Any:
                return emit(lambda m: (interrupt(), function(m))[1], module)

            wanted = compile_anew(7)
            jit._emit = emit_interrupted  # type: ignore[attr-defined]
            with handler(lambda: setattr(jit, "_emit", emit)):
                assert compile_anew(7) == wanted

    assert run_in_child(check) == 0


@pytest.mark.parametrize("held", ["pool", "switches"])
def test_locks_of_the_process(held: str) -> None:
    """Held for a moment each; the child, and a handler, go on all the same."""
    modules: dict[str, Any] = {"pool": thread_pool, "switches": thread_switches}
    lock: ForkSafeLock = modules[held]._lock
    wanted = bits(compiled(3), 1)
    bits(compiled(2), 1)

    def use() -> None:
        assert bits(compiled(3), 1) == wanted
        with thread_switches.frequent_thread_switches():
            pass

    def hold(stay: Callable[[], None]) -> None:
        with lock.held:
            stay()

    with inside_in_a_thread(hold):
        assert run_in_child(use) == 0

    def check() -> None:
        with handler(use) as interrupt:
            hold(interrupt)

    assert run_in_child(check) == 0


def test_what_a_compiling_thread_has_changed() -> None:
    """Collection of garbage and the interval of threads are the process's."""
    interval = sys.getswitchinterval()

    def hold(stay: Callable[[], None]) -> None:
        with (
            garbage.paused_garbage_collection(),
            thread_switches.frequent_thread_switches(),
        ):
            stay()

    def check() -> None:
        assert gc.isenabled()
        assert sys.getswitchinterval() == pytest.approx(interval)

    with inside_in_a_thread(hold):
        assert not gc.isenabled()
        assert run_in_child(check) == 0
    check()
    inside: list[int] = []

    def fork_inside() -> None:
        assert not gc.isenabled()
        assert sys.getswitchinterval() < interval

    hold(lambda: inside.append(run_in_child(fork_inside)))
    assert inside == [0]
    check()


def test_fork_while_a_thread_interprets() -> None:
    """Triton's library is as it was in the child, and interprets again."""
    from devproc.targets.triton.interpret import interpreting

    program = devproc.compile(exported(), target="cuda:interpret")
    check_counter(program, 0)
    import triton.language as tl
    from triton.runtime.jit import JITFunction

    def hold(stay: Callable[[], None]) -> None:
        with interpreting():
            stay()

    def check() -> None:
        assert isinstance(tl.sum, JITFunction)
        check_counter(program, 1)
        assert isinstance(tl.sum, JITFunction)

    with inside_in_a_thread(hold):
        assert not isinstance(tl.sum, JITFunction)
        assert run_in_child(check) == 0
    check()


class Slow:
    """An attribute that takes a while."""

    @lazy_property
    def value(self) -> int:
        time.sleep(0.05)
        return 7


def test_fork_while_a_thread_computes_an_attribute() -> None:
    """`functools.cached_property` has a lock for all objects, before Python 3.12."""

    def check() -> None:
        assert Slow().value == 7

    computing = threading.Thread(target=check)
    computing.start()
    assert run_in_child(check) == 0
    computing.join()
    slow = Slow()
    assert slow.value == 7
    assert vars(slow) == {"value": 7}
    assert isinstance(Slow.value, lazy_property)


def test_a_compilation_in_a_child_of_a_compiling_process() -> None:
    """Executors, caches and weights of the thread that is gone."""
    net = nn.Sequential(nn.Linear(61, 47), nn.Linear(47, 3)).eval()
    x = torch.randn(5, 61)
    source = torch.export.export(net, (x,))
    wanted = net(x).detach()
    end = threading.Event()

    def check() -> None:
        found = devproc.compile(source, threads=1, cache=False)(x)
        torch.testing.assert_close(found, wanted)

    def compile_on() -> None:
        while not end.is_set():
            check()

    check()
    caller = threading.Thread(target=compile_on)
    caller.start()
    try:
        codes: list[int] = []
        for pause in (0.0, 0.03, 0.07, 0.15, 0.22):
            time.sleep(pause)
            codes.append(run_in_child(check))
    finally:
        end.set()
        caller.join()
    assert codes == [0] * 5


PLAIN = {
    "Lock",
    "RLock",
    "Condition",
    "Semaphore",
    "BoundedSemaphore",
    "cached_property",
}


def test_no_plain_locks() -> None:
    """A lock of the package is a `ForkSafeLock`, or one that forks wait for."""
    allowed = {
        "devproc/ir/concurrency/locks.py",
        "devproc/targets/cpu/machine/cpu_target.py",
    }
    found: set[str] = set()
    for path in Path(ROOT / "devproc").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.attr] if isinstance(node, ast.Attribute) else []
            if isinstance(node, ast.ImportFrom):
                names = [alias.name for alias in node.names]
            if PLAIN.intersection(names):
                found.add(path.relative_to(ROOT).as_posix())
    assert found == allowed
