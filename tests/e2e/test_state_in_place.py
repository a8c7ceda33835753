"""States that a call updates in place, over several calls, beside the eager module."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import devproc
from devproc.driver import parse_module
from devproc.ir.program.kernel_modules import marked_functions
from tests.runtime.children import handler, run_in_child

CAPACITY = 13


class Model(nn.Module):
    """A cache `k`, of keys for each head, and one `t`, with the heads after the position."""

    k: torch.Tensor
    t: torch.Tensor
    count: torch.Tensor

    def __init__(self, forward: Callable[..., Any]) -> None:
        super().__init__()
        self.register_buffer("k", torch.randn(2, 3, CAPACITY, 5))
        self.register_buffer("t", torch.randn(2, CAPACITY, 3, 5).bfloat16())
        self.register_buffer("count", torch.zeros(1, dtype=torch.int64))
        self.function = forward

    def forward(self, x: torch.Tensor, p: torch.Tensor) -> Any:
        return self.function(self, x, p)


def index_copy(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    m.k.index_copy_(2, p, x)
    m.t.index_copy_(1, p, x.transpose(1, 2).bfloat16())
    return (m.k * x).sum(-1), m.t.transpose(1, 2).float() @ x.transpose(2, 3)


def index_put(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    m.k[:, :, p] = x
    m.t[:, p] = x.transpose(1, 2).bfloat16()
    return m.k.sum(-1)


def counted(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    """Updates of whole states beside one of a part."""
    m.k.index_copy_(2, p, x)
    m.t.mul_(2)
    m.count.add_(p)
    return torch.arange(CAPACITY)[p] * m.count


def index_put_apart(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    m.k[torch.tensor([1, -2]), :, p.expand(2)] = x[:, :, 0]
    return m.k.sum(-1)


def accumulate(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    twice = torch.cat([p, p])
    values = torch.cat([x, x * 3], 2)
    m.k.copy_(torch.ops.aten.index_put(m.k, [None, None, twice], values, True))
    m.t.index_add_(1, p, x.transpose(1, 2).bfloat16())
    return m.k.sum(-1)


def scatter(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    m.k.scatter_(2, p.reshape(1, 1, 1, 1).expand(2, 3, 1, 5), x)
    m.k.scatter_add_(2, p.reshape(1, 1, 1, 1).expand(2, 2, 1, 4), x)
    return m.k.sum(-1)


def ring(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    places = (torch.arange(4) + m.count * 4) % CAPACITY
    m.k.index_copy_(2, places, x.expand(2, 3, 4, 5) * p)
    m.count.add_(1)
    return m.k.sum(-1)


def slices(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    m.k[:, :, 3:4] = x
    m.k[:, 1, 7] = x[:, 1, 0] * p
    m.k[:, :, 1:12:5] = x * 2
    m.t[1:, 4:6] = x[1:].transpose(1, 2).bfloat16()
    return m.k.sum(-1)


def parts(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    m.k[1].index_copy_(1, p, x[1])
    m.k[:, 1:].index_copy_(2, (p + 1) % CAPACITY, x[:, 1:])
    m.k[:, :, 4:8].index_copy_(2, p % 4, x * 2)
    m.k[:, :, 9:10].index_copy_(1, p % 3, x[:, :1])
    return m.k.sum(-1)


def transposed(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    m.k.transpose(1, 2).index_copy_(1, p, x.transpose(1, 2))
    return m.k.sum(-1)


def at_a_number(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    start: Any = p.item()
    torch._check(start >= 0)
    torch._check(start < CAPACITY - 1)
    m.k[:, :, start : start + 1] = x
    m.t.narrow(1, start + 1, 1).copy_(x.transpose(1, 2).bfloat16())
    return m.k.sum(-1), m.k.narrow(2, start, 1) * 2


def one_after_the_other(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    old = (m.k * x).sum(-1)
    m.k.index_copy_(2, p, x)
    between = m.k.sum((1, 3))
    m.k.mul_(0.5)
    m.k.index_copy_(2, (p + 5) % CAPACITY, m.k[:, :, 2:3] + old.sum())
    return (
        old,
        between,
        m.k[:, 1:, 2:7].reshape(2, -1),
        m.k[:, :, None].expand(2, 3, 2, CAPACITY, 5).reshape(2, 6, CAPACITY, 5) * 2,
    )


def read_late(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    old = m.k.clone()
    m.k.index_copy_(2, p, x)
    return m.k.sum(-1), old.amax((-1, -2))


def new_value_as_output(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    m.k.index_copy_(2, p, x)
    m.count.add_(p)
    return m.k.clone(), m.count.clone(), m.k.sum(-1)


def elementwise(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    m.k.add_(x).clamp_(-2, 2)
    m.t.copy_(x.transpose(1, 2).expand(2, CAPACITY, 3, 5).bfloat16())
    m.count.add_(p)
    return x + 1


def float_of(values: Any) -> list[torch.Tensor]:
    return [torch.as_tensor(v).float() for v in values]


def check(program: devproc.Program, model: Model, calls: int = 5) -> None:
    """The program beside the module, which it also leaves with the same states."""
    for call in range(calls):
        inputs = torch.randn(2, 3, 1, 5), torch.tensor([(call * 3) % (CAPACITY - 1)])
        with torch.no_grad():
            wanted = model(*inputs)
        found = program(*inputs)
        if isinstance(wanted, torch.Tensor):
            wanted, found = (wanted,), (found,)
        wanted = [*wanted, *(getattr(model, name) for name in program.state)]
        found = [*found, *(program.state[name] for name in program.state)]
        pairs = zip(float_of(found), float_of(wanted), strict=True)
        for one, other in pairs:
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)


def compiled(
    forward: Callable[..., Any], target: str = "cpu", **options: Any
) -> tuple[devproc.Program, Model]:
    torch.manual_seed(0)
    model = Model(forward)
    inputs = torch.randn(2, 3, 1, 5), torch.tensor([1])
    exported = torch.export.export(model.eval(), inputs)
    return devproc.compile(exported, target, threads=2, **options), model


def updates(program: devproc.Program) -> dict[str, str]:
    return {row.name: row.update for row in program.report().states.rows}


IN_PLACE = (
    *(index_copy, index_put, index_put_apart, accumulate, scatter, ring, slices, parts),
    at_a_number,
    *(transposed, one_after_the_other, read_late, new_value_as_output, elementwise),
)


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
@pytest.mark.parametrize("forward", IN_PLACE, ids=lambda f: f.__name__)
def test_in_place(forward: Callable[..., Any], target: str) -> None:
    program, model = compiled(forward, target)
    report = program.report()
    assert all(row.in_place for row in report.states.rows), str(report.states)
    assert report.memory.doubled_bytes == 0
    check(program, model)


PARTIAL = (
    *(index_copy, index_put, index_put_apart, slices, parts, transposed, scatter),
    at_a_number,
)


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
@pytest.mark.parametrize("forward", PARTIAL, ids=lambda f: f.__name__)
def test_only_scatters_write_to_the_cache(
    forward: Callable[..., Any], target: str
) -> None:
    program, _ = compiled(forward, target)
    marked = marked_functions(parse_module(program.ir("kernels")))
    families = {f"@{f.sym_name.data}": mark.family.data for f, mark in marked}
    for update in updates(program).values():
        kernels = update.removeprefix("in place by ").split(", ")
        assert {families[name] for name in kernels} == {"scatter"}, update


def old_value_as_output(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    old = m.k.clone()
    m.k.index_copy_(2, p, x)
    return old, m.k.sum(-1)


def old_needs_new(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    old = m.k.clone()
    m.k.index_copy_(2, p, x)
    return old * m.k.sum((2, 3), keepdim=True).exp()


def rolled(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    m.k.copy_(torch.cat([m.k[:, :, 1:], x], 2))
    return m.k.sum(-1)


def given(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
    m.count.copy_(p)
    return x * 2


@pytest.mark.parametrize(
    ("forward", "name", "why"),
    [
        (old_value_as_output, "k", "its old value is an output"),
        (old_needs_new, "k", "reads its old value after the update"),
        (rolled, "k", "otherwise than element by element"),
        (given, "count", "its new value is an input"),
    ],
)
def test_two_places(forward: Callable[..., Any], name: str, why: str) -> None:
    program, model = compiled(forward)
    assert (
        f"two places: {why}" in updates(program)[name] or why in updates(program)[name]
    )
    check(program, model)


def test_a_call_that_may_fail_keeps_two_places() -> None:
    program, model = compiled(index_copy, check_bounds=True)
    why = "checks may refuse the call"
    assert all(why in update for update in updates(program).values())
    check(program, model, 2)


def check_refused(program: devproc.Program, *inputs: torch.Tensor) -> None:
    """A value is refused, and all states are as before."""
    before = dict(program.state)
    with pytest.raises(devproc.InputError, match="out of range"):
        program(*inputs)
    for name, value in before.items():
        np.testing.assert_array_equal(program.state[name], value)


@pytest.mark.parametrize("forward", [index_copy, index_put, counted])
def test_values_are_checked_before_updates_in_place(
    forward: Callable[..., Any],
) -> None:
    program, model = compiled(forward, check_values=True)
    assert program.artifact.checks
    assert all(update.startswith("in place") for update in updates(program).values())
    check(program, model, 2)
    for place in (CAPACITY, -CAPACITY - 1):
        check_refused(program, torch.randn(2, 3, 1, 5), torch.tensor([place]))
    check(program, model, 2)


def test_a_check_of_what_was_written_keeps_two_places() -> None:
    def forward(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
        m.k.index_copy_(2, p, x)
        m.count.add_(1)
        return torch.arange(5.0)[m.k.abs().amax().reshape(1).long()]

    program, model = compiled(forward, check_values=True)
    assert "a check depends on its new value" in updates(program)["k"]
    assert updates(program)["count"].startswith("in place")
    check(program, model, 2)
    check_refused(program, torch.full((2, 3, 1, 5), 7.0), torch.tensor([3]))
    check(program, model, 2)


def test_a_fallback_keeps_two_places() -> None:
    def forward(m: Model, x: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        m.k.index_copy_(2, p, x)
        return torch.special.bessel_j1(m.k.sum(-1))

    program, model = compiled(forward, fallback="torch")
    assert "in several steps" in updates(program)["k"]
    check(program, model)


def test_a_value_of_the_call_is_updated_in_place() -> None:
    def forward(m: Model, x: torch.Tensor, p: torch.Tensor) -> Any:
        table = (x * 2).exp().expand(2, 3, CAPACITY, 5) + 1
        kept = table.index_copy(2, p, x)
        return table.sum(-1), kept

    program, model = compiled(forward)
    text = program.ir("buffers")
    assert text.count("dev.updates = array<i64: 2>, plan.step") == 1
    check(program, model)


def test_read_assign_reset_and_copy() -> None:
    program, model = compiled(index_copy)
    start = model.k.clone()
    held = program.state["k"]
    x = torch.ones(2, 3, 1, 5)
    program(x, torch.tensor([4]))
    np.testing.assert_array_equal(held, start, "what was read is a copy")
    assert (program.state["k"][:, :, 4] == 1).all()
    value = np.random.default_rng(0).normal(size=held.shape).astype(np.float32)
    program.state["k"] = value
    program(x, torch.tensor([0]))
    np.testing.assert_array_equal(program.state["k"][:, :, 1:], value[:, :, 1:])
    assert (value[:, :, 0] != 1).all(), "a value is copied when assigned"
    other, _ = compiled(index_copy)
    other.state.copy_from(program.state)
    np.testing.assert_array_equal(other.state["k"], program.state["k"])
    program.reset()
    np.testing.assert_array_equal(program.state["k"], start)
    assert (other.state["k"][:, :, 0] == 1).all()


def test_traces_and_files_leave_the_state(tmp_path: Path) -> None:
    program, model = compiled(one_after_the_other)
    inputs = torch.randn(2, 3, 1, 5), torch.tensor([2])
    program(*inputs)
    before = program.state["k"]
    traced = program.trace(tmp_path / "trace.json", *inputs)
    np.testing.assert_array_equal(program.state["k"], before)
    torch.testing.assert_close(traced, program(*inputs))
    program.save(tmp_path / "net.devproc")
    loaded = devproc.load(tmp_path / "net.devproc")
    np.testing.assert_array_equal(loaded.state["k"], model.k)
    check(loaded, model)


def test_threads_take_turns() -> None:
    def forward(m: Model, x: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        m.k.index_add_(2, p, x)
        return m.k.sum()

    program, model = compiled(forward)
    x = torch.ones(2, 3, 1, 5)

    def call() -> None:
        for step in range(130):
            program(x, torch.tensor([step % CAPACITY]))

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found: Any = program.state["k"]
    np.testing.assert_allclose(found, model.k + 30, rtol=1e-5)


def test_a_fork_waits_for_a_call() -> None:
    program, _ = compiled(index_copy)
    entered, order = threading.Event(), list[str]()

    def hold(*_: Any) -> None:
        entered.set()
        time.sleep(0.5)
        order.append("end of the call")

    def child() -> None:
        assert order == ["end of the call"]
        program(torch.ones(2, 3, 1, 5), torch.tensor([1]))

    caller = threading.Thread(target=program.state.around_native(hold), args=([], []))
    caller.start()
    assert entered.wait(60)
    assert run_in_child(child) == 0
    caller.join()
    program.reset()


class Stop(Exception):
    """Raised by a signal handler."""


def mixed(m: Model, x: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
    m.count.add_(1)
    m.k.copy_(m.k.flip(2))
    return m.k * m.count


def test_an_interrupted_call_has_updated_all_states_or_none() -> None:
    """`count` is in place, `k` has two places."""
    program, model = compiled(mixed)
    assert [row.in_place for row in program.report().states.rows] == [False, True]
    turned = model.k.flip(2).numpy()
    inputs = np.ones((2, 3, 1, 5), np.float32), np.array([1])

    def stop() -> None:
        raise Stop

    def interrupted(seconds: float) -> int:
        program.reset()
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            while True:
                program(*inputs)
        except Stop:
            pass
        count = int(program.state["count"][0])
        wanted = turned if count % 2 else model.k.numpy()
        np.testing.assert_array_equal(program.state["k"], wanted)
        return count

    def check_all() -> None:
        with handler(stop):
            signal.signal(signal.SIGALRM, signal.getsignal(signal.SIGUSR1))
            program(*inputs)
            assert max(interrupted(1e-4 * (1 + n % 7)) for n in range(300)) > 1

    assert run_in_child(check_all) == 0


def test_a_handler_waits_for_a_call_of_several_steps() -> None:
    """Each step of a call updates `k`, as kernels of a device do, one after the other."""
    program, _ = compiled(index_copy)
    seen = list[str]()

    def handle() -> None:
        seen.append("handler")
        raise Stop

    def steps(*_: Any) -> None:
        for step in range(3):
            seen.append(f"step {step}")
            os.kill(os.getpid(), signal.SIGUSR1)

    def check_all() -> None:
        run = program.state.around_tensors(steps, in_place=list(program.state))
        with handler(handle), pytest.raises(Stop):
            run([], [])
        assert seen == ["step 0", "step 1", "step 2", "handler"]
        assert program(np.ones((2, 3, 1, 5), np.float32), np.array([1]))

    assert run_in_child(check_all) == 0


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret", "cpu+cuda:interpret"])
def test_memory_is_that_of_one_place(target: str) -> None:
    program, _ = compiled(index_copy, target)
    program(torch.ones(2, 3, 1, 5), torch.tensor([1]))
    current = program.state._current  # pyright: ignore[reportPrivateUsage]
    following = program.state._next  # pyright: ignore[reportPrivateUsage]
    assert all(one is other for one, other in zip(current, following, strict=True))
