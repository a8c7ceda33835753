"""The weights a program runs on: `@prepare` evaluated beside the passes, then kept."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable
from concurrent.futures import Executor, Future
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.ir.aligned import new_aligned_copy
from devproc.ir.prepare import PREFIX, prepare_function
from devproc.ir.types import AnyTensor, dtype_name
from devproc.ir.weights import Array, WeightTable


class Preparation:
    """Evaluates `@prepare` in a thread: PyTorch frees Python's lock as it packs."""

    def __init__(
        self,
        function: FuncOp | None,
        weights: WeightTable,
        names: Collection[str],
        borrowed: bool,
        executor: Executor,
    ) -> None:
        """`function`: `@prepare`, if there is something to do; `names`: the weights that
        the program uses; `borrowed`: they lie in memory of the user's, who may change it.
        """
        self._weights = weights
        self._borrowed = borrowed
        # The passes go on with the module, so the thread has a function of its own.
        alone = ModuleOp([function.clone()] if function is not None else [])
        self._table: Future[WeightTable] = executor.submit(
            prepared, alone, weights, names
        )

    def kept(self, names: Iterable[str]) -> WeightTable:
        """The weights of these names, none of them in borrowed memory."""
        table = self._table.result().subset(names)
        return _owned(table, self._weights) if self._borrowed else table


def prepared(
    module: ModuleOp, weights: WeightTable, names: Collection[str] | None = None
) -> WeightTable:
    """The weights and what `@prepare` computes from them, or that of these `names`."""
    from devproc.reference.interpreter import evaluate_prepare

    table = WeightTable()
    table.update(weights)
    function = prepare_function(module)
    if function is None:
        return table
    results = evaluate_prepare(module, weights, names)
    for i, type_ in enumerate(function.function_type.outputs.data):
        name = f"{PREFIX}{i}"
        if name in results:
            dtype = dtype_name(cast(AnyTensor, type_).element_type)
            table.add(name, results[name], dtype)
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
