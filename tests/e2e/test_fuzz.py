"""Random models and pipelines against PyTorch, Pillow and float64.

A seed that fails prints its program; `python -m tests.fuzz FIRST COUNT` hunts further.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import devproc
from tests.fuzz.chains import check_chain
from tests.fuzz.compare import check, random_compile
from tests.fuzz.images import grow_images
from tests.fuzz.models import grow
from tests.fuzz.pipelines import check_pipeline
from tests.fuzz.sequences import grow_sequences

INTERPRETED, MIXED = "cuda:interpret", "cpu+cuda:interpret"


@contextmanager
def refusal_is_no_failure() -> Iterator[None]:
    """A random program may hold what the compiler says it does not support."""
    try:
        yield
    except devproc.UnsupportedError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("seed", range(24))
def test_model_on_cpu(seed: int) -> None:
    with refusal_is_no_failure():
        check(grow(seed), random_compile(seed, "cpu"))


@pytest.mark.parametrize("seed", range(6))
def test_large_model_on_cpu(seed: int) -> None:
    with refusal_is_no_failure():
        check(grow(seed, largest=60000), random_compile(seed, "cpu"))


@pytest.mark.parametrize("seed", range(12))
def test_image_network_on_cpu(seed: int) -> None:
    with refusal_is_no_failure():
        check(grow_images(seed), random_compile(seed, "cpu"))


@pytest.mark.parametrize("seed", range(10))
def test_recurrent_network_on_cpu(seed: int) -> None:
    with refusal_is_no_failure():
        check(grow_sequences(seed), random_compile(seed, "cpu"))


@pytest.mark.parametrize("seed", range(12))
def test_pipeline_on_cpu(seed: int) -> None:
    with refusal_is_no_failure():
        check_pipeline(seed, random_compile(seed, "cpu"))


@pytest.mark.parametrize("seed", range(16))
def test_chain_on_cpu(seed: int) -> None:
    check_chain(seed, random_compile(seed, "cpu"))


@pytest.mark.parametrize("target", [INTERPRETED, MIXED])
@pytest.mark.parametrize("seed", range(8))
def test_model_on_gpu_code(seed: int, target: str) -> None:
    with refusal_is_no_failure():
        check(grow(seed, largest=256), random_compile(seed, target))


@pytest.mark.parametrize("target", [INTERPRETED, MIXED])
@pytest.mark.parametrize("seed", range(4))
def test_pipeline_on_gpu_code(seed: int, target: str) -> None:
    with refusal_is_no_failure():
        check_pipeline(seed, random_compile(seed, target))
