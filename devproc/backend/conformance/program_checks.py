"""Checks of whole programs: values, memory and states around launches."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch

import devproc
from devproc.backend.conformance.subject import Subject, agree
from devproc.backend.target import parse_target
from devproc.errors import CompileError
from devproc.ir.garbage import own_garbage_collected
from devproc.runtime.execution.host_program import Step


def values_read_twice(subject: Subject) -> None:
    """a value may be read twice, by one op and by several"""
    lines = [subject.binary("y", "x", "x"), subject.binary("z", "y", "x")]
    subject.check(subject.text(lines, "yz"), subject.value(1))


def order_of_operands(subject: Subject) -> None:
    """operands and results keep their order"""
    lines = [subject.binary("z", "y", "x"), subject.binary("w", "x", "z")]
    text = subject.text(lines, "wz", "xy")
    subject.check(text, subject.value(1), subject.value(2))


def inputs_returned(subject: Subject) -> None:
    """an input may be an output, and a value two outputs"""
    text = subject.text([subject.unary("y", "x")], "xyyx")
    subject.check(text, subject.value(1))


def constants(subject: Subject) -> None:
    """constants are part of the code"""
    subject.check(subject.text([subject.scaled("y", "x")], "y"), subject.value(1))


def weights(subject: Subject) -> None:
    """weights have their values, and one may be read twice"""
    w, v = subject.weight_value(7), subject.weight_value(8)
    lines = [
        subject.weight("w", w),
        subject.weight("v", v),
        subject.weighted("y", "x", "w"),
        subject.weighted("z", "y", "v"),
        subject.weighted("u", "z", "w"),
    ]
    subject.check(subject.text(lines, "zu"), subject.value(1), weights={"w": w, "v": v})


def strided_inputs(subject: Subject) -> None:
    """an input may be a view with strides"""
    text = subject.text([subject.unary("y", "x"), subject.binary("z", "y", "x")], "z")
    wide = subject.value(1).repeat_interleave(2, 1)
    subject.check(text, wide[:, ::2])
    subject.check(text, subject.value(2).T.contiguous().T)


def calls(subject: Subject) -> None:
    """a later call leaves the results of earlier ones alone"""
    text = subject.text([subject.unary("y", "x"), subject.binary("z", "y", "x")], "yz")
    program = subject.compile(text)
    inputs = [subject.value(seed) for seed in range(3)]
    found = [program.run_flat([x]) for x in inputs]
    for x, results in zip(inputs, found, strict=True):
        agree(results, subject.reference(text, [x]))


def states(subject: Subject) -> None:
    """states carry over from call to call, and are reset"""
    lines = [subject.unary("y", "x"), subject.binary("t", "s", "y")]
    text = subject.text(lines, "yt", "xs")
    kind = subject.type
    mark = '{dev.name = "s", dev.state = "s"}'
    text = text.replace("%s: " + kind + ' {dev.name = "s"}', f"%s: {kind} {mark}")
    text = text.replace(f"-> ({kind}, {kind})", f"-> ({kind}, {kind} {mark})")
    first = subject.value(3)
    program = subject.compile(text, {"s": first})
    for _ in range(2):
        state = first
        for seed in range(3):
            x = subject.value(seed)
            y, state = subject.reference(text, [x, state])
            agree(program.run_flat([x]), [y])
            agree([torch.as_tensor(program.state["s"])], [state], "state")
        program.reset()


def lifetimes(subject: Subject) -> None:
    """memory is used again only when nothing queued needs it"""
    lines: list[str] = []
    last = "x"
    for number in range(4):
        lines += [
            subject.unary(f"a{number}", last),
            subject.binary(f"b{number}", f"a{number}", "x"),
            subject.on_host(f"h{number}", f"b{number}"),
            subject.binary(f"c{number}", f"h{number}", f"b{number}"),
        ]
        last = f"c{number}"
    returned = ["c3", "h0", "b2", "c1"]
    text = subject.text(lines, returned)
    program = subject.check(text, subject.value(1), placement=subject.placement())
    for seed in range(2, 5):
        x = subject.value(seed)
        agree(program.run_flat([x]), subject.reference(text, [x]))


def observed_steps(subject: Subject) -> None:
    """a call that is observed step by step, as for a trace, has the same results"""
    text = subject.text([subject.unary("y", "x"), subject.binary("z", "y", "x")], "yz")
    program, x = subject.compile(text), subject.value(1)
    seen: list[Step] = []
    found = program.run_flat([x], lambda step, begin, end: seen.append(step))
    agree(found, subject.reference(text, [x]))
    assert any(step.device == subject.device.name for step in seen), "no step is seen"


def two_programs(subject: Subject) -> None:
    """two programs do not share memory, also when one of them goes away"""
    texts = [
        subject.text([subject.weight("w", w), subject.weighted("y", "x", "w")], "y")
        for w in (subject.weight_value(5), subject.weight_value(6))
    ]
    tables = [{"w": subject.weight_value(5)}, {"w": subject.weight_value(6)}]
    pairs = list(zip(texts, tables, strict=True))
    with own_garbage_collected():
        programs = [subject.compile(text, table) for text, table in pairs]
        for number in (0, 1, 0, 1):
            x = subject.value(number)
            wanted = subject.reference(texts[number], [x], tables[number])
            agree(programs[number].run_flat([x]), wanted)
        programs.pop(0)
    x = subject.value(9)
    agree(programs[0].run_flat([x]), subject.reference(texts[1], [x], tables[1]))


def two_threads(subject: Subject) -> None:
    """programs run in two threads at once"""
    text = subject.text([subject.unary("y", "x"), subject.binary("z", "y", "x")], "yz")
    programs = [subject.compile(text) for _ in range(2)]

    def run(number: int) -> None:
        for seed in range(8):
            x = subject.value(10 * number + seed)
            agree(programs[number].run_flat([x]), subject.reference(text, [x]))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, range(2)))


def saved_programs(subject: Subject) -> None:
    """a program that is saved and loaded gives the same bits"""
    w, x = subject.weight_value(7), subject.value(1)
    lines = [
        subject.weight("w", w),
        subject.weighted("y", "x", "w"),
        subject.unary("z", "y"),
    ]
    program = subject.check(subject.text(lines, "yz"), x, weights={"w": w})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.devproc"
        program.save(path)
        loaded = devproc.load(path)
        found, again = program.run_flat([x]), loaded.run_flat([x])
    for ours, theirs in zip(found, again, strict=True):
        same = torch.equal(torch.as_tensor(ours), torch.as_tensor(theirs))
        assert same, "the loaded program gives other bits"


def unknown_options(subject: Subject) -> None:
    """an option that the device lacks is refused"""
    target = f"{subject.device.name}:no-such-option"
    try:
        parse_target(target)
    except CompileError:
        return
    raise AssertionError(f"'{target}' is accepted")


PROGRAM_CHECKS: tuple[Callable[[Subject], None], ...] = (
    order_of_operands,
    values_read_twice,
    inputs_returned,
    constants,
    weights,
    strided_inputs,
    calls,
    states,
    lifetimes,
    observed_steps,
    two_programs,
    two_threads,
    saved_programs,
    unknown_options,
)
