"""Program -> JSON -> program: the same text, the same results; weights by name."""

from __future__ import annotations

import json
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from jsonschema import Draft202012Validator
from torch import nn
from torch.utils._pytree import tree_flatten
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute

import devproc
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.pipe.base.layout import AxesAttr
from devproc.driver import (
    make_context,
    module_text,
    parse_module,
    run_stages,
    stages_before,
    stages_between,
)
from devproc.exchange.attributes import decode, encode
from devproc.exchange.document import read_document, schema
from devproc.exchange.reader import decode_program
from devproc.exchange.writer import encode_program, format_json
from devproc.ir.types import DTYPES
from devproc.runtime.reading.problems import Problems
from devproc.source import FIRST_TO_REWRITE, read_source
from tests.fuzz.models import grow
from tests.repository import ROOT

SAMPLES = sorted((ROOT / "tests/filecheck/dialects/nn").glob("ops-*.mlir"))


def whole(source: object) -> ModuleOp:
    """A program as JSON holds it: no op is taken apart yet."""
    module = read_source(source).module.clone()  # pyright: ignore
    run_stages(module, make_context(), stages_before(FIRST_TO_REWRITE))
    return module


def through_json(module: ModuleOp) -> ModuleOp:
    """The module that is read from the text written for this one."""
    document = json.loads(format_json(encode_program(module)))
    assert not list(Draft202012Validator(schema()).iter_errors(document))
    problems = Problems("the test")
    found = decode_program(document, problems)
    problems.check()
    return found


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_op_round_trips(path: Path) -> None:
    """The programs of the round-trip tests of the dialect hold each op of it."""
    module = parse_module(path.read_text())
    functions = [op for op in module.walk() if isinstance(op, FuncOp)]
    assert functions
    for function in functions:
        main = function.clone()
        main.properties["sym_name"] = StringAttr("main")
        last = main.body.block.last_op
        if not isinstance(last, ReturnOp):
            main.body.block.add_op(ReturnOp())
        alone = ModuleOp([main])
        if any(
            isinstance(v, WeightOp) and "prepare" in str(v.key) for v in alone.walk()
        ):
            continue
        assert module_text(through_json(alone)) == module_text(alone)


class Net(nn.Module):
    """Shared layers, constants with NaN, outputs that are inputs and Python values."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.fc = nn.Linear(4, 5)

    def forward(self, x: torch.Tensor, scale: int = 3) -> dict[str, object]:
        y = self.norm(self.conv(x)).relu().mean((2, 3))
        special = torch.tensor([nan, inf, -0.0, 1e-45], dtype=x.dtype)
        return {
            "logits": self.fc(y).softmax(-1),
            "same": x,
            "scale": scale,
            "special": (special * x[0, 0, 0, :4], special.to(torch.bfloat16)),
        }


X = torch.randn(2, 3, 7, 9, generator=torch.Generator().manual_seed(0))


def net(seed: int = 0) -> Net:
    torch.manual_seed(seed)
    model = Net().eval()
    for buffer in (model.norm.running_mean, model.norm.running_var):
        assert buffer is not None
        buffer.uniform_(0.5, 2)
    return model


def export() -> torch.export.ExportedProgram:
    return torch.export.export(net(), (X,))


def same(mine: object, theirs: object) -> None:
    """Equal results, bit for bit up to NaN; the same structure."""
    ours, structure = tree_flatten(mine)
    others, wanted = tree_flatten(theirs)
    assert structure == wanted
    for a, b in zip(ours, others, strict=True):
        if isinstance(a, torch.Tensor):
            assert a.dtype == b.dtype
            torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)
        else:
            assert a == b


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_round_trip(seed: int) -> None:
    sample = grow(seed)
    module = whole(torch.export.export(sample.model, sample.inputs))
    assert module_text(through_json(module)) == module_text(module)
    # Another tool may write primitive ops, and `@prepare`.
    run_stages(module, make_context(), stages_between(None, "tensor"))
    found = module_text(through_json(module), locations=False)
    assert found == module_text(module, locations=False)


@pytest.mark.parametrize("seed", [1, 4, 9])
def test_random_programs_give_the_same_results(seed: int, tmp_path: Path) -> None:
    sample = grow(seed)
    program = torch.export.export(sample.model, sample.inputs)
    path = tmp_path / "a.json"
    devproc.export_json(program, path, weights=tmp_path / "w.safetensors")
    wanted = devproc.compile(program, threads=1)(*sample.inputs)
    same(devproc.compile(path, threads=1)(*sample.inputs), wanted)


def test_model_with_weights_and_locations(tmp_path: Path) -> None:
    program, path = export(), tmp_path / "net.json"
    devproc.export_json(program, path, weights=tmp_path / "net.safetensors")
    loaded = devproc.load_json(path)
    text = module_text(loaded.module)
    assert text == module_text(whole(program))
    assert 'loc("conv"' in text
    assert "nn.batch_norm" in text
    same(devproc.compile(loaded, threads=1)(X), devproc.compile(program, threads=1)(X))
    # What is written again is the same.
    devproc.export_json(
        loaded, tmp_path / "again.json", weights=tmp_path / "w.safetensors"
    )
    first, again = (
        json.loads(path.read_text()),
        json.loads((tmp_path / "again.json").read_text()),
    )
    assert again.pop("weights_file") == "w.safetensors"
    assert first.pop("weights_file") == "net.safetensors"
    assert again == first


class Composites(nn.Module):
    """Ops that have a name of their own and are made of others."""

    def __init__(self) -> None:
        super().__init__()
        self.group = nn.GroupNorm(2, 6)
        self.batch = nn.BatchNorm2d(6)
        self.layer = nn.LayerNorm(35)
        self.rms = nn.RMSNorm(35)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.silu(self.group(x)) + F.hardswish(self.batch(x))
        y = F.gelu(y) + F.gelu(y, approximate="tanh") + F.hardsigmoid(y)
        rows = self.rms(self.layer(y.flatten(2)))
        rows = F.scaled_dot_product_attention(rows, rows, rows)
        return rows.softmax(-1) + rows.log_softmax(-1)


COMPOSITES = {
    *("nn.group_norm", "nn.batch_norm", "nn.layer_norm", "nn.rms_norm", "nn.silu"),
    *("nn.hardswish", "nn.hardsigmoid", "nn.gelu", "nn.attention", "nn.softmax"),
    "nn.log_softmax",
}


def test_composite_ops_keep_their_names(tmp_path: Path) -> None:
    torch.manual_seed(5)
    x, path = torch.randn(3, 6, 5, 7), tmp_path / "net.json"
    program = torch.export.export(Composites().eval(), (x,))
    devproc.export_json(program, path, weights=tmp_path / "net.safetensors")
    (main,) = json.loads(path.read_text())["functions"]
    assert {op["kind"] for op in main["ops"]} >= COMPOSITES
    assert module_text(devproc.load_json(path).module) == module_text(whole(program))
    found, wanted = (devproc.compile(s, threads=1)(x) for s in (path, program))
    same(found, wanted)


def test_folders_that_are_missing(tmp_path: Path) -> None:
    there, missing = tmp_path / "net.json", tmp_path / "none" / "net.json"
    with pytest.raises(devproc.BundleError, match=r"there is no folder .*none; create"):
        devproc.export_json(export(), missing)
    with pytest.raises(devproc.BundleError, match=r"there is no folder .*none; create"):
        devproc.export_json(
            export(), there, weights=missing.with_suffix(".safetensors")
        )
    assert not [*tmp_path.iterdir()]


def test_other_weights_of_the_same_model(tmp_path: Path) -> None:
    """A state dict of another training: the program computes with it."""
    path, other = tmp_path / "net.json", net(seed=7)
    devproc.export_json(export(), path)
    with pytest.raises(devproc.BundleError, match="no file given for the 8 weights"):
        devproc.load_json(path)
    torch.save(other.state_dict(), tmp_path / "other.pt")
    with pytest.raises(devproc.BundleError, match="num_batches_tracked' is not one"):
        devproc.load_json(path, tmp_path / "other.pt")
    loaded = devproc.load_json(path, tmp_path / "other.pt", allow_extra_weights=True)
    assert module_text(loaded.module) == module_text(
        whole(torch.export.export(other, (X,)))
    )
    found = devproc.compile(loaded, threads=1)(X)["logits"]
    with torch.no_grad():
        wanted = other.double()(X.double())["logits"]
    torch.testing.assert_close(found.double(), wanted, rtol=1e-5, atol=1e-6)


def test_a_pipeline_with_prepared_weights(tmp_path: Path) -> None:
    pipe = devproc.pipeline("classify")
    image = pipe.input("image", "uint8", (11, 13, 3))
    x = pipe.resize(image, (7, 9), like="pillow", mode="bilinear")
    x = pipe.normalize(x, mean=(0.1, 0.2, 0.3), std=(0.5, 0.6, 0.7))
    x = pipe.layout(x, "HWC->NCHW")
    classifier = nn.Sequential(nn.Flatten(), nn.Linear(189, 5)).eval()
    one = torch.export.export(classifier, (torch.randn(1, 3, 7, 9),))
    pipe.output("label", pipe.argmax(pipe.model(one, x), axis=-1))
    path = tmp_path / "pipe.json"
    devproc.export_json(pipe, path, weights=tmp_path / "pipe.safetensors")
    loaded = devproc.load_json(path)
    assert module_text(loaded.module) == module_text(whole(pipe))
    data = np.random.default_rng(0).integers(0, 256, (11, 13, 3), np.uint8)
    found = devproc.compile(path, threads=1)(image=data)
    assert list(found) == ["label"]
    assert found["label"] == devproc.compile(pipe, threads=1)(image=data)["label"]


class Counter(nn.Module):
    """A model with a state: how often it ran, and the sum of what it saw."""

    count: torch.Tensor
    total: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.tensor(3))
        self.register_buffer("total", torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count.add_(1)
        self.total.add_(x)
        return self.total / self.count


def test_a_program_with_state(tmp_path: Path) -> None:
    x, path = torch.randn(4), tmp_path / "counter.json"
    program = torch.export.export(Counter(), (x,))
    devproc.export_json(program, path, weights=tmp_path / "counter.safetensors")
    assert module_text(devproc.load_json(path).module) == module_text(whole(program))
    found, wanted = devproc.compile(path, threads=1), Counter()
    for _ in range(3):
        same(found(x), wanted(x))


def test_names_are_unique_and_survive() -> None:
    """xDSL prints `%x_1` both for a second `x` and for a value named `x_1`."""
    text = """
    func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %y = nn.exp %x : (tensor<3xf32>) -> tensor<3xf32>
      %z = nn.exp %y : (tensor<3xf32>) -> tensor<3xf32>
      %0 = nn.exp %z : (tensor<3xf32>) -> tensor<3xf32>
      func.return %0 : tensor<3xf32>
    }"""
    module = parse_module(text)
    main = next(op for op in module.walk() if isinstance(op, FuncOp))
    ops = list(main.body.block.ops)
    for op, hint in zip(ops, ("x", "x_1_1", "x_1_1"), strict=False):
        op.results[0].name_hint = hint
    names = list(encode_program(module)["functions"][0]["tensors"])
    assert names == ["x", "x_1", "x_1_1", "x_1_2"]
    found = through_json(module)
    again = next(op for op in found.walk() if isinstance(op, FuncOp))
    hints = [op.results[0].name_hint for op in again.body.block.ops if op.results]
    assert hints == [op.results[0].name_hint for op in ops if op.results]


ATTRIBUTES: tuple[Attribute, ...] = (
    IntegerAttr(-(2**63), i64),
    IntegerAttr(1, i1),
    FloatAttr(0.1, f64),
    FloatAttr(-inf, f64),
    FloatAttr(-0.0, f64),
    StringAttr('"\\\n€'),
    SymbolRefAttr("a.b"),
    UnitAttr(),
    DenseArrayBase.from_list(i64, []),
    DenseArrayBase.from_list(i64, [-1, 2**62]),
    DenseArrayBase.from_list(f64, [1.0, 2.5]),
    DenseArrayBase.from_list(f64, []),
    ArrayAttr([StringAttr("a"), ArrayAttr([UnitAttr()])]),
    DictionaryAttr({"k": IntegerAttr(0, i64)}),
    AxesAttr.get("HWC"),
    *DTYPES.values(),
)


@pytest.mark.parametrize("value", ATTRIBUTES, ids=str)
def test_attributes_round_trip(value: Attribute) -> None:
    data = json.loads(json.dumps(encode(value, "it"), allow_nan=False))
    assert decode(data, make_context()) == value
    rule = {"$ref": "#/$defs/attribute", "$defs": schema()["$defs"]}
    assert Draft202012Validator(rule).is_valid(data)


def test_nan_payloads_survive() -> None:
    text = 'dense<"0x0100A07F0000C07F"> : tensor<2xf32>'
    module = parse_module(f"""
    func.func @main() -> tensor<2xf32> {{
      %c = nn.constant {text} : tensor<2xf32>
      func.return %c : tensor<2xf32>
    }}""")
    assert text in module_text(through_json(module))


def test_what_has_no_form_is_refused() -> None:
    with pytest.raises(ValueError, match="attribute 'it' has no form in JSON: 1 : i32"):
        encode(IntegerAttr(1, i32), "it")
    module = parse_module("""
    func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
      func.return %x : tensor<2xf32>
    }
    func.func @main(%x: tensor<2xf32, #dev.on<"cpu">>, %n: i32) {
      %y = arith.constant 1 : i32
      func.return
    }""")
    with pytest.raises(devproc.BundleError) as caught:
        encode_program(module)
    for part in ("besides @main and @prepare", "arith.constant", "'x' has no form"):
        assert part in str(caught.value)


def test_schema_is_valid_and_the_file_says_its_version(tmp_path: Path) -> None:
    Draft202012Validator.check_schema(schema())
    devproc.export_json(export(), tmp_path / "net.json")
    document = read_document(tmp_path / "net.json")
    assert document["format"] == "devproc.program"
    assert document["version"] == "1.1"
    assert "weights_file" not in document
