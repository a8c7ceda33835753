"""The weights a program runs on: `@prepare` evaluated beside the passes, then kept."""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Executor
from typing import Any, TypeAlias, cast

import torch
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.ir.types import AnyTensor, dtype_name
from devproc.ir.weights.aligned import new_aligned_copy
from devproc.ir.weights.prepare import PREFIX, prepare_function
from devproc.ir.weights.table import Array, WeightTable
from devproc.reference.run.interpreter import prepare_results

Store: TypeAlias = Callable[
    [Iterable[tuple[str, str, Array]]], tuple[WeightTable, dict[str, Any]] | None
]
"""Writes weights (name, dtype, array) as they come: the same in a file, and what finds
them there again; None where they cannot be kept."""


class Preparation:
    """Evaluates `@prepare` in a thread: PyTorch frees Python's lock as it packs.

    With `store`, each weight goes to its file as soon as it is packed, and its memory to
    the next one.
    """

    def __init__(
        self,
        function: FuncOp | None,
        weights: WeightTable,
        names: Iterable[str],
        borrowed: bool,
        executor: Executor,
        store: Store | None = None,
    ) -> None:
        """`function`: `@prepare`, if there is something to do; `names`: the weights that
        the program uses; `borrowed`: they lie in memory of the user's, who may change it.
        """
        self._weights, self._names = weights, list(dict.fromkeys(names))
        self._borrowed, self._store = borrowed, store
        # The passes go on with the module, so the thread has a function of its own.
        alone = ModuleOp([function.clone()] if function is not None else [])
        self._done = executor.submit(self._run, alone)

    def kept(self, names: Iterable[str]) -> WeightTable:
        """The weights of these names, none of them in borrowed memory."""
        return self._done.result()[0].subset(names)

    def stored(self) -> dict[str, Any] | None:
        """What finds the weights in their file, where they are in one."""
        return self._done.result()[1]

    def _run(self, module: ModuleOp) -> tuple[WeightTable, dict[str, Any] | None]:
        _stay_in_this_thread()
        found = self._store and self._store(self._arrays(module))
        if found is not None:
            return found
        table = prepared(module, self._weights, self._names).subset(self._names)
        return _owned(table, self._weights) if self._borrowed else table, None

    def _arrays(self, module: ModuleOp) -> Iterator[tuple[str, str, Array]]:
        known = [name for name in self._names if name in self._weights]
        for name in known:
            yield name, self._weights.dtype(name), self._weights.array(name)
        others = set(self._names).difference(known)
        dtypes = _result_dtypes(module)
        for name, array in prepare_results(module, self._weights, others):
            yield name, dtypes[name], array


def _stay_in_this_thread() -> None:
    """PyTorch's loops run in the thread that calls this, and in no other.

    The other cores have LLVM and the passes to run. OpenMP has a number for each thread;
    PyTorch's own setter would change that of the whole process.
    """
    torch.get_num_threads()  # What a thread asks for first sets its number.
    library = ctypes.CDLL(None)
    if hasattr(library, "omp_set_num_threads"):
        library.omp_set_num_threads(1)


def _result_dtypes(module: ModuleOp) -> dict[str, str]:
    """The dtype of each result of `@prepare`, by name."""
    function = prepare_function(module)
    types = () if function is None else function.function_type.outputs.data
    return {
        f"{PREFIX}{i}": dtype_name(cast(AnyTensor, type_).element_type)
        for i, type_ in enumerate(types)
    }


def prepared(
    module: ModuleOp, weights: WeightTable, names: Collection[str] | None = None
) -> WeightTable:
    """The weights and what `@prepare` computes from them, or that of these `names`."""
    table = WeightTable()
    table.update(weights)
    dtypes = _result_dtypes(module)
    for name, array in prepare_results(module, weights, names):
        table.add(name, array, dtypes[name])
    return table


def _owned(table: WeightTable, lent: WeightTable) -> WeightTable:
    """The table with copies of the arrays that share memory with one of `lent`.

    A result of `@prepare` may be a view of a weight.
    """
    spans = sorted(_span(lent.array(name)) for name in lent)
    begins = [begin for begin, _ in spans]
    # Tied weights overlap: how far memory is lent up to each one.
    ends: list[int] = []
    for _, end in spans:
        ends.append(max(end, ends[-1] if ends else 0))
    owned = WeightTable()
    for name in table:
        array = table.array(name)
        begin, end = _span(array)
        before = bisect_right(begins, end - 1)
        if array.size and before and ends[before - 1] > begin:
            array = new_aligned_copy(array)
        owned.add(name, array, table.dtype(name))
    return owned


def _span(array: Array) -> tuple[int, int]:
    begin = int(array.__array_interface__["data"][0])
    return begin, begin + array.nbytes
