"""What a function computes once: each value in the outermost block that has its operands.

Addresses come out of this invariant of the loops around them: a loop that LLVM only
generates code for has nothing left to be moved out of it. A block with others inside is
ended when these are complete, since they may add to it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Block, Operation, SSAValue

from devproc.transforms.llvm.to_llvm.builder import FunctionBuilder


@dataclass
class Scope:
    """A source block in the making: where its ops go now, and what it has computed."""

    block: Block
    computed: dict[Hashable, SSAValue] = field(default_factory=dict[Hashable, SSAValue])


class ScopedBuilder(FunctionBuilder):
    """A builder that knows the blocks around the current one."""

    def __init__(self, name: str, argument_types: Sequence[Attribute]):
        super().__init__(name, argument_types)
        self._scopes = [Scope(self.entry)]
        self._depths = {id(self.entry): 0}

    @contextmanager
    def scope(self) -> Generator[None]:
        """A source block inside the one that was being lowered."""
        self._scopes.append(Scope(self.block))
        self.enter_block()
        yield
        self._scopes.pop()

    def enter_block(self) -> None:
        """Note that the current block goes on with the innermost source block.

        So it does with those around that have no block of their own, as of loops that run
        once.
        """
        scopes, left = self._scopes, self._scopes[-1].block
        first = len(scopes) - 1
        if self.block is not left:
            while first and scopes[first - 1].block is left:
                first -= 1
            for scope in scopes[first:]:
                scope.block = self.block
        self._depths.setdefault(id(self.block), first)

    def depth(self, value: SSAValue) -> int:
        """How many source blocks are around the one that defines a lowered value."""
        owner = value.owner
        block = owner.parent if isinstance(owner, Operation) else owner
        innermost = len(self._scopes) - 1
        return min(innermost, self._depths.get(id(block), innermost))

    def known_here(self) -> dict[Hashable, SSAValue]:
        """What the innermost block has computed or found, by keys of the caller."""
        return self._scopes[-1].computed

    def once(
        self,
        key: Hashable,
        operands: Sequence[SSAValue],
        make: Callable[[], SSAValue],
    ) -> SSAValue:
        """What `make` emits, at the end of the outermost block that has the operands.

        It may have no effect but its result, which `key` names.
        """
        scope = self._scopes[max(map(self.depth, operands))]
        found = scope.computed.get(key)
        if found is None:
            current = self.block
            # Ops of the innermost block go where the current rule has come to.
            if scope is not self._scopes[-1]:
                self.block = scope.block
            found = scope.computed[key] = make()
            self.block = current
        return found
