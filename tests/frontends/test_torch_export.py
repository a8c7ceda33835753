"""The importer around the operators: state, structure, locations, files, errors."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from xdsl.dialects.builtin import ModuleOp

import devproc
from devproc.dialects.nn.constant import WeightOp
from devproc.errors import BuildError, BundleError, UnsupportedError
from devproc.frontends.torch_export.graph.node_source import source_line
from devproc.frontends.torch_export.importer import (
    Argument,
    Constant,
    Result,
    import_program,
)
from devproc.ir.text.location import describe_location
from devproc.ir.text.paths import readable_path
from devproc.reference.run.interpreter import evaluate
from tests.frontends.imported import Wrap, check, export, op_names, run

HERE = Path(__file__)
X = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))


def problems(
    model: nn.Module | Callable[..., Any], *args: Any, **options: Any
) -> list[str]:
    """The messages that refuse a model."""
    if not isinstance(model, nn.Module):
        model = Wrap(model)
    exported = torch.export.export(model, args, **options)
    with pytest.raises(UnsupportedError) as caught:
        import_program(exported)
    return [str(problem) for problem in caught.value.problems]


# State


class State(nn.Module):
    """Every way in which a module can hold a tensor."""

    kept: torch.Tensor
    scratch: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.parameter = nn.Parameter(torch.randn(4))
        self.strided = nn.Parameter(torch.randn(4, 8)[:, ::2])
        self.expanded = nn.Parameter(torch.randn(1, 4).expand(3, 4))
        self.register_buffer("kept", torch.randn(4))
        self.register_buffer("scratch", torch.randn(4), persistent=False)
        self.plain = torch.randn(3, 1)
        self.narrow = nn.Parameter(torch.randn(4, dtype=torch.bfloat16))
        self.unused = nn.Parameter(torch.randn(1000))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x * self.parameter @ self.strided + self.expanded
        x = x * self.kept - self.scratch + self.plain + self.narrow
        return x + torch.tensor([1.0, 2.0, 3.0, 4.0]) + torch.tensor([0.5] * 4)


def test_every_kind_of_state() -> None:
    program = check(State(), X)
    assert set(program.weights.names()) == {
        "parameter", "strided", "expanded", "kept", "scratch", "plain", "narrow",
    }  # fmt: skip
    assert program.weights.dtype("narrow") == "bfloat16"


def test_weights_carry_their_hash() -> None:
    program = import_program(export(State(), [X]))
    weights = [op for op in program.function.walk() if isinstance(op, WeightOp)]
    assert weights
    for op in weights:
        assert op.hash.data == program.weights.hash(op.weight_name)


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)
        self.b.weight = self.a.weight
        self.same = self.a.weight.detach()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.b(self.a(x)) + F.linear(x, self.same)


def test_tied_weights_are_one_weight() -> None:
    assert len(check(Tied(), X).weights.names()) == 1


def test_training_after_the_import_does_not_reach_the_program() -> None:
    layer = nn.Linear(4, 2)
    wanted = layer(X).detach()
    program = import_program(export(layer, [X]))
    with torch.no_grad():
        layer.weight.zero_()
    assert torch.equal(run(program, [X]), wanted)


def test_a_module_used_twice() -> None:
    layer = nn.Linear(4, 4)
    program = check(nn.Sequential(layer, nn.ReLU(), layer), X)
    assert program.weights.names() == ("0.weight", "0.bias")


# Structure


@dataclasses.dataclass
class Pair:
    left: torch.Tensor
    right: Any


class Box(NamedTuple):
    value: torch.Tensor


torch.export.register_dataclass(Pair, serialized_type_name="tests.Pair")


def test_nested_inputs_and_outputs() -> None:
    def model(pair: Pair, items: list[Any], *, extra: dict[str, Any]) -> Any:
        a, (b, number, _) = items
        total = pair.left + a * number
        return {"sum": total, "box": Box(b - extra["z"]), "pair": [Pair(total, (b,))]}

    a, b = X, X + 1
    program = check(model, Pair(a, None), [a, (b, 3, None)], extra={"z": b})
    assert program.input_leaves == (
        Argument(0), Argument(1), Argument(2), Constant(3), Constant(None), Argument(3),
    )  # fmt: skip
    assert program.output_names == ("sum", "box_value")


def test_outputs_that_are_inputs_repeated_or_constant() -> None:
    def model(x: torch.Tensor, flag: bool, y: torch.Tensor) -> Any:
        z = x + 1
        return z, y, None, z.view(3, 4), 7, x.detach(), "text", flag

    program = check(model, X, True, X * 2)
    assert program.output_leaves == (
        Result(0), Argument(1), Constant(None), Result(0), Constant(7), Argument(0),
        Constant("text"), Constant(True),
    )  # fmt: skip
    assert len(program.output_types) == 1


def test_weights_and_constants_as_outputs() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = nn.Parameter(torch.randn(5))

        def forward(self, x: torch.Tensor) -> Any:
            return self.w, torch.ones(2), self.w * 2

    program = check(Model(), X)
    assert next(str(t) for t in program.output_types) == "tensor<5xf32>"
    assert program.input_types[0].get_shape() == (3, 4)


def test_unused_inputs_stay() -> None:
    program = check(lambda x, y, z: x + z, X, X, X)
    assert program.input_names == ("args_0", "args_1", "args_2")


def test_the_function() -> None:
    program = import_program(export(nn.Linear(4, 2), [X]), "classifier")
    assert program.function.sym_name.data == "classifier"
    assert program.function.sym_visibility is not None
    assert program.function.parent is None
    assert program.function.arg_attrs is not None
    assert str(program.function.arg_attrs.data[0]) == '{dev.name = "input"}'


def test_wrappers_that_only_carry_a_graph_are_inlined() -> None:
    def no_grad(x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            y = x * 2 + 1
        with torch.enable_grad():
            return torch.relu(y) - x

    def autocast(x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            y = x @ x.t()
        return y.float() + 1

    check(no_grad, X)
    program = check(autocast, X)
    assert "nn.cast" in op_names(program)


# Locations


class Named(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)  # the layers' line
        return torch.relu(x)  # relu's line


def line_of(text: str) -> int:
    lines = HERE.read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.endswith(f"# {text}"))


@pytest.mark.parametrize("strict", [False, True])
def test_locations_name_the_module_and_the_users_line(strict: bool) -> None:
    exported = torch.export.export(Named().eval(), (X,), strict=strict)
    program = import_program(exported)
    found = [
        describe_location(op.location)
        for op in program.function.body.block.ops
        if op.name in ("nn.linear", "nn.relu")
    ]
    file = readable_path(str(HERE))
    layers, relu = line_of("the layers' line"), line_of("relu's line")
    assert found[:2] == [
        f"layers.0 at {file}:{layers}",
        f"layers.1 at {file}:{layers}",
    ]
    assert found[2].endswith(f"at {file}:{relu}")
    assert not file.startswith("/")


def test_source_lines() -> None:
    trace = (
        '  File "/somewhere/deep/net.py", line 3, in forward\n    x = self.fc(x)\n'
        '  File "/v/site-packages/timm/layer.py", line 9, in forward\n    y\n'
        '  File "/v/site-packages/torch/nn/functional.py", line 5, in relu\n    z\n'
        '  File "<eval_with_key>.7", line 1, in forward\n    w'
    )
    assert source_line(trace) == ("timm/layer.py", 9)
    assert source_line(trace.split("  File")[1].join(["  File", ""])) == ("net.py", 3)
    assert source_line(None) == (None, 0)
    assert readable_path(str(Path.cwd() / "a" / "b.py")) == "a/b.py"


# Files


def test_pt2_round_trip(tmp_path: Path) -> None:
    model = State().eval()
    torch.export.save(export(model, [X]), tmp_path / "state.pt2")
    for path in (tmp_path / "state.pt2", str(tmp_path / "state.pt2")):
        program = import_program(path)
        assert torch.equal(run(program, [X]), model(X))
        op = next(o for o in program.function.walk() if o.name == "nn.mul")
        assert HERE.name in describe_location(op.location)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"no file .*net\.pt2'; write it with"):
        import_program(tmp_path / "net.pt2")


@pytest.mark.parametrize("keep", [0, 1, 100, 0.5, 0.99])
def test_truncated_file(tmp_path: Path, keep: float) -> None:
    path = tmp_path / "net.pt2"
    torch.export.save(export(nn.Linear(4, 2), [X]), path)
    data = path.read_bytes()
    path.write_bytes(data[: int(keep if keep >= 1 or not keep else keep * len(data))])
    with pytest.raises(BundleError, match=r"is not a complete torch\.export program"):
        import_program(path)


def test_foreign_file(tmp_path: Path) -> None:
    path = tmp_path / "net.pt2"
    torch.save({"weight": X}, path)
    with pytest.raises(BundleError, match="is a pickled dict"):
        import_program(path)


def test_a_module_is_not_a_program() -> None:
    with pytest.raises(BuildError, match=r"cannot import a Linear.*torch\.export"):
        import_program(nn.Linear(1, 1))  # pyright: ignore[reportArgumentType]


# Problems


def test_all_problems_at_once_with_place_and_remedy() -> None:
    class Bad(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.drop = nn.Dropout(0.5)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = self.drop(torch.special.bessel_j0(x))  # two problems' line
            y = torch.linalg.inv(x @ x.T)
            return torch.special.airy_ai(x) + y.sum()

    found = problems(Bad().train(), X)
    file, line = readable_path(str(HERE)), line_of("two problems' line")
    assert found[0] == (
        f"aten.special_bessel_j0.default of float32 (3, 4) (special_bessel_j0 at "
        f"{file}:{line}): this special function is not supported; express it through "
        "supported operators, or compute it outside of the compiled program, or run it "
        'in PyTorch with fallback="torch"'
    )
    assert f"(drop at {file}:{line}): dropout in training mode" in found[1]
    assert found[1].endswith("call model.eval() before torch.export.export")
    assert any("linalg_inv" in text for text in found[2:])
    assert any("airy_ai" in text for text in found[2:])


def test_batch_norm_in_training_mode() -> None:
    found = problems(nn.BatchNorm1d(4).train(), X)
    assert any("batch_norm in training mode" in text for text in found)


def test_what_only_checks_read_is_left_out() -> None:
    """A number of the data that only an assertion reads; an update stays."""

    class Checked(nn.Module):
        def forward(self, x: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
            torch._check_tensor_all(sizes.prod(1).sum() == x.shape[1], lambda: "sizes")
            y = x.exp()
            torch._check(y.mul_(2).amax().long().item() < 1000)
            return y + 1

    x, sizes = torch.randn(3, 16), torch.tensor([[4, 3], [2, 2]])
    exported = torch.export.export(Checked(), (x, sizes))
    names = {str(node.target) for node in exported.graph.nodes}
    assert {"aten.item.default", "aten._assert_scalar.default"} < names
    program = devproc.compile(exported, cache=False)
    torch.testing.assert_close(program(x, sizes), Checked()(x, sizes))


def test_dynamic_shapes_are_named_once() -> None:
    batch = torch.export.Dim("batch", min=2, max=64)

    def model(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x).reshape(x.shape[0] * 2, 2)

    (text,) = problems(model, X, dynamic_shapes=(({0: batch},),))
    assert "input 'args_0'" in text
    assert "4) is dynamic" in text
    assert "export without dynamic_shapes" in text


def test_unknown_operators_of_a_dynamic_program_are_still_listed() -> None:
    batch = torch.export.Dim("batch", min=2, max=64)
    found = problems(
        lambda x: torch.special.airy_ai(x), X, dynamic_shapes=(({0: batch},),)
    )
    assert len(found) == 2
    assert "airy_ai" in found[1]


def test_numbers_known_only_at_run_time() -> None:
    found = problems(lambda x: x * x.sum().item(), X)
    assert "known only at run time" in found[0]


def test_control_flow() -> None:
    def model(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, torch.relu, torch.exp, (x,))

    found = problems(model, X)
    assert any("control flow that depends on data" in text for text in found)


class Counter(nn.Module):
    count: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count.add_(1)
        return x + self.count


def test_mutated_buffers_and_inputs() -> None:
    imported = import_program(torch.export.export(Counter().eval(), (X,)))
    assert imported.states == ("count",)
    (text,) = problems(lambda x: x.add_(1), X.clone())
    assert text.startswith("input 'args_0' (graph signature): the program writes to")


def test_an_update_that_the_export_no_longer_shares() -> None:
    def model(x: torch.Tensor) -> Any:
        y = x - 1
        z = F.dropout(y, 0.1, False)  # in evaluation mode, this is y itself
        z.add_(5)
        return y, z

    exported = export(model, (X,))
    first, second = exported.graph.output_node().args[0]  # type: ignore
    if first is second:  # PyTorch 2.14 sees that they are one.
        check(model, X)
        return
    (text,) = problems(model, X)
    assert "dropout may share memory with its operand" in text


@pytest.mark.parametrize("dtype", [torch.uint32, torch.float8_e4m3fn])
def test_unsupported_dtypes(dtype: torch.dtype) -> None:
    (text,) = problems(lambda x: x.clone().view(-1), torch.zeros(3, 4, dtype=dtype))
    assert f"dtype {str(dtype)[6:]} is not supported; cast to one of float64" in text


def test_dtypes_inside_of_the_graph() -> None:
    (text,) = problems(lambda x: x.to(torch.complex32).to(torch.float32), X)
    assert "aten.to.dtype of float32 (3, 4)" in text
    assert "dtype complex32 is not supported; use complex64 or complex128" in text


class Holder(nn.Module):
    value: torch.Tensor

    def __init__(self, value: torch.Tensor):
        super().__init__()
        self.register_buffer("value", value)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.value


def replaced_state(value: torch.Tensor) -> str:
    """What is said of an exported program whose buffer becomes this tensor."""
    exported = export(Holder(torch.zeros(4)), [X])
    exported.state_dict["value"] = value
    with pytest.raises(UnsupportedError) as caught:
        import_program(exported)
    (problem,) = caught.value.problems
    return str(problem)


def test_constants_outside_of_host_memory() -> None:
    text = replaced_state(torch.zeros(4, device="meta"))
    assert "buffer 'value' (state of the exported program): its data is missing" in text


def test_sparse_state() -> None:
    text = replaced_state(torch.ones(4).to_sparse())
    assert "sparse tensors (sparse_coo) are not supported; use .to_dense()" in text


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_quantized_state() -> None:
    value = torch.quantize_per_tensor(torch.ones(4), 0.1, 0, torch.qint8)
    assert "quantized tensors (qint8) are not supported" in replaced_state(value)


def test_missing_weights() -> None:
    exported = export(nn.Linear(4, 2), [X])
    del exported.state_dict["bias"]
    with pytest.raises(
        UnsupportedError, match=r"parameter 'bias'.*its data is missing"
    ):
        import_program(exported)


def test_indices_of_a_pool() -> None:
    def model(x: torch.Tensor) -> Any:
        return F.max_pool2d(x, 2, 1, 1, dilation=3, return_indices=True)

    (text,) = problems(model, torch.randn(1, 2, 2, 7))
    assert "a window of this pool lies in the padding alone: its index is none" in text


def test_what_a_verifier_refuses_is_a_problem_too() -> None:
    x, weight = torch.ones(1, 2, 6, 6).bool(), torch.ones(3, 2, 3, 3).bool()
    (text,) = problems(F.conv2d, x, weight)
    assert "aten.conv2d.default of bool (1, 2, 6, 6), bool (3, 2, 3, 3)" in text
    assert "nn.conv2d does not take bool operands; use a supported form" in text


def test_float64_run_of_an_import() -> None:
    layer = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Softmax(-1)).eval()
    program = import_program(export(layer, [X]))
    ModuleOp([program.function])
    (found,) = evaluate(program.function, [X], program.weights, dtype64=True)
    assert found.dtype == torch.float64
    torch.testing.assert_close(found, layer.double()(X.double()))
