"""From `torch.export` to `nn`: `marimo edit notebooks/course/03_from_torch_export.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    import textwrap

    import marimo as mo
    import torch
    from exercise import check, code, graph, show, solution, term
    from torch.export import ExportedProgram
    from xdsl.ir import SSAValue

    import devproc
    from devproc.dialects.nn.pointwise import AddOp, DivOp, MulOp, QuotientOp, SubOp
    from devproc.dialects.nn.reduction import ReduceSumOp
    from devproc.frontends.torch_export.graph.builder import GraphBuilder
    from devproc.ir.types import DTYPES

    _ = torch.manual_seed(0)


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    # Lesson 3: From `torch.export` to `nn`

    *30 minutes. You need lessons 1 and 2, and to have seen a PyTorch model.*

    Afterwards you can read an {term("exported program")}, say which {term("op")}s DevProc makes
    of it, teach DevProc an {term("operator")} that it does not know, and prove that what you
    taught it is right.

    `torch.export` does with a model what lesson 0 did with a function: it calls the model with
    stand-ins for tensors, which write down the operators. The result is a graph of
    *nodes*: a `placeholder` for each weight and input, a `call_function` for each operator, and
    one `output`. Here is a small model, and its graph, drawn from `exported.graph.nodes`.
    """)
    return


@app.cell
def _():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(3, 4, 3)
            self.fc = torch.nn.Linear(4, 2)

        def forward(self, x):
            x = self.conv(x).relu().amax(dim=(2, 3))
            return self.fc(x).softmax(-1)

    exported = torch.export.export(Net().eval(), (torch.rand(1, 3, 8, 8),))
    nodes = list(exported.graph.nodes)
    drawn = [(n.name, [nodes.index(x) for x in n.all_input_nodes]) for n in nodes]
    graph(
        drawn, "the exported graph: weights and input at the top, output at the bottom"
    )
    return (exported,)


@app.cell(hide_code=True)
def _():
    mo.md("""
    ## Exercise 1: what does a model call?

    Return the operators that an exported program calls, in order, with repetitions, as strings
    such as `"aten.relu.default"`. A node has an `op`, the kind of the node, and a `target`, what
    it calls; `str(node.target)` is the name. An operator may have several signatures. The last
    part of the name says which: `aten.add.Tensor` adds two tensors.
    """)
    return


@app.function
def operators(exported: ExportedProgram) -> list[str]:  # your code
    return [node.name for node in exported.graph.nodes]


@app.cell(hide_code=True)
def _(exported, operators):
    def trial_operators():
        found = operators(exported)
        if "x" in found or "p_conv_weight" in found:
            return "an input or a weight is no operator; look at the `op` of the nodes."
        if "output" in found:
            return "the output is no operator; look at the `op` of the nodes."
        if "relu" in found:
            return "`relu` is the name of a node; the operator is its target."
        if not all(isinstance(name, str) for name in found):
            return "the targets are objects; return them as strings."
        twice = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.ReLU())
        again = operators(torch.export.export(twice, (torch.rand(2),)))
        if again != ["aten.relu.default"] * 2:
            return f"of a model that calls relu twice, it returns {again}."
        if found[:2] != ["aten.conv2d.default", "aten.relu.default"]:
            return f"the model calls conv2d, then relu; it returns {found[:2]}."

    mo.vstack([check("Exercise 1", trial_operators), solution(__file__, "operators")])
    return


@app.cell(hide_code=True)
def _(exported):
    program = devproc.compile(exported, target="cpu", threads=1)
    mo.vstack(
        [
            mo.md(f"""
            ## The import

            DevProc reads the graph node by node. A table,
            {code("devproc/frontends/torch_export/tables.py", "IMPORTS")}, has a row for each operator: a
            function that adds ops of the {term("dialect")} `nn`, as you did in lesson 1. Weights
            become `nn.weight`, a name and a hash; their numbers stay out of the text. Each op
            keeps the line of the model that it comes from, which is not shown here.
            """),
            show(program.ir("program")),
        ]
    )
    return


@app.cell(hide_code=True)
def _():
    @torch.library.custom_op("course::contrast", mutates_args=())
    def contrast(x: torch.Tensor, gain: float) -> torch.Tensor:
        mean = x.mean(dim=(2, 3), keepdim=True)
        return (x - mean) * gain + mean

    contrast.register_fake(lambda x, gain: torch.empty_like(x))

    class Contrast(torch.nn.Module):
        def __init__(self, gain):
            super().__init__()
            self.gain = gain

        def forward(self, x):
            return contrast(x / 255, self.gain)

    def contrast_by(gain: float) -> ExportedProgram:
        return torch.export.export(Contrast(gain), (torch.rand(2, 3, 5, 7),))

    try:
        devproc.compile(contrast_by(1.5))
        refusal = "It was refused until you registered the operator below."
    except devproc.UnsupportedError as error:
        refusal = str(error)
    mo.vstack(
        [
            mo.md("""
            ## An operator without a row

            A model may call an operator of its own. This one changes the contrast of images:

            ```python
            @torch.library.custom_op("course::contrast", mutates_args=())
            def contrast(x: torch.Tensor, gain: float) -> torch.Tensor:
                mean = x.mean(dim=(2, 3), keepdim=True)
                return (x - mean) * gain + mean
            ```

            DevProc refuses the model, with all that it cannot import, before it does any work:
            """),
            show(textwrap.fill(refusal, 78), "text"),
        ]
    )
    return (contrast_by,)


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    ## Exercise 2: write its row

    `devproc.register_op` adds a row for an operator. Its function gets a builder and the
    arguments of the operator, tensors as values, and returns a value. With the builder `b`:

    - `b.emit(MulOp.build_op([x, y]))` adds an op and returns its result. The types of results
      are computed ({term("shape inference")}), and shapes with a 1 are repeated to match
      ({term("broadcasting")}). There are `AddOp`, `SubOp`, `MulOp`, `DivOp`.
    - `b.emit(ReduceSumOp.over(x, [2, 3], keep=True))` sums over axes, and keeps them with size 1.
    - `b.scalar(1.5, DTYPES["float32"])` is a constant.
    - `b.result.get_shape()` is the shape of the operator's result.

    There is no op for a mean; it is a sum, divided by the number of elements. Is the row right?
    `devproc.verify(exported, exported=exported)` runs the compiled program and PyTorch on the
    same random input, and compares every op with its meaning, and the output with PyTorch's.
    """)
    return


@app.function
def build_contrast(b: GraphBuilder, x: SSAValue, gain: float) -> SSAValue:  # your code
    return x


@app.cell(hide_code=True)
def _(build_contrast, contrast_by):
    def differs(exported: ExportedProgram, name: str, build, **inputs) -> str | None:
        """How a model with an operator of this name differs from PyTorch's, if it does."""
        devproc.register_op(name, build=build, replace=True)
        try:
            found = devproc.verify(
                exported, threads=1, exported=exported, inputs=inputs
            )
        except devproc.UnsupportedError as error:
            return f"it is refused: {str(error).partition('): ')[2].partition(';')[0]}"
        return None if found.passed else found.summary()

    def trial_contrast():
        new = "course::contrast", build_contrast
        gray = torch.full((2, 3, 5, 7), 128.0)
        if why := differs(contrast_by(1.5), *new, x=gray):
            return f"a gray image has no contrast and must stay as it is; {why}."
        if why := differs(contrast_by(1.0), *new):
            return f"with a gain of 1, an image must stay as it is; {why}."
        if why := differs(contrast_by(2.5), *new):
            return f"with a gain of 2.5, {why}; is the mean that of each channel alone?"

    mo.vstack(
        [check("Exercise 2", trial_contrast), solution(__file__, "build_contrast")]
    )
    return (differs,)


@app.cell(hide_code=True)
def _():
    @torch.library.custom_op("course::average", mutates_args=())
    def average(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return ((x.int() + y.int() + 1) // 2).to(torch.uint8)

    average.register_fake(lambda x, y: torch.empty_like(x))

    class Average(torch.nn.Module):
        def forward(self, x, y):
            return average(x, y)

    byte = torch.zeros(5, dtype=torch.uint8)
    averaged = torch.export.export(Average(), (byte, byte.clone()))
    mo.md("""
    ## Exercise 3: types matter

    `course::average` is the average of two images of bytes (`uint8`), rounded up:

    ```python
    return ((x.int() + y.int() + 1) // 2).to(torch.uint8)
    ```

    Write its row. `b.cast(x, DTYPES["int16"])` converts a value to another element type, and
    `QuotientOp` divides integers.
    """)
    return (averaged,)


@app.function
def build_average(b: GraphBuilder, x: SSAValue, y: SSAValue) -> SSAValue:  # your code
    total = b.emit(AddOp.build_op([x, y]))
    return b.emit(QuotientOp.build_op([total, b.scalar(2, DTYPES["uint8"])]))


@app.cell(hide_code=True)
def _(averaged, build_average, differs):
    def trial_average():
        pairs = torch.tensor([[20, 40], [20, 41], [21, 42], [200, 100], [255, 255]])
        new = averaged, "course::average", build_average
        if not differs(*new, x=pairs[:, 0].byte(), y=pairs[:, 1].byte()):
            return None
        for x, y in pairs:
            x, y = int(x), int(y)
            inputs = torch.full((5,), x).byte(), torch.full((5,), y).byte()
            if why := differs(*new, x=inputs[0], y=inputs[1]):
                room = "; a byte ends at 255" if x + y > 255 else ""
                return f"the average of {x} and {y} is {(x + y + 1) // 2}{room}; {why}."

    mo.vstack([check("Exercise 3", trial_average), solution(__file__, "build_average")])
    return


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    ## In earnest

    The rows of PyTorch's operators are sorted by family, as in
    {code("devproc/frontends/torch_export/families/activations.py", "IMPORTS")}. `docs/operators.md` lists them
    with their tests. `docs/custom_ops.md` shows `register_op` for ops with loops of their own.
    Lesson 4 asks how large a difference `verify` may accept.
    """)
    return


if __name__ == "__main__":
    app.run()
