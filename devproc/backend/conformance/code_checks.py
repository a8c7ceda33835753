"""Checks of loaded code: queues, buffers, copies, weights, damaged code."""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch

from devproc.backend.conformance.device import Code
from devproc.backend.conformance.subject import NotRunError, Subject, agree
from devproc.ir.dtypes import ALIGNMENT
from devproc.ir.types import DTYPES, memory_dtype_name, signless
from devproc.options import target_options
from devproc.reference.conversion.arrays import TORCH_DTYPES

GUARD = 0xA5
"""The byte around buffers."""


def _code(subject: Subject) -> tuple[Code, str]:
    """The code of one binary op on two inputs, and its program."""
    text = subject.text([subject.binary("z", "x", "y")], "z", "xy")
    return Code(subject.device, subject.compile(text)), text


def _loadable(subject: Subject) -> tuple[Code, str]:
    """The same, if the kit can launch it."""
    if subject.device.is_host:
        raise NotRunError("the host program calls its code itself")
    return _code(subject)


def queued_work(subject: Subject) -> None:
    """after `synchronize`, all that was queued is done"""
    code, text = _loadable(subject)
    loaded = code.load()
    x, y = subject.value(1), subject.value(2)
    a, b, c = loaded.buffers()
    found = torch.full_like(x, 77)
    loaded.upload(x, a)
    loaded.upload(y, b)
    loaded.launch([a, b, c])
    loaded.backend.download(c, found)
    loaded.backend.synchronize(loaded.handle)
    agree([found], subject.reference(text, [x, y]))


def order_of_work(subject: Subject) -> None:
    """copies and launches of a queue happen in their order"""
    code, text = _loadable(subject)
    loaded = code.load()
    a, b, c = loaded.buffers()
    values = [subject.value(seed) for seed in range(4)]
    results = [torch.full_like(value, 77) for value in values]
    loaded.upload(values[0], b)
    for value, result in zip(values, results, strict=True):
        loaded.upload(value, a)
        loaded.launch([a, b, c])
        loaded.backend.download(c, result)
    loaded.backend.synchronize(loaded.handle)
    wanted = [subject.reference(text, [value, values[0]])[0] for value in values]
    agree(results, wanted)


def one_buffer_twice(subject: Subject) -> None:
    """one buffer may be two operands of a launch"""
    code, text = _loadable(subject)
    loaded, x = code.load(), subject.value(1)
    a, _, c = loaded.buffers()
    loaded.upload(x, a)
    loaded.launch([a, a, c])
    agree([loaded.read(c, x)], subject.reference(text, [x, x]))
    agree([loaded.read(a, x)], [x], "the operand")


def alignment(subject: Subject) -> None:
    """buffers lie at multiples of the alignment, and nothing around them is written"""
    code, text = _loadable(subject)
    loaded = code.load()
    target = target_options(subject.device.target)
    step = subject.device.backend.describe(target).memories[0].alignment
    assert step > 0, "the alignment is no positive number"
    step = max(step, ALIGNMENT)
    size = max(slot.byte_count for slot in code.slots)
    stride = -(-size // step) * step + step
    memory = loaded.backend.allocate(loaded.handle, 4 * stride + step)
    everything = loaded.backend.view(memory, 0, "uint8", [4 * stride + step])
    guard = torch.full([4 * stride + step], GUARD, dtype=torch.uint8)
    x, y = subject.value(1), subject.value(2)
    offsets = [step, stride + step, 2 * stride + step]
    buffers = [
        loaded.place(offset, slot, memory)
        for offset, slot in zip(offsets, code.slots, strict=True)
    ]
    loaded.upload(guard, everything)
    loaded.upload(x, buffers[0])
    loaded.upload(y, buffers[1])
    loaded.launch(buffers)
    agree([loaded.read(buffers[2], x)], subject.reference(text, [x, y]))
    agree([loaded.read(buffers[0], x), loaded.read(buffers[1], y)], [x, y], "operand")
    found = loaded.read(everything, guard)
    for offset, slot in zip(offsets, code.slots, strict=True):
        found[offset : offset + slot.byte_count] = GUARD
    wrong = np.flatnonzero(found.numpy() != GUARD)
    assert not len(wrong), (
        f"byte {wrong[0]} is written, outside of buffers at {offsets}"
    )


def copies(subject: Subject) -> None:
    """copies keep the bits of each dtype, of scalars and empty values too"""
    code, _ = _loadable(subject)
    loaded = code.load()
    source = torch.Generator().manual_seed(0)
    for name in subject.dtypes:
        for shape in ((), (0, 3), (1,), (3, 5, 7)):
            kept = memory_dtype_name(signless(DTYPES[name]))
            kind = TORCH_DTYPES[kept]
            top = 2 if name == "bool" else 100
            value = torch.randint(0, top, shape, generator=source).to(kind)
            size = max(value.nbytes, 1)
            memory = loaded.backend.allocate(loaded.handle, size)
            buffer = loaded.backend.view(memory, 0, kept, shape)
            loaded.upload(value, buffer)
            found = loaded.read(buffer, value)
            assert torch.equal(found, value), f"{name} {[*shape]} comes back changed"


def weights_kept(subject: Subject) -> None:
    """loaded code keeps weights of its own"""
    if subject.device.is_host or subject.device.backend.lowers_kernels:
        raise NotRunError("weights are arguments of its kernels")
    w, x = subject.weight_value(5), subject.value(1)
    text = subject.text([subject.weight("w", w), subject.weighted("z", "x", "w")], "z")
    code = Code(subject.device, subject.compile(text, {"w": w}))
    assert list(code.weights) == ["w"], f"the code names the weights {[*code.weights]}"
    loaded = code.load()
    code.weights["w"][...] = 77
    a, c = loaded.buffers()
    loaded.upload(x, a)
    loaded.launch([a, c])
    wanted = subject.reference(text, [x], {"w": w})
    agree([loaded.read(c, x)], wanted)


def loaded_twice(subject: Subject) -> None:
    """code that is loaded twice has two memories"""
    code, text = _loadable(subject)
    both = [code.load(), code.load()]
    buffers = [loaded.buffers() for loaded in both]
    values = [subject.value(seed) for seed in range(4)]
    for loaded, (a, b, _), own in zip(
        both, buffers, (values[:2], values[2:]), strict=True
    ):
        loaded.upload(own[0], a)
        loaded.upload(own[1], b)
        loaded.backend.synchronize(loaded.handle)
    for loaded, operands in zip(both, buffers, strict=True):
        loaded.launch(operands)
    found = [
        loaded.read(c, values[0])
        for loaded, (_, _, c) in zip(both, buffers, strict=True)
    ]
    agree(
        found,
        [*subject.reference(text, values[:2]), *subject.reference(text, values[2:])],
    )


def unloaded_code(subject: Subject) -> None:
    """`unload` of code leaves other code alone, and what is queued for it"""
    code, text = _loadable(subject)
    first, second = code.load(), code.load()
    a, b, c = second.buffers()
    x, y = subject.value(1), subject.value(2)
    second.upload(x, a)
    second.upload(y, b)
    second.launch([a, b, c])
    first.backend.unload(first.handle)
    agree([second.read(c, x)], subject.reference(text, [x, y]))
    second.backend.unload(second.handle)


def damaged_code(subject: Subject) -> None:
    """code that is cut off, or is no code, is refused before it runs"""
    code, _ = _code(subject)
    half = code.bytes[: len(code.bytes) // 2]
    for what, damaged in (
        ("no byte of it", b""),
        ("its first half", half),
        ("random bytes", random.Random(0).randbytes(len(code.bytes))),
    ):
        launches = {code.step.symbol: [slot.dtype for slot in code.slots]}
        assert _is_refused(subject, damaged, launches), f"{what} is accepted"


def missing_functions(subject: Subject) -> None:
    """a launch of a function that the code lacks is refused"""
    code, _ = _code(subject)
    launches = {"no_such_function": [slot.dtype for slot in code.slots]}
    assert _is_refused(subject, code.bytes, launches), "it is accepted"


def _is_refused(
    subject: Subject, code: bytes, launches: Mapping[str, Sequence[str]]
) -> bool:
    try:
        return bool(subject.device.backend.problems(code, launches))
    except Exception:
        return True


CODE_CHECKS: tuple[Callable[[Subject], None], ...] = (
    queued_work,
    order_of_work,
    one_buffer_twice,
    alignment,
    copies,
    weights_kept,
    loaded_twice,
    unloaded_code,
    damaged_code,
    missing_functions,
)
