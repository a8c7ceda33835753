"""Bad JSON and bad weights: all problems in one message, never a crash, never code."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import devproc
from devproc.driver import parse_module
from devproc.exchange.writer import encode_program
from devproc.ir.weights.table import WeightTable

TEXT = """
func.func @main(%x: tensor<5x7xf32> {dev.name = "x"})
    -> (tensor<5x3xf32> {dev.name = "p"}, tensor<5xi64> {dev.name = "label"}) {
  %w = nn.weight @w hash "0" : tensor<3x7xf32> loc("fc")
  %b = nn.weight @b hash "1" : tensor<3xf32> loc("fc")
  %half = nn.constant dense<[0.5, 0.25, 2.0]> : tensor<3xf32> : tensor<3xf32>
  %a = nn.linear %x, %w bias %b
    : (tensor<5x7xf32>, tensor<3x7xf32>, tensor<3xf32>) -> tensor<5x3xf32> loc("fc"("net.py":7:0))
  %m = nn.mul %a, %half : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  %l = nn.argmax %m axis 1 keep 0 : (tensor<5x3xf32>) -> tensor<5xi64>
  func.return %m, %l : tensor<5x3xf32>, tensor<5xi64>
}
"""
Change = Callable[[dict[str, Any]], object]


def document() -> dict[str, Any]:
    """A program as plain data; its ops: weight, weight, constant, linear, mul, argmax."""
    return json.loads(json.dumps(encode_program(parse_module(TEXT))))


def tensors() -> dict[str, torch.Tensor]:
    return {"w": torch.randn(3, 7), "b": torch.tensor([1.0, float("nan"), 2.0])}


def load(folder: Path, data: object, weights: str | None = "w.pt") -> Any:
    """Reads a document that was written with the standard library."""
    torch.save(tensors(), folder / "w.pt")
    path = folder / "program.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return devproc.load_json(path, weights and folder / weights)


def refused(folder: Path, data: object, weights: str | None = "w.pt") -> str:
    """The message for a document that must be refused."""
    with pytest.raises(devproc.BundleError) as caught:
        load(folder, data, weights)
    return str(caught.value)


def test_the_document_is_good(tmp_path: Path) -> None:
    """NaN is a value as any other; other tools may write numbers and names their way."""
    data = document()
    data["functions"][0]["tensors"]["x"]["shape"] = [5.0, 7]
    text = json.dumps(data).replace('"m"', '"12 % x"')
    found = devproc.compile(load(tmp_path, text), threads=1)
    x, (w, b) = torch.randn(5, 7), tensors().values()
    w = torch.load(tmp_path / "w.pt", weights_only=True)["w"]
    wanted = torch.nn.functional.linear(x, w, b) * torch.tensor([0.5, 0.25, 2.0])
    torch.testing.assert_close(found(x=x)["p"], wanted, equal_nan=True)


def set_in(path: str, value: object) -> Change:
    """Sets what a path such as `ops/3/kind` (below the function) names."""

    def change(data: dict[str, Any]) -> None:
        *folders, last = path.split("/")
        at: Any = data if folders[:1] == ["$"] else data["functions"][0]
        for part in folders:
            if part != "$":
                at = at[int(part)] if isinstance(at, list) else at[part]
        if value is DELETED:
            del at[last]
        else:
            at[int(last) if isinstance(at, list) else last] = value

    return change


DELETED = object()
OPS = "$.functions[0].ops"

CASES: tuple[tuple[str, object, str], ...] = (
    ("$/format", "onnx", "$.format: must be 'devproc.program', got 'onnx'"),
    ("$/version", "2.0", "$.version: version 2.0 cannot be read, only 1.x"),
    ("$/version", 1.0, '$.version: must be a string such as "1.0"'),
    ("$/version", "1.0.0", "$.version: must be a string"),
    ("$/functions", [], "$.functions: [] should be non-empty"),
    ("$/functions", {}, "$.functions: {} is not of type 'array'"),
    ("$/extra", 1, "$: Additional properties are not allowed ('extra' was unexpected)"),
    ("$/weights", {}, "$.weights: 'w', which an op names, is missing"),
    ("$/weights/b/dtype", "float64", "$.weights: 'b' differs from an op that names it"),
    ("$/weights/b/hash", "2", "$.weights: 'b' differs from an op that names it"),
    (
        "$/weights/c",
        {"dtype": "bool", "shape": [], "hash": ""},
        "nothing uses 'c'",
    ),
    ("name", "prepare", "$.functions: there is no function 'main'"),
    ("name", "other", "'other' is not one of ['main', 'prepare']"),
    ("inputs/0/tensor", "y", "$.functions[0].inputs[0]: 'y' is not in the list of"),
    ("outputs/0/tensor", "y", "$.functions[0].outputs[0]: 'y' is not made by an"),
    ("outputs/1/name", "p", "$.functions[0].outputs[1]: the name 'p' appears twice"),
    ("tensors/z", {"dtype": "bool", "shape": []}, "tensors: nothing makes 'z'"),
    ("tensors/m", DELETED, f"{OPS}[4].outputs.result: 'm' is not in the list of"),
    ("tensors/m/dtype", "int3", "$.functions[0].tensors.m.dtype: 'int3' is not one of"),
    ("tensors/m/shape", [5, -3], "$.functions[0].tensors.m.shape[1]: -3 is less than"),
    ("tensors/m/shape", [5, 10**30], "is greater than the maximum"),
    ("tensors/m/shape", [5, 10**17], "2000000000000000000 bytes, more than a memory"),
    ("tensors/m/shape", [5, 4], f"{OPS}[4]: nn.mul: result 0 must be float32 (5, 3)"),
    ("ops/3/kind", "nn.nothing", f"{OPS}[3].kind: no op has the kind 'nn.nothing'"),
    ("ops/3/kind", "func.func", "no op has the kind 'func.func'"),
    ("ops/3/kind", "dev.host_call", "no op has the kind 'dev.host_call'"),
    ("ops/3/kind", "", f"{OPS}[3].kind: no op has the kind ''"),
    ("ops/3/kind", None, f"{OPS}[3].kind: None is not of type 'string'"),
    (
        "ops/3/inputs/input",
        "m",
        f"{OPS}[3].inputs.input: 'm' is not made by an earlier",
    ),
    (
        "ops/3/inputs/input",
        "a",
        f"{OPS}[3].inputs.input: 'a' is not made by an earlier",
    ),
    ("ops/3/inputs/input", ["x"], f"{OPS}[3].inputs.input: must be one name"),
    ("ops/3/inputs/input", DELETED, f"{OPS}[3].inputs.input: is missing"),
    ("ops/3/inputs/what", "x", "no role 'what'; there is input, weight, bias"),
    ("ops/3/inputs/weight", "b", f"{OPS}[3]: nn.linear: the weight must have rank 2"),
    ("ops/4/outputs/result", "a", f"{OPS}[4].outputs: 'a' is made a second time"),
    ("ops/4/outputs", {}, f"{OPS}[4].outputs.result: is missing"),
    (
        "ops/5/attributes/axis",
        DELETED,
        f"{OPS}[5].attributes: attribute 'axis' is miss",
    ),
    ("ops/5/attributes/axis", {"int": 2}, f"{OPS}[5]: nn.argmax: axis 2 is out of"),
    ("ops/5/attributes/axis", {"int": 2**63}, "is greater than the maximum"),
    ("ops/5/attributes/axis", {"string": "1"}, f"{OPS}[5]: nn.argmax:"),
    (
        "ops/5/attributes/axis",
        1,
        f"{OPS}[5].attributes.axis: 1 is not of type 'object'",
    ),
    (
        "ops/5/attributes/axis",
        {},
        f"{OPS}[5].attributes.axis: {{}} should be non-empty",
    ),
    ("ops/5/attributes/ax", {"int": 1}, "no attribute 'ax'; there is axis, keep"),
    ("ops/2/attributes/value/tensor/values", [1], "1 values for the shape [3]"),
    ("ops/2/attributes/value/tensor/values", ["a", 1, 2], "'a' does not match"),
    ("ops/2/attributes/value/tensor/dtype", "int8", "0.5 is not a valid int8"),
    ("ops/0/attributes/key", {"symbol": "prepare.0"}, "is not a result of 'prepare'"),
    ("ops/0/attributes/key", {"symbol": "prepare.x"}, "'prepare.x', which an op names"),
    ("ops/0/attributes/key", {"symbol": "prepare.٣"}, "is not a result of 'prepare'"),
    ("ops/0/attributes/key", {"symbol": "b"}, "two ops name 'b' with other types"),
    (
        "inputs/0/attributes",
        {"dev.state": {"string": "x"}},
        "states (dev.state) must be",
    ),
    ("ops/0/location", {"line": 3}, "'file' is a dependency of 'line'"),
    ("$/weights_file", "../w.pt", "'../w.pt' does not match"),
    ("$/weights_file", "/etc/w.pt", "does not match"),
    ("$/weights_file", "c:w.pt", "does not match"),
    ("$/weights_file", "w.pkl", "does not match"),
    ("$/attributes", {"devproc.name": {"int": 1}}, "must be a string"),
    ("$/attributes", {"devproc.placement": {"string": "a"}}, "must be a list of pairs"),
    ("$/attributes", {"a": {"record": {"name": "dev.no", "fields": {}}}}, "is named"),
    ("$/attributes", {"a": {"record": {"name": "os.x", "fields": {}}}}, "is named"),
)


@pytest.mark.parametrize(("path", "value", "message"), CASES)
def test_problem_is_named(
    tmp_path: Path, path: str, value: object, message: str
) -> None:
    data = document()
    set_in(path, value)(data)
    assert message in refused(tmp_path, data)


def test_all_problems_at_once(tmp_path: Path) -> None:
    data = document()
    for path, value in (
        ("ops/3/kind", "nn.nothing"),
        ("ops/4/inputs/rhs", "gone"),
        ("ops/5/attributes/axis", {"int": 7}),
    ):
        set_in(path, value)(data)
    message = refused(tmp_path, data)
    assert "program.json has 3 problems:" in message
    for index in (3, 4, 5):
        assert f"{OPS}[{index}]" in message


def test_all_problems_of_weights_at_once(tmp_path: Path) -> None:
    torch.save({"w": torch.zeros(7, 3), "c": torch.zeros(3)}, tmp_path / "bad.pt")
    message = refused(tmp_path, document(), "bad.pt")
    assert "'w' is float32 (7, 3), the program wants float32 (3, 7)" in message
    assert "weight 'b' is missing" in message
    assert "weight 'c' is not one of the program" in message
    for value, said in (
        (torch.zeros(3, 7).half(), "is float16 (3, 7), the program wants float32"),
        (torch.zeros(3, 7, dtype=torch.complex64), "is torch.complex64 (3, 7)"),
        (torch.zeros(3, 7).to_sparse(), "is sparse, quantised or without data"),
        (3, "is a int, not a tensor"),
    ):
        torch.save({**tensors(), "w": value}, tmp_path / "bad.pt")
        assert f"weight 'w' {said}" in refused(tmp_path, document(), "bad.pt")


@pytest.mark.parametrize("version", ["1.2", "1.9999"])
def test_a_newer_minor_version_may_say_more(tmp_path: Path, version: str) -> None:
    data = document()
    set_in("$/version", version)(data)
    set_in("ops/3/cost", {"flops": 210})(data)
    assert load(tmp_path, data).interface.inputs[0].name == "x"
    set_in("ops/3/attributes", {"new": {"complex": 1}})(data)
    assert "no attribute has the kind 'complex'" in refused(tmp_path, data)
    set_in("$/version", "1.0")(data)
    assert "'cost' was unexpected" in refused(tmp_path, data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a JSON program"),
        ("[1, 2]", '$: not an object with "format"'),
        ("[" * 100_000, "is not a JSON program"),
        ('{"a": ' * 100_000, "is not a JSON program"),
        ('{"format": 1, "format": 2}', "member 'format' appears twice in one object"),
        ('{"format": NaN}', "NaN is not a JSON number"),
        ('{"format": 1e999}', "1e999 is not a finite number"),
        ('{"format": ' + "9" * 5000 + "}", "is not a JSON program"),
        ("\ud800".encode("utf-8", "surrogatepass").decode("latin1"), "is not a JSON"),
    ],
    ids=range(9),
)
def test_text_that_is_no_program(tmp_path: Path, text: str, message: str) -> None:
    assert message in refused(tmp_path, text)


def test_deep_attributes(tmp_path: Path) -> None:
    data = document()
    deep: Any = {"int": 1}
    for _ in range(300):
        deep = {"list": [deep]}
    set_in("ops/3/attributes", {"dev.deep": deep})(data)
    assert refused(tmp_path, data)


def test_truncated_text_never_crashes(tmp_path: Path) -> None:
    text = json.dumps(document())
    for length in range(0, len(text) - 1, 97):
        assert "is not a JSON program" in refused(tmp_path, text[:length])


JUNK: tuple[Any, ...] = (
    None, True, -1, 0, 2**63 - 1, 0.5, "", "x", "nn.add", "prepare.0", [], ["x"], {},
    {"int": 3}, {"ints": [1, -7]}, {"string": "a"}, {"dtype": "bool"}, {"list": []},
    {"tensor": {"dtype": "int8", "shape": [2], "values": [1, 2]}},
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every part of a document."""
    keys = range(len(value)) if isinstance(value, list) else value
    inner = keys if isinstance(value, list | dict) else ()
    return [path, *(p for k in inner for p in places(value[k], (*path, k)))]


@pytest.mark.parametrize("seed", range(8))
def test_random_damage_is_refused_or_harmless(tmp_path: Path, seed: int) -> None:
    """Any exception but ours fails the test."""
    rng, good = random.Random(seed), document()
    all_places = places(good)[1:]
    refusals = 0
    for _ in range(60):
        data = copy.deepcopy(good)
        for _ in range(rng.randint(1, 2)):
            *folders, last = rng.choice(all_places)
            at = data
            try:
                for part in folders:
                    at = at[part]
                if rng.random() < 0.2:
                    del at[last]
                else:
                    at[last] = copy.deepcopy(rng.choice(JUNK))
            except (LookupError, TypeError):
                continue
        try:
            load(tmp_path, data)
        except devproc.BundleError:
            refusals += 1
    assert refusals > 30


class Evil:
    """A pickle that runs code where it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (Path.touch, (self.path,))


def test_pickles_run_no_code(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    torch.save({**tensors(), "b": Evil(mark)}, tmp_path / "evil.pt")
    (tmp_path / "plain.pt").write_bytes(pickle.dumps(Evil(mark)))
    for name in ("evil.pt", "plain.pt"):
        assert "cannot be read as weights" in refused(tmp_path, document(), name)
    assert not mark.exists()


def test_damaged_weights_never_crash(tmp_path: Path) -> None:
    table = WeightTable()
    for name, value in tensors().items():
        table.add(name, value.numpy())
    table.save(tmp_path / "good.safetensors")
    load(tmp_path, document(), "good.safetensors")
    rng = random.Random(0)
    for name in ("good.safetensors", "w.pt"):
        whole, suffix = (tmp_path / name).read_bytes(), Path(name).suffix
        bad = f"bad{suffix}"
        for length in (0, 1, 7, 8, 9, 60, len(whole) // 2, len(whole) - 1):
            (tmp_path / bad).write_bytes(whole[:length])
            assert refused(tmp_path, document(), bad)
        for _ in range(40):
            damaged = bytearray(whole)
            for _ in range(3):
                damaged[rng.randrange(min(len(damaged), 600))] = rng.randrange(256)
            (tmp_path / bad).write_bytes(damaged)
            try:
                load(tmp_path, document(), bad)
            except devproc.BundleError:
                pass
    message = refused(tmp_path, document(), "gone.pt")
    assert "no such file" in message
    (tmp_path / "w.npz").write_bytes(b"")
    assert "a file of weights ends in" in refused(tmp_path, document(), "w.npz")


CALLING: dict[str, Any] = {
    "kind": "pytree",
    "specs": [],
    "in_leaves": [["input", 0]],
    "out_leaves": [["output", 0], ["output", 1]],
}
LEAF = {"type": None, "context": None, "children_spec": []}


def spec(type_: str, context: object, *children: object) -> dict[str, Any]:
    return {"type": type_, "context": json.dumps(context), "children_spec": [*children]}


INPUTS = spec(
    "builtins.tuple",
    None,
    spec("builtins.tuple", None, LEAF),
    spec("builtins.dict", []),
)
PAIR = spec("builtins.tuple", None, LEAF, LEAF)
ENUM = {"__enum__": True, "fqn": "antigravity:x", "name": "y"}


@pytest.mark.parametrize(
    ("outputs", "changes", "message"),
    [
        (spec("collections.defaultdict", {}), {}, "lists and dicts are read from JSON"),
        (spec("builtins.dict", ENUM, LEAF, LEAF), {}, "not a structure"),
        (spec("builtins.dict", ["a", ENUM], LEAF, LEAF), {}, "not a structure"),
        (spec("builtins.tuple", None, LEAF), {}, "has 1 leaves, not 2"),
        (PAIR, {"out_leaves": [["output", 0], ["output", 2]]}, "names output 2 of 2"),
        (PAIR, {"out_leaves": [["output", 0], ["input", True]]}, "names input True"),
        (PAIR, {"in_leaves": [["constant", 1]]}, "no leaf gives the inputs [0]"),
        (PAIR, {"in_leaves": [["output", 0]]}, "holds a leaf of kind 'output'"),
        ({"type": None}, {}, "a structure of inputs or outputs has 2 problems"),
        (7, {}, "a structure of inputs or outputs has 1 problem"),
    ],
)
def test_hostile_calling(
    tmp_path: Path, outputs: object, changes: dict[str, Any], message: str
) -> None:
    """PyTorch's text of a structure may name a module, which reading it imports."""
    data = document()
    texts = [json.dumps([1, part]) for part in (INPUTS, outputs)]
    data["calling"] = {**CALLING, "specs": texts, **changes}
    assert "$.calling: " in (found := refused(tmp_path, data))
    assert message in found
    data["calling"] = {**CALLING, "specs": [json.dumps([1, p]) for p in (INPUTS, PAIR)]}
    found = devproc.compile(load(tmp_path, data), threads=1)(torch.zeros(5, 7))
    assert [type(found), len(found)] == [tuple, 2]
