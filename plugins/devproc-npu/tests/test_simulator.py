"""The simulator against NumPy, and against the cycles that ScaleSim reports."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from devproc_npu.arithmetic import narrow, rescale, widen
from devproc_npu.hazards import Fault
from devproc_npu.isa import (
    CHANNEL_BYTES,
    ZEROS,
    Accumulate,
    Add,
    Compute,
    Config,
    Fence,
    Instruction,
    Load,
    Maximum,
    Preload,
    Queue,
    Requantize,
    Store,
    Type,
    decode,
    encode,
)
from devproc_npu.machine import Machine
from devproc_npu.simulator import simulate

from devproc.quantized import scale_of

BOUNDLESS = Machine(
    scratchpad=1 << 24,
    accumulator=1 << 24,
    bandwidth=1 << 20,
    rows=1 << 20,
    latency=0,
    issue=0,
)


def scalesim_cycles(m: int, n: int, k: int) -> int:
    """ "Total Cycles" of ScaleSim 3.0.0: weight-stationary, 16 x 16, CALC bandwidth."""
    return -(-k // 16) * -(-n // 16) * (m + 46) - 1


def product(m: int, n: int, k: int) -> list[Instruction]:
    """A matrix product with everything in the scratchpad: a, packed b, then channels."""
    b, channels = m * k, m * k + k * n
    out = channels + -(-n // 16) * CHANNEL_BYTES
    load = [
        Load(0, 0, 0, 1, 1, m * k, 0, 0, 0, 0),
        Load(1, 0, b, 1, 1, k * n, 0, 0, 0, 0),
        Load(2, 0, channels, 1, 1, out - channels, 0, 0, 0, 0),
    ]
    array: list[Instruction] = [Fence(Queue.ARRAY, Queue.LOAD, 3)]
    vector: list[Instruction] = []
    for j in range(0, n, 16):
        for i in range(0, k, 16):
            rows, columns = min(16, k - i), min(16, n - j)
            array.append(Preload(b + i * n + j, rows, columns, n, 0))
            array.append(Compute(i, m, rows, k, j // 16 * m, int(i > 0)))
        vector.append(Fence(Queue.VECTOR, Queue.ARRAY, len(array) - 1))
        vector.append(
            Requantize(
                j // 16 * m,
                m,
                min(16, n - j),
                out + j,
                n,
                channels + j // 16 * CHANNEL_BYTES,
                -128,
                127,
            )
        )
    store = [
        Fence(Queue.STORE, Queue.VECTOR, len(vector) // 2),
        Store(3, 0, out, 1, 1, m * n, 0, 0, 0, 0),
    ]
    return [Config(Type.INT8), *load, *array, *vector, *store]


def channels_of(bias: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """The parameters of `Requantize`, blocks of 16 columns."""
    blocks = []
    for j in range(0, len(bias), 16):
        scales = np.zeros((2, 16), np.int64)
        scales[1] = 2
        part = bias[j : j + 16]
        scales[:, : len(part)] = np.array([scale_of(f) for f in factors[j : j + 16]]).T
        padded = np.zeros(16, np.int32)
        padded[: len(part)] = part
        blocks += [
            padded.view(np.uint8),
            scales[0].astype(np.int32).view(np.uint8),
            scales[1].astype(np.int8).view(np.uint8),
        ]
    return np.concatenate(blocks)


@pytest.mark.parametrize(
    ("m", "n", "k"), [(1, 1, 1), (7, 20, 33), (50, 48, 64), (128, 17, 5)]
)
@pytest.mark.parametrize("shadow", [False, True])
def test_product(m: int, n: int, k: int, shadow: bool) -> None:
    random = np.random.default_rng(m * n * k)
    a, b = (random.integers(-128, 128, s, np.int8) for s in ((m, k), (k, n)))
    bias = random.integers(-5000, 5000, n).astype(np.int32)
    factors = random.uniform(1e-4, 1e-2, n)
    out = np.zeros(m * n, np.uint8)
    buffers = [
        a.view(np.uint8).ravel(),
        b.view(np.uint8).ravel(),
        channels_of(bias, factors),
        out,
    ]
    counters = simulate(
        encode(product(m, n, k)), buffers, replace(BOUNDLESS, shadow=shadow)
    )
    exact = (a.astype(np.int64) @ b.astype(np.int64) + bias) * factors
    wanted = np.clip(np.floor(exact + 0.5), -128, 127).astype(np.int8)
    assert np.array_equal(out.view(np.int8).reshape(m, n), wanted)
    if not shadow:
        # What comes after the array: the last requantisation and the store of the result.
        rest = counters.cycles - scalesim_cycles(m, n, k)
        assert 0 < rest <= 6 + m, rest


def bits(value: float) -> int:
    """The bits of an f32, as a signed word."""
    return int(np.float32(value).view(np.int32))


def test_bf16_product_with_transposed_weights() -> None:
    random = np.random.default_rng(3)
    a, b = (
        narrow(random.standard_normal(s).astype(np.float32)) for s in ((5, 16), (9, 16))
    )
    bias = random.standard_normal(16).astype(np.float32)
    a[0, 0], a[1, 2] = narrow(np.array([np.nan, np.inf], np.float32))
    channels = np.concatenate([bias, np.full(16, 0.5, np.float32)])
    out = np.zeros(5 * 9 * 2, np.uint8)
    program = [
        Config(Type.BF16),
        Load(0, 0, 0, 1, 1, 160, 0, 0, 0, 0),
        Load(1, 0, 160, 1, 1, 288, 0, 0, 0, 0),
        Load(2, 0, 448, 1, 1, 128, 0, 0, 0, 0),
        Fence(Queue.ARRAY, Queue.LOAD, 3),
        Preload(160, 16, 9, 32, 1),
        Compute(0, 5, 16, 32, 0, 0),
        Fence(Queue.VECTOR, Queue.ARRAY, 2),
        Requantize(0, 5, 9, 576, 18, 448, bits(0.0), bits(np.inf)),
        Fence(Queue.STORE, Queue.VECTOR, 1),
        Store(3, 0, 576, 1, 1, 90, 0, 0, 0, 0),
    ]
    data = [x.view(np.uint8).ravel() for x in (a, b, channels)]
    simulate(encode(program), [*data, out])
    with np.errstate(invalid="ignore"):
        exact = widen(a).astype(np.float64) @ widen(b).astype(np.float64).T + bias[:9]
    got, wanted = widen(out.view(np.uint16)).reshape(5, 9), np.maximum(exact / 2, 0)
    np.testing.assert_allclose(got, wanted, rtol=2**-8, atol=1e-6)


def test_vector_instructions() -> None:
    """Sum, greater, and the sum of rows of a block with odd sizes."""
    random = np.random.default_rng(4)
    x = random.integers(-128, 128, (2, 6, 11), np.int8)
    factors = [0.7, 1.3, 0.4]
    scales = np.array([scale_of(f) for f in factors], np.int32)
    out = np.zeros(6 * 11 * 2 + 11, np.uint8)
    channels = channels_of(np.zeros(11, np.int32), np.full(11, 1 / 6))
    program = [
        Config(Type.INT8),
        Load(0, 0, 0, 1, 1, 132, 0, 0, 0, 0),
        Load(1, 0, 132, 1, 1, 24, 0, 0, 0, 0),
        Load(2, 0, 160, 1, 1, CHANNEL_BYTES, 0, 0, 0, 0),
        Fence(Queue.VECTOR, Queue.LOAD, 3),
        Add(0, 11, 66, 11, 512, 11, 6, 11, 132, -128, 127),
        Maximum(0, 11, 66, 11, 578, 11, 6, 11),
        Accumulate(0, 11, 6, 11, 9, 0),
        Requantize(9, 1, 11, 644, 11, 160, -128, 127),
        Fence(Queue.STORE, Queue.VECTOR, 4),
        Store(3, 0, 512, 1, 1, 143, 0, 0, 0, 0),
    ]
    data = [x.view(np.uint8).ravel(), scales.view(np.uint8).ravel(), channels, out]
    simulate(encode(program), data)
    a, b = x.astype(np.float64)
    left, right, both = (m / 2.0**s for m, s in scales.tolist())
    total = np.floor(
        0.5 + both * (np.floor(0.5 + left * a) + np.floor(0.5 + right * b))
    )
    got = out.view(np.int8)
    assert np.array_equal(got[:66].reshape(6, 11), np.clip(total, -128, 127))
    assert np.array_equal(got[66:132].reshape(6, 11), np.maximum(*x))
    multiplier, shift = scale_of(1 / 6)
    mean = np.floor(0.5 + a.sum(0) * (multiplier / 2.0**shift))
    assert np.array_equal(got[132:], mean.astype(np.int8))


def test_move_makes_the_columns_of_a_convolution() -> None:
    """Two levels of steps, over zeros that stand for the padding."""
    image = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    out = np.zeros(4 * 9, np.uint8)
    program = [
        Config(Type.INT8),
        Load(ZEROS, 0, 0, 1, 1, 36, 0, 0, 0, 0),
        # The pixels (1, 2), (1, 3), (2, 2), (2, 3) of the image: its taps from column 0 on.
        Load(0, 1 * 21 + 2 * 3, 0, 2, 2, 6, 21, 3, 18, 9),
        Fence(Queue.STORE, Queue.LOAD, 2),
        Store(1, 0, 0, 1, 1, 36, 0, 0, 0, 0),
    ]
    simulate(encode(program), [image.ravel(), out])
    wanted = np.zeros((4, 9), np.uint8)
    for row, (y, x) in enumerate([(1, 2), (1, 3), (2, 2), (2, 3)]):
        wanted[row, :6] = image[y, x : x + 2].ravel()
    assert np.array_equal(out.reshape(4, 9), wanted)


@pytest.mark.parametrize(
    ("drop", "message"),
    [
        (4, "fence is missing|which nothing has written"),
        (7, "fence is missing|which nothing has written"),
        (9, "fence is missing|which nothing has written"),
        (1, "which nothing has written|every queue waits"),
    ],
)
def test_faults_of_order(drop: int, message: str) -> None:
    """A program without one of its fences, or without a load."""
    program = product(4, 8, 8)
    assert isinstance(program[drop], Load if drop == 1 else Fence)
    del program[drop]
    data = [
        np.zeros(32, np.uint8),
        np.zeros(64, np.uint8),
        np.zeros(CHANNEL_BYTES, np.uint8),
    ]
    with pytest.raises(Fault, match=message):
        simulate(encode(program), [*data, np.zeros(32, np.uint8)])


@pytest.mark.parametrize(
    ("instruction", "message"),
    [
        (Load(0, 0, 1 << 18, 1, 1, 8, 0, 0, 0, 0), "scratchpad has 262144 cells"),
        (Load(0, 60, 0, 1, 1, 8, 0, 0, 0, 0), "buffer 0 has 64 bytes"),
        (Load(7, 0, 0, 1, 1, 8, 0, 0, 0, 0), "no buffer 7"),
        (Store(0, 0, 0, 1, 1, 8, 0, 0, 0, 0), "which nothing has written"),
        (Preload(0, 17, 8, 8, 0), "the array is 16 x 16"),
        (Fence(Queue.LOAD, Queue.ARRAY, 1), "every queue waits"),
    ],
)
def test_faults_of_places(instruction: object, message: str) -> None:
    with pytest.raises(Fault, match=message):
        simulate(encode([Config(Type.INT8), instruction]), [np.zeros(64, np.uint8)])  # type: ignore[list-item]


def test_overwriting_before_it_was_read_is_a_fault() -> None:
    """A second load into bytes that a store may not have read yet."""
    program = [
        Config(Type.INT8),
        Load(0, 0, 0, 1, 1, 8, 0, 0, 0, 0),
        Fence(Queue.STORE, Queue.LOAD, 1),
        Store(1, 0, 0, 1, 1, 8, 0, 0, 0, 0),
        Load(0, 8, 0, 1, 1, 8, 0, 0, 0, 0),
    ]
    data = [np.zeros(64, np.uint8), np.zeros(8, np.uint8)]
    with pytest.raises(Fault, match=r"fence is missing|which nothing"):
        simulate(encode(program), data)
    program.insert(4, Fence(Queue.LOAD, Queue.STORE, 1))
    simulate(encode(program), data)


def test_binary_round_trip() -> None:
    program = product(5, 17, 40)
    assert decode(encode(program)) == program
    with pytest.raises(ValueError, match="opcode 77"):
        decode(np.array([77] + [0] * 15, np.uint32).tobytes())
    with pytest.raises(ValueError, match="no whole"):
        decode(b"123")


def test_rescale_rounds_half_up() -> None:
    values = np.array([-3, -2, -1, 0, 1, 2, 3], np.int64)
    multiplier, shift = np.array(scale_of(0.5))[:, None]
    assert rescale(values, multiplier, shift).tolist() == [
        -1,
        -1,
        0,
        0,
        1,
        1,
        2,
    ]
