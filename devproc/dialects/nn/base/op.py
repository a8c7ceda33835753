"""The base class of `nn` ops: a shape rule that builds and verifies result types."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self, cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation, traits_def
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.dev import OnAttr
from devproc.dialects.nn.base.properties import Properties
from devproc.dialects.nn.base.requirements import (
    describe,
    require,
    require_known,
    require_one_device,
)
from devproc.ir.types import AnyTensor


class Canonicalization(HasCanonicalizationPatternsTrait):
    """Takes an op's patterns from the tables of `dialects/nn_canonicalization`."""

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        """The patterns of this op class."""
        # Imported late: the patterns depend on the op classes, which need this module.
        from devproc.dialects.nn_canonicalization.tables import PATTERNS

        return PATTERNS.get(op, ())

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return ()


class NNOp(IRDLOperation, ABC):
    """An op on tensors with value semantics and inferred result types.

    The shape rule `infer` is the only definition of the result types: `build` calls it
    to create the op, `verify_` to check an existing one.
    """

    traits = traits_def(Canonicalization())

    @classmethod
    @abstractmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        """Result types (without encoding) from operand types and properties.

        Raises VerifyException for operands or properties that are inconsistent.
        """

    @classmethod
    def build_op(
        cls, operands: Sequence[SSAValue], properties: Properties | None = None
    ) -> Self:
        """The op with inferred result types; they inherit the operands' device."""
        properties = dict(properties or {})
        types = [cast(AnyTensor, v.type) for v in operands]
        results = cls.infer(types, properties)
        device = next(
            (t.encoding.device.data for t in types if isinstance(t.encoding, OnAttr)),
            None,
        )
        if device is not None:
            on = OnAttr.get(device)
            results = [TensorType(r.element_type, r.shape, on) for r in results]
        return cls.create(
            operands=operands, result_types=results, properties=properties
        )

    def verify_(self) -> None:
        operands = [cast(AnyTensor, v.type) for v in self.operands]
        found = [cast(AnyTensor, r.type) for r in self.results]
        for index, type_ in enumerate(operands):
            require_known(f"operand {index} of {self.name}", type_)
        require_one_device(self.name, (*operands, *found))
        wanted = self.infer(operands, self.properties)
        require(
            len(wanted) == len(found),
            f"{self.name} has {len(wanted)} results, got {len(found)}",
        )
        for index, (want, have) in enumerate(zip(wanted, found, strict=True)):
            if (want.shape, want.element_type) != (have.shape, have.element_type):
                raise VerifyException(
                    f"result {index} must be {describe(want)}, got {describe(have)}"
                )
