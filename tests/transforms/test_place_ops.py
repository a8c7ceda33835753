"""Placement: the cut against every assignment, the user's wishes, the reasons."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import combinations, product

import pytest
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr

from devproc.dialects.dev import PlaceAttr
from devproc.driver import make_pass
from devproc.errors import CompileError
from devproc.ir.text.location import location_name
from devproc.transforms.placed.assignment.cost_model import work_of
from devproc.transforms.placed.assignment.minimum_cut import Flow, assign, total_ns
from devproc.transforms.placed.assignment.requests import OVERRIDES
from devproc.transforms.placed.place_ops import PlaceOpsPass
from tests.repository import context, parse

CONTEXT = context()


def random_flows(rng: random.Random, ops: int, devices: int) -> list[Flow]:
    """Values of a random program: two inputs, one result of each op."""
    flows: list[Flow] = []
    for producer in (None, None, *range(ops)):
        later = range(0 if producer is None else producer + 1, ops)
        readers = rng.sample(later, min(len(later), rng.randint(0, 3)))
        output = producer is not None and (not readers or rng.random() < 0.2)
        flows.append(flow(rng, producer, readers, output, devices))
    return flows


def random_tree(rng: random.Random, ops: int, devices: int) -> list[Flow]:
    """Values of a program in which each op reads one value."""
    readers: dict[int | None, list[int]] = {op: [] for op in range(ops)}
    readers[None] = [0]
    for op in range(1, ops):
        readers[rng.randrange(op)].append(op)
    return [
        flow(rng, producer, found, producer is not None and not found, devices)
        for producer, found in readers.items()
    ]


def flow(
    rng: random.Random,
    producer: int | None,
    readers: list[int],
    output: bool,
    devices: int,
) -> Flow:
    """A value whose copies take some time, another one for each device."""
    copies = (0, *(rng.randint(1, 100) for _ in range(devices - 1)))
    return Flow(producer, tuple(readers), output, 1, copies)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("devices", [2, 3])
@pytest.mark.parametrize("flows_of", [random_flows, random_tree])
def test_assignment_against_all(
    seed: int, devices: int, flows_of: Callable[[random.Random, int, int], list[Flow]]
) -> None:
    """The cheapest with two devices and of a tree, else as good as any two devices."""
    rng = random.Random(seed)
    ops = rng.randint(1, 9 if devices == 2 else 6)
    times = [[rng.randint(0, 80) for _ in range(ops)] for _ in range(devices)]
    flows = flows_of(rng, ops, devices)
    pinned = {op: rng.randrange(devices) for op in range(ops) if rng.random() < 0.2}
    costs = {
        where: total_ns(times, flows, where)
        for where in product(range(devices), repeat=ops)
        if all(where[op] == device for op, device in pinned.items())
    }
    found = tuple(assign(times, flows, pinned))
    if devices == 2 or flows_of is random_tree:
        assert costs[found] == min(costs.values())
        return
    free = [op for op in range(ops) if op not in pinned]
    for pair in combinations(range(devices), 2):
        two = (c for w, c in costs.items() if {w[op] for op in free} <= {*pair})
        assert costs[found] <= min(two)


def test_one_copy_serves_all_readers() -> None:
    """Three ops that are 5 faster over there are worth one copy of 12, not three."""
    times = [[5, 5, 5], [0, 0, 0]]
    assert assign(times, [Flow(None, (0, 1, 2), False, 12, (0, 12))], {}) == [1] * 3
    flows = [Flow(None, (i,), False, 12, (0, 12)) for i in range(3)]
    assert assign(times, flows, {}) == [0] * 3


def test_a_value_between_two_devices_goes_over_the_host() -> None:
    """Two copies, and the host may have the first for nothing more."""
    value = Flow(0, (1, 2), False, 8, (0, 3, 5))
    assert (value.cost([1, 2, 2]), value.copies([1, 2, 2])) == (8, 2)
    assert (value.cost([1, 2, 0]), value.copies([1, 2, 0])) == (8, 2)
    assert (value.cost([1, 1, 1]), value.copies([1, 1, 1])) == (0, 0)


def test_ties_stay_on_the_host() -> None:
    assert assign([[5], [5]], [], {}) == [0]
    assert assign([[5], [5], [5]], [], {}) == [0]
    assert assign([[], []], [], {}) == []


def program(
    devices: str, size: int = 8, placement: list[tuple[str, str]] | None = None
) -> ModuleOp:
    """Two linear layers with a relu between them."""
    x, w = f"tensor<{size}x{size}xf32>", f"tensor<{size}x{size}xf32>"
    module = parse(
        f"""
        builtin.module attributes {{devproc.target = #dev.target<"{devices}", precision = "default", threads = 2,
            cpu = #cpu.machine<vector_bits = 256>>}} {{
          func.func @main(%x: {x}) -> {x} {{
            %w = nn.weight @w hash "0" : {w}
            %a = nn.linear %x, %w : ({x}, {w}) -> {x} loc("model.fc1"("m.py":1:0))
            %b = nn.relu %a : ({x}) -> {x} loc("model.act"("m.py":2:0))
            %c = nn.linear %b, %w : ({x}, {w}) -> {x} loc("model.fc2"("m.py":3:0))
            func.return %c : {x}
          }}
        }}""",
        CONTEXT,
    )
    if placement is not None:
        module.attributes[OVERRIDES] = ArrayAttr(
            [ArrayAttr([StringAttr(p), StringAttr(d)]) for p, d in placement]
        )
    return module


def places(module: ModuleOp) -> list[PlaceAttr]:
    """The places of the ops, in order, after the pass."""
    PlaceOpsPass().apply(CONTEXT, module)
    found = [op.attributes.get("dev.place") for op in module.walk()]
    return [place for place in found if isinstance(place, PlaceAttr)]


def devices_of(module: ModuleOp) -> list[str]:
    return [place.device.data for place in places(module)]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_one_device_needs_no_reason(device: str) -> None:
    found = places(program(device))
    assert [p.device.data for p in found] == [device] * 3
    assert {p.why.data for p in found} == {"the only device"}


def test_small_work_stays_and_large_work_moves() -> None:
    assert devices_of(program("cpu+cuda", 8)) == ["cpu"] * 3
    assert devices_of(program("cpu+cuda", 2048)) == ["cuda"] * 3


def test_the_reason_holds_the_numbers() -> None:
    module = program("cpu+cuda", 8)
    for place, op in zip(
        places(module), [o for o in module.walk() if "dev.place" in o.attributes],
        strict=True,
    ):  # fmt: skip
        match = re.fullmatch(
            r"(.*): ([\d.e+-]+) us; rejected cuda: ([\d.e+-]+) us and ([+-].*B) of"
            r" copies \(([\d.e+-]+) us\), ([\d.e+-]+) us slower",
            place.why.data,
        )
        assert match, place.why.data
        assert match[1] == str(work_of(op))
        here, there, copies, slower = (float(match[i]) for i in (2, 3, 5, 6))
        assert slower == pytest.approx(there - here + copies, rel=0.02, abs=0.02)
        assert slower >= 0


def test_flops_and_bytes() -> None:
    (linear, relu, _) = [
        op for op in program("cpu", 16).walk() if op.name in ("nn.linear", "nn.relu")
    ]
    assert work_of(linear).flops == 2 * 16 * 16 * 16
    assert work_of(linear).byte_count == 3 * 16 * 16 * 4
    assert work_of(relu).flops == 16 * 16
    assert work_of(relu).byte_count == 2 * 16 * 16 * 4


def test_work_of_attention() -> None:
    """Two for each score and depth, and for each score and column of the values."""
    types = ("3x5x8xf32", "7x8xf32", "3x7x4xf32")
    names = ", ".join(f"%{i}: tensor<{t}>" for i, t in enumerate(types))
    text = (
        f"func.func @main({names}) {{ %r = nn.attention %0, %1, %2 scale 1.0 : f64"
        f" empty 0 : ({', '.join(f'tensor<{t}>' for t in types)}) -> tensor<3x5x4xf32>"
        " func.return }"
    )
    (op,) = (op for op in parse(text).walk() if op.name == "nn.attention")
    assert work_of(op).flops == 3 * 2 * 5 * 7 * (8 + 4)
    assert work_of(op).byte_count == 4 * (3 * 5 * 8 + 7 * 8 + 3 * 7 * 4 + 3 * 5 * 4)


@pytest.mark.parametrize(
    ("placement", "wanted"),
    [
        ([("nn.linear", "cuda")], ["cuda", None, "cuda"]),
        ([("model.fc*", "cuda")], ["cuda", None, "cuda"]),
        ([("model.*", "cuda"), ("model.act", "cpu")], ["cuda", "cpu", "cuda"]),
        ([("model.act", "cpu"), ("model.*", "cuda")], ["cuda", "cuda", "cuda"]),
        ([("nn.*", "cpu")], ["cpu", "cpu", "cpu"]),
    ],
)
def test_the_last_wish_holds(
    placement: list[tuple[str, str]], wanted: list[str | None]
) -> None:
    found = places(program("cpu+cuda", 8, placement))
    for place, device in zip(found, wanted, strict=True):
        if device is not None:
            assert place.device.data == device
            assert place.why.data.startswith("requested by the user with '")


COMPOSITE = """
builtin.module attributes {{devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 2,
    cpu = #cpu.machine<vector_bits = 256>,
    cuda = #triton.options<arch = "sm_90", interpret = 0>>,
    devproc.placement = [["{pattern}", "cuda"]]}} {{
  func.func @main(%x: tensor<3x300xf16>) -> tensor<3x300xf16> {{
    %a = nn.attention %x, %x, %x scale 0.5 : f64 empty 0 :
      (tensor<3x300xf16>, tensor<3x300xf16>, tensor<3x300xf16>) -> tensor<3x300xf16> loc("attn")
    %b = nn.exp %a : (tensor<3x300xf16>) -> tensor<3x300xf16> loc("exp")
    %c = nn.softmax %b axis -1 : (tensor<3x300xf16>) -> tensor<3x300xf16> loc("head")
    func.return %c : tensor<3x300xf16>
  }}
}}"""
"""An exponential by itself, in a softmax, and in the softmax of attention that is opened."""


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [("nn.softmax", {"attn", "head"}), ("nn.attention", {"attn"}), ("head", {"head"})],
)
def test_a_wish_for_an_op_holds_for_its_parts(pattern: str, wanted: set[str]) -> None:
    """Also for the parts of parts, after the passes between."""
    module = parse(COMPOSITE.format(pattern=pattern), CONTEXT)
    for name in ("decompose-nn", "canonicalize", "cse", "dce"):
        make_pass(name).apply(CONTEXT, module)
    PlaceOpsPass().apply(CONTEXT, module)
    powers = [op for op in module.walk() if op.name == "nn.exp"]
    assert [location_name(op.location) for op in powers] == ["attn", "exp", "head"]
    for op in powers:
        place = op.attributes["dev.place"]
        assert isinstance(place, PlaceAttr)
        is_wished = place.why.data.startswith(f"requested by the user with '{pattern}'")
        assert is_wished == (location_name(op.location) in wanted)
        assert place.device.data == "cuda" or not is_wished


def test_a_refusal_lists_the_ops_that_were_opened() -> None:
    module = parse(COMPOSITE.format(pattern="nn.softmx"), CONTEXT)
    make_pass("decompose-nn").apply(CONTEXT, module)
    with pytest.raises(CompileError, match=r"nn\.softmax.*did you mean 'nn\.softmax'"):
        PlaceOpsPass().apply(CONTEXT, module)


def test_a_wish_for_nothing_is_refused() -> None:
    with pytest.raises(CompileError, match=r"'model\.fc3' on 'cuda' matches no op"):
        places(program("cpu+cuda", 8, [("model.fc3", "cuda")]))


def test_a_device_that_is_not_there_is_refused() -> None:
    with pytest.raises(CompileError, match="the target has only cpu"):
        places(program("cpu", 8, [("nn.relu", "cuda")]))


def test_the_host_comes_first() -> None:
    with pytest.raises(CompileError, match="first of several devices is 'cpu'"):
        places(program("cuda+cpu"))
