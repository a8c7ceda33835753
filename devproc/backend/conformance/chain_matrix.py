"""Each composite in each dtype that a device accepts, compared with its reference.

Ops whose weights or scales are constant have rows here, too: in `op_matrix` all operands are
inputs.
"""

# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import torch
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.backend.conformance.chain import Chain
from devproc.backend.conformance.chains import DTYPES, chains_of
from devproc.backend.conformance.device import (
    Device,
    computed,
    require_launches,
    table_of,
)
from devproc.backend.conformance.op_matrix import Wanted, failure_of
from devproc.backend.conformance.result import Cell
from devproc.driver import parse_module
from devproc.reference.run.interpreter import evaluate
from devproc.runtime.execution.host_reader import find_function

CONSTANTS = " with constants"
WITH_CONSTANTS = [f"nn.{op}{CONSTANTS}" for op in ("linear", "conv2d", "rescale")]
NO_CHAIN = "no program of the kit has it"


def chain_names(device: Device) -> list[str]:
    """The rows of a device: ops with constants, and its composites."""
    return [*WITH_CONSTANTS, *(pattern.name for pattern in device.backend.patterns())]


def chain_cells(
    device: Device,
    names: Iterable[str],
    dtypes: Sequence[str],
    announce: Callable[[str], None] = lambda text: None,
) -> Iterator[Cell]:
    """What a device makes of chains that its composites match, of each in each dtype.

    A chain is a case of the first composite that matches all of it, or of its only op.
    """
    names = list(names)
    cells = {(name, dtype): Cell(name, dtype) for name in names for dtype in dtypes}
    for dtype in [dtype for dtype in DTYPES if names and dtype in dtypes]:
        announce(f"programs of a few ops in {dtype}")
        taken: list[tuple[Chain, Cell]] = []
        for chain in chains_of(dtype):
            main = find_function(module_of([chain]), "main")
            name = row_of(device, main)
            if name not in names:
                continue
            reasons = device.backend.legal(computed(main))
            if reasons:
                cells[name, dtype].refusals.append(f"{chain}: {'; '.join(reasons)}")
            else:
                taken.append((chain, cells[name, dtype]))
        for (chain, cell), failure in zip(
            taken, _failures(device, [chain for chain, _ in taken]), strict=True
        ):
            cell.of += 1
            if failure is not None:
                cell.failures.append(f"{chain}: {failure}")
    for name in names:
        own = [cells[name, dtype] for dtype in dtypes]
        if not any(cell.of or cell.refusals for cell in own):
            own[0].refusals.append(NO_CHAIN)
        yield from (cell for cell in own if cell.of or cell.refusals)


def row_of(device: Device, main: FuncOp) -> str | None:
    """The first composite of a device that is the whole of a function, or its only op."""
    ops = computed(main)
    if len(ops) == 1:
        return f"{ops[0].name}{CONSTANTS}"
    for pattern in device.backend.patterns():
        members = pattern.match(ops[-1])
        if members is not None and set(ops) <= set(members):
            return pattern.name
    return None


def module_of(chains: Sequence[Chain]) -> ModuleOp:
    """A module at the stage `tensor`, whose `@main` returns the results of all chains."""
    lines: list[str] = []
    arguments: list[str] = []
    for number, chain in enumerate(chains):
        table = table_of(chain.weights)
        body = [
            f'%{name} = nn.weight @{name} hash "{table.hash(name)}" : {chain.type(name)}'
            for name in chain.weights
        ]
        lines += [_numbered(text, number) for text in (*body, *chain.lines)]
        arguments += [
            _numbered(
                f'%{name}: {chain.type(name)} {{dev.name = "{name}_{number}"}}', number
            )
            for name in chain.inputs
        ]
    results = [_numbered(f"%{chain.last}", n) for n, chain in enumerate(chains)]
    types = [chain.type(chain.last) for chain in chains]
    body = "\n".join([*lines, f"func.return {', '.join(results)} : {', '.join(types)}"])
    head = f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)})"
    module = parse_module(f"{head} {{\n{body}\n}}")
    module.verify()
    return module


def _numbered(text: str, number: int) -> str:
    """The text with the names of a chain among several."""
    return text.replace("%", f"%c{number}_").replace("@", f"@c{number}_")


def _weights(chains: Sequence[Chain]) -> Mapping[str, torch.Tensor]:
    return {
        f"c{number}_{name}": value
        for number, chain in enumerate(chains)
        for name, value in chain.weights.items()
    }


def _failures(device: Device, chains: Sequence[Chain]) -> Iterator[str | None]:
    """What is wrong with the result of each; one program has all of them, if it compiles."""
    if not chains:
        return
    try:
        program = device.compile(module_of(chains), _weights(chains))
        require_launches(device, program)
        inputs = [value.clone() for c in chains for value in c.inputs.values()]
        found = [torch.as_tensor(value) for value in program.run_flat(inputs)]
    except Exception as error:
        if len(chains) == 1:
            yield f"{type(error).__name__}: {error}"
            return
        for chain in chains:
            yield from _failures(device, [chain])
        return
    for chain, value in zip(chains, found, strict=True):
        yield failure_of([value], wanted_of(chain))


def wanted_of(chain: Chain) -> Wanted:
    """What PyTorch gives for a chain; for floats in float64, with the sums of magnitudes."""
    module = module_of([chain])
    main = find_function(module, "main")

    def reference(change: Callable[[torch.Tensor], torch.Tensor]) -> list[torch.Tensor]:
        inputs = [change(value) for value in chain.inputs.values()]
        weights = {n: change(value) for n, value in _weights([chain]).items()}
        return evaluate(main, inputs, table_of(weights), dtype64=chain.is_float)

    values = reference(lambda value: value)
    if not chain.is_float:
        return Wanted(values, [None], True)
    return Wanted(values, reference(torch.abs), False)
