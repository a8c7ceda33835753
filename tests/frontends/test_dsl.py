"""The DSL: the program that the steps build, and the error at the line of a wrong one."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.dialects.func import FuncOp

import devproc
from devproc.driver import make_context, module_text, run_stages, stages_between
from devproc.errors import BuildError, UnsupportedError
from devproc.frontends.dsl import Pipeline, Value
from devproc.ir.text.location import describe_location
from devproc.ir.types import DTYPES
from devproc.ir.verification.verify import verify_module
from devproc.reference.run.interpreter import evaluate
from devproc.reference.run.preparation import prepared
from tests.repository import parse

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Net(torch.nn.Module):
    """A small model of one image."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3, padding=1)
        self.fc = torch.nn.Linear(4 * 4 * 5, 6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(torch.relu(self.conv(x)).flatten(1))


class TwoHeads(torch.nn.Module):
    """A model with a structured result, part of which is its input."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> dict[str, object]:
        return {"sum": x + y, "rest": [torch.relu(x), y], "version": 3}


@pytest.fixture(scope="module")
def net() -> torch.export.ExportedProgram:
    torch.manual_seed(0)
    return torch.export.export(Net().eval(), (torch.zeros(1, 3, 4, 5),))


def pipeline() -> tuple[Pipeline, Value]:
    """A pipeline and its one input, a small image."""
    pipe = devproc.pipeline("test")
    return pipe, pipe.input("image", "uint8", (8, 9, 3))


def results(pipe: Pipeline, *inputs: torch.Tensor) -> list[torch.Tensor]:
    """The outputs by the reference, after the tensor stage."""
    module = pipe.module()
    run_stages(module, make_context(), stages_between(None, "tensor"))
    main = next(op for op in module.ops if isinstance(op, FuncOp))
    return evaluate(main, inputs, prepared(module, pipe.weights))


def test_whole_program(net: torch.export.ExportedProgram) -> None:
    pipe, image = pipeline()
    x = pipe.resize(image, (4, 5), like="pillow", mode="bilinear")
    x = pipe.normalize(x, mean=MEAN, std=STD)
    x = pipe.layout(x, "HWC->NCHW")
    assert (x.shape, x.dtype, x.layout) == ((1, 3, 4, 5), "float32", "NCHW")
    logits = pipe.model(net, x)
    assert repr(logits) == "<Value float32 (1, 6)>"
    pipe.output("p", pipe.softmax(logits))
    pipe.output("label", pipe.argmax(logits, axis=-1))

    frame = np.random.default_rng(0).integers(0, 256, (8, 9, 3), np.uint8)
    small = np.array(Image.fromarray(frame).resize((5, 4), Image.Resampling.BILINEAR))
    scaled = (torch.tensor(small) / 255 - torch.tensor(MEAN)) / torch.tensor(STD)
    with torch.no_grad():
        wanted = net.module()(scaled.permute(2, 0, 1)[None]).softmax(-1)
    p, label = results(pipe, torch.from_numpy(frame))
    torch.testing.assert_close(p, wanted, rtol=1e-6, atol=1e-7)
    assert torch.equal(label, wanted.argmax(-1))


def test_text_of_the_program(net: torch.export.ExportedProgram) -> None:
    pipe, image = pipeline()
    x = pipe.layout(pipe.normalize(pipe.resize(image, (4, 5)), MEAN, STD), "HWC->NCHW")
    pipe.output("logits", pipe.model(net, x))
    module = pipe.module()
    verify_module(module)
    text = module_text(module)
    again = parse(text)
    assert module_text(again) == text
    main = next(op for op in module.ops if isinstance(op, FuncOp))
    assert main.arg_attrs is not None
    assert main.res_attrs is not None
    names = [a.data["dev.name"] for a in (*main.arg_attrs, *main.res_attrs)]
    assert names == [StringAttr("image"), StringAttr("logits")]
    assert [op.name for op in main.body.block.ops] == [
        "pipe.resize", "pipe.normalize", "pipe.layout", "pipe.model", "func.return",
    ]  # fmt: skip


def test_location_is_the_users_line() -> None:
    pipe, image = pipeline()
    line = inspect.currentframe().f_lineno  # pyright: ignore
    pipe.output("a", pipe.resize(image, (2, 2)))
    pipe.output("b", pipe.resize(image, (3, 3)))
    main = next(op for op in pipe.module().ops if isinstance(op, FuncOp))
    found = [describe_location(op.location) for op in main.body.block.ops][:2]
    for text, (name, number) in zip(
        found, [("resize", line + 1), ("resize_2", line + 2)], strict=True
    ):
        assert re.fullmatch(rf"{name} at .*test_dsl\.py:{number}", text)
    where = describe_location(main.args[0].location)
    assert re.fullmatch(r"image at .*test_dsl\.py:\d+", where)


def test_module_is_a_new_copy() -> None:
    pipe, image = pipeline()
    pipe.output("y", pipe.cast(image, "float32"))
    first, second = pipe.module(), pipe.module()
    assert first is not second
    assert module_text(first) == module_text(second)


@pytest.mark.parametrize(
    ("shape", "layout"),
    [
        ((8, 9), "HW"), ((8, 9, 1), "HWC"), ((8, 9, 3), "HWC"), ((8, 9, 4), "HWC"),
        ((2, 8, 9, 3), "NHWC"), ((3, 8, 9), None), ((1, 3, 8, 9), None), ((5,), None),
        ((), None), ((2, 2, 8, 9, 3), None),
    ],
)  # fmt: skip
def test_default_layout(shape: tuple[int, ...], layout: str | None) -> None:
    assert devproc.pipeline("p").input("x", "float32", shape).layout == layout


def test_layout_may_be_given_or_denied() -> None:
    pipe = devproc.pipeline("p")
    assert pipe.input("a", "uint8", (3, 8, 9), layout="CHW").layout == "CHW"
    assert pipe.input("b", "uint8", (8, 9, 3), layout="").layout is None
    turned = pipe.layout(pipe.input("c", "float32", (2, 5, 6)), "CHW->HWC")
    assert (turned.shape, turned.layout) == ((5, 6, 2), "HWC")


@pytest.mark.parametrize(
    ("shape", "change", "wanted"),
    [
        ((2, 3, 3), "HWC->CHW", (3, 2, 3)), ((2, 3), "HW->NCHW", (1, 1, 2, 3)),
        ((1, 2, 3, 3), "NHWC->WHC", (3, 2, 3)), ((2, 3, 1), "HWC->NWH", (1, 3, 2)),
        ((2, 3, 3), "HWC -> HWC", (2, 3, 3)),
    ],
)  # fmt: skip
def test_layout_moves_elements(
    shape: tuple[int, ...], change: str, wanted: tuple[int, ...]
) -> None:
    pipe = devproc.pipeline("p")
    y = pipe.layout(pipe.input("x", "float32", shape), change)
    assert y.shape == wanted
    pipe.output("y", y)
    x = torch.randn(shape)
    source, target = change.replace(" ", "").split("->")
    kept = [letter for letter in source if letter in target]
    order = [kept.index(letter) for letter in target if letter in source]
    moved = x.reshape([shape[source.index(k)] for k in kept]).permute(order)
    assert torch.equal(results(pipe, x)[0], moved.reshape(wanted))


def test_steps_take_numpy_numbers() -> None:
    pipe, image = pipeline()
    size: Any = np.array([2, 3])
    mean: Any = np.array(MEAN, np.float32)
    axis: Any = np.int64(2)
    y = pipe.normalize(pipe.resize(image, size), mean, STD)
    assert y.shape == (2, 3, 3)
    assert pipe.argmax(y, axis).shape == (2, 3)


def test_one_number_stands_for_all_channels() -> None:
    pipe, image = pipeline()
    pipe.output("y", pipe.normalize(image, 0.5, 2))
    frame = torch.randint(0, 256, (8, 9, 3), dtype=torch.uint8)
    assert torch.equal(results(pipe, frame)[0], (frame.float() / 255 - 0.5) / 2)


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes_of_numpy_and_pytorch(name: str) -> None:
    given: list[Any] = [getattr(torch, name)]
    if name != "bfloat16":
        given += [getattr(np, "bool_" if name == "bool" else name), np.dtype(name)]
    pipe = devproc.pipeline("p")
    for number, dtype in enumerate(given):
        x = pipe.input(f"x{number}", dtype, (2,))
        assert x.dtype == name
        assert pipe.cast(x, dtype).dtype == name


def test_argmax_and_softmax_keep_the_layout() -> None:
    pipe = devproc.pipeline("p")
    x = pipe.input("x", "float32", (1, 21, 8, 9), layout="NCHW")
    assert pipe.softmax(x, axis=1).layout == "NCHW"
    assert pipe.argmax(x, axis=1).layout == "NHW"
    assert pipe.cast(x, "float16").layout == "NCHW"


def test_result_structure_of_a_model() -> None:
    example = (torch.zeros(2, 3), torch.zeros(2, 3))
    exported = torch.export.export(TwoHeads(), example)
    pipe = devproc.pipeline("p")
    x, y = (pipe.input(n, "float32", (2, 3)) for n in "xy")
    result = pipe.model(exported, x, y)
    assert list(result) == ["sum", "rest", "version"]
    assert result["version"] == 3
    assert result["rest"][1] is y
    pipe.output("sum", result["sum"])
    pipe.output("relu", result["rest"][0])
    a, b = torch.randn(2, 3), torch.randn(2, 3)
    total, relu = results(pipe, a, b)
    assert torch.equal(total, a + b)
    assert torch.equal(relu, a.relu())


def test_several_models(net: torch.export.ExportedProgram, tmp_path: Path) -> None:
    """One program used twice is imported once; two have weights of their own."""
    torch.manual_seed(1)
    other = torch.export.export(Net().eval(), (torch.zeros(1, 3, 4, 5),))
    torch.export.save(other, tmp_path / "other.pt2")
    pipe = devproc.pipeline("p")
    x = pipe.input("x", "float32", (1, 3, 4, 5))
    pipe.output("a", pipe.model(net, x))
    pipe.output("b", pipe.model(tmp_path / "other.pt2", x))
    pipe.output("c", pipe.model(net, x))
    module = pipe.module()
    functions = [op.sym_name.data for op in module.ops if isinstance(op, FuncOp)]
    assert functions == ["main", "model", "model_2"]
    assert {n.split(".")[0] for n in pipe.weights} == {"model", "model_2"}
    value = torch.randn(1, 3, 4, 5)
    a, b, c = results(pipe, value)
    with torch.no_grad():
        torch.testing.assert_close(a, net.module()(value))
        torch.testing.assert_close(b, other.module()(value))
    assert torch.equal(a, c)


def test_weights_carry_their_hash(net: torch.export.ExportedProgram) -> None:
    pipe = devproc.pipeline("p")
    pipe.output("y", pipe.model(net, pipe.input("x", "float32", (1, 3, 4, 5))))
    named = {
        op.weight_name: op.hash.data  # pyright: ignore
        for op in pipe.module().walk()
        if op.name == "nn.weight"
    }
    assert named == {name: pipe.weights.hash(name) for name in pipe.weights}


def test_place_is_recorded_in_order() -> None:
    pipe, image = pipeline()
    pipe.output("y", image)
    pipe.place("nn.conv2d", "cpu")
    pipe.place("features.*", "cuda")
    wanted = ArrayAttr(
        ArrayAttr([StringAttr(a), StringAttr(b)])
        for a, b in (("nn.conv2d", "cpu"), ("features.*", "cuda"))
    )
    assert pipe.module().attributes["devproc.placement"] == wanted


def test_building_imports_neither_numpy_nor_torch() -> None:
    code = (
        "import sys, devproc\n"
        "pipe = devproc.pipeline('p')\n"
        "x = pipe.input('x', 'uint8', (8, 9, 3))\n"
        "x = pipe.normalize(pipe.resize(x, (4, 4)), 0.5, 0.5)\n"
        "pipe.output('y', pipe.argmax(pipe.softmax(pipe.layout(x, 'HWC->NCHW'))))\n"
        "pipe.module()\n"
        "print([m for m in ('numpy', 'torch', 'triton', 'llvmlite') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


# Wrong programs: each is refused at the line of the call, with a message of its own.


def other_value() -> Value:
    return devproc.pipeline("other").input("image", "uint8", (8, 9, 3))


Wrong = Callable[[Pipeline, Value], object]

WRONG: dict[str, tuple[Wrong, str]] = {
    "input twice": (
        lambda p, x: p.input("image", "uint8", (2, 2)),
        r"input 'image': the pipeline has an input of this name; choose another name",
    ),
    "input without a name": (
        lambda p, x: p.input("", "uint8", (2, 2)),
        r"input: name is ''; give a string",
    ),
    "input of unknown dtype": (
        lambda p, x: p.input("y", "float", (2, 2)),
        r"input 'y': unknown dtype 'float'; use one of float64, float32",
    ),
    "input of a dtype that is none": (
        lambda p, x: p.input("y", torch.complex64, (2, 2)),
        r"unknown dtype 'complex64'; use one of",
    ),
    "input of a foreign byte order": (
        lambda p, x: p.input("y", np.dtype(">u2"), (2, 2)),
        r"unknown dtype '>u2'; use one of",
    ),
    "input of negative size": (
        lambda p, x: p.input("y", "uint8", (2, -2)),
        r"shape is \(2, -2\); sizes must be positive",
    ),
    "input of symbolic size": (
        lambda p, x: p.input("y", "uint8", (None, 2)),  # pyright: ignore
        r"shape is \(None, 2\); give a tuple of integers",
    ),
    "input of fractional size": (
        lambda p, x: p.input("y", "uint8", (2.5, 2)),  # pyright: ignore
        r"shape is \(2.5, 2\); give a tuple of integers",
    ),
    "input with unknown layout": (
        lambda p, x: p.input("y", "uint8", (2, 2), layout="XY"),
        r"layout 'XY' may only have the letters N, H, W, C",
    ),
    "input with a layout too long": (
        lambda p, x: p.input("y", "uint8", (2, 2), layout="HWC"),
        r"layout 'HWC' does not fit shape \(2, 2\)",
    ),
    "input with an axis twice": (
        lambda p, x: p.input("y", "uint8", (2, 2), layout="HH"),
        r"layout 'HH' names an axis twice",
    ),
    "value of another pipeline": (
        lambda p, x: p.resize(other_value(), (2, 2)),
        r"resize: <Value uint8 \(8, 9, 3\) HWC> belongs to pipeline 'other', not to"
        r" 'test'; build one program with one pipeline",
    ),
    "output of another pipeline": (
        lambda p, x: p.output("y", other_value()),
        r"output 'y': <Value .*> belongs to pipeline 'other'",
    ),
    "an array for a value": (
        lambda p, x: p.resize(np.zeros((8, 9, 3)), (2, 2)),  # pyright: ignore
        r"resize: takes a value of the pipeline, got ndarray; declare data with input",
    ),
    "normalize of an array": (
        lambda p, x: p.normalize(np.zeros(3), 0.5, 0.5),  # pyright: ignore
        r"normalize: takes a value of the pipeline, got ndarray",
    ),
    "output twice": (
        lambda p, x: (p.output("y", x), p.output("y", x)),
        r"output 'y': the pipeline has an output of this name",
    ),
    "no output": (
        lambda p, x: p.module(),
        r"pipeline 'test': the pipeline has no output; end it with output\(",
    ),
    "resize of unknown mode": (
        lambda p, x: p.resize(x, (2, 2), mode="linear"),
        r"resize of <Value uint8 \(8, 9, 3\) HWC>: pillow has no resize mode 'linear';"
        r" one of nearest, box, bilinear",
    ),
    "resize like an unknown library": (
        lambda p, x: p.resize(x, (2, 2), like="scipy"),
        r"unknown reference 'scipy'; one of pillow, torchvision, opencv",
    ),
    "resize of a mode that the library lacks": (
        lambda p, x: p.resize(p.cast(x, "float32"), (2, 2), "torchvision", "hamming"),
        r"torchvision has no resize mode 'hamming'; one of nearest, nearest-exact, bil",
    ),
    "resize to one number": (
        lambda p, x: p.resize(x, 224),  # pyright: ignore
        r"resize: size is 224; give a tuple of integers",
    ),
    "resize to three numbers": (
        lambda p, x: p.resize(x, (2, 2, 3)),
        r"size \(2, 2, 3\) of <Value .*> has 3 values; give \(height, width\)",
    ),
    "resize to nothing": (
        lambda p, x: p.resize(x, (0, 2)),
        r"size is \(0, 2\); sizes must be positive",
    ),
    "resize to a negative size": (
        lambda p, x: p.resize(x, (4, -2)),
        r"size is \(4, -2\); sizes must be positive",
    ),
    "resize to the memory of a cluster": (
        lambda p, x: p.resize(x, (100000, 100000)),
        r"resize: uint8 \(100000, 100000, 3\) HWC takes 27.9 GiB of memory, and a value may"
        r" take 4 GiB; give a smaller size",
    ),
    "an input of as much": (
        lambda p, x: p.input("y", "float64", (1 << 20, 1 << 20)),
        r"input 'y': float64 .* takes 8192.0 GiB of memory",
    ),
    "a size of more than 64 bits": (
        lambda p, x: p.resize(x, (1 << 63, 2)),
        r"resize: size is \(9223372036854775808, 2\); give a tuple of integers",
    ),
    "an option misspelt": (
        lambda p, x: p.resize(x, (2, 2), moed="box"),  # pyright: ignore
        r"resize: got an unexpected keyword argument 'moed'; it takes x, size, like, mode,"
        r" antialias; did you mean 'mode'\?",
    ),
    "too many arguments": (
        lambda p, x: p.sigmoid(x, 1, 2),  # pyright: ignore
        r"sigmoid: too many positional arguments; it takes x",
    ),
    "too few arguments": (
        lambda p, x: p.resize(x),  # pyright: ignore
        r"resize: missing a required argument: 'size'; it takes x, size",
    ),
    "resize without axes": (
        lambda p, x: p.resize(p.input("y", "uint8", (3, 8, 9)), (2, 2)),
        r"resize needs axes H and W, got uint8 \(3, 8, 9\); declare the input's layout",
    ),
    "resize of an int32 image": (
        lambda p, x: p.resize(p.cast(x, "int32"), (2, 2)),
        r"nn.resize takes uint8 or float32, got int32 \(8, 9, 3\)",
    ),
    "normalize with two means": (
        lambda p, x: p.normalize(x, (0.5, 0.5), STD),
        r"the image has 3 channels, but mean has 2 values and std 3; give one mean and"
        r" one std per channel",
    ),
    "normalize by zero": (
        lambda p, x: p.normalize(x, MEAN, (1, 0, 1)),
        r"std must not be zero",
    ),
    "normalize by words": (
        lambda p, x: p.normalize(x, "mean", STD),  # pyright: ignore
        r"normalize: mean is 'mean'; give numbers",
    ),
    "normalize of float64": (
        lambda p, x: p.normalize(p.cast(x, "float64"), MEAN, STD),
        r"nn.normalize takes uint8, uint16 or float32, got float64",
    ),
    "normalize without a layout": (
        lambda p, x: p.normalize(p.input("y", "float32", (3, 8, 9)), 0.5, 0.5),
        r"normalize needs an image layout, got float32 \(3, 8, 9\)",
    ),
    "layout that is no change": (
        lambda p, x: p.layout(x, "NCHW"),
        r"layout: 'NCHW' is no change of layout; write 'HWC->NCHW'",
    ),
    "layout from another": (
        lambda p, x: p.layout(x, "CHW->HWC"),
        r"the value is uint8 \(8, 9, 3\) HWC, not CHW; the left side must be the value's",
    ),
    "layout with an unknown axis": (
        lambda p, x: p.layout(x, "HWC->HWD"),
        r"layout 'HWD' may only have the letters",
    ),
    "layout that drops an axis": (
        lambda p, x: p.layout(x, "HWC->HW"),
        r"'HWC->HW' would drop the axis C of uint8 \(8, 9, 3\) HWC; only an N or C of"
        r" size 1 may come or go",
    ),
    "layout of nothing": (
        lambda p, x: p.layout(x, ""),
        r"layout: change is ''",
    ),
    "softmax of integers": (
        lambda p, x: p.softmax(x),
        r"softmax of <Value .*>: nn.softmax takes a floating-point operand",
    ),
    "softmax along a missing axis": (
        lambda p, x: p.softmax(p.cast(x, "float32"), axis=3),
        r"axis 3 is out of range for rank 3",
    ),
    "argmax along a missing axis": (
        lambda p, x: p.argmax(x, axis=-4),
        r"axis -4 is out of range for rank 3; give an axis that the value has",
    ),
    "argmax along a name": (
        lambda p, x: p.argmax(x, axis="C"),  # pyright: ignore
        r"argmax: axis is 'C'; give an integer",
    ),
    "argmax of bools": (
        lambda p, x: p.argmax(p.cast(x, "bool")),
        r"nn.argmax does not take a bool operand",
    ),
    "cast to an unknown dtype": (
        lambda p, x: p.cast(x, "double"),
        r"cast: unknown dtype 'double'; use one of float64",
    ),
    "place on an unknown device": (
        lambda p, x: p.place("nn.conv2d", "gpu"),
        r"place: unknown device 'gpu'; use one of cpu, cuda",
    ),
    "place without a pattern": (
        lambda p, x: p.place("", "cpu"),
        r"place: pattern is ''",
    ),
    "a module for a model": (
        lambda p, x: p.model(Net(), x),
        r"model: Net is no exported program; give torch.export.export\(module, args\)",
    ),
    "a model that is not there": (
        lambda p, x: p.model("missing.pt2", x),
        r"model: no file 'missing.pt2'.*; give the path of a whole .pt2 file",
    ),
    "a model that no one gave": (
        lambda p, x: p.model(None, x),
        r"model: NoneType is no exported program",
    ),
}


def test_step_misspelt() -> None:
    pipe, image = pipeline()
    with pytest.raises(AttributeError, match=r"no step 'resise'; .*mean 'resize'\?"):
        pipe.resise(image, (2, 2))  # pyright: ignore
    assert not hasattr(pipe, "__array__")


@pytest.mark.parametrize("name", WRONG)
def test_wrong_program_is_refused_at_its_line(name: str) -> None:
    wrong, message = WRONG[name]
    pipe, image = pipeline()
    with pytest.raises(BuildError, match=message) as caught:
        wrong(pipe, image)
    line = wrong.__code__.co_firstlineno  # pyright: ignore
    place, number = str(caught.value).split(": ")[0].rsplit(":", 1)
    assert place == __file__
    assert line <= int(number) <= line + 1


@pytest.mark.parametrize(
    "step",
    [
        lambda p, x: p.input("y", "uint8", (2, 2)),
        lambda p, x: p.output("z", x),
        lambda p, x: p.resize(x, (2, 2)),
        lambda p, x: p.normalize(x, 0.5, 0.5),
        lambda p, x: p.layout(x, "HWC->CHW"),
        lambda p, x: p.argmax(x),
        lambda p, x: p.cast(x, "float32"),
        lambda p, x: p.model("m.pt2", x),
        lambda p, x: p.place("nn.relu", "cpu"),
    ],
)
def test_finished_pipeline(step: Wrong) -> None:
    pipe, image = pipeline()
    pipe.output("y", image)
    pipe.module()
    with pytest.raises(BuildError, match="pipeline 'test' is finished"):
        step(pipe, image)


MODEL_INPUTS: dict[str, tuple[Callable[[Pipeline, Value], tuple[Value, ...]], str]] = {
    "none": (lambda p, x: (), r"the model takes 1 inputs, got 0"),
    "two": (lambda p, x: (x, x), r"the model takes 1 inputs, got 2"),
    "dtype": (
        lambda p, x: (p.input("y", "uint8", (1, 3, 4, 5)),),
        r"input 'x' must be float32 \(1, 3, 4, 5\), got uint8 \(1, 3, 4, 5\); cast",
    ),
    "layout": (
        lambda p, x: (p.cast(p.resize(x, (4, 5)), "float32"),),
        r"input 'x' must be float32 \(1, 3, 4, 5\), got float32 \(4, 5, 3\) HWC;",
    ),
    "size": (
        lambda p, x: (p.layout(p.cast(x, "float32"), "HWC->NCHW"),),
        r"input 'x' must be float32 \(1, 3, 4, 5\), got float32 \(1, 3, 8, 9\) NCHW;",
    ),
}


@pytest.mark.parametrize("name", MODEL_INPUTS)
def test_wrong_input_of_a_model(net: torch.export.ExportedProgram, name: str) -> None:
    inputs, message = MODEL_INPUTS[name]
    pipe, image = pipeline()
    values = inputs(pipe, image)
    with pytest.raises(BuildError, match=rf"test_dsl.py:\d+: model: {message}"):
        pipe.model(net, *values)


def test_unsupported_model_is_reported_whole() -> None:
    class Odd(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.linalg.inv(x) + torch.linalg.svdvals(x).sum()

    exported = torch.export.export(Odd(), (torch.zeros(4, 4),))
    pipe = devproc.pipeline("p")
    with pytest.raises(UnsupportedError) as caught:
        pipe.model(exported, pipe.input("x", "float32", (4, 4)))
    assert len(caught.value.problems) >= 2


def test_broken_model_file(tmp_path: Path) -> None:
    (tmp_path / "broken.pt2").write_bytes(b"no archive")
    pipe, image = pipeline()
    with pytest.raises(BuildError, match=r"model: .*broken\.pt2"):
        pipe.model(tmp_path / "broken.pt2", image)


@pytest.mark.parametrize("name", ["", None, 3])
def test_pipeline_needs_a_name(name: object) -> None:
    with pytest.raises(BuildError, match="pipeline: name is"):
        devproc.pipeline(name)  # pyright: ignore
