"""What a bundle is to be: its machine, its tensors, its packed weights, its tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devproc.bundle.code.machines import Machine, find_machine
from devproc.bundle.code.program_code import ProgramCode, program_code
from devproc.bundle.code.tables import Layout, lay_out
from devproc.bundle.code.weights import PackedWeights, pack_weights
from devproc.bundle.interface.tensors import C_WORDS, Description, describe
from devproc.errors import BundleError
from devproc.targets.cpu.machine.cpu_target import CPUTarget
from devproc.targets.cpu.machine.processors import CPUS, NATIVE

if TYPE_CHECKING:
    from devproc.program import Program


@dataclass(frozen=True)
class Plan:
    """What is asked for, and what the program is."""

    name: str
    machine: Machine
    cpu: str
    weights: str
    threading: str
    code: ProgramCode
    description: Description
    packed: PackedWeights
    layout: Layout


def make_plan(
    program: Program,
    name: str | None,
    cpu: str | None,
    os: str | None,
    weights: str,
    threading: str,
) -> Plan:
    """The plan for a program; raises BundleError for what does not fit together."""
    title = re.search(r'devproc\.name = "([^"]*)"', program.artifact.program_text)
    name = name or re.sub(r"\W", "_", title[1] if title else "program").lower()
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or name in C_WORDS:
        raise BundleError(
            f"name='{name}' begins the names of C functions: give letters, digits and "
            "underscores, such as 'classify'"
        )
    code = program_code(program)
    machine = _machine(code, cpu, os)
    if machine.architecture == "x86_64" != CPUTarget.host().architecture:
        raise BundleError(
            "a bundle for x86_64 asks the CPU with instructions that LLVM assembles on such "
            "a machine alone; export it there"
        )
    if weights == "embed" and not machine.has_elf:
        raise BundleError(
            f"weights are embedded in ELF files, and {machine.name} has others; use "
            "weights='file'"
        )
    description = describe(program.interface, program.artifact.program_text)
    names = {slot.key for slot in code.host.slots if slot.kind == "weight"}
    names |= {state.name for state in program.interface.states}
    packed = pack_weights(program.weights, names)
    layout = lay_out(code.host, description, code.read_operands, packed.offsets)
    return Plan(
        name,
        machine,
        _cpu_name(cpu or code.cpu.name),
        weights,
        threading,
        code,
        description,
        packed,
        layout,
    )


def _cpu_name(cpu: str) -> str:
    """The name of a processor; of this machine with LLVM's name for it."""
    return f"{cpu} ({CPUTarget.host().cpu})" if cpu == NATIVE else cpu


def _machine(code: ProgramCode, cpu: str | None, os: str | None) -> Machine:
    """The machine for a program's code; raises BundleError for another processor's."""
    required = code.cpu
    if cpu is None or cpu == required.name:
        return find_machine(required.architecture, os)
    if cpu in CPUS:
        raise BundleError(
            f"the program was compiled for cpu '{required.name}'; compile it with "
            f"cpu='{cpu}' for a bundle for that"
        )
    machine = find_machine(cpu, os)
    if machine.program_architecture != required.architecture:
        raise BundleError(
            f"a bundle for '{cpu}' is made of a program for "
            f"{machine.program_architecture}, and this one was compiled for cpu "
            f"'{required.name}'; compile it with cpu='{machine.program_architecture}'"
        )
    return machine
