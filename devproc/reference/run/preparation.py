"""The weights of a program: `@prepare` evaluated alongside the passes, then stored."""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Executor
from typing import Any, TypeAlias, cast

import torch
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.errors import check_memory
from devproc.ir.types import AnyTensor, dtype_name
from devproc.ir.weights.aligned import new_aligned_copy
from devproc.ir.weights.prepare import PREFIX, prepare_function
from devproc.ir.weights.table import Array, WeightTable
from devproc.reference.run.interpreter import prepare_results

Store: TypeAlias = Callable[
    [Iterable[tuple[str, str, Array]]], tuple[WeightTable, dict[str, Any]] | None
]
"""Writes weights (name, dtype, array) one by one; returns them mapped from their file and
the record that locates them there, or None where they cannot be stored."""


class Preparation:
    """Evaluates `@prepare` in a thread; PyTorch releases the GIL while it packs.

    With `store`, each weight is written to its file as soon as it is packed, and its
    memory is freed.
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
        """`function`: `@prepare`, or None; `names`: the weights that the program uses;
        `borrowed`: whether they share memory with the user, who may change it.
        """
        self._weights, self._names = weights, list(dict.fromkeys(names))
        self._borrowed, self._store = borrowed, store
        # The passes keep changing the module, so the thread works on a clone.
        alone = ModuleOp([function.clone()] if function is not None else [])
        self._done = executor.submit(self._run, alone)

    def kept(self, names: Iterable[str]) -> WeightTable:
        """The weights of these names, none in borrowed memory."""
        return self._done.result()[0].subset(names)

    def stored(self) -> dict[str, Any] | None:
        """The record that locates the weights in their file; None if they are in memory."""
        return self._done.result()[1]

    def _run(self, module: ModuleOp) -> tuple[WeightTable, dict[str, Any] | None]:
        _stay_in_this_thread()
        try:
            found = self._store and self._store(self._arrays(module))
            return found or (self._in_memory(module), None)
        except RuntimeError as error:
            check_memory(error)
            raise

    def _in_memory(self, module: ModuleOp) -> WeightTable:
        table = prepared(module, self._weights, self._names).subset(self._names)
        return _owned(table, self._weights) if self._borrowed else table

    def _arrays(self, module: ModuleOp) -> Iterator[tuple[str, str, Array]]:
        known = [name for name in self._names if name in self._weights]
        for name in known:
            yield name, self._weights.dtype(name), self._weights.array(name)
        others = set(self._names).difference(known)
        dtypes = _result_dtypes(module)
        for name, array in prepare_results(module, self._weights, others):
            yield name, dtypes[name], array


def _stay_in_this_thread() -> None:
    """Limits PyTorch's parallel loops to the calling thread.

    LLVM and the passes use the other cores. OpenMP keeps a thread count per thread, while
    PyTorch's own setter would change the whole process.
    """
    torch.get_num_threads()  # The first call in a thread initialises its count.
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
    """The weights and the results of `@prepare`; `names` selects some of the results."""
    table = WeightTable()
    table.update(weights)
    dtypes = _result_dtypes(module)
    for name, array in prepare_results(module, weights, names):
        table.add(name, array, dtypes[name])
    return table


def _owned(table: WeightTable, lent: WeightTable) -> WeightTable:
    """The table with copies of the arrays that share memory with an array of `lent`.

    A result of `@prepare` may be a view of a weight.
    """
    spans = sorted(_span(lent.array(name)) for name in lent)
    begins = [begin for begin, _ in spans]
    # Tied weights overlap: the running maximum of the ends.
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
