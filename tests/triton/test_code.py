"""Machine code in a program: compiled once, found for a card, checked when it is read."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

import devproc
from devproc.errors import BundleError, CompileError
from devproc.ir.object_cache import ObjectCache
from devproc.runtime.execution.host_program import unaligned_launches
from devproc.targets.triton import aot, binaries
from devproc.targets.triton.archs import archs_of, find_arch, runs
from devproc.targets.triton.backend import Triton
from devproc.targets.triton.code import Binary, GPUCode, digest, read_code
from devproc.targets.triton.kernel import TritonKernel
from devproc.targets.triton.recording.recorder import Recorder
from tests.triton.recorded import on_device, program_of
from tests.triton.test_recorder import KERNEL

ALONE = {"double": ["float32", "float32"]}


def binary(
    arch: str, aligned: bool = True, shared: int = 0, name: str = "double"
) -> tuple[Binary, bytes]:
    """A kernel as what looks like machine code."""
    cubin = f"\x7fELF {name} {arch} {aligned}".encode()
    sizes = (4, shared, 0, True, len(cubin), digest(cubin))
    return Binary(name, arch, aligned, name, *sizes), cubin


def test_code_is_read_as_it_was_written() -> None:
    code = GPUCode({"double": KERNEL}, (binary("sm_90"), binary("sm_80", False)))
    assert read_code(code.to_bytes()) == code
    plain = GPUCode({"double": KERNEL})
    assert read_code(plain.to_bytes()) == plain
    assert Triton().problems(code.to_bytes(), ALONE) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-1], "'double' for sm_80 is damaged: it has another hash"),
        (lambda text: text + b"\x00", "1 bytes belong to no binary"),
        (lambda text: text.replace(b"ELF", b"ELV", 1), "'double' for sm_90 is damaged"),
        (lambda text: text.partition(b"\n")[0], "'double' for sm_90 is damaged"),
        (lambda text: text[:40], "is not JSON"),
        (lambda text: text[text.index(b"\n") :], "is not JSON"),
        (lambda text: text.replace(b'"num_warps": 4', b'"num_warps": "4"'), "number"),
        (
            lambda text: text.replace(b'"aligned": true', b'"aligned": 1'),
            "true or false",
        ),
    ],
)
def test_damaged_code(change: Callable[[bytes], bytes], message: str) -> None:
    code = GPUCode({"double": KERNEL}, (binary("sm_90"), binary("sm_80")))
    with pytest.raises(BundleError, match=message):
        read_code(change(code.to_bytes()))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kernel": "other"}, "'other.sm_90' is there twice, or of no kernel"),
        ({"arch": "sm_80"}, "'double.sm_80' is there twice"),
        ({"symbol": "entry"}, "no machine code with the entry 'entry'"),
        ({"num_warps": 3}, "'double.sm_90' is no machine code"),
        ({"shared_bytes": 233_000}, "or needs more than its GPU has"),
        ({"scratch_bytes": -1}, "or needs more than its GPU has"),
    ],
)
def test_binaries_that_do_not_fit(fields: dict[str, Any], message: str) -> None:
    first, cubin = binary("sm_90")
    changed = (replace(first, **fields), cubin)
    code = GPUCode({"double": KERNEL}, (changed, binary("sm_80")))
    (found,) = Triton().problems(code.to_bytes(), ALONE)
    assert message in found


def test_the_binary_for_a_card() -> None:
    rows = [("sm_80", 0), ("sm_90", 0), ("sm_86", 101_000)]
    code = GPUCode({"double": KERNEL}, tuple(binary(a, True, n) for a, n in rows))

    def found(card: str, aligned: bool = True) -> list[str]:
        return [made.arch for made, _ in code.for_card(card, aligned).values()]

    assert found("sm_90") == ["sm_90"]
    assert found("sm_86") == ["sm_86"]
    assert found("sm_89") in (["sm_80"], ["sm_86"])
    assert found("sm_100") == found("sm_75") == found("sm_90", False) == []
    # Machine code of sm_80 with 160 KB does not fit the 99 KB of sm_86.
    large = GPUCode({"double": KERNEL}, (binary("sm_80", True, 160_000),))
    assert not large.for_card("sm_86")
    assert large.for_card("sm_80")
    assert not runs("sm_90", "sm_103")
    assert find_arch("sm_999").program_shared_bytes == 99 << 10


def test_architectures() -> None:
    assert archs_of("sm_90, sm_80") == ("sm_90", "sm_80")
    for wrong, message in (
        ("hopper", "unknown arch 'hopper'; write it as NVIDIA does"),
        ("sm_90,", "unknown arch ''"),
        ("sm_90,sm_90", "twice"),
    ):
        with pytest.raises(CompileError, match=message):
            archs_of(wrong)


def test_fewer_stages_where_shared_memory_is_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def compile(kernel: TritonKernel, arch: str, aligned: bool) -> Any:
        shared = 70_000 * kernel.num_stages
        fields = {"symbol": "double", "num_warps": 4, "scratch_bytes": 0}
        fields |= {"is_dependent": True}
        return SimpleNamespace(shared_bytes=shared, cubin=b"\x7fELF", **fields)

    monkeypatch.setattr(aot, "compile_kernel", compile)
    kernel = replace(KERNEL, num_stages=4)
    needed = [binaries.fitting(kernel, a)[0].shared_bytes for a in ("sm_90", "sm_80")]
    assert needed == [210_000, 140_000]
    assert binaries.fitting(kernel, "sm_86")[0].shared_bytes == 70_000
    with pytest.raises(
        CompileError,
        match=r"'double' needs 70,000 bytes .* a block has 65,536 on sm_75.*arch='sm_75'",
    ):
        binaries.fitting(kernel, "sm_75")


def test_kernels_are_compiled_once_and_in_parallel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = threading.Barrier(2, timeout=60)
    made: list[str] = []

    def fitting(kernel: TritonKernel, arch: str, aligned: bool) -> Any:
        together.wait()
        made.append(kernel.source)
        return binary(arch, aligned)

    monkeypatch.setattr(binaries, "fitting", fitting)
    monkeypatch.setenv("DEVPROC_NUM_THREADS", "2")
    cache = ObjectCache(tmp_path)
    kernels = [KERNEL, replace(KERNEL, source=KERNEL.source + "# other\n")]
    for _ in range(2):
        found = binaries.binaries(kernels, "sm_90", cache=cache)
        assert found == [binary("sm_90")] * 2
    assert len(made) == 2
    # Everything else that determines the code is part of the key.
    other = [replace(k, num_stages=2) for k in kernels]
    binaries.binaries(other, "sm_90", cache=cache)
    binaries.binaries(kernels, "sm_80", cache=cache)
    binaries.binaries(kernels, "sm_90", aligned=False, cache=cache)
    monkeypatch.setenv("PTXAS_OPTIONS", "-O1")
    binaries.binaries(kernels, "sm_90", cache=cache)
    assert len(made) == 10
    for path in tmp_path.rglob("*.o"):
        path.write_bytes(path.read_bytes()[:-1])
    assert len(binaries.binaries(kernels, "sm_90", cache=cache)) == 2
    assert len(made) == 12


def test_a_saved_program_compiles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And one without machine code for the card compiles when it is loaded."""
    x = torch.randn(5, 3)
    program = program_of(nn.ReLU(), x)
    code = read_code(program.artifact.code["cuda"])
    made = binaries.add_binaries(code, ["sm_90"]).to_bytes()
    program.artifact = replace(program.artifact, code={"cuda": made})
    program.save(tmp_path / "relu.devproc")
    loaded = devproc.load(tmp_path / "relu.devproc")
    asked: list[str] = []

    def fitting(kernel: TritonKernel, arch: str, aligned: bool) -> Any:
        asked.append(arch)
        return replace(code_of(arch)[0], arch=arch), code_of(arch)[1]

    def code_of(arch: str) -> tuple[Binary, bytes]:
        return read_code(made).binaries[0]

    monkeypatch.setattr(binaries, "fitting", fitting)
    monkeypatch.setenv("DEVPROC_CACHE_DIR", "")
    with on_device(Recorder("sm_90")):
        torch.testing.assert_close(loaded(x), x.relu())
    assert asked == []
    with on_device(Recorder("sm_80")):
        torch.testing.assert_close(devproc.load(tmp_path / "relu.devproc")(x), x.relu())
    assert asked == ["sm_80"]


def test_rows_of_any_alignment_have_machine_code_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A loop over rows of 20 bytes: 16 bytes at a time are not aligned there."""
    model, x = nn.LSTM(5, 7, batch_first=True), torch.randn(2, 3, 5)
    program = program_of(model, x)
    asked: dict[bool, set[str]] = {True: set(), False: set()}

    def compile(
        kernels: Sequence[TritonKernel], arch: str, aligned: bool = True
    ) -> list[tuple[Binary, bytes]]:
        asked[aligned] |= {kernel.name for kernel in kernels}
        return [binary(arch, aligned, name=kernel.name) for kernel in kernels]

    monkeypatch.setattr(binaries, "binaries", compile)
    with on_device(Recorder("sm_90")):
        torch.testing.assert_close(program(x)[0], model(x)[0])
    kernels = read_code(program.artifact.code["cuda"]).kernels
    assert asked[True] == kernels.keys()
    assert asked[False]
    # `devproc compile` knows them, too.
    assert asked[False] <= unaligned_launches(program.artifact.host, "cuda")


def test_the_head_is_one_line() -> None:
    head = GPUCode({"double": KERNEL}).to_bytes()
    assert json.loads(head)["binaries"] == []
