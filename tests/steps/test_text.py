"""Steps on tokens and embeddings beside PyTorch, and draws beside transformers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from transformers import TopKLogitsWarper, TopPLogitsWarper
from xdsl.builder import Builder
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint

import devproc
from devproc.ir.weights.table import WeightTable
from devproc.reference.run.interpreter import evaluate_op
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import Expressions
from devproc.transforms.tensor.pipe_to_nn.generation import philox
from tests.exactness.measuring import Array

TARGETS = ("cpu", "cuda:interpret")


@pytest.mark.parametrize("target", TARGETS)
def test_tokens(target: str) -> None:
    ids = np.array([[5, 0, 3], [0, 7, 0]])
    pipe = devproc.pipeline("tokens")
    x = pipe.input("x", "int64", ids.shape, "")
    pipe.output("longer", pipe.pad_tokens(x, 5, 9))
    pipe.output("left", pipe.pad_tokens(x, 5, side="left"))
    pipe.output("shorter", pipe.pad_tokens(x, 2, 9))
    pipe.output("same", pipe.pad_tokens(pipe.cast(x, "int32"), 3))
    pipe.output("mask", pipe.attention_mask(x))
    pipe.output("of seven", pipe.attention_mask(x, 7))
    found = devproc.compile(pipe, target, threads=1)(x=ids)
    assert found["longer"].tolist() == [[5, 0, 3, 9, 9], [0, 7, 0, 9, 9]]
    assert found["left"].tolist() == [[0, 0, 5, 0, 3], [0, 0, 0, 7, 0]]
    assert found["shorter"].tolist() == [[5, 0], [0, 7]]
    assert found["same"].dtype == np.int32
    assert np.array_equal(found["same"], ids)
    assert np.array_equal(found["mask"], ids != 0)
    assert np.array_equal(found["of seven"], ids != 7)
    assert found["mask"].dtype == np.int64


@pytest.mark.parametrize("target", TARGETS)
def test_embeddings(target: str) -> None:
    states = np.random.default_rng(0).standard_normal((4, 7, 5)).astype(np.float32)
    states[2, 6], states[3] = np.nan, 0
    mask = np.array([[1, 1, 1, 0, 0, 0, 0], [0] * 7, [1] * 7, [1] * 7])
    pipe = devproc.pipeline("embeddings")
    x = pipe.input("x", "float32", states.shape, "")
    m = pipe.input("mask", "int64", mask.shape, "")
    pooled, first = pipe.mean_pool(x, m), pipe.cls_pool(x)
    pipe.output("mean", pooled)
    pipe.output("first", first)
    pipe.output("unit", pipe.l2_normalize(first))
    pipe.output("unit columns", pipe.l2_normalize(x, axis=1))
    pipe.output("cosine", pipe.cosine_similarity(first, pooled))
    found = devproc.compile(pipe, target, threads=1)(x=states, mask=mask)
    t, weight = torch.from_numpy(states), torch.from_numpy(mask)[..., None].float()
    mean = (t * weight).sum(1) / weight.sum(1).clamp(min=1e-9)
    normalize = torch.nn.functional.normalize
    unit = normalize(t[:, 0])
    wanted = {
        "mean": mean,
        "first": t[:, 0],
        "unit": unit,
        "unit columns": normalize(t, dim=1),
        "cosine": unit @ normalize(mean).T,
    }
    for name, value in wanted.items():
        torch.testing.assert_close(
            torch.from_numpy(found[name]), value, rtol=2e-6, atol=1e-6, equal_nan=True
        )


def test_philox_gives_the_known_answers() -> None:
    """Of Random123, `kat_vectors`: philox4x32 10."""
    ones = 0xFFFFFFFF
    known = {
        (0,) * 6: (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8),
        (ones,) * 6: (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0): (
            0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1,
        ),
    }  # fmt: skip
    for numbers, wanted in known.items():
        module = ModuleOp([])
        e = Expressions(Builder(InsertPoint.at_end(module.body.block)))
        words = [e.constant(n, "int64") for n in numbers]
        results = philox(e, words[:4], words[4:])
        values: dict[Any, torch.Tensor] = {}
        for op in module.body.block.ops:
            given = [values[operand] for operand in op.operands]
            found = evaluate_op(op, given, WeightTable())
            values.update(zip(op.results, found, strict=True))
        assert tuple(int(values[r.ssa]) for r in results) == wanted


K, P, TEMPERATURE = 3, 0.75, 1.5


def chooser(batch: int, size: int, target: str = "cpu", threads: int = 1) -> Any:
    """A program with a choice by each strategy."""
    pipe = devproc.pipeline("choice")
    x = pipe.input("x", "float32", (batch, size), "")
    seed = pipe.input("seed", "int64", (1,))
    pipe.output("greedy", pipe.next_token(x))
    drawn = {"temperature": TEMPERATURE, "seed": seed}
    pipe.output("top_k", pipe.next_token(x, "top_k", k=K, **drawn))
    pipe.output("top_p", pipe.next_token(x, "top_p", p=P, **drawn))
    return devproc.compile(pipe, target, threads=threads)


def probabilities(logits: Array) -> dict[str, Array]:
    """What transformers leaves of the logits, as probabilities."""
    scores = torch.from_numpy(logits) / TEMPERATURE
    ids: Any = None
    kept = {
        "top_k": TopKLogitsWarper(K)(ids, scores),
        "top_p": TopPLogitsWarper(P)(ids, scores),
    }
    return {name: value.double().softmax(-1).numpy() for name, value in kept.items()}


def test_draws_are_those_of_transformers() -> None:
    """Only what the filters keep, as often as it is probable; equal scores, too."""
    rng, size, calls = np.random.default_rng(1), 37, 600
    logits = (2 * rng.standard_normal((6, size))).astype(np.float32)
    logits[4, :5] = logits[4].max() + 1
    logits[5] = 0
    program, wanted = chooser(6, size), probabilities(logits)
    counts = {name: np.zeros(logits.shape) for name in wanted}
    for call in range(calls):
        found = program(x=logits, seed=np.array([call * 1_000_003 - 5]))
        assert np.array_equal(found["greedy"], logits.argmax(1))
        for name, count in counts.items():
            count[np.arange(6), found[name]] += 1
    for name, count in counts.items():
        likely = wanted[name]
        if name == "top_p":
            # Which of equal ones go is not defined; how many stay is.
            likely = likely[:5]
            assert np.count_nonzero(count[5]) <= np.count_nonzero(wanted[name][5])
        count = count[: len(likely)]
        assert not count[likely == 0].any(), name
        # Chi-squared, whose mean is the number of tokens - 1: 6 deviations above it.
        expected = np.where(likely > 0, calls * likely, 1)
        distance = ((count - calls * likely) ** 2 / expected).sum(1)
        degrees = np.count_nonzero(likely, axis=1) - 1
        assert (distance <= degrees + 6 * np.sqrt(2 * degrees) + 6).all(), name


def test_one_seed_gives_one_token() -> None:
    """On both targets and with any number of threads; rows differ."""
    logits = np.zeros((5, 11), np.float32)
    programs = [
        chooser(5, 11),
        chooser(5, 11, "cuda:interpret"),
        chooser(5, 11, threads=2),
    ]
    drawn: list[Array] = []
    for seed in (0, 1, -1, 2**40, -(2**63)):
        found = [p(x=logits, seed=np.array([seed])) for p in programs]
        for name in ("greedy", "top_k", "top_p"):
            assert all(np.array_equal(f[name], found[0][name]) for f in found), name
        drawn.append(found[0]["top_k"])
    assert len({tuple(row.tolist()) for row in drawn}) == len(drawn)
    assert len(set(drawn[0].tolist())) > 1


def test_a_vocabulary_above_the_limit_of_constants() -> None:
    logits = np.full((2, 2500), -np.inf, np.float32)
    logits[0, 2400], logits[1, [7, 2499]] = 0, 0
    program = chooser(2, 2500)
    seen: set[int] = set()
    for seed in range(20):
        found = program(x=logits, seed=np.array([seed]))
        assert found["top_p"][0] == 2400
        seen.add(int(found["top_p"][1]))
    assert seen == {7, 2499}
