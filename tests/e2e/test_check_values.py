"""Programs with `check_values` raise where PyTorch does, and name operator and value."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import cast

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import devproc
from devproc.driver import make_context, parse_module, run_stages, stages_between
from devproc.errors import CompileError, InputError
from devproc.ir.verification.value_checks import read_checks
from devproc.program import Program
from devproc.source import export_json

N = 5
"""The size of the indexed axis."""

random = torch.Generator().manual_seed(3)
TABLE = torch.randn(N, 3, generator=random)
LINE = torch.arange(N).float()
ROWS = torch.randn(2, 3, generator=random)
LOGITS = torch.randn(2, N, generator=random)
PLANE = torch.randn(2, N, 3, generator=random)


def two(v: Tensor) -> Tensor:
    """Indices 0 and v."""
    return torch.cat([torch.zeros_like(v), v])


def offsets(*values: int | Tensor) -> Tensor:
    """Offsets of bags, some of them given."""
    found = [v if isinstance(v, Tensor) else torch.tensor([v]) for v in values]
    return torch.cat(found)


BAG = torch.tensor([0, 1, 2, 3, 4])

INDEXED: dict[str, Callable[[Tensor], Tensor]] = {
    "embedding": lambda v: F.embedding(two(v), TABLE),
    "embedding with padding": lambda v: F.embedding(two(v), TABLE, padding_idx=2),
    "index_select": lambda v: torch.index_select(TABLE, 0, two(v)),
    "index_select int32": lambda v: torch.index_select(TABLE, 0, two(v).int()),
    "gather": lambda v: torch.gather(TABLE, 0, two(v)[:, None].expand(2, 3)),
    "take": lambda v: torch.take(LINE, two(v)),
    "take_along_dim": lambda v: torch.take_along_dim(LINE, two(v)),
    "index": lambda v: TABLE[two(v)],
    "index twice": lambda v: TABLE[two(v), two(v) * 0],
    "index of a later axis": lambda v: TABLE.T.contiguous()[:, two(v)],
    "_unsafe_index": lambda v: torch.ops.aten._unsafe_index(TABLE, [two(v)]),
    "index_put": lambda v: TABLE.index_put((two(v),), ROWS),
    "index_put add": lambda v: TABLE.index_put((two(v),), ROWS, accumulate=True),
    "index_add": lambda v: TABLE.index_add(0, two(v), ROWS),
    "index_copy": lambda v: TABLE.index_copy(0, two(v), ROWS),
    "index_fill": lambda v: TABLE.index_fill(0, two(v), 1.5),
    "index_reduce": lambda v: TABLE.index_reduce(0, two(v), ROWS, "amax"),
    "put": lambda v: LINE.put(two(v), torch.ones(2)),
    "scatter": lambda v: TABLE.scatter(0, two(v)[:, None].expand(2, 3), ROWS),
    "scatter value": lambda v: TABLE.scatter(0, two(v)[:, None], 1.0),
    "scatter_add": lambda v: TABLE.scatter_add(0, two(v)[:, None], ROWS),
    "scatter_reduce": lambda v: TABLE.scatter_reduce(
        0, two(v)[:, None], ROWS, "prod", include_self=False
    ),
    "one_hot": lambda v: F.one_hot(two(v), N),
    "nll_loss": lambda v: F.nll_loss(LOGITS, two(v)),
    "nll_loss2d": lambda v: F.nll_loss(PLANE, two(v)[:, None].expand(2, 3)),
    "cross_entropy": lambda v: F.cross_entropy(LOGITS, two(v), reduction="sum"),
    "cross_entropy with ignored": lambda v: F.cross_entropy(
        LOGITS, two(v), ignore_index=-1
    ),
    "multi_margin_loss": lambda v: F.multi_margin_loss(LOGITS, two(v)),
    "embedding_bag": lambda v: F.embedding_bag(two(v), TABLE, torch.tensor([0, 1])),
    "embedding_bag with padding": lambda v: F.embedding_bag(
        two(v), TABLE, torch.tensor([0, 1]), padding_idx=2
    ),
    "offsets": lambda v: F.embedding_bag(BAG, TABLE, offsets(0, v)),
    "first offset": lambda v: F.embedding_bag(BAG, TABLE, offsets(v, 5)),
    "last offset": lambda v: F.embedding_bag(
        BAG, TABLE, offsets(0, v, 5), include_last_offset=True
    ),
    "max_unpool2d": lambda v: F.max_unpool2d(
        torch.ones(1, 1, 1, 2), two(v).reshape(1, 1, 1, 2), (1, 2), output_size=(1, N)
    ),
    "masked_scatter": lambda v: LINE.masked_scatter(torch.arange(N) < v, torch.ones(3)),
    "searchsorted": lambda v: torch.searchsorted(
        LINE, torch.ones(2), sorter=torch.cat([torch.arange(4), v])
    ),
}
VALUES = (-101, -100, -N - 1, -N, -1, 0, 1, N - 1, N, N + 1, 2**40, -(2**63))
"""Indices inside and outside, counted from the end, and PyTorch's `ignore_index`."""


class Function(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Tensor | tuple[Tensor, ...]]):
        super().__init__()
        self.function = function

    def forward(self, *operands: Tensor) -> Tensor | tuple[Tensor, ...]:
        return self.function(*operands)


def compiled(
    function: Callable[..., Tensor | tuple[Tensor, ...]],
    *operands: Tensor,
    **options: object,
) -> Program:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exported = torch.export.export(Function(function), operands)
    options = {"check_values": True, "threads": 1, "cache": False, **options}
    return devproc.compile(exported, **options)  # type: ignore[arg-type]


def refusal(function: Callable[..., object], *operands: object) -> str | None:
    """What a call raises; None for a result."""
    try:
        function(*operands)
    except (InputError, RuntimeError, IndexError) as error:
        return str(error)
    return None


def indexed(*values: Tensor) -> tuple[Tensor, ...]:
    """All of `INDEXED`, each with a value of its own."""
    return tuple(f(v) for f, v in zip(INDEXED.values(), values, strict=True))


@pytest.fixture(scope="module")
def indexing() -> Program:
    return compiled(indexed, *(torch.tensor([1]) for _ in INDEXED))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", INDEXED)
def test_indices_are_refused_as_by_pytorch(name: str, indexing: Program) -> None:
    function, place = INDEXED[name], list(INDEXED).index(name)
    seen: set[bool] = set()
    for number in VALUES:
        # 0 is valid for each of the others.
        values = [torch.tensor([0]) for _ in INDEXED]
        values[place] = value = torch.tensor([number])
        wanted, found = refusal(function, value), refusal(indexing, *values)
        assert (wanted is None) == (found is None), (number, wanted, found)
        seen.add(found is None)
        if found is not None and name != "masked_scatter":
            assert re.search(r"aten\.\w+(\.\w+)? \(.*test_check_values.py:\d+\)", found)
            assert re.search(rf" {number}( |\b)", found), found
    assert seen == {True, False}


def test_a_label_that_ends_a_row_is_no_index() -> None:
    """`multilabel_margin_loss`: -1 ends the labels of a row."""

    def loss(labels: Tensor) -> Tensor:
        return F.multilabel_margin_loss(LINE, labels)

    program = compiled(loss, BAG)
    for row in ([0, 3, -1, 0, 0], [0, 1, 2, 3, 4], [0, 5, -1, 0, 0], [0, -2, -1, 0, 0]):
        labels = torch.tensor(row)
        assert bool(refusal(loss, labels)) == bool(refusal(program, labels)), row


DIVISIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "fmod": torch.fmod,
    "trunc": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "floor": lambda x, y: torch.div(x, y, rounding_mode="floor"),
    "number over": lambda x, y: 7 % y,
    "broadcast": lambda x, y: x[:, None] // y,
}


def divided(x: Tensor, *divisors: Tensor) -> tuple[Tensor, ...]:
    """All of `DIVISIONS`, each by a divisor of its own."""
    return tuple(f(x, y) for f, y in zip(DIVISIONS.values(), divisors, strict=True))


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int8, torch.uint8])
def test_division_by_zero(dtype: torch.dtype) -> None:
    x = torch.randint(0, 100, (37,)).to(dtype)
    divisors = [torch.arange(1, 38).to(dtype) for _ in DIVISIONS]
    program = compiled(divided, x, *divisors)
    torch.testing.assert_close(program(x, *divisors), divided(x, *divisors))
    for divide, y in zip(DIVISIONS.values(), divisors, strict=True):
        for place in (0, 17, 36):
            kept, y[place] = y[place].clone(), 0
            assert refusal(divide, x, y) == "ZeroDivisionError"
            found = refusal(program, x, *divisors)
            assert found is not None
            assert f"integer division by zero at [{place}] of (37)" in found
            assert "other check" not in found
            y[place] = kept


def test_floats_and_constants_need_no_check() -> None:
    program = compiled(
        lambda x: x // 0 + x.int() % 3 + TABLE[torch.tensor([4, -5])], ROWS
    )
    assert not program.artifact.checks


def test_constants_out_of_range_are_refused_in_each_call() -> None:
    """The export does not look at them, nor at a divisor that is a number."""
    program = compiled(lambda x: TABLE[torch.tensor([1, 9])] + x, ROWS)
    assert "index 9 at [1]" in str(refusal(program, ROWS))
    program = compiled(lambda x: x // 0, BAG)
    assert "integer division by zero; the call" in str(refusal(program, BAG))


@pytest.mark.parametrize(
    ("count", "threads"), [(1, 1), (7, 1), (33, 2), (1027, 1), (70_001, 1), (70_001, 2)]
)
def test_each_place_is_looked_at(count: int, threads: int) -> None:
    """Also the last ones, which a vector does not fill; the first of several is named."""
    program = compiled(
        lambda i: TABLE[i], torch.zeros(count, dtype=torch.int64), threads=threads
    )
    for place in {0, count // 2, count - 1}:
        index = torch.randint(-N, N, (count,))
        assert program(index).equal(TABLE[index])
        index[place:] = N
        assert f"index {N} at [{place}] of ({count})" in str(refusal(program, index))


def test_indices_made_by_the_program_itself() -> None:
    """In one kernel with what makes them; NaN and infinities are no indices."""

    def pick(x: Tensor) -> Tensor:
        return torch.gather(LINE * 2, 0, (x * 4).long()).relu() + x

    x = torch.rand(301)
    program = compiled(pick, x)
    torch.testing.assert_close(program(x), pick(x))
    for value in (float("nan"), float("inf"), -float("inf"), 2.0, -0.25):
        wrong = x.clone()
        wrong[300] = value
        assert refusal(pick, wrong), value
        assert "at [300] of (301)" in str(refusal(program, wrong)), value
    wrong[300] = float("nan")
    assert "(NaN or an infinity as an integer?)" in str(refusal(program, wrong))


def test_nothing_to_look_at() -> None:
    empty = torch.zeros(0, dtype=torch.int64)
    program = compiled(lambda i: TABLE[i].sum() + F.embedding(i, TABLE).sum(), empty)
    assert not program.artifact.checks
    assert float(program(empty)) == 0


def _both(i: Tensor, j: Tensor) -> tuple[Tensor, Tensor]:
    return TABLE[i], F.embedding(j, TABLE) + TABLE[i]


def test_first_of_several_checks_is_named() -> None:
    """Equal checks are one."""
    i, j = torch.tensor([[0, 4]]), torch.tensor([[3, 2]])
    program = compiled(_both, i, j)
    assert len(program.artifact.checks) == 2
    for found, wanted in zip(program(i, j), _both(i, j), strict=True):
        assert found.equal(wanted)
    message = str(refusal(program, i + 9, j - 9))
    assert message.startswith("aten.index.Tensor (")
    assert "index 9 at [0, 0] of (1, 2)" in message
    assert "(1 other checks too); the call has no result" in message


class Cache(nn.Module):
    """A state that is written at an index."""

    kept: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("kept", torch.zeros(N, 3))

    def forward(self, at: Tensor, row: Tensor) -> Tensor:
        self.kept.index_copy_(0, at, row)
        return self.kept + 1


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret", "cpu+cuda:interpret"])
def test_saved_programs_states_and_targets(target: str, tmp_path: Path) -> None:
    """The check travels with a saved program; a refused call leaves the state as it was."""
    at, row = torch.tensor([1]), torch.ones(1, 3)
    exported = torch.export.export(Cache(), (at, row))
    program = devproc.compile(exported, target, check_values=True)
    program.save(tmp_path / "saved")
    for found in (program, devproc.load(tmp_path / "saved")):
        assert found.artifact.checks == program.artifact.checks
        found(at, row)
        before = found.state["kept"]
        assert before[1].tolist() == [1, 1, 1]
        with pytest.raises(InputError, match=r"index 5 at \[0\] of \(1\)"):
            found(torch.tensor([N]), row)
        np.testing.assert_array_equal(found.state["kept"], before)
        with pytest.raises(InputError, match="index -1 at"):
            found(np.array([-1]), row.numpy())
        assert float(found(torch.tensor([4]), row * 3).sum()) == 15 + 3 + 9


def test_option_decides_the_key_of_the_cache_and_is_implied() -> None:
    exported = torch.export.export(Function(lambda i: TABLE[i]), (BAG,))
    with_checks = devproc.compile(exported, check_values=True)
    assert with_checks.artifact.checks
    assert not devproc.compile(exported).artifact.checks
    assert devproc.compile(exported, check_bounds=True).artifact.checks
    again = devproc.compile(exported, check_values=True)
    assert again.timings[0].name == "cache"
    assert again.artifact.checks == with_checks.artifact.checks
    assert refusal(again, BAG + 1)


def test_steps_around_a_model() -> None:
    """Checks of the model of a pipeline, whose own results and names stay."""
    model = Function(lambda i: F.embedding(i, TABLE) * 2)
    pipe = devproc.pipeline("around")
    index = pipe.input("index", "int64", (2, 3))
    found = pipe.model(torch.export.export(model, (torch.zeros(2, 3).long(),)), index)
    pipe.output("found", found)
    program = devproc.compile(pipe, check_values=True)
    given = np.array([[0, 1, 2], [3, 4, 0]])
    wanted = model(torch.from_numpy(given)).numpy()
    np.testing.assert_array_equal(program(index=given)["found"], wanted)
    with pytest.raises(InputError, match=r"index 5 at \[1, 1\] of \(2, 3\)"):
        program(index=given + np.array([[0, 0, 0], [0, 1, 0]]))


def test_a_batch_in_parts_is_whole() -> None:
    """What a check finds belongs to all items."""
    table = torch.randn(4096, 64)
    model = Function(lambda x, i: torch.relu(x @ table.T)[:, :7] + LINE[i])
    x, index = torch.randn(8, 64), torch.randint(0, N, (8, 7))
    program = devproc.compile(torch.export.export(model, (x, index)), check_values=True)
    torch.testing.assert_close(program(x, index), model(x, index))
    index[7, 6] = 9
    assert "index 9 at [7, 6]" in str(refusal(program, x, index))


def test_json_says_no_values_to_look_at(tmp_path: Path) -> None:
    exported = torch.export.export(Function(lambda i: TABLE[i]), (BAG,))
    path = tmp_path / "program.json"
    export_json(exported, path, weights=tmp_path / "program.safetensors")
    with pytest.raises(CompileError, match="a program in JSON does not say"):
        devproc.compile(path, check_values=True)
    assert devproc.compile(path)(BAG).equal(TABLE)


def test_nothing_remains_without_the_option() -> None:
    """Also of what was made for a check alone."""
    exported = torch.export.export(Function(INDEXED["offsets"]), (torch.tensor([1]),))
    text = devproc.compile(exported, cache=False).ir("program")
    module = parse_module(text)
    (function,) = module.body.block.ops
    assert sum("nn.check" in op.name for op in function.walk()) == 2
    run_stages(module, make_context(), stages_between(None, "tensor"))
    assert not any("check" in op.name for op in module.walk())
    assert not read_checks(module)


def test_a_trace_looks_too(tmp_path: Path) -> None:
    """Kernel by kernel, step by step."""
    program = compiled(lambda i: TABLE[i], BAG)
    assert program.trace(tmp_path / "trace.json", BAG).equal(TABLE)
    with pytest.raises(InputError, match=r"index 5 at \[4\]"):
        program.trace(tmp_path / "trace.json", BAG + 1)


def asserted(x: Tensor) -> Tensor:
    """Two assertions, of which the second reads what the first does not."""
    torch.ops.aten._assert_async((x >= 0).all(), "x is negative")
    torch.ops.aten._assert_async(x.sum())
    return x * 2


def probable(x: Tensor, target: Tensor) -> Tensor:
    """A loss of probabilities."""
    return F.binary_cross_entropy(x, target, reduction="none")


def test_assertions_of_a_model() -> None:
    """What PyTorch asserts of elements; without the option nothing is computed for it."""
    x = torch.rand(3, 5, generator=random)
    program = compiled(asserted, x)
    torch.testing.assert_close(program(x), x * 2)
    message = r"_assert_async.msg .*: assertion failed: x is negative; the call has no"
    with pytest.raises(InputError, match=message):
        program(-x - 1)
    with pytest.raises(
        InputError, match=r"_assert_async.default .*: assertion failed;"
    ):
        program(x * 0)
    plain, doubled = (
        compiled(f, x, check_values=False) for f in (asserted, lambda x: x * 2)
    )
    assert plain.ir("tensor").count("nn.") == doubled.ir("tensor").count("nn.") > 0


def of_numbers(x: Tensor, i: Tensor) -> Tensor:
    """What PyTorch checks of numbers that it reads from tensors."""
    total, most = x.sum().item(), i.amax().item()
    torch._check(total > -0.5)
    torch._check(most < 7)
    torch._check((most - i[0].item()) % 2 == 0)
    torch._check(cast(bool, (x[0] < 9).all().item()))
    return x * 2


OF_NUMBERS = (torch.rand(3, 5, generator=random), torch.tensor([2, 4, -8]))


def test_checks_of_numbers() -> None:
    """They are those of the exported program, which raises an error for the same."""
    exported = torch.export.export(Function(of_numbers), OF_NUMBERS)
    program = devproc.compile(exported, check_values=True, cache=False)
    x, i = OF_NUMBERS
    torch.testing.assert_close(program(x, i), x * 2)
    torch.testing.assert_close(program(x - x.mean(), i - 2), (x - x.mean()) * 2)
    nothing = torch.full_like(x, float("nan"))
    odd = torch.tensor([1, 4, -8])
    for refused in [(-x, i), (x, i + 4), (x, odd), (x + 9, i), (nothing, i)]:
        with pytest.raises(RuntimeError, match="Runtime assertion failed"):
            exported.module()(*refused)
        with pytest.raises(InputError, match=r"_assert_scalar.default .*: assertion"):
            program(*refused)


def test_checks_of_numbers_leave_nothing_without_the_option() -> None:
    plain = compiled(of_numbers, *OF_NUMBERS, check_values=False)
    doubled = compiled(lambda x, i: x * 2, *OF_NUMBERS, check_values=False)
    assert plain.ir("tensor").count("nn.") == doubled.ir("tensor").count("nn.") > 0
    x, i = OF_NUMBERS
    torch.testing.assert_close(plain(-x, i + 99), -x * 2)


def test_probabilities_out_of_range() -> None:
    x, target = torch.rand(2, 3, 5, generator=random)
    x[0, 0], target[0, 0] = 0.0, 1.0
    program = compiled(probable, x, target)
    torch.testing.assert_close(program(x, target), probable(x, target))
    operands, wrong = (
        ((x, "input"), (target, "target")),
        (-0.1, 1.1, math.nan, math.inf),
    )
    for (operand, name), value in product(operands, wrong):
        kept, operand[1, 3] = operand[1, 3].clone(), value
        wanted = f"all elements of {name} should be between 0 and 1"
        assert refusal(probable, x, target) is not None
        with pytest.raises(InputError, match=rf"{wanted} at \[1, 3\] of \(3, 5\);"):
            program(x, target)
        operand[1, 3] = kept


class Unsupported(nn.Module):
    """Asserts something of what cannot be compiled."""

    def forward(self, x: Tensor) -> Tensor:
        torch.ops.aten._assert_async(
            torch.linalg.eigvals(x).real.sum() > 0, "eigenvalues"
        )
        return x + 1


def test_assertions_that_are_not_supported() -> None:
    """They are not looked at, and nothing else is asked of the model."""
    x = torch.eye(3)
    exported = torch.export.export(Unsupported(), (x,))
    for fallback in (None, "torch"):
        program = devproc.compile(
            exported, check_values=True, cache=False, fallback=fallback
        )
        torch.testing.assert_close(program(-x), -x + 1)
        assert not program.report().fallbacks.rows
