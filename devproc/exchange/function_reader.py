"""Reads one function from JSON: each op is built from its definition and verified."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, OpDef, OptionalDef, VariadicDef
from xdsl.utils.exceptions import VerifyException

from devproc.exchange.attributes import decode
from devproc.exchange.locations import decode_location
from devproc.exchange.writer import DIALECTS, SEGMENTS
from devproc.ir.dtypes import ITEM_SIZES, LARGEST_TENSOR, element_count
from devproc.ir.program.state import STATE
from devproc.ir.types import AnyTensor, tensor
from devproc.runtime.reading.problems import Problems

Found = TypeVar("Found")


def read_attributes(
    data: Mapping[str, Any], place: str, context: Context, problems: Problems
) -> dict[str, Attribute]:
    """The valid attributes; adds a problem for each other."""
    found: dict[str, Attribute] = {}
    for name, value in data.items():
        try:
            found[name] = decode(value, context)
        except (ValueError, OverflowError, VerifyException) as error:
            problems.add(f"{place}['{name}']", str(error))
    return found


@dataclass
class FunctionReader:
    """The tensors of one function by name, and the ops that make them.

    A tensor whose op is invalid is replaced by a placeholder of the declared type, so that
    the following ops are checked as well.
    """

    data: Mapping[str, Any]
    place: str
    context: Context
    problems: Problems
    values: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])

    def read(self) -> FuncOp:
        """The function, without the ops that have problems."""
        block = self._block()
        types = [argument.type for argument in block.args]
        outputs = [
            self._use(port["tensor"], self._at("outputs", index))
            for index, port in enumerate(self.data["outputs"])
        ]
        self._check_made()
        returned = [value for value in outputs if value is not None]
        if not self.problems.found:
            block.add_op(ReturnOp(*returned))
        return FuncOp(
            self.data["name"],
            (types, [value.type for value in returned]),
            Region(block),
            visibility=self.data.get("visibility"),
            arg_attrs=self._port_attributes("inputs"),
            res_attrs=self._port_attributes("outputs"),
        )

    def read_body(self) -> Region:
        """The body of an op, which ends in its own terminator."""
        block = self._block()
        self._check_made()
        return Region(block)

    def _block(self) -> Block:
        """The inputs, and the ops that have no problems."""
        inputs: list[Any] = self.data["inputs"]
        known = [
            self._type(p["tensor"], self._at("inputs", i)) for i, p in enumerate(inputs)
        ]
        block = Block(arg_types=[type_ or tensor("bool", ()) for type_ in known])
        for index, value in enumerate(block.args):
            self._define(inputs[index]["tensor"], value, self._at("inputs", index))
            value.location = decode_location(inputs[index].get("location"))
        for index, data in enumerate(self.data["ops"]):
            op = self._op(data, self._at("ops", index))
            if op is not None:
                block.add_op(op)
        return block

    def _check_made(self) -> None:
        for name, entry in self.data["tensors"].items():
            if name not in self.values:
                self.problems.add(f"{self.place}.tensors", f"nothing makes '{name}'")
            self._check_size(name, entry)

    def _at(self, member: str, index: int) -> str:
        return f"{self.place}.{member}[{index}]"

    def _port_attributes(self, member: str) -> ArrayAttr[DictionaryAttr] | None:
        """The attributes of inputs or outputs, including their unique public names."""
        found: list[DictionaryAttr] = []
        names: list[tuple[bool, str]] = []
        for index, port in enumerate(self.data[member]):
            place = self._at(member, index)
            own = read_attributes(
                port.get("attributes", {}), place, self.context, self.problems
            )
            if "name" in port:
                own = {"dev.name": StringAttr(port["name"]), **own}
                # A state may have the name of an input or output.
                name = (STATE in own, port["name"])
                if name in names:
                    self.problems.add(place, f"the name '{port['name']}' appears twice")
                names.append(name)
            found.append(DictionaryAttr(own))
        return ArrayAttr(found) if any(a.data for a in found) else None

    def _op(self, data: Mapping[str, Any], place: str) -> Operation | None:
        """The op, built and verified; None if it has problems."""
        before = len(self.problems.found)
        class_ = self._class(data["kind"], place)
        outputs: list[str] = list(_flat(data["outputs"].values()))
        op = None
        if class_ is not None:
            definition = class_.get_irdl_definition()
            # In the order of the definition, which may differ from that of the text.
            roles = [role for role, _ in definition.results]
            outputs = list(_flat(data["outputs"].get(role, ()) for role in roles))
            op = self._build(class_, definition, data, place)
        if len(self.problems.found) > before or op is None:
            op, results = None, [self._stand_in(name) for name in outputs]
        else:
            results = list(op.results)
        for name, value in zip(outputs, results, strict=True):
            if value is not None:
                self._define(name, value, f"{place}.outputs")
        return op

    def _class(self, kind: str, place: str) -> type[IRDLOperation] | None:
        dialect, _, name = kind.partition(".")
        class_ = None
        if dialect in DIALECTS and name:
            class_ = self.context.get_optional_op(kind)
        if class_ is None or not issubclass(class_, IRDLOperation):
            self.problems.add(f"{place}.kind", f"no op has the kind '{kind}'")
            return None
        return class_

    def _build(
        self,
        class_: type[IRDLOperation],
        definition: OpDef,
        data: Mapping[str, Any],
        place: str,
    ) -> Operation | None:
        before = len(self.problems.found)
        inputs, outputs = data.get("inputs", {}), data["outputs"]
        operands = self._gather(
            definition.operands, inputs, f"{place}.inputs", self._use
        )
        types = self._gather(
            definition.results, outputs, f"{place}.outputs", self._type
        )
        given = self._attributes(definition, data.get("attributes", {}), place)
        regions = self._bodies(len(definition.regions), data, place)
        if len(self.problems.found) > before:
            return None
        properties = {n: given.pop(n) for n in definition.properties if n in given}
        try:
            op = class_.build(
                operands=operands,
                result_types=types,
                properties=properties,
                attributes=given,
                regions=regions,
            )
            op.verify_()
        # The text may hold any numbers: shape inference may overflow or divide by zero.
        except Exception as error:
            self.problems.add(place, f"{data['kind']}: {error}")
            return None
        op.location = decode_location(data.get("location"))
        return op

    def _bodies(self, count: int, data: Mapping[str, Any], place: str) -> list[Region]:
        """The body of an op that has one."""
        if ("body" in data) != bool(count):
            what = "is missing" if count else f"is more than '{data['kind']}' has"
            self.problems.add(f"{place}.body", what)
            return []
        if not count:
            return []
        body = FunctionReader(
            data["body"], f"{place}.body", self.context, self.problems
        )
        return [body.read_body()]

    def _attributes(
        self, definition: OpDef, data: Mapping[str, Any], place: str
    ) -> dict[str, Attribute]:
        """The attributes of an op by name; a dotted name belongs to another dialect."""
        place = f"{place}.attributes"
        names = [n for n in definition.properties if n not in SEGMENTS]
        listed = ", ".join(names) or "none"
        for name in data:
            if "." not in name and name not in names:
                self.problems.add(place, f"no attribute '{name}'; there is {listed}")
        for name in names:
            known = definition.properties[name]
            optional = isinstance(known, OptionalDef) or known.default_value is not None
            if name not in data and not optional:
                self.problems.add(place, f"attribute '{name}' is missing")
        return read_attributes(data, place, self.context, self.problems)

    def _gather(
        self,
        roles: Sequence[tuple[str, object]],
        given: Mapping[str, Any],
        place: str,
        find: Callable[[str, str], Found | None],
    ) -> list[Any]:
        """The tensors given for each role: one, none or a list, according to the definition."""
        listed = ", ".join(role for role, _ in roles) or "none"
        for role in given:
            if role not in dict(roles):
                self.problems.add(place, f"no role '{role}'; there is {listed}")
        found: list[Any] = []
        for role, definition in roles:
            held = given.get(role)
            where = f"{place}.{role}"
            optional = isinstance(definition, OptionalDef)
            if isinstance(definition, VariadicDef) and not optional:
                if isinstance(held, str):
                    self.problems.add(where, "must be a list of names")
                names: list[str] = [] if isinstance(held, str) else held or []
                found.append([find(name, where) for name in names])
            elif isinstance(held, str):
                found.append(find(held, where))
            else:
                found.append(None)
                if held is not None:
                    self.problems.add(where, "must be one name, not a list")
                elif not optional:
                    self.problems.add(where, "is missing")
        return found

    def _type(self, name: str, place: str) -> AnyTensor | None:
        """The declared type of a tensor."""
        entry = self.data["tensors"].get(name)
        if entry is None:
            self.problems.add(place, f"'{name}' is not in the list of tensors")
            return None
        return tensor(entry["dtype"], [int(size) for size in entry["shape"]])

    def _check_size(self, name: str, entry: Mapping[str, Any]) -> None:
        size = element_count(map(int, entry["shape"])) * ITEM_SIZES[entry["dtype"]]
        if size > LARGEST_TENSOR:
            place = f"{self.place}.tensors['{name}']"
            self.problems.add(place, f"{size} bytes, more than a memory can have")

    def _use(self, name: str, place: str) -> SSAValue | None:
        """The tensor of this name, defined by an input or an earlier op."""
        if name not in self.values:
            self.problems.add(
                place,
                f"'{name}' is not made by an earlier op, nor an input: an op must "
                "follow all ops whose results it uses",
            )
            return None
        return self.values[name]

    def _stand_in(self, name: str) -> SSAValue | None:
        if name not in self.data["tensors"]:
            return None
        type_ = self._type(name, "") or tensor("bool", ())
        return Block(arg_types=[type_]).args[0]

    def _define(self, name: str, value: SSAValue, place: str) -> None:
        if name in self.values:
            self.problems.add(place, f"'{name}' is made a second time")
            return
        self.values[name] = value
        if SSAValue.is_valid_name(name):
            value.name_hint = name


def _flat(held: Any) -> list[str]:
    """Flattens names and lists of names."""
    return [n for item in held for n in ([item] if isinstance(item, str) else item)]
