"""Verification of updates in place: no value is read after another has taken its memory.

Both forms of the program are checked. On values, nothing reads what a launch has updated
after that launch, and the new value of a state in place comes from the old one by such
launches, or is written as a whole after the last reader of the old one. On memory, a launch
writes to a buffer that it reads only if it says so (`dev.updates`), and nothing copies a
state but to another memory, as that of an output.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.dialects import dev, plan
from devproc.ir.functions import function_named, functions_of
from devproc.ir.host.lifetimes import memory_root, readers_of
from devproc.ir.program.state import is_in_place, state_name
from devproc.ir.program.updates import updated_by, updates_of
from devproc.ir.text.location import describe_location

LAUNCH = dev.LaunchOp | plan.LaunchOp


def verify_updates(module: ModuleOp) -> None:
    """Checks the launches and the states of `@main`; raises VerifyException."""
    main = function_named(module, "main")
    if main is None or not main.body.blocks:
        return
    states = _states_in_place(main)
    launches = [op for op in main.body.block.ops if isinstance(op, LAUNCH)]
    if not launches:
        return
    kernels = {f.sym_name.data: updates_of(f) for f in functions_of(module)}
    position = {op: number for number, op in enumerate(main.body.block.ops)}
    for op in launches:
        updates = updates_of(op)
        wanted = kernels.get(op.kernel.root_reference.data, {})
        if not wanted.items() <= updates.items():
            raise VerifyException(
                f"{_named(op)} gives a buffer of its own to what its kernel updates in place"
            )
        if isinstance(op, plan.LaunchOp):
            _verify_buffers(op, updates)
        else:
            for result, operand in updates.items():
                _verify_update(op, result, operand, states, position)
    for argument, name in states.items():
        if main.function_type.outputs.data:
            _verify_new_value(main, argument, name, position)
        for op, _ in readers_of(argument):
            if isinstance(op, dev.CopyOp) or _stays(op):
                raise VerifyException(
                    f"{_named(op)} copies the state '{name}', which is updated in place"
                )


def _stays(op: Operation) -> bool:
    """Whether a copy is within one memory; others are those of outputs of a device."""
    if not isinstance(op, plan.CopyOp):
        return False
    return dev.device_of(op.source.type) == dev.device_of(op.destination.type)


def _states_in_place(main: FuncOp) -> dict[SSAValue, str]:
    rows = main.arg_attrs or ()
    return {
        argument: state_name(row) or ""
        for argument, row in zip(main.body.block.args, rows, strict=False)
        if is_in_place(row)
    }


def _verify_buffers(op: plan.LaunchOp, updates: Mapping[int, int]) -> None:
    """Checks that the launch reads and writes a buffer exactly where it says so."""
    inputs, outputs = map(memory_root, op.inputs), map(memory_root, op.outputs)
    inputs, outputs = list(inputs), list(outputs)
    for result, operand in updates.items():
        if result >= len(outputs) or operand >= len(inputs):
            raise VerifyException(f"{_named(op)} updates what it does not have")
        if outputs[result] is not inputs[operand]:
            raise VerifyException(
                f"{_named(op)} updates input {operand} in place, but output {result} is "
                "another buffer"
            )
    for result, output in enumerate(outputs):
        said = updates.get(result)
        if any(value is output for n, value in enumerate(inputs) if n != said):
            raise VerifyException(
                f"{_named(op)} overwrites a buffer that it reads, and is no update of it"
            )


def _verify_update(
    op: dev.LaunchOp,
    result: int,
    operand: int,
    states: Mapping[SSAValue, str],
    position: Mapping[Operation, int],
) -> None:
    """Checks that a value may be updated, and that nothing reads it later."""
    if result >= len(op.results) or operand >= len(op.inputs):
        raise VerifyException(f"{_named(op)} updates what it does not have")
    value = memory_root(op.inputs[operand])
    if op.results[result].type != op.inputs[operand].type:
        raise VerifyException(f"{_named(op)} updates a value of another type")
    if value not in states and not isinstance(value.owner, dev.LaunchOp):
        raise VerifyException(f"{_named(op)} overwrites a value that it may only read")
    what = f"the state '{states[value]}'" if value in states else "a value"
    for reader, number in readers_of(value):
        if reader is op and number != operand:
            raise VerifyException(f"{_named(op)} reads {what} beside its update")
        if position[reader] <= position[op]:
            continue
        if number in updates_of(reader).values():
            raise VerifyException(
                f"two launches update {what}: {_named(op)} and {_named(reader)}"
            )
        raise VerifyException(
            f"{_named(reader)} reads {what} after its update by {_named(op)}"
        )


def _verify_new_value(
    main: FuncOp, argument: SSAValue, name: str, position: Mapping[Operation, int]
) -> None:
    """Checks that the new value of a state can be computed in the place of the old one."""
    last = main.get_return_op()
    assert last is not None
    assert isinstance(argument, BlockArgument)
    number = argument.index - len(main.args) + len(last.operands)
    source = memory_root(last.operands[number])
    while (before := updated_by(source)) is not None:
        source = memory_root(before)
    if source is argument:
        return
    writer = source.owner
    if not isinstance(writer, dev.LaunchOp):
        raise VerifyException(
            f"the state '{name}' is updated in place, but no launch computes its new value"
        )
    for reader in _late_readers(argument, position, position[writer]):
        raise VerifyException(
            f"{_named(reader)} reads the state '{name}' after {_named(writer)} has "
            "overwritten it"
        )


def _late_readers(
    value: SSAValue, position: Mapping[Operation, int], writer: int
) -> Iterator[Operation]:
    """The ops that read a value where or after another has overwritten it."""
    return (op for op, _ in readers_of(value) if position[op] >= writer)


def _named(op: Operation) -> str:
    name = f"'{op.name}'"
    if isinstance(op, LAUNCH):
        name = f"@{op.kernel.root_reference.data}"
    return f"{name} ({describe_location(op.location)})"
