"""Answers to lesson 2, and wrong ones with a part of the hint that each must get."""

import runpy
import sys
from pathlib import Path
from typing import ClassVar

from xdsl.dialects.builtin import (
    FileLineColLoc,
    IntegerAttr,
    NameLoc,
    TensorType,
    i64,
)
from xdsl.ir import Operation
from xdsl.irdl import (
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

Integer = IntegerAttr.constr(type=EqAttrConstraint(i64))


@irdl_op_definition
class FlipOp(IRDLOperation):
    """Mirrors an image along an axis."""

    name = "photo.flip"
    T: ClassVar = VarConstraint("T", BaseAttr(TensorType))
    image = operand_def(T)
    axis = prop_def(Integer)
    result = result_def(T)
    assembly_format = "$image `axis` $axis attr-dict `:` type($image)"


def verify_crop(op: Operation) -> None:
    height, width = op.image.type.get_shape()
    rows, columns = op.result.type.get_shape()
    top, left = op.top.value.data, op.left.value.data
    before, after = op.image.type.element_type, op.result.type.element_type
    for what, first, count, size in (
        ("rows", top, rows, height),
        ("columns", left, columns, width),
    ):
        if first < 0 or first + count > size:
            raise VerifyException(
                f"{what} {first} to {first + count} are outside of an image of {size} {what}"
            )
    if before != after:
        raise VerifyException(f"the image is of {before}, the window of {after}")


def place(location) -> str:
    if isinstance(location, FileLineColLoc):
        return f"{location.filename.data}:{location.line.data}"
    if isinstance(location, NameLoc):
        return f"{location.desc.data} at {place(location.location)}"
    return "unknown source"


@irdl_op_definition
class TwoTypesOp(IRDLOperation):
    name = "photo.flip"
    image = operand_def(TensorType)
    axis = prop_def(Integer)
    result = result_def(TensorType)
    assembly_format = (
        "$image `axis` $axis attr-dict `:` type($image) `->` type($result)"
    )


@irdl_op_definition
class NoAxisOp(IRDLOperation):
    name = "photo.flip"
    T: ClassVar = VarConstraint("T", BaseAttr(TensorType))
    image = operand_def(T)
    result = result_def(T)
    assembly_format = "$image attr-dict `:` type($image)"


@irdl_op_definition
class OtherNameOp(IRDLOperation):
    name = "photo.flip"
    T: ClassVar = VarConstraint("T", BaseAttr(TensorType))
    image = operand_def(T)
    along = prop_def(Integer)
    result = result_def(T)
    assembly_format = "$image `axis` $along attr-dict `:` type($image)"


@irdl_op_definition
class AnyIntegerOp(IRDLOperation):
    name = "photo.flip"
    T: ClassVar = VarConstraint("T", BaseAttr(TensorType))
    image = operand_def(T)
    axis = prop_def(IntegerAttr)
    result = result_def(T)
    assembly_format = "$image `axis` $axis attr-dict `:` type($image)"


def verifies_rows_only(op: Operation) -> None:
    if op.top.value.data + op.result.type.get_shape()[0] > op.image.type.get_shape()[0]:
        raise VerifyException(f"row {op.top.value.data} of 6")


def refuses_the_whole_image(op: Operation) -> None:
    if (
        op.top.value.data + op.result.type.get_shape()[0]
        >= op.image.type.get_shape()[0]
    ):
        raise VerifyException("too large")


def accepts_negative_places(op: Operation) -> None:
    for at, first in enumerate((op.top.value.data, op.left.value.data)):
        size = op.image.type.get_shape()[at]
        if first + op.result.type.get_shape()[at] > size:
            raise VerifyException(f"{first} is too large for {size}")


def names_no_numbers(op: Operation) -> None:
    try:
        verify_crop(op)
    except VerifyException:
        raise VerifyException("invalid crop") from None


def accepts_any_element_type(op: Operation) -> None:
    try:
        verify_crop(op)
    except VerifyException as error:
        if "window of" not in str(error):
            raise


def without_name(location) -> str:
    return place(location.location if isinstance(location, NameLoc) else location)


def of_files_only(location) -> str:
    return f"{location.filename.data}:{location.line.data}"


def of_a_fixed_file(location) -> str:
    return "camera.py:7"


def with_column(location) -> str:
    if isinstance(location, FileLineColLoc):
        return f"{location.filename.data}:{location.line.data}:{location.column.data}"
    return place(location)


ANSWERS = {"FlipOp": FlipOp, "verify_crop": verify_crop, "place": place}
WRONG = [
    ("FlipOp", TwoTypesOp, "is not understood from"),
    ("FlipOp", NoAxisOp, "is not understood from `axis 1"),
    ("FlipOp", OtherNameOp, "no property `axis`"),
    ("FlipOp", AnyIntegerOp, "is not understood"),
    ("verify_crop", verifies_rows_only, "4x5 at 0, 4 is not within 6x8"),
    ("verify_crop", refuses_the_whole_image, "6x8 at 0, 0 lies within"),
    ("verify_crop", accepts_negative_places, "4x5 at -1, 0 is not within 6x8"),
    ("verify_crop", names_no_numbers, "does not name 3"),
    ("verify_crop", accepts_any_element_type, "a crop converts nothing"),
    ("place", without_name, "`window at camera.py:12`, not `camera.py:12`"),
    ("place", of_files_only, "your code raised AttributeError"),
    ("place", of_a_fixed_file, "`window at camera.py:12`, not `camera.py:7`"),
    ("place", with_column, "`camera.py:7`, not `camera.py:7:0`"),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
