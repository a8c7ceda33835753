"""CPUs by name: what runs, what the code consists of, what other machines are told."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

import devproc
from devproc.driver import make_context, parse_module, run_stages, stages_between
from devproc.errors import BundleError, CompileError
from devproc.options import set_options, target_options
from devproc.source import read_source
from devproc.targets.cpu.jit import assembly, compile_object
from devproc.targets.cpu.llvm_ir import print_module
from devproc.targets.cpu.machine import cpu_target, this_machine
from devproc.targets.cpu.machine.attribute import machine_of
from devproc.targets.cpu.machine.cpu_target import (
    TOO_SLOW,
    CPUTarget,
    required_cpu,
    why_not_here,
)
from devproc.targets.cpu.machine.processors import CPUS, NATIVE, RequiredCPU
from devproc.tools.devproc import main
from tests.cpu.assembly_loops import inner_loops
from tests.cpu.cpu_programs import CASES, Function, case
from tests.cpu.native import NO_CACHE
from tests.repository import cpu_code
from tests.targets import target_attr
from tests.vectors import needs

HERE = (NATIVE, "x86-64-v3", "x86-64")
ALL = tuple(CPUS)

FOREIGN = {
    "x86-64": r"%[yz]mm|\bv\w+ps\b|vfmadd|\bround[ps]s\b|gather",
    "x86-64-v3": r"%zmm|%k[0-7]\b",
    "aarch64": r"\b[zp]\d+\.[bhsd]\b",
}
"""Registers and instructions that a CPU lacks."""

LIBRARY = {"devproc_parallel_for", "memcpy", "memmove", "memset"}
"""What object code may call: the thread pool and blocks of memory."""


@cache
def compiled(name: str, cpu: str) -> devproc.Program:
    return case(name).compile(cpu)


@cache
def assembly_of(name: str, cpu: str) -> str:
    """Of a program that is lowered, but not compiled to object code."""
    module = read_source(case(name).source).module
    set_options(module, target_options("cpu", 2, cpu=cpu), {})
    run_stages(module, make_context(), verify=False)
    return assembly(print_module(module), CPUTarget.get(cpu))


@pytest.mark.parametrize("cpu", HERE)
@pytest.mark.parametrize("name", CASES)
def test_program_agrees_with_pytorch(name: str, cpu: str) -> None:
    needs(cpu)
    given = case(name)
    given.check(compiled(name, cpu).run_flat(given.inputs)[0])


def test_slow_instructions_are_left_out() -> None:
    """A square of bytes turned over is where LLVM would take them."""
    assert not CPUTarget.host().present & set(TOO_SLOW)
    x = torch.randint(0, 200, (8, 64), dtype=torch.uint8)
    found = Function(lambda x: torch.cummax(x, 1).indices)
    program = devproc.compile(torch.export.export(found, (x,)), cache=False)
    text = assembly(program.ir("llvm-ir"), CPUTarget.host())
    assert not re.findall(r"\b(?:insertq|extrq)\b", text)


@pytest.mark.parametrize("cpu", FOREIGN)
@pytest.mark.parametrize("name", CASES)
def test_code_has_only_instructions_of_its_cpu(name: str, cpu: str) -> None:
    text = assembly_of(name, cpu)
    assert not re.findall(FOREIGN[cpu], text, re.MULTILINE)
    called = re.findall(
        r"^\s+(?:call\w?|jmp|bl|b)\s+([A-Za-z_]\w*)", text, re.MULTILINE
    )
    defined = re.findall(r"^(\w+):", text, re.MULTILINE)
    assert set(called) - set(defined) <= LIBRARY


def test_pixels_are_moved_as_whole_vectors() -> None:
    assert re.search(r"^\s+st3\s", assembly_of("planes", "aarch64"), re.MULTILINE)
    (loop,) = inner_loops(assembly_of("pixels", "x86-64-v4"))
    assert not re.search(r"movz?b|pinsr|pextr|gather", "\n".join(loop))


def test_unknown_cpu_names_the_known_ones() -> None:
    with pytest.raises(CompileError) as error:
        case("gelu").compile("pentium")
    assert str(error.value) == (
        "unknown cpu 'pentium'; one of native, x86-64, x86-64-v2, x86-64-v3, "
        "x86-64-v4, aarch64"
    )


@pytest.mark.parametrize("cpu", ALL)
def test_options_of_a_cpu_are_those_of_its_features(cpu: str) -> None:
    """The table that the passes read agrees with what LLVM is told."""
    target = CPUTarget.get(cpu)
    assert (target.vector_bits, target.missing) == (
        CPUS[cpu].vector_bits,
        CPUS[cpu].missing,
    )
    options = target_options("cpu", cpu=cpu)
    assert options == target_attr(cpu=cpu, threads=options.threads.data)


@pytest.mark.parametrize("cpu", ALL)
def test_any_stage_is_enough_to_go_on(cpu: str) -> None:
    """The last stage from the text of each: the same code."""
    program = compiled("gelu", cpu)
    for stage in ("tensor", "kernels", "cpu", "llvm"):
        text = program.ir(stage)
        assert f'processor = "{cpu}"' in text
    context = make_context()
    module = parse_module(program.ir("kernels"), context)
    run_stages(module, context, stages_between("kernels", None))
    assert print_module(module) == program.ir("llvm-ir")


@pytest.mark.parametrize("level", [1, 2])
def test_what_is_fetched_ahead_ends_where_the_cpu_wants_it(
    level: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The values, and the one instruction: `prefetcht0` for the first cache."""
    here = (CPUTarget.host().cpu,) if level == 2 else ()
    monkeypatch.setattr(cpu_target, "PREFETCHES_TO_SECOND_CACHE", here)
    layer = torch.nn.Linear(512, 320).eval()
    x = torch.randn(2, 16, 512)
    exported = torch.export.export(layer, (x,))
    program = devproc.compile(exported, threads=1)
    torch.testing.assert_close(program(x), layer(x), rtol=1e-4, atol=1e-5)
    text = assembly(program.ir("llvm-ir"), CPUTarget.get(NATIVE))
    assert set(re.findall(r"prefetch\w+", text)) == {f"prefetcht{level - 1}"}


def test_native_without_fused_multiply_add(monkeypatch: pytest.MonkeyPatch) -> None:
    """An old machine: what it lacks is found when the compilation begins."""
    old = CPUTarget(CPUTarget.host().triple, "penryn", "+sse3,+ssse3,+sse4.1,-avx")
    monkeypatch.setattr(CPUTarget, "host", staticmethod(lambda: old))
    options = target_options("cpu", threads=1)
    machine = machine_of(options)
    assert (machine.vector_bits.data, machine.vector_registers.data) == (128, 16)
    assert machine.missing_names == ("fma", "half")
    assert str(machine) == '#cpu.machine<vector_bits = 128, missing = ["fma", "half"]>'


@pytest.mark.parametrize("name", ["fma", "floor", "roundeven"])
def test_intrinsic_that_would_call_the_library_is_refused(name: str) -> None:
    operands = ", ".join(["float %x"] * (3 if name == "fma" else 1))
    ir = f"define float @f(float %x) {{\n  %y = call float @llvm.{name}.f32({operands})\n"
    ir += "  ret float %y\n}\n"
    with pytest.raises(CompileError, match=rf"llvm\.{name} would call the C library"):
        compile_object(ir, CPUTarget.get("x86-64"), cache=NO_CACHE)
    for cpu in ("x86-64-v3", "aarch64"):
        assert compile_object(ir, CPUTarget.get(cpu), cache=NO_CACHE)


# Programs for other machines.


def other_architecture() -> str:
    host = CPUTarget.host().architecture
    return next(name for name, cpu in CPUS.items() if cpu.architecture != host)


def test_program_for_another_architecture_is_saved_but_not_run(tmp_path: Path) -> None:
    cpu, given = other_architecture(), case("gelu")
    program = compiled("gelu", cpu)
    assert "gelu" in str(program.report())
    with pytest.raises(
        CompileError, match=rf"cannot run here: .* cpu '{cpu}' \(.*this"
    ):
        program(torch.from_numpy(given.inputs[0]))
    with pytest.raises(CompileError, match="cannot run here"):
        program.trace(tmp_path / "trace.json", torch.from_numpy(given.inputs[0]))
    program.save(tmp_path / "program")
    with pytest.raises(
        BundleError, match=r"cannot load .*/program: .* this machine is"
    ):
        devproc.load(tmp_path / "program")


def test_program_for_a_larger_machine_names_what_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("x86-64-v3")
    program, given = compiled("gelu", "x86-64-v3"), case("gelu")
    program.save(tmp_path / "program")
    given.check(devproc.load(tmp_path / "program").run_flat(given.inputs)[0])
    host = CPUTarget.host()
    features = host.features.replace("+avx2", "-avx2").replace("+fma,", "-fma,")
    old = replace(host, features=features)
    monkeypatch.setattr(CPUTarget, "host", staticmethod(lambda: old))
    flags = this_machine._flags() - {"avx2", "fma"}
    monkeypatch.setattr(this_machine, "_flags", lambda: flags)
    with pytest.raises(BundleError, match="this machine lacks: avx2, fma; compile it"):
        devproc.load(tmp_path / "program")


def test_native_program_names_its_features() -> None:
    required = required_cpu(NATIVE)
    assert required.name == NATIVE
    assert why_not_here(required) is None
    more = RequiredCPU(NATIVE, required.architecture, (*required.features, "apx"))
    assert "this machine lacks: apx" in str(why_not_here(more))


def test_cache_keeps_the_cpus_apart() -> None:
    needs("x86-64-v3")
    given = case("softmax")
    programs = [
        devproc.compile(given.source, cpu=cpu)  # pyright: ignore[reportArgumentType]
        for cpu in ("x86-64", "x86-64-v3", "x86-64")
    ]
    codes = [cpu_code(program) for program in programs]
    assert codes[0] == codes[2] != codes[1]
    assert codes[2].cpu == required_cpu("x86-64")


def test_command_line(tmp_path: Path) -> None:
    source, saved = tmp_path / "model.pt2", tmp_path / "program"
    torch.export.save(case("gelu").source, source)  # pyright: ignore[reportArgumentType]
    cpu = other_architecture()
    arguments = ["compile", str(source), "--cpu", cpu, "-o", str(saved)]
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    with pytest.raises(BundleError, match=f"cpu '{cpu}'"):
        CliRunner().invoke(main, ["run", str(saved)], catch_exceptions=False)
    text = CliRunner().invoke(
        main, ["inspect", str(source), "--cpu", cpu, "--stage", "llvm"]
    )
    assert f'processor = "{cpu}"' in text.output


def test_host_is_asked_in_one_place() -> None:
    """Only `cpu_target.py` looks at the machine."""
    root = Path(cpu_target.__file__).parents[2]
    asking = {
        path.name
        for path in root.rglob("*.py")
        if "get_host_cpu" in path.read_text()
        or "get_process_triple" in path.read_text()
    }
    assert asking == {"cpu_target.py"}
