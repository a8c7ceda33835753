"""The order of the launches of a program, which updates in place constrain."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation

from devproc.dialects import dev


class LaunchOrder:
    """Moves launches of a block after others, as far as values and earlier moves allow.

    Work of a stream is ordered by syncs: nothing moves past a copy or a sync.
    """

    def __init__(self, block: Block):
        self._block = block
        self._after: dict[Operation, set[Operation]] = {}
        """Op -> those that have to follow it, besides the users of its results."""

    def put_after(
        self, writer: Operation, readers: Sequence[Operation]
    ) -> Operation | None:
        """Puts an op after others, with all that depends on it.

        Returns the first of the others that has to follow the op itself; then nothing
        has changed.
        """
        position = {op: number for number, op in enumerate(self._block.ops)}
        late = [op for op in readers if position[op] > position[writer]]
        if late:
            moving = self._dependents(writer)
            last = max(late, key=position.__getitem__)
            fixed = [
                op
                for op, place in position.items()
                if isinstance(op, dev.SyncOp | dev.CopyOp)
                and position[writer] < place < position[last]
            ]
            stuck = late if fixed else [op for op in late if op in moving]
            if stuck:
                return min(stuck, key=position.__getitem__)
            self._move(moving, writer, last)
        for reader in readers:
            self._after.setdefault(reader, set()).add(writer)
        return None

    def _dependents(self, op: Operation) -> set[Operation]:
        """The op and all that has to follow it."""
        found, stack = set[Operation](), [op]
        while stack:
            each = stack.pop()
            if each in found:
                continue
            found.add(each)
            stack += [use.operation for r in each.results for use in r.uses]
            stack += self._after.get(each, ())
        return found

    def _move(self, moving: set[Operation], first: Operation, last: Operation) -> None:
        """Moves those of a set that are from one op to another behind the latter."""
        op: Operation | None = first
        place = last
        while op is not None and op is not last:
            following = op.next_op
            if op in moving:
                op.detach()
                self._block.insert_op_after(op, place)
                place = op
            op = following
