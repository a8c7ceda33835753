"""The pass split-batch: a program on parts means what it means on the whole batch."""

from __future__ import annotations

import pytest
import torch

from devproc.dialects.nn.pointwise import PointwiseOp
from devproc.driver import make_context, parse_module, run_pass
from devproc.ir.host.batch import part_count
from devproc.ir.weights.table import WeightTable
from devproc.op_rules.facets.tables import BATCH
from devproc.reference.run.interpreter import evaluate
from devproc.runtime.execution.host_reader import find_function
from devproc.transforms.placed.batch.batch_cost import Traffic, best_part

TARGET = """builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
    cpu = #cpu.machine<vector_bits = 512>>} {
"""

# Op -> inputs (of a batch of 4, or indices below 4), the op, type of its result.
OPS: dict[str, tuple[list[str], str, str]] = {
    "nn.argmax": (["4x3x5xf32"], "%0 axis -1 keep 1", "4x3x1xi64"),
    "nn.attention": (
        ["4x5x8xf32", "4x7x8xf32", "4x7x3xf32", "4x1x7xf32"],
        "%0, %1, %2 mask %3 scale 0.25 : f64 empty 1",
        "4x5x3xf32",
    ),
    "nn.cached_attention": (
        ["4x5x8xf32", "4x7x8xf32", "4x7x3xf32", "4x5xi64"],
        "%0, %1, %2 last %3 scale 0.25 : f64 empty 1",
        "4x5x3xf32",
    ),
    "nn.concat": (["4x3xf32", "4x1xf32"], "%0, %1 axis 1", "4x4xf32"),
    "nn.conv2d": (
        ["4x4x7x5xf32", "#6x2x3x2xf32", "#6xf32"],
        "%0, %1 bias %2 stride [2, 1] padding [1, 0] dilation [1, 1] groups 2",
        "4x6x4x4xf32",
    ),
    "nn.cummax": (["4x3xf32"], "%0 axis 1", "4x3xf32 4x3xi64"),
    "nn.cummin": (["4x3x2xf32"], "%0 axis -2", "4x3x2xf32 4x3x2xi64"),
    "nn.cumprod": (["4x3xf32"], "%0 axis 1", "4x3xf32"),
    "nn.cumsum": (["4x3x2xf32"], "%0 axis 1", "4x3x2xf32"),
    "nn.expand": (["4x1x3xf32"], "%0 to [4, 5, 3]", "4x5x3xf32"),
    "nn.gather": (["4x4xf32", "4x2xi64"], "%0 at %1 axes [1]", "4x2xf32"),
    "nn.linear": (
        ["4x2x8xf32", "#5x8xf32", "#5xf32"],
        "%0, %1 bias %2",
        "4x2x5xf32",
    ),
    "nn.kth_value": (["4x3xf32", "4x2xi64"], "%0 at %1", "4x2xf32 4x2xi64"),
    "nn.logcumsumexp": (["4x3xf32"], "%0 axis 1", "4x3xf32"),
    "nn.log_softmax": (["4x3x5xf32"], "%0 axis 2", "4x3x5xf32"),
    "nn.matmul": (["4x2x3x8xf32", "4x1x8x5xf32"], "%0, %1", "4x2x3x5xf32"),
    "nn.max_pool2d": (
        ["4x2x7x5xf32"],
        "%0 kernel [3, 2] stride [2, 1] padding [1, 1] dilation [1, 1] ceil 1",
        "4x2x4x6xf32",
    ),
    "nn.normalize": (
        ["4x5x2xui8"],
        "%0 axis 2 mean [0.5, 0.25] std [0.25, 0.5]",
        "4x5x2xf32",
    ),
    "nn.pad": (["4x3xf32"], "%0 low [0, 1] high [0, 2]", "4x6xf32"),
    "nn.reduce_max": (["4x3x5xf32"], "%0 axes [1, 2] keep 0", "4xf32"),
    "nn.reduce_prod": (["4x3x5xf32"], "%0 axes [1] keep 1", "4x1x5xf32"),
    "nn.reduce_sum": (["4x3x5xf32"], "%0 axes [2] keep 0", "4x3xf32"),
    "nn.resample": (
        ["4x7xf32", "#9xi32", "#9x3xf32"],
        "%0, %1, %2 axis 1",
        "4x9xf32",
    ),
    "nn.reshape": (["4x6x5xf32"], "%0 to [8, 15]", "8x15xf32"),
    "nn.slice": (["4x5xf32"], "%0 from [0, 4] size [4, 2] step [1, -3]", "4x2xf32"),
    "nn.softmax": (["4x3x5xf32"], "%0 axis 1", "4x3x5xf32"),
    "nn.sort": (["4x3xf32"], "%0 descending 1", "4x3xf32 4x3xi64"),
    "nn.sum_pool2d": (
        ["4x2x7x5xf32"],
        "%0 kernel [3, 2] stride [2, 1] padding [1, 1] dilation [1, 1] ceil 0",
        "4x2x4x6xf32",
    ),
    "nn.transpose": (["4x3x5xf32"], "%0 by [0, 2, 1]", "4x5x3xf32"),
    "nn.where": (["4x1xi1", "4x3xf32", "#3xf32"], "%0, %1, %2", "4x3xf32"),
}


def program(op: str) -> str:
    """A function of one op; of what begins with # a weight."""
    operands, text, results = OPS[op]
    types = [f"tensor<{operand.removeprefix('#')}>" for operand in operands]
    arguments: list[str] = []
    weights: list[str] = []
    for i, (operand, type_) in enumerate(zip(operands, types, strict=True)):
        text = text.replace(f"%{i}", f"%v{i}")
        if operand.startswith("#"):
            weights.append(f'%v{i} = nn.weight @w{i} hash "{i}" : {type_}\n')
        else:
            arguments.append(f"%v{i}: {type_}")
    given = ", ".join(f"tensor<{result}>" for result in results.split())
    made = f"({given})" if "," in given else given
    names = ", ".join(f"%r{i}" for i in range(len(results.split())))
    return f"""{TARGET}
      func.func @main({", ".join(arguments)}) -> ({given}) {{
        {"".join(weights)}
        {names} = {op} {text} : ({", ".join(types)}) -> {made}
        func.return {names} : {given}
      }}
    }}"""


def sample(operand: str) -> torch.Tensor:
    """Random numbers of a type; indices below 4."""
    *shape, element = operand.removeprefix("#").split("x")
    sizes = [int(size) for size in shape]
    if element == "f32":
        return torch.randn(sizes)
    kinds = {
        "i64": torch.int64,
        "i32": torch.int32,
        "ui8": torch.uint8,
        "i1": torch.bool,
    }
    return torch.randint(4, sizes).to(kinds[element])


def test_every_rule_is_here() -> None:
    rules = [op for op, rule in BATCH.items() if not isinstance(rule, str)]
    others = {op.name for op in rules if not issubclass(op, PointwiseOp)}
    assert others <= set(OPS)


@pytest.mark.parametrize("items", [1, 2])
@pytest.mark.parametrize("op", OPS)
def test_parts_one_behind_the_other(op: str, items: int) -> None:
    torch.manual_seed(0)
    operands = OPS[op][0]
    values = [sample(operand) for operand in operands]
    weights = WeightTable()
    for i, (operand, value) in enumerate(zip(operands, values, strict=True)):
        if operand.startswith("#"):
            weights.add(f"w{i}", value.numpy(), str(value.dtype).removeprefix("torch."))
    inputs = [v for o, v in zip(operands, values, strict=True) if o[0] != "#"]
    context = make_context()
    module = parse_module(program(op), context)
    wanted = evaluate(find_function(module, "main"), inputs, weights)
    run_pass(f"split-batch{{items={items}}}", module, context, "placed")
    module.verify()
    main = find_function(module, "main")
    assert part_count(main) == 4 // items
    parts = [
        evaluate(main, [v[at : at + items] for v in inputs], weights)
        for at in range(0, 4, items)
    ]
    for index, want in enumerate(wanted):
        found = torch.cat([part[index] for part in parts])
        torch.testing.assert_close(found, want, equal_nan=True)


def test_large_values_make_small_parts() -> None:
    """3 MB for each item: what stays in the shared cache; then half a MB: in a core's."""
    assert best_part([Traffic(1000, 4096, 3 << 20)] * 4, 12) == 4
    assert best_part([Traffic(1000, 4096, 1 << 19)] * 4, 12) == 2


def test_little_gain_is_no_reason() -> None:
    """512 rows for each item on 4 MB of weights: the same traffic is next to nothing."""
    assert best_part([Traffic(4 << 20, 96, 1 << 20)], 16) == 1
    assert best_part([Traffic(4 << 20, 512, 1 << 20)], 16) == 16


def test_few_rows_stay_together() -> None:
    """A weight of 4 MB: 16 rows do not hide how it arrives, 64 do."""
    assert best_part([Traffic(4 << 20, 1, 4096)], 32) == 32
    assert best_part([Traffic(4 << 20, 16, 1 << 20)] * 2, 32) == 8
    assert best_part([Traffic(4 << 20, 64, 1 << 20)] * 2, 32) == 1
