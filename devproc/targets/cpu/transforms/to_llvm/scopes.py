"""Computes each value once, in the outermost block that defines all its operands.

Address computations are thus hoisted out of loops without LLVM's loop-invariant code
motion. A block with nested blocks is terminated only after these are complete, since
they may add ops to it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Block, Operation, SSAValue

from devproc.targets.cpu.transforms.to_llvm.builder import FunctionBuilder


@dataclass
class Scope:
    """A source block under construction: its insertion point and computed values."""

    block: Block
    computed: dict[Hashable, SSAValue] = field(default_factory=dict[Hashable, SSAValue])


class ScopedBuilder(FunctionBuilder):
    """A builder that tracks the blocks that enclose the current one."""

    def __init__(self, name: str, argument_types: Sequence[Attribute]):
        super().__init__(name, argument_types)
        self._scopes = [Scope(self.entry)]
        self._depths = {id(self.entry): 0}

    @contextmanager
    def scope(self) -> Generator[None]:
        """Enter a source block nested in the current one."""
        self._scopes.append(Scope(self.block))
        self.enter_block()
        yield
        self._scopes.pop()

    def enter_block(self) -> None:
        """Record that the innermost source block continues in the current block.

        So do enclosing ones without a separate block, such as loops that run once.
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
        """The nesting depth of the source block that defines a lowered value."""
        owner = value.owner
        block = owner.parent if isinstance(owner, Operation) else owner
        innermost = len(self._scopes) - 1
        return min(innermost, self._depths.get(id(block), innermost))

    def known_here(self) -> dict[Hashable, SSAValue]:
        """Values known in the innermost block, by keys of the caller."""
        return self._scopes[-1].computed

    def once(
        self,
        key: Hashable,
        operands: Sequence[SSAValue],
        make: Callable[[], SSAValue],
    ) -> SSAValue:
        """The value that `make` emits in the outermost block that defines the operands.

        It must have no side effects; `key` identifies its value.
        """
        scope = self._scopes[max(map(self.depth, operands))]
        found = scope.computed.get(key)
        if found is None:
            current = self.block
            # Ops of the innermost block are inserted at the current position.
            if scope is not self._scopes[-1]:
                self.block = scope.block
            found = scope.computed[key] = make()
            self.block = current
        return found
