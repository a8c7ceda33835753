"""An op of one's own, with a verifier: `marimo edit notebooks/course/02_own_op.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    from typing import ClassVar

    import marimo as mo
    from exercise import check, code, picture, show, solution, term
    from xdsl.context import Context
    from xdsl.dialects.builtin import (
        Builtin,
        FileLineColLoc,
        IntegerAttr,
        NameLoc,
        TensorType,
        i64,
    )
    from xdsl.ir import Dialect, Operation
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
    from xdsl.parser import Parser
    from xdsl.utils.exceptions import ParseError, VerifyException

    Integer = IntegerAttr.constr(type=EqAttrConstraint(i64))


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    # Lesson 2: An op of one's own, with a verifier

    *30 minutes. You need lesson 1.*

    Afterwards you can define an {term("op")}: its {term("operand")}s and {term("result")}s, its text, and
    the rules that it must obey; and you can turn a broken rule into a message that helps.

    In xDSL an op is one class. Fields declare what it has: `operand_def` an operand,
    `result_def` a result, `prop_def` a {term("property")}, that is a constant which belongs to
    the op. The {term("assembly format")} declares its text: `$name` stands for a
    field, back quotes for fixed words. From these declarations come the constructor, the parser,
    the printer, and a {term("verifier")} for everything that they say.

    Here is an op that cuts a window out of an image, a tensor of height and width. That the
    window lies within the image cannot be declared, so the class gets the method `verify_`,
    which raises `VerifyException` for an op that makes no sense.
    """)
    return


@app.cell
def _(FlipOp, verify_crop):
    @irdl_op_definition
    class CropOp(IRDLOperation):
        """Cuts a window out of an image; its size is that of the result."""

        name = "photo.crop"
        image = operand_def(TensorType)
        top = prop_def(Integer)
        left = prop_def(Integer)
        result = result_def(TensorType)
        assembly_format = (
            "$image `at` $top `,` $left attr-dict `:` type($image) `->` type($result)"
        )

        def verify_(self) -> None:
            verify_crop(self)

    def read(text: str, image: str = "6x8xui8") -> Operation:
        """The last op of a text in which `%x` is an image."""
        context = Context(allow_unregistered=True)
        context.load_dialect(Builtin)
        context.load_dialect(Dialect("photo", [CropOp, FlipOp]))
        frame = f'%x = "camera.frame"() : () -> tensor<{image}>\n'
        return [*Parser(context, frame + text).parse_module().walk()][-1]

    def crop(top: int, left: int, result: str) -> Operation:
        return read(
            f"%y = photo.crop %x at {top}, {left} : tensor<6x8xui8> -> {result}"
        )

    def refusal(op: Operation) -> str | None:
        """What the verifier says about an op; None if it accepts it."""
        try:
            op.verify()
        except VerifyException as error:
            return str(error)
        return None

    return crop, read, refusal


@app.cell(hide_code=True)
def _(crop):
    def draw(op: Operation) -> str:
        """The image as an outline, the window filled."""
        (height, width), (rows, columns) = op.image.type.shape, op.result.type.shape
        top, left = op.top.value.data, op.left.value.data
        box = '<rect x="{}" y="{}" width="{}" height="{}" stroke="currentColor" {} />'
        image = 2, 2, 30 * width.data, 30 * height.data, 'fill="none"'
        corner = 2 + 30 * left, 2 + 30 * top
        window = *corner, 30 * columns.data, 30 * rows.data, 'fill-opacity="0.2"'
        words = f"{rows.data}x{columns.data} at {top}, {left}"
        text = f'<text x="{corner[0] + 6}" y="{corner[1] + 20}">{words}</text>'
        return box.format(*image) + box.format(*window) + text

    good, bad = crop(1, 2, "tensor<4x5xui8>"), crop(3, 2, "tensor<4x5xui8>")
    mo.vstack(
        [
            show(f"{good!s}\n{bad!s}"),
            mo.md("The first lies within its image of 6x8, the second does not:"),
            mo.hstack(
                [
                    picture(260, 220, draw(good), "the window within the image"),
                    picture(260, 220, draw(bad), "the window beyond the image"),
                ],
                wrap=True,
                justify="start",
            ),
            mo.md("""
            ## Exercise 1: declare an op

            Complete `FlipOp`, which mirrors an image along an axis. It reads

            ```text
            %y = photo.flip %x axis 1 : tensor<6x8xui8>
            ```

            There is only one type in the text, because the result has the type of the image. A
            `VarConstraint("T", BaseAttr(TensorType))` is a constraint named T: what it matches
            first, here a tensor type, it must match everywhere in the op. Declare `axis` like
            `top` above.
            """),
        ]
    )
    return


@app.class_definition
@irdl_op_definition
class FlipOp(IRDLOperation):
    """Mirrors an image along an axis."""

    name = "photo.flip"
    T: ClassVar = VarConstraint("T", BaseAttr(TensorType))
    image = operand_def(TensorType)
    result = result_def(TensorType)
    assembly_format = "$image attr-dict `:` type($image) `->` type($result)"


@app.cell(hide_code=True)
def _(FlipOp, read, refusal):
    def trial_flip():
        text = "%y = photo.flip %x axis 1 : tensor<6x8xui8>"
        try:
            op = read(text)
        except ParseError as error:
            _, _, marker, reason = str(error).rstrip("\n").split("\n")[:4]
            rest = text[marker.index("^") :]
            return f"`{text}` is not understood from `{rest}` on: {reason.strip()}."
        if not isinstance(getattr(op, "axis", None), IntegerAttr):
            return "there is no property `axis`: declare it like `top` of the crop."
        if str(op) != text:
            return f"it prints as `{op!s}`."
        if refusal(op):
            return f"this flip is valid, and is refused: {refusal(op)}."
        odd = '%y = "photo.flip"(%x) <{axis = 1 : i64}> : (tensor<6x8xui8>) -> tensor<8x6xui8>'
        if not refusal(read(odd)):
            return "a flip from 6x8 to 8x6 is accepted; which fields share a type?"

    mo.vstack([check("Exercise 1", trial_flip), solution(__file__, "FlipOp")])
    return


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    ## Exercise 2: verify an op

    Write the verifier of `photo.crop`. The window must lie within the image, and the result has
    the element type of the image. Raise `VerifyException` with a {term("diagnostic")} that names
    the numbers which do not fit: "rows 3 to 7 are outside of an image of 6 rows" is of more use
    than "invalid crop". The cell begins with all that you need.
    """)
    return


@app.function
def verify_crop(op: Operation) -> None:  # your code
    height, width = op.image.type.get_shape()
    rows, columns = op.result.type.get_shape()
    top, left = op.top.value.data, op.left.value.data
    before, after = op.image.type.element_type, op.result.type.element_type


@app.cell(hide_code=True)
def _(crop, refusal):
    def trial_verify():
        for top, left, rows, columns in ((1, 2, 4, 5), (0, 0, 6, 8), (2, 3, 4, 5)):
            if why := refusal(crop(top, left, f"tensor<{rows}x{columns}xui8>")):
                window = f"{rows}x{columns} at {top}, {left}"
                return f"{window} lies within 6x8, and is refused: {why}."
        for top, left, culprits in (
            (3, 0, "3 6"), (0, 4, "4 8"), (-1, 0, "-1"), (0, -2, "-2"),
        ):  # fmt: skip
            why = refusal(crop(top, left, "tensor<4x5xui8>"))
            if why is None:
                return f"4x5 at {top}, {left} is not within 6x8, and is accepted."
            if missing := [number for number in culprits.split() if number not in why]:
                return f"4x5 at {top}, {left}: “{why}” does not name {missing[0]}."
        if refusal(crop(0, 0, "tensor<4x5xf32>")) is None:
            return "an image of `ui8` gives a window of `f32`; a crop converts nothing."

    mo.vstack([check("Exercise 2", trial_verify), solution(__file__, "verify_crop")])
    return


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    ## Exercise 3: say where

    A message about an op needs a place, and the user's place: not the line of the {term("IR")}, but that
    of the Python file the op was made from. Every op has a `location`, which the parser reads
    from `loc(...)`. It is one of three kinds:

    - `FileLineColLoc`, as in `loc("camera.py":7:0)`: `location.filename.data`, `location.line.data`
    - `NameLoc`, as in `loc("window"("camera.py":7:0))`: a name, `location.desc.data`, around
      another location, `location.location`
    - anything else, such as `UnknownLoc`.

    Return `camera.py:7` for the first, `window at camera.py:7` for the second, and
    `unknown source` for the third.
    """)
    return


@app.function
def place(location) -> str:  # your code
    return "unknown source"


@app.cell(hide_code=True)
def _(place, read, refusal):
    def trial_place():
        wanted = {
            'loc("camera.py":7:0)': "camera.py:7",
            'loc("window"("camera.py":12:4))': "window at camera.py:12",
            "loc(unknown)": "unknown source",
        }
        for text, answer in wanted.items():
            op = read(
                f"%y = photo.crop %x at 3, 0 : tensor<6x8xui8> -> tensor<4x5xui8> {text}"
            )
            if (found := place(op.location)) != answer:
                return f"`{text}` is `{answer}`, not `{found}`."

    def message():
        op = read(
            "%y = photo.crop %x at 3, 0 : tensor<6x8xui8> -> tensor<4x5xui8>"
            'loc("window"("camera.py":7:0))'
        )
        return show(f"{place(op.location)}: {op.name}: {refusal(op)}", "text")

    mo.vstack([check("Exercise 3", trial_place, message), solution(__file__, "place")])
    return


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    ## In earnest

    The ops on tensors of DevProc derive from {code("devproc/dialects/nn/base/op.py", "NNOp")}. One
    class method computes the types of the results: it builds an op, and verifies it too. Look at
    {code("devproc/dialects/nn/shape.py", "SliceOp")}, the crop in any number of dimensions, and at
    {code("devproc/ir/text/location.py", "describe_location")}. Lesson 3 makes such ops from a model.
    """)
    return


if __name__ == "__main__":
    app.run()
