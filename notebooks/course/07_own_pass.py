"""A pass of your own: `marimo edit notebooks/course/07_own_pass.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    import math
    import os
    import subprocess
    import sys
    from pathlib import Path

    import marimo as mo
    import torch
    from exercise import check, code, hint_of, picture, show, solution, term
    from interpreter import main, main_block, run
    from pass_package import (
        RIGHT,
        WRONG,
        after,
        installed,
        look,
        mismatch,
        package_source,
    )
    from xdsl.dialects.builtin import f32
    from xdsl.pattern_rewriter import PatternRewriter

    import devproc
    from devproc import plugins
    from devproc.dialects.nn.constant import ConstantOp
    from devproc.dialects.nn.pointwise import DivOp, MulOp
    from devproc.driver import module_text, parse_module
    from devproc.ir.text.location import replace_op


@app.cell
def _():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.LayerNorm(64)

        def forward(self, x):
            return self.norm(x / 4)

    exported = torch.export.export(Model().eval(), (torch.zeros(3, 64),))
    mo.md(f"""
    # Lesson 7: A pass of your own

    *40 minutes. You need lesson 6.*

    You write a rule, put it in a pass, find its place in the {term("pipeline")}, and test it. The
    result is a package: whoever installs it has a compiler with your pass, without a change to
    DevProc and without importing anything.

    The rule: a division takes several times as long as a product, and `x / 4` is `x * 0.25`. Bit
    for bit? If `1 / c` is exact, both round the same number. Else they may differ in the last bit. Only float32
    matters here.

    **Exercise 1.** `rewrite(op, rewriter)` is called for each {term("op")} `nn.div`. Where its right
    operand is a constant and the product is {term("bit-exact")}, it replaces the division. A
    constant is made by `ConstantOp.of(type, numbers)`. `replace_op` takes the list of new ops; the
    last one's result replaces that of `op`, and all get its source line.
    """)
    return (exported,)


@app.function
def rewrite(op: DivOp, rewriter: PatternRewriter) -> None:
    constant = op.rhs.owner
    if not isinstance(constant, ConstantOp):
        return
    inverse = ConstantOp.of(op.rhs.type, [1 / c for c in constant.value.get_values()])
    replace_op(rewriter, op, [inverse, MulOp.build_op([op.lhs, inverse.result])])


@app.cell(hide_code=True)
def _():
    def trial_rewrite():
        x = [3.0, -7.1, 1e30, 1e-30, math.inf, -0.0]
        for numbers, exact in (
            ("4.0", True), ("0.5", True), ("-2.0", True), ("3.0", False), ("10.0", False),
            ("0.0", False), (str(2.0**-140), False), ("[2.0, 4.0]", True), ("[4.0, 3.0]", False),
        ):  # fmt: skip
            shape = "2x" if "," in numbers else ""
            before = main(
                f"""%c = nn.constant dense<{numbers}> : tensor<{shape}f32> : tensor<{shape}f32>
                %r = nn.div %x, %c : (tensor<3x2xf32>, tensor<{shape}f32>) -> tensor<3x2xf32>""",
                x="3x2",
            )
            now = parse_module(after(rewrite, module_text(before)))
            now.verify()
            divides = any(isinstance(op, DivOp) for op in main_block(now))
            if divides and exact:
                return f"x / {numbers} is still a division."
            if not divides and not exact:
                return f"x / {numbers} became a product, but 1 / c is not exact in float32."
            if str(run(before, {"x": x})) != str(run(now, {"x": x})):
                return f"the results of x / {numbers} are not what they were."
        both = "%r = nn.div %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"
        after(rewrite, module_text(main(both, x="2", y="2")))

    mo.vstack([check("Exercise 1", trial_rewrite), solution(__file__, "rewrite")])
    return (trial_rewrite,)


@app.cell(hide_code=True)
def _(exported):
    _program = devproc.compile(exported, threads=1, cache=False)
    _text = mo.md(f"""
    ## A place among the passes

    The compiler runs one {term("stage")} after the other; each is a list of passes. An installed
    package adds one by an {term("entry point")} of the group `devproc.passes`, which names a `PassPlugin`: the
    class, a stage, and `after=` or `before=` another pass of that stage, or neither for its end
    ({code("devproc/plugins.py", "PassPlugin")}). This is the model before the stage `tensor`, and
    after it:
    """)
    _task = mo.md(f"""
    `nn.layer_norm` was made of simpler ops on the way; its divisions are not there from the
    start. The stage's passes are, in order:

    {", ".join(f"`{name}`" for name in plugins.stages()[1].passes)}.

    **Exercise 2.** `place` holds the arguments of the `PassPlugin`. The text of the stage
    `tensor` should show no division by a constant any more. To see whether yours is a good place,
    the check installs a pass there that changes nothing and looks around.
    """)
    mo.vstack([_text, show(_program.ir("program")), show(_program.ir("tensor")), _task])


@app.cell
def _():
    place = {"stage": "tensor", "after": "inline-models"}
    return (place,)


@app.cell(hide_code=True)
def _(exported, place):
    def trial_place():
        if place.get("stage") == "program":
            return "the stage `program` is what the user wrote: it changes nothing."
        with installed("look", look(place)):
            devproc.compile(exported, threads=1, cache=False)
            seen = len(sys.modules["look"].SEEN)
        if seen < 4:
            return (
                f"at this place the pass sees {seen} of the 4 divisions by a constant."
                " Which pass makes the others, or makes something else of them?"
            )
        if place["stage"] != "tensor":
            return "it sees all divisions, but the stage `tensor` is over by then."

    mo.vstack([check("Exercise 2", trial_place), solution(__file__, "place")])


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    ## A test that can fail

    Passes are tested on text: a program, and what should come out. {term("FileCheck")} reads the
    lines `// CHECK: text` of a file, and looks for their texts in the output, in this order.
    The text of `CHECK-NEXT` must be on the next line; `CHECK-LABEL` starts a new function;
    `%[[A:.*]]` matches a name, which is `%[[A]]` from then on. `// RUN:` is the command that runs the test,
    where `%s` is the file. Numbers are printed as `dense<2.500000e-01>`.

    **Exercise 3.** A test that passes proves little; it has to fail where the pass is wrong.
    Complete `test` so that it tells the right pass from three wrong ones. It may have several
    functions.
    """)


@app.cell
def _():
    test = """
    // RUN: devproc-opt %s -p multiply-by-reciprocal | filecheck %s

    // CHECK-LABEL: func.func @by_four(
    func.func @by_four(%x: tensor<8xf32>) -> tensor<8xf32> {
      // CHECK: return
      %c = nn.constant dense<4.0> : tensor<f32> : tensor<f32>
      %y = nn.div %x, %c : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
      func.return %y : tensor<8xf32>
    }
    """
    return (test,)


@app.cell(hide_code=True)
def _(test):
    def trial_test():
        if (
            "// RUN: devproc-opt %s -p multiply-by-reciprocal | filecheck %s"
            not in test
        ):
            return "the line with RUN has to stay: it says how the file is tested."
        if problem := mismatch(test, after(RIGHT, test)):
            return f"the right pass fails: {problem}"
        for what, version in WRONG.items():
            if not mismatch(test, after(version, test)):
                return f"a pass that {what} passes as well."

    mo.vstack([check("Exercise 3", trial_test), solution(__file__, "test")])
    return (trial_test,)


@app.cell(hide_code=True)
def _(exported, place, test, trial_rewrite, trial_test):
    def everything():
        """Installs the package, runs its test as a command, compiles the model with it."""
        source = package_source(rewrite, place)
        with installed("multiply-by-reciprocal", source) as folder:
            (folder / "test.mlir").write_text(test)
            command = test.partition("RUN: ")[2].partition("\n")[0]
            paths = (str(Path(sys.executable).parent), os.environ.get("PATH", ""))
            modules = (str(folder), os.environ.get("PYTHONPATH", ""))
            done = subprocess.run(
                command.replace("%s", "test.mlir"),
                shell=True,
                cwd=folder,
                env=os.environ
                | {
                    "PATH": os.pathsep.join(paths),
                    "PYTHONPATH": os.pathsep.join(modules),
                },
                capture_output=True,
                text=True,
            )
            text = devproc.compile(exported, threads=1, cache=False).ir("tensor")
            return source, command, done, text, plugins.stages()

    def draw(stages):
        """The stages, and the passes of the one that has the new pass."""
        name = "multiply-by-reciprocal"
        (own,) = (stage for stage in stages if name in stage.passes)
        rows = [(0, stage.name, stage is own) for stage in stages]
        rows += [(130, each, each == name) for each in own.passes]
        parts, heights = [], {0: 0, 130: 0}
        for x, label, mine in rows:
            y, heights[x] = heights[x], heights[x] + 24
            parts.append(
                f'<rect x="{x + 1}" y="{y + 1}" width="{110 if x == 0 else 230}" height="20" rx="4"'
                f' stroke="currentColor" fill-opacity="{0.3 if mine else 0}"/>'
                f'<text x="{x + 8}" y="{y + 16}">{label}</text>'
            )
        return picture(
            362, max(heights.values()), "".join(parts), "Your pass in its stage"
        )

    def finished():
        if hint_of(trial_rewrite) or hint_of(trial_test):
            return mo.md(
                "The package is built here as soon as the exercises are solved."
            )
        try:
            source, command, done, text, stages = everything()
        except devproc.DevProcError as error:
            return mo.md(f"{error}")
        assert done.returncode == 0, done.stderr + done.stdout
        return mo.vstack(
            [
                mo.md(
                    "## The package\n\nThis is its module, with your function in it:"
                ),
                show(source, "python"),
                mo.md(
                    f"Its test passes: `{command}`. Its place, and what becomes of the model:"
                ),
                draw(stages),
                show(text),
            ]
        )

    finished()


@app.cell(hide_code=True)
def _():
    mo.md("""
    ## What to take along

    - A pass is a class with a name and `apply`. Where it runs is data beside it, not in it.
    - Ask what a pass *sees* at its place: what was made before it, what is gone.
    - Try a test on wrong passes. One that none of them fails tests nothing.

    A real package has a `pyproject.toml` with the lines of `docs/custom_ops.md`, "A pass of your
    own", and is installed with `pip install`, which leaves in `site-packages` just what this lesson
    wrote to a folder: the module, and `entry_points.txt`.
    """)


if __name__ == "__main__":
    app.run()
