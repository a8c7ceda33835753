"""What a call does with values that are not as declared: a defined result, or InputError."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

import devproc
from devproc.errors import BuildError, DevProcError, InputError
from devproc.program import Program

IMAGE, SCORES = (9, 7, 3), (5,)
TARGETS = ("cpu", "cuda:interpret")


@pytest.fixture(scope="module", params=TARGETS)
def program(request: pytest.FixtureRequest) -> Program:
    """A pipeline of two inputs, on each target."""
    pipe = devproc.pipeline("two")
    image = pipe.input("image", "uint8", IMAGE)
    scores = pipe.input("scores", "float32", SCORES)
    pipe.output("image", pipe.layout(image, "HWC->CHW"))
    pipe.output("scores", pipe.softmax(scores, axis=-1))
    return devproc.compile(pipe, target=request.param, threads=1)


def image() -> np.ndarray:
    return np.random.default_rng(3).integers(0, 256, IMAGE, np.uint8)


def scores() -> np.ndarray:
    return np.random.default_rng(4).standard_normal(SCORES).astype(np.float32)


def tensor(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(array.copy())


def unaligned(array: np.ndarray) -> np.ndarray:
    data = np.frombuffer(b"x" + array.tobytes(), array.dtype, offset=1)
    return data.reshape(array.shape)


class OwnTensor(torch.Tensor):
    """A tensor of the user's."""


class OwnArray(np.ndarray):
    """An array of the user's."""


SAME: dict[str, Callable[[np.ndarray], Any]] = {
    "columns first": np.asfortranarray,
    "every second": lambda a: np.repeat(a, 2, axis=0)[::2],
    "negative stride": lambda a: a[::-1].copy()[::-1],
    "all strides negative": lambda a: np.flip(np.flip(a).copy()),
    "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
    "unaligned": unaligned,
    "own class": lambda a: a.view(OwnArray),
    "tensor": tensor,
    "tensor of the user's class": lambda a: tensor(a).as_subclass(OwnTensor),
    "transposed tensor": lambda a: tensor(np.moveaxis(a, 0, -1)).movedim(-1, 0),
    "view of a tensor": lambda a: torch.stack([tensor(a)] * 2, 1)[:, 1],
    "inference tensor": lambda a: torch.inference_mode()(tensor)(a),
}
"""The same numbers in memory of another kind."""


@pytest.mark.parametrize("kind", SAME)
def test_the_same_numbers_in_another_form(program: Program, kind: str) -> None:
    plain = program(image=image(), scores=scores())
    for given in (
        {"image": SAME[kind](image()), "scores": SAME[kind](scores())},
        {"image": image(), "scores": SAME[kind](scores())},
        {"image": SAME[kind](image()), "scores": scores()},
    ):
        found = program(**given)
        for name, wanted in plain.items():
            np.testing.assert_array_equal(np.asarray(found[name]), wanted)


@pytest.mark.parametrize("target", TARGETS)
def test_tensors_that_autograd_records(target: str) -> None:
    x = torch.randn(3, 5)
    exported = torch.export.export(nn.ReLU(), (x,))
    program = devproc.compile(exported, target=target, threads=1)
    recorded = x.clone().requires_grad_()
    for value in (recorded, recorded * 1, nn.Parameter(x), x[:1].expand(3, 5)):
        found = program(value)
        assert not found.requires_grad
        assert torch.equal(found, torch.relu(value.detach()))


def fake(shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    with FakeTensorMode():
        return torch.zeros(shape, dtype=dtype)


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "size": (lambda: np.zeros(6, np.float32), "float32 (5), got float32 (6)"),
    "empty": (lambda: np.zeros(0, np.float32), "float32 (5), got float32 (0)"),
    "rank": (lambda: np.zeros((1, 5), np.float32), "float32 (5), got float32 (1, 5)"),
    "scalar": (lambda: np.float32(1), "float32 (5), got float32 ()"),
    "float64": (lambda: scores().astype(np.float64), "float32 (5), got float64 (5)"),
    "float16": (lambda: scores().astype(np.float16), "float32 (5), got float16 (5)"),
    "bool": (lambda: scores() > 0, "float32 (5), got bool (5)"),
    "complex": (lambda: scores() * 1j, "float32 (5), got complex64 (5)"),
    "objects": (lambda: scores().astype(object), "float32 (5), got object (5)"),
    "records": (lambda: np.zeros(5, [("a", "<f4")]), "float32 (5), got void32 (5)"),
    "text": (lambda: np.array(list("abcde")), "float32 (5), got str32 (5)"),
    "byte order": (lambda: scores().astype(">f4"), "got the foreign byte order '>f4'"),
    "mask": (lambda: np.ma.masked_array(scores(), scores() > 0), "a masked array"),
    "list": (lambda: [1.0] * 5, "a NumPy array or torch tensor, got list"),
    "nothing": (lambda: None, "a NumPy array or torch tensor, got NoneType"),
    "tensor's size": (lambda: torch.zeros(4), "float32 (5), got float32 (4)"),
    "tensor's dtype": (lambda: torch.zeros(5).double(), "(5), got float64 (5)"),
    "half": (lambda: torch.zeros(5).bfloat16(), "float32 (5), got bfloat16 (5)"),
    "sparse": (lambda: torch.eye(5)[0].to_sparse(), "got a torch.sparse_coo one"),
    "quantized": (
        lambda: torch.quantize_per_tensor(torch.zeros(5), 1.0, 0, torch.qint8),
        "got a quantized one",
    ),
    "nested": (
        lambda: torch.nested.nested_tensor([torch.zeros(5)]),
        "got a nested one",
    ),
    "meta": (lambda: torch.zeros(5, device="meta"), "a Tensor on 'meta' without"),
    "fake": (lambda: fake((5,), torch.float32), "a FakeTensor on 'cpu' without"),
}
"""Values for the input `scores`, and what the message says of them."""


@pytest.mark.parametrize("kind", WRONG)
def test_values_that_do_not_fit(program: Program, kind: str) -> None:
    make, words = WRONG[kind]
    for other in (image(), tensor(image())):
        with pytest.raises(InputError) as caught:
            program(image=other, scores=make())
        message = str(caught.value)
        assert message.startswith("input 'scores' must be ")
        assert words in message
        assert "'image'" not in message


REMEDIES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "planes": (
        lambda x: np.moveaxis(x, 2, 0),
        "uint8 (3, 9, 7); its axes are HWC: put them into this order,"
        " numpy.transpose(x, (1, 2, 0))",
    ),
    "a batch of one": (
        lambda x: x[None],
        "uint8 (1, 9, 7, 3); its axes are HWC: give its one element, x[0]",
    ),
    "a batch": (
        lambda x: np.stack([x] * 4),
        "uint8 (4, 9, 7, 3); its axes are HWC: call the program for each of the 4, or"
        " declare a batch",
    ),
    "of floats": (
        lambda x: x.astype(np.float32),
        "float32 (9, 7, 3); convert it to uint8",
    ),
    "of another size and dtype": (
        lambda x: x[:8].astype(np.int8),
        "int8 (8, 7, 3); its axes are HWC: give (9, 7, 3), or declare the input as"
        " (8, 7, 3), and convert it to uint8",
    ),
}
"""What an image is turned into, and what the message says behind `got`."""


@pytest.mark.parametrize("kind", REMEDIES)
@pytest.mark.parametrize("as_torch", [False, True])
def test_layout_and_remedy_are_named(
    program: Program, kind: str, as_torch: bool, tmp_path: Path
) -> None:
    change, words = REMEDIES[kind]
    given = change(image())
    path = tmp_path / "two.devproc"
    program.save(path)
    for called in (program, devproc.load(path)):
        with pytest.raises(InputError) as caught:
            called(image=tensor(given) if as_torch else given, scores=scores())
        wanted = f"input 'image' must be uint8 (9, 7, 3), got {words}"
        assert str(caught.value) == wanted


def test_names_and_numbers_of_inputs(program: Program) -> None:
    with pytest.raises(
        InputError, match=r"'imag' is not an input; did you mean 'image'"
    ):
        program(imag=image(), scores=scores())
    with pytest.raises(
        InputError, match=r"3 inputs given, the program has 2: image: uint"
    ):
        program(image(), scores(), 3)
    exported = torch.export.export(nn.Linear(3, 4), (torch.zeros(2, 3),))
    model = devproc.compile(exported, threads=1)
    with pytest.raises(
        InputError, match=r"2 inputs given, the model has 1: input: float"
    ):
        model(torch.zeros(2, 3), 1)
    with pytest.raises(
        InputError, match=r"got float32 \(3\); add an axis|give \(2, 3\)"
    ):
        model(torch.zeros(3))


@pytest.mark.parametrize("as_torch", [False, True])
def test_all_problems_of_a_call_at_once(program: Program, as_torch: bool) -> None:
    wrong = np.zeros((7, 9, 3), np.int8)
    given = torch.from_numpy(wrong) if as_torch else wrong
    with pytest.raises(InputError) as caught:
        program(image=given, scores=[1.0])
    text = "input 'image' must be uint8 (9, 7, 3), got int8 (7, 9, 3)"
    assert text in str(caught.value)
    assert "'scores'" in str(caught.value)
    with pytest.raises(InputError) as caught:
        program(image=given, score=scores(), scale=1)
    message = str(caught.value)
    for part in (
        text,
        "input 'scores' is missing",
        "'score' is not an input",
        "'scale' is not an input",
        "The inputs are image: uint8 (9, 7, 3); scores: float32 (5)",
    ):
        assert part in message


def test_numbers_and_names_of_inputs(program: Program) -> None:
    with pytest.raises(InputError, match="'image' is missing, input 'scores' is miss"):
        program()
    with pytest.raises(InputError, match="3 inputs given, the program has 2: image"):
        program(image(), scores(), scores())
    with pytest.raises(InputError, match="input 'image', input 'scores': given by po"):
        program(image(), scores(), image=image(), scores=scores())


@pytest.mark.parametrize("target", TARGETS)
def test_numbers_that_no_integer_is(target: str) -> None:
    """NaN, infinities and numbers out of range become what PyTorch makes of them."""

    class Casts(nn.Module):
        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
            dtypes = (torch.int32, torch.int64, torch.int8, torch.uint8, torch.bool)
            return tuple(x.to(dtype) for dtype in dtypes)

    special = [np.nan, np.inf, -np.inf, 3e9, -3e9, 1e20, 300.0, -1.0, -0.0, 2.7]
    x = torch.tensor(special * 4)
    program = devproc.compile(torch.export.export(Casts(), (x,)), target, threads=1)
    for found, wanted in zip(program(x), Casts()(x), strict=True):
        assert torch.equal(found, wanted), wanted.dtype


@pytest.mark.parametrize("target", TARGETS)
def test_silence_and_clipping(target: str) -> None:
    """A wave of zeros stays one, and the levels of a loud one are exact."""
    pipe = devproc.pipeline("levels")
    wave = pipe.input("wave", "float32", (2, 31))
    pipe.output("peak", pipe.normalize_peak(wave))
    pipe.output("rms", pipe.normalize_rms(wave, level=0.25))
    program = devproc.compile(pipe, target=target, threads=1)
    given = np.zeros((2, 31), np.float32)
    given[1, ::3] = 3e4
    for name, wanted in (("peak", 1.0), ("rms", 0.25 / np.sqrt(11 / 31))):
        found = program(wave=given)[name]
        assert not found[0].any()
        np.testing.assert_allclose(found[1].max(), wanted, rtol=1e-6)


@pytest.mark.parametrize("size", [(0, 7, 3), (9, 0, 3), (9, 7, 0), (9, -7, 3)])
def test_images_without_pixels(size: tuple[int, ...]) -> None:
    """A pipeline has none; the message has the user's line."""
    with pytest.raises(BuildError, match=r"test_bad_input\.py:\d+: input 'image': sha"):
        devproc.pipeline("empty").input("image", "uint8", size)


STEPS: dict[str, tuple[Callable[[Any, Any], object], str]] = {
    "too few axes": (lambda p, x: p.layout(x, "HW->WH"), "layout"),
    "no such axis": (lambda p, x: p.softmax(p.scale(x, 1.0), axis=7), "softmax"),
    "channels": (lambda p, x: p.normalize(x, mean=(0.5,) * 4, std=(1,) * 4), "normal"),
    "empty size": (lambda p, x: p.resize(x, (0, 3), like="pillow"), "resize"),
    "library": (lambda p, x: p.resize(x, (4, 3), like="imagemagick"), "resize"),
    "text": (lambda p, x: p.resize(x, "big", like="pillow"), "resize"),
    "crop outside": (lambda p, x: p.crop(x, 3, 3, 100, 100), "crop"),
}
"""Steps that cannot be."""


@pytest.mark.parametrize("kind", STEPS)
def test_steps_that_cannot_be(kind: str) -> None:
    """Refused where they are written, with the line."""
    make, name = STEPS[kind]
    pipe = devproc.pipeline("wrong")
    x = pipe.input("image", "uint8", IMAGE)
    with pytest.raises(DevProcError, match=rf"test_bad_input\.py:\d+: {name}"):
        make(pipe, x)
