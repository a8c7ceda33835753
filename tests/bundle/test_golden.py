"""The self-test finds what is wrong, and names it."""

from __future__ import annotations

import copy
import ctypes
import struct
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import devproc
from devproc.bundle.check import check_bundle
from devproc.bundle.golden.cases import Bound, make_cases, output_bounds
from devproc.bundle.golden.record import require_agreement
from devproc.bundle.interface.description import EntryDescription
from devproc.bundle.interface.library import Library, read_aligned
from devproc.errors import BundleError, CompileError
from tests.bundle.programs import bundle, classify, memory, program

Bytes = NDArray[np.uint8]


@pytest.fixture
def library() -> Library:
    return Library(bundle("classify"))


def test_cases_are_those_of_pytorch() -> None:
    """The states of the model go on from case to case."""
    torch.manual_seed(1)
    module = copy.deepcopy(memory()).module()  # its states change
    cases = make_cases(program("memory"), memory())
    assert len(cases) == 3
    for case in cases:
        expected = module(torch.from_numpy(np.asarray(case.inputs[0])))
        for found, wanted in zip(case.outputs, expected, strict=True):
            ours = np.asarray(found, np.float64)
            np.testing.assert_allclose(ours, wanted.numpy(), rtol=1e-6, atol=1e-6)


def test_given_inputs_become_cases() -> None:
    given = [{"image": np.full((40, 50, 3), level, np.uint8)} for level in (0, 255)]
    cases = make_cases(program("classify"), classify(), given)
    assert [int(case.inputs[0][0, 0, 0]) for case in cases] == [0, 255]


@pytest.mark.parametrize("name", ["classify", "memory", "types", "detect"])
def test_every_output_is_compared(name: str) -> None:
    """A golden value with one wrong bit, in each output of the last case."""
    folder = bundle(name)
    own = Library(folder)
    golden = read_aligned(folder / f"{name}.golden")
    description = own.description.entry("")
    at = len(golden) - _sample_bytes(golden, description, 3)
    ends = []
    for output in description.outputs:
        ends.append((output, at))
        at += -(-output.bytes // 64) * 64
    for output, place in ends:
        wrong = _copy(golden)
        item = output.bytes // max(1, int(np.prod(output.shape)))
        wrong[place + item - 1] ^= 1 if output.dtype == "bool" else 0x40
        with pytest.raises(BundleError, match=f"case 2, output '{output.name}'"):
            own.selftest(wrong)
    own.close()


def _sample_bytes(golden: Bytes, description: EntryDescription, cases: int) -> int:
    """Bytes of the outputs and samples of the last case."""
    bounds = -(-16 * len(description.outputs) // 64) * 64
    each = (len(golden) - 64 - bounds) // cases
    inputs = sum(-(-t.bytes // 64) * 64 for t in description.inputs)
    return each - inputs


def _copy(data: Bytes) -> Bytes:
    from devproc.ir.weights.aligned import aligned_bytes

    memory = aligned_bytes(data.nbytes)
    memory[:] = data
    return memory


def test_changed_weight_is_found_and_the_kernel_is_named(tmp_path: Path) -> None:
    """The weights of the convolution change: it is the first kernel that is off."""
    folder = bundle("classify")
    weights = read_aligned(folder / "classify.weights")
    own = Library(folder)
    kernels = [kernel.name for kernel in own.description.kernels]
    own.close()
    floats = weights[64:].view(np.float32)
    expected = program("classify").weights
    bias = np.asarray(expected.array("model.c.bias"))
    (place,) = (
        i for i in range(len(floats) - 7) if np.array_equal(floats[i : i + 8], bias)
    )
    floats[place] += 0.5
    for file in folder.iterdir():
        if file.is_file() and not file.is_symlink():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "classify.weights").write_bytes(weights.tobytes())
    changed = Library(tmp_path)  # their hash is compared on request alone
    golden = read_aligned(tmp_path / "classify.golden")
    with pytest.raises(BundleError, match=r"output 'logits', element 0"):
        changed.selftest(golden)
    (convolution,) = (name for name in kernels if name.startswith("conv2d"))
    with pytest.raises(BundleError, match=f"'{convolution}'"):
        changed.selftest(golden, kernels=True)
    changed.close()
    with pytest.raises(BundleError, match="the weights are not those"):
        Library(tmp_path, check_weights=True)


def test_bounds() -> None:
    interface = program("types").interface
    bounds = output_bounds(interface, ())
    exact = [b == Bound(0.0, 0.0) for b in bounds]
    assert exact == [s.dtype in ("bool", "int64") for s in interface.outputs]


def test_nan_is_equal_to_nan_alone(library: Library) -> None:
    golden = read_aligned(bundle("classify") / "classify.golden")
    _, _, cases, *_ = struct.unpack_from("<8sIIQQI", golden.tobytes())
    assert cases == 3
    # The logits of the first case come after the bounds and the image.
    at = 64 + 64 + -(-6000 // 64) * 64
    golden[at : at + 4] = np.frombuffer(np.float32(np.nan).tobytes(), np.uint8)
    with pytest.raises(BundleError, match="case 0, output 'logits', element 0"):
        library.selftest(golden)
    library.close()


def test_report_says_how_far() -> None:
    own = Library(bundle("classify"))
    report = own.selftest(read_aligned(bundle("classify") / "classify.golden"))
    assert 0 <= report.worst < 1e-5
    assert ctypes.sizeof(report) == 56
    own.close()


def test_wrong_program_is_found_when_it_is_exported() -> None:
    """Golden cases of another source: the export fails with the name of the output."""
    folder = bundle("classify")
    own = Library(folder)
    cases = make_cases(program("classify"), classify())
    bounds = output_bounds(program("classify").interface, ())
    require_agreement(own, "", cases, bounds)
    cases[1].outputs[0][0, 2] += 0.001
    with pytest.raises(CompileError, match=r"golden case 1: output 'logits' is 0\.001"):
        require_agreement(own, "", cases, bounds)
    own.close()


def test_foreign_program_needs_a_reference(tmp_path: Path) -> None:
    compiled = program("classify", cpu="aarch64")
    with pytest.raises(devproc.DevProcError, match="give reference="):
        compiled.export_bundle(tmp_path)


def test_memory_of_a_kernel_of_its_own_is_not_compared(tmp_path: Path) -> None:
    """Resizing keeps rows there, and leaves what may differ from run to run."""
    pipe = devproc.pipeline("resized")
    image = pipe.input("image", "uint8", (97, 123, 3))
    x = pipe.resize(image, (61, 53), like="pillow", mode="bicubic")
    pipe.output("small", pipe.resize(x, (31, 17), like="pillow", mode="bilinear"))
    devproc.compile(pipe, threads=1).export_bundle(tmp_path, reference=pipe)
    *_, kernels = check_bundle(tmp_path)
    assert kernels.startswith("kernels: all pass")
