"""Operators of a user, registered from outside of the package: all facets, all tools."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.export import ExportedProgram
from xdsl.dialects.builtin import TensorType
from xdsl.irdl import irdl_op_definition, operand_def, result_def

import devproc
from devproc import extension
from devproc.dialects.nn.base import NNOp
from devproc.driver import (
    make_context,
    module_text,
    parse_module,
    run_stages,
    stages_between,
)
from devproc.source import read_source
from examples import custom_op
from tests.custom_ops import lab, operators

ROOT = Path(__file__).parent.parent.parent
SPECIAL = torch.tensor(
    [float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 0.1, -0.1]
)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """The dialect `lab`, for one test."""
    with extension.temporary():
        lab.register()
        yield


@pytest.fixture(scope="module")
def model() -> operators.Model:
    torch.manual_seed(0)
    return operators.Model().eval()


@pytest.fixture(scope="module")
def exported(model: operators.Model) -> ExportedProgram:
    return torch.export.export(model, (torch.randn(4, 7),))


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
def test_model_matches_pytorch(
    model: operators.Model, exported: ExportedProgram, target: str
) -> None:
    program = devproc.compile(exported, target=target, cache=False)
    x = torch.randn(4, 7)
    torch.testing.assert_close(program(x), model(x), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
def test_special_values(target: str) -> None:
    class Shrink(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return operators.shrink(x, 0.1)

    program = devproc.compile(
        torch.export.export(Shrink(), (SPECIAL,)), target=target, cache=False
    )
    torch.testing.assert_close(program(SPECIAL), Shrink()(SPECIAL), equal_nan=True)


def test_every_op_verifies_against_its_reference(exported: ExportedProgram) -> None:
    text = str(devproc.verify(exported))
    assert "lab.shrink" in text
    assert "lab.distance" in text


def test_text_round_trip(exported: ExportedProgram) -> None:
    module = read_source(exported).module
    text = module_text(module)
    assert "lab.shrink" in text
    assert module_text(parse_module(text)) == text


def test_pattern_finds_its_op_and_decomposition_takes_it_apart() -> None:
    T = "tensor<2x3xf32>"
    module = parse_module(
        f"func.func @main(%x: {T}) -> {T} {{\n"
        f"  %s = nn.mul %x, %x : ({T}, {T}) -> {T}\n"
        f"  %c = nn.mul %s, %x : ({T}, {T}) -> {T}\n"
        f"  func.return %c : {T}\n}}"
    )
    run_stages(module, make_context(), stages_between("program", "tensor"))
    names = [op.name for op in module.walk()]
    assert names.count("nn.mul") == 2
    last = [op for op in module.walk() if op.name == "nn.mul"][-1]
    # The decomposition multiplies in the other order than the program did.
    assert last.operands[1].owner.name == "nn.mul"  # type: ignore[union-attr]


def test_shape_rule_refuses_bad_text() -> None:
    text = (
        "func.func @main(%a: tensor<4x5xf32>, %b: tensor<3x6xf32>) -> tensor<4x3xf32> {\n"
        "  %d = lab.distance %a, %b : (tensor<4x5xf32>, tensor<3x6xf32>)"
        " -> tensor<4x3xf32>\n  func.return %d : tensor<4x3xf32>\n}"
    )
    with pytest.raises(Exception, match=r"rows of \(4, 5\) and \(3, 6\) differ"):
        run_stages(parse_module(text), make_context(), stages_between(None, "tensor"))


def test_unregistered_operator_is_refused(exported: ExportedProgram) -> None:
    with extension.temporary():
        extension.forget("lab::swish")
        with pytest.raises(devproc.UnsupportedError, match=r"lab\.swish"):
            devproc.compile(exported, cache=False)


def test_argument_that_is_no_tensor_needs_build(exported: ExportedProgram) -> None:
    with extension.temporary():
        extension.forget("lab::shrink")
        devproc.register_op(
            "lab::shrink",
            op=lab.ShrinkOp,
            reference=lab.shrink_reference,
            lowering=lab.lower_shrink,
        )
        with pytest.raises(
            devproc.UnsupportedError, match="registered without `build`"
        ):
            devproc.compile(exported, cache=False)


def test_bundle_runs_without_the_registration(
    model: operators.Model, exported: ExportedProgram, tmp_path: Path
) -> None:
    path = tmp_path / "model.devproc"
    devproc.compile(exported, cache=False).save(path)
    x = torch.randn(4, 7)
    with extension.temporary():
        extension.forget("lab::distance")
        extension.forget("lab::shrink")
        loaded = devproc.load(path)
        torch.testing.assert_close(loaded(x), model(x), rtol=2e-5, atol=2e-5)
    assert "lab.distance" in devproc.load(path).ir("tensor")


def test_cache_key_follows_the_code(tmp_path: Path) -> None:
    file = tmp_path / "table.txt"
    file.write_text("1")
    with extension.temporary():
        before = extension.digest()
        devproc.register_op("lab::other", build=lab.build_swish, sources=[file])
        registered = extension.digest()
        file.write_text("2")
        assert len({before, registered, extension.digest()}) == 3
    assert extension.digest() == before


def test_code_without_a_file_counts_too() -> None:
    digests = set()
    for number in (1, 2):
        names: dict[str, Any] = {}
        exec(f"def build(b, x):\n    return {number}", names)
        with extension.temporary():
            devproc.register_op("lab::other", build=names["build"])
            digests.add(extension.digest())
    assert len(digests) == 2


def test_two_functions_of_one_name_count_apart() -> None:
    digests = set()
    builds = [
        lambda b, x: b.scalar(1.0, b.result.element_type),
        lambda b, x: b.scalar(2.0, b.result.element_type),
    ]
    for build in builds:
        with extension.temporary():
            devproc.register_op("lab::other", build=build)
            digests.add(extension.digest())
    assert len(digests) == 2


def test_registration_is_replaced_on_request(exported: ExportedProgram) -> None:
    """As when a cell of a notebook runs again; otherwise it is refused."""
    before = len(extension.custom_ops())
    for _ in range(2):
        devproc.register_op("lab::swish", build=lambda b, x, _: x, replace=True)
    assert len(extension.custom_ops()) == before
    assert not devproc.verify(exported, exported=exported, threads=1).passed
    with pytest.raises(devproc.RegistrationError, match="or with `replace=True`"):
        devproc.register_op("lab::swish", build=lab.build_swish)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda b, x, *_: None, "returns no value, but None"),
        (lambda b, x, *_: (x, x), "returns tensor<4x5xf32>, tensor<4x5xf32>, but"),
        (
            lambda b, x, *_: b.reshape(x, (5, 4)),
            "returns tensor<5x4xf32>, but the exporter recorded tensor<4x5xf32>",
        ),
    ],
)
def test_result_of_another_type_is_refused(
    exported: ExportedProgram, build: Any, message: str
) -> None:
    devproc.register_op("lab::swish", build=build, replace=True)
    with pytest.raises(devproc.UnsupportedError, match=message) as error:
        devproc.compile(exported, cache=False)
    assert "operators.py:" in str(error.value)


def test_tools_read_extensions_by_name(
    exported: ExportedProgram, tmp_path: Path
) -> None:
    file = tmp_path / "model.mlir"
    source = read_source(exported)
    file.write_text(module_text(source.module))
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from devproc.tools.devproc_opt import main\n"
            "code = main(sys.argv[1:]); assert 'torch' not in sys.modules; sys.exit(code)",
            str(file),
            "--to-stage",
            "kernels",
        ],
        env={**os.environ, "DEVPROC_EXTENSIONS": "tests.custom_ops.registered"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"lab.distance"' in done.stdout


@irdl_op_definition
class NamelessOp(NNOp):
    """Stands in a dialect of the compiler's, and has no shape rule."""

    name = "nn.mine"
    operand = operand_def(TensorType)
    result = result_def(TensorType)


def test_all_problems_of_a_registration_in_one_message() -> None:
    with pytest.raises(devproc.RegistrationError) as caught:
        devproc.register_op(
            "relu",
            op=NamelessOp,
            pattern="relu",  # type: ignore[arg-type]
            build=3,  # type: ignore[arg-type]
            sources=["/does/not/exist"],
        )
    text = str(caught.value)
    for part in (
        "namespace::operator",
        "`build` is a int",
        "is not a RewritePattern",
        "'/does/not/exist'",
        "has no shape rule",
        "no dialect of your own",
        "no `reference`",
        "neither `lowering` nor `decomposition`",
    ):
        assert part in text
    assert len(caught.value.problems) == 8


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"target": "lab::swish", "build": lab.build_swish}, "registered already"),
        ({"target": "lab::swish.default", "build": lab.build_swish}, "already"),
        ({"target": "aten::relu", "build": lab.build_swish}, "knows this operator"),
        ({"target": "lab::new"}, "nothing says what the operator becomes"),
        ({}, "neither `target` nor `pattern`"),
        ({"build": lab.build_swish}, "name the operator as `target`"),
        (
            {"target": "lab::new", "build": len, "reference": len},
            "`reference` belongs to an op class",
        ),
        ({"pattern": lab.FindCube()}, "`pattern` makes an op class"),
        ({"target": "lab::new", "op": int}, "not a subclass of"),
        ({"target": "lab::new", "op": lab.CubeOp}, "named 'lab.cube' is registered"),
        (
            {
                "target": "lab::new",
                "op": lab.CubeOp,
                "reference": len,
                "lowering": len,
                "decomposition": len,
            },
            "both `lowering` and `decomposition`",
        ),
    ],
)
def test_wrong_registrations(given: dict[str, Any], message: str) -> None:
    count = len(extension.custom_ops())
    with pytest.raises(devproc.RegistrationError, match=message):
        devproc.register_op(**given)
    assert len(extension.custom_ops()) == count


def test_the_page_and_the_example_run() -> None:
    names = custom_op.worked_example()
    assert "demo.distance" in names["program"].ir("tensor")
    assert any(op.target == "demo::swish" for op in extension.custom_ops())


def test_overloads_have_names_of_their_own() -> None:
    first = extension.custom_ops()[0]
    assert first.overload == "lab.swish.default"
    assert replace(first, target="lab::swish.out").overload == "lab.swish.out"
