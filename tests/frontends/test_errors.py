"""What stands in the way of a program: all of it in one message, each thing once."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch._higher_order_ops import while_loop

from devproc.errors import BundleError, Problem, UnsupportedError
from devproc.frontends.torch_export.importer import import_program
from tests.frontends.imported import Wrap

X = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))
HERE = Path(__file__).name


def refused(model: Callable[..., Any], *args: Any) -> UnsupportedError:
    """The error of a model, which is exported in the mode it is in."""
    module = model if isinstance(model, nn.Module) else Wrap(model)
    exported = torch.export.export(module, args)
    with pytest.raises(UnsupportedError) as caught:
        import_program(exported)
    return caught.value


def only_entry(model: Callable[..., Any], *args: Any) -> str:
    """The entry of a model that has one problem; its message says no more."""
    error = refused(model, *args)
    (entry,) = error.entries
    head, _, rest = str(error).partition(":\n")
    assert head.startswith("1 unsupported in this program")
    assert rest == f"  1. {entry}"
    return entry


# Entries


def problem(what: str, where: str, why: str = "no") -> Problem:
    return Problem(what, where, why, "do without")


def test_problems_that_differ_in_their_place_are_one_entry() -> None:
    error = UnsupportedError(
        [
            problem("aten.a.default of float32 (2)", "x at m.py:1"),
            problem("aten.b.default of float32 (2)", "x at m.py:2"),
            problem("aten.a.default of float32 (3)", "y at m.py:1"),
            problem("aten.a.default of float32 (2)", "z at m.py:3"),
            problem("aten.a.default of float32 (2)", "w at m.py:4"),
            problem("aten.a.default of float32 (2)", "v at m.py:5", why="never"),
        ]
    )
    assert str(error) == (
        "3 unsupported in this program, in 6 places:\n"
        "  1. aten.a.default of float32 (2) (4 times: x at m.py:1, y at m.py:1, "
        "z at m.py:3 and 1 more): no; do without\n"
        "  2. aten.b.default of float32 (2) (x at m.py:2): no; do without\n"
        "  3. aten.a.default of float32 (2) (v at m.py:5): never; do without"
    )
    assert len(error.problems) == 6


def test_parameters_with_one_problem_are_one_entry_with_their_names() -> None:
    names = [f"parameter '{n}'" for n in "abcd"]
    error = UnsupportedError([problem(name, "state") for name in names])
    assert error.entries == (
        "parameter 'a', parameter 'b', parameter 'c' and 1 more (4 times: state): "
        "no; do without",
    )


class Block(nn.Module):
    """Two things that only training has, and two that nothing has."""

    def __init__(self) -> None:
        super().__init__()
        self.linear, self.drop = nn.Linear(4, 4), nn.Dropout(0.5)
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.drop(self.linear(x)))
        x = torch.special.bessel_j0(x).to(torch.float8_e4m3fn).to(torch.float32)
        return x * x.sum().item() + x[x > 0].sum()


def test_all_problems_of_a_program_are_in_one_message() -> None:
    error = refused(nn.Sequential(Block(), Block(), Block(), Block()).train(), X)
    dropout, norm, bessel, narrow, item, mask = error.entries
    assert str(error).startswith(f"6 unsupported in this program, in {6 * 4} places:\n")
    assert dropout.startswith(
        "aten.native_dropout.default of float32 (3, 4) (4 times: "
    )
    assert f"0.drop at {HERE}" not in dropout
    assert "dropout in training mode" in dropout
    assert dropout.endswith("call model.eval() before torch.export.export")
    assert "batch_norm in training mode" in norm
    assert bessel.startswith("aten.special_bessel_j0.default of float32 (3, 4)")
    assert "dtype float8_e4m3fn is not supported" in narrow
    assert item.startswith("aten.item.default")
    assert mask.startswith("aten.index.Tensor of float32 (3, 4), bool (3, 4)")
    for entry in error.entries:
        assert f"{HERE}:" in entry
        assert " and 1 more)" in entry


# Graphs


def test_dropout_of_training() -> None:
    assert "dropout in training mode" in only_entry(
        lambda x: F.dropout(x, 0.5, True), X
    )


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_complex_inputs(dtype: torch.dtype) -> None:
    entry = only_entry(lambda x: (x * x).real, torch.zeros(3, dtype=dtype))
    assert entry.startswith("input 'args_0'")
    name = str(dtype).removeprefix("torch.")
    assert f"{name} cannot enter the program; give it torch.view_as_real" in entry


@pytest.mark.parametrize(
    "dtype", [torch.float8_e4m3fn, torch.float8_e5m2, torch.uint32, torch.uint64]
)
def test_dtypes_that_the_ir_does_not_have(dtype: torch.dtype) -> None:
    name = str(dtype).removeprefix("torch.")
    for entry in (
        only_entry(lambda x: x.to(torch.float32), torch.zeros(3).to(dtype)),
        only_entry(lambda x: x.to(dtype).to(torch.float32), X.abs()),
    ):
        assert f"dtype {name} is not supported; cast to one of float64" in entry


def test_quantized_operators() -> None:
    def model(x: torch.Tensor) -> torch.Tensor:
        return torch.quantize_per_tensor(x, 0.1, 0, torch.qint8).dequantize() + 1

    first, second = refused(model, X).entries
    for entry, name in ((first, "quantize_per_tensor"), (second, "dequantize")):
        assert entry.startswith(f"aten.{name}.")
        assert "quantized operators are not supported; export the model before" in entry


def test_sparse_tensors() -> None:
    entry, _ = refused(lambda x: x.to_dense() + 1, X.to_sparse()).entries
    assert entry.startswith("input 'args_0'")
    assert "sparse tensors (sparse_coo) are not supported; use .to_dense()" in entry


def branch(x: torch.Tensor) -> Any:
    return torch.cond(x.sum() > 0, torch.relu, torch.exp, (x,))


def loop(x: torch.Tensor) -> Any:
    def unfinished(count: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
        return count.sum() < 3

    def step(count: torch.Tensor, value: torch.Tensor) -> Any:
        return count + 1, value * 2

    return while_loop(unfinished, step, (torch.zeros(1), x))


@pytest.mark.parametrize(("model", "name"), [(branch, "cond"), (loop, "while_loop")])
def test_control_flow(model: Callable[..., Any], name: str) -> None:
    entry = only_entry(model, X)
    assert f"({name} at tests/frontends/imported.py:" in entry
    assert "control flow that depends on data" in entry
    assert "compute both branches and select, unroll the loop" in entry


@pytest.mark.parametrize(
    "model",
    [
        lambda x: torch.nonzero(x) + 1,
        lambda x: x[x > 0] * 2,
        lambda x: torch.masked_select(x, x > 0).sum(),
        lambda x: torch.unique(x),
    ],
    ids=["nonzero", "mask", "masked_select", "unique"],
)
def test_shapes_that_depend_on_the_data(model: Callable[..., Any]) -> None:
    entry = only_entry(model, X)
    assert "depends on the" in entry
    assert "dynamic_shapes" not in entry
    assert "outside of the compiled program" in entry
    assert " at tests/frontends/imported.py:" in entry


def test_a_number_that_depends_on_the_data() -> None:
    entry = only_entry(lambda x: x * x.sum().item(), X)
    assert entry.startswith("aten.item.default of float32 ()")
    assert "known only at run time" in entry or "depends on the values" in entry
    assert " at tests/frontends/imported.py:" in entry


# State


def test_a_model_without_data() -> None:
    with torch.device("meta"):
        model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    entry = only_entry(model, X.to("meta"))
    assert entry.startswith("parameter '0.weight', parameter '0.bias', parameter ")
    assert "its data is missing (device 'meta'); load the weights before" in entry


def test_missing_and_unsupported_state_beside_operators() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.special.airy_ai(self.b(self.a(x)))

    exported = torch.export.export(Model().eval(), (X,))
    del exported.state_dict["a.bias"], exported.state_dict["b.bias"]
    exported.state_dict["a.weight"] = torch.zeros(4, 4).to_sparse_csr()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(UnsupportedError) as caught:
            import_program(exported)
    entries = caught.value.entries
    assert len(entries) == 3
    assert any("parameter 'a.bias', parameter 'b.bias' (2 times" in e for e in entries)
    assert any("'a.weight'" in e and "sparse_csr" in e for e in entries)
    assert any("airy_ai" in e for e in entries)


# Files


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "net.pt2"
    torch.export.save(torch.export.export(nn.Linear(4, 2), (X,)), path)
    return path


def broken(path: Path) -> str:
    """Why a file cannot be loaded; the message names the file and says what to do."""
    with pytest.raises(BundleError) as caught:
        import_program(path)
    text = str(caught.value)
    assert text.startswith(f"'{path}' is not a complete torch.export program (.pt2): ")
    assert "save it again with torch.export.save, with PyTorch" in text
    return text


def test_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "net.pt2"
    path.touch()
    assert "the file is empty" in broken(path)


def test_file_that_is_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "net.pt2"
    path.write_bytes(b"no zip archive" * 100)
    assert "File is not a zip file" in broken(path)


def test_archive_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "net.pt2"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "nothing")
    assert "the archive holds no exported program" in broken(path)


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_archive_without_one_of_its_files(archive: Path) -> None:
    contents = members(archive)
    weights = [name for name in contents if "/weights/weight_" in name]
    assert len(weights) == 2
    assert archive.exists()
    for missing in (n for n in contents if "/data/" in n or "/models/" in n):
        with zipfile.ZipFile(archive, "w") as written:
            for name, data in contents.items():
                if name != missing:
                    written.writestr(name, data)
        text = broken(archive)
        assert missing not in weights or f"the archive lacks '{missing}'" in text


def test_a_flipped_bit_of_a_weight(archive: Path) -> None:
    """PyTorch's loader takes such a file and gives another number."""
    exported = torch.export.load(archive)
    weight = exported.state_dict["weight"].detach().numpy().tobytes()
    data = bytearray(archive.read_bytes())
    data[bytes(data).index(weight) + 3] ^= 0x40
    archive.write_bytes(data)
    assert "the checksum of 'net/data/weights/weight_0' is wrong" in broken(archive)


def test_a_hole_anywhere(archive: Path) -> None:
    """Where it hits what matters, the file is refused; nothing else is raised."""
    data, refusals = archive.read_bytes(), 0
    for start in range(0, len(data), len(data) // 16):
        hole = bytes(byte ^ 0xFF for byte in data[start : start + 32])
        archive.write_bytes(data[:start] + hole + data[start + 32 :])
        try:
            import_program(archive)
        except BundleError:
            refusals += 1
    assert refusals > 8
