"""A compiler in a hundred lines: `marimo edit notebooks/course/00_hundred_lines.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    import inspect
    import math
    from dataclasses import dataclass, replace

    import marimo as mo
    from exercise import check, code, graph, show, solution, term


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    # Lesson 0: A compiler in a hundred lines

    *40 minutes. You need Python's functions, classes and dictionaries, nothing else.*

    Afterwards you can say what a compiler consists of, for you will have read a whole one and
    written parts of it. It takes a Python function of numbers and makes a function of lists of
    numbers, with a single loop. A *front end* reads the program, an {term("IR")} holds it as
    data, {term("pass")}es improve it, and a *code generator* writes it in the language of the
    machine, here Python. Every compiler has these four parts.

    ## The IR

    The unit is the {term("op")}. It has a name, a list of other ops whose results it reads (its
    {term("operand")}s), and perhaps a number; and it stands for the value that it computes.
    A program is a list of ops in which each comes after its operands. Every value is defined
    exactly once, so what a name means never depends on *when* it is read: {term("SSA")}.
    """)
    return


@app.class_definition
@dataclass(eq=False)  # an op equals itself only
class Op:
    """An operation, and the value that it computes."""

    name: str
    operands: tuple = ()
    number: float | None = None

    def __str__(self) -> str:
        return self.name if self.number is None else f"{self.name} {self.number}"


@app.class_definition
class Tracer:
    """Stands for a number while a function runs; writes each operation down as an op."""

    def __init__(self, ops: list, name: str, *operands: "Tracer", number=None):
        self.ops = ops
        self.op = Op(name, tuple(x.op for x in operands), number)
        ops.append(self.op)

    def apply(self, name: str, other) -> "Tracer":
        if not isinstance(other, Tracer):
            other = Tracer(self.ops, "constant", number=float(other))
        return Tracer(self.ops, name, self, other)

    def __add__(self, other):
        return self.apply("add", other)

    def __mul__(self, other):
        return self.apply("mul", other)

    def maximum(self, other):
        return self.apply("maximum", other)


@app.function
def trace(function) -> list:
    """The ops of a function: first its inputs, last its `return`."""
    ops: list[Op] = []
    inputs = [Tracer(ops, "input") for _ in inspect.signature(function).parameters]
    ops.append(Op("return", (function(*inputs).op,)))
    return ops


@app.cell(hide_code=True)
def _():
    def example(x, y):
        total = x + y
        unused = x * y * 3
        return (x + y) * total + 1

    ops = trace(example)
    nodes = [(str(op), [ops.index(x) for x in op.operands]) for op in ops]
    reads = [", ".join(f"%{x}" for x in operands) for _, operands in nodes]
    text = "\n".join(f"%{i} = {ops[i]} {reads[i]}" for i in range(len(ops)))
    mo.vstack(
        [
            mo.md(f"""
            ## The front end

            How does a compiler see the inside of a Python function? It calls the function with
            arguments that write down what is done to them. Python turns `a + b` into
            `a.__add__(b)`, and our `__add__` computes nothing: it appends an op. This is
            {term("tracing")}. Here is a function with some waste in it, its ops as text, and the
            same as a picture, in which a line leads from a value down to the op that reads it.
            Which box leads nowhere, and which two compute the same?
            """),
            show(inspect.getsource(example), "python"),
            show(text),
            graph(nodes, "the ops of the example as a graph, inputs at the top"),
        ]
    )
    return (ops,)


@app.cell
def _(MAXIMUM):
    # What each op means: a Python expression of its operands.
    MEANING = {"add": "{0} + {1}", "mul": "{0} * {1}", "constant": "{number}"}
    MEANING["maximum"] = MAXIMUM

    def generate(ops: list) -> str:
        """The source of a function of lists, with one loop for all ops."""
        names = {op: f"v{i}" for i, op in enumerate(ops)}
        inputs = [names[op] for op in ops if op.name == "input"]
        lines = ["def kernel(*lists):", "    result = []"]
        lines += [f"    for {', '.join(inputs)}, in zip(*lists):"]
        for op in ops:
            operands = [names[x] for x in op.operands]
            if op.name == "return":
                lines += [f"        result.append({operands[0]})"]
            elif op.name != "input":
                value = MEANING[op.name].format(*operands, number=op.number)
                lines += [f"        {names[op]} = {value}"]
        return "\n".join([*lines, "    return result"])

    def compiled(ops: list):
        """The function that the generated code defines."""
        exec(generate(ops), namespace := {})
        return namespace["kernel"]

    def show_code(ops: list):
        return show(generate(ops), "python")

    return compiled, show_code


@app.cell(hide_code=True)
def _(compiled, ops, show_code):
    values = compiled(ops)([1.0, 2.0, 3.0], [10.0, 20.0, 30.0])
    mo.vstack(
        [
            mo.md(f"""
            ## The code generator

            One line of code for each op. NumPy would make an array for each operation; here all
            ops share one loop, and no intermediate result is stored. That is {term("fusion")}.
            """),
            show_code(ops),
            mo.md(f"""
            `kernel([1, 2, 3], [10, 20, 30])` is `{values}`.

            ## Exercise 1: an op of your own

            `x.maximum(y)` is traced already, but means the wrong thing. Write the expression for
            the larger of `{{0}}` and `{{1}}`, its operands, as NumPy's `maximum` has it: NaN if
            either is NaN. NaN is a float that is not a number, such as `inf - inf`; no
            comparison with it is true, not even `x == x`.
            """),
        ]
    )
    return


@app.cell
def _():
    MAXIMUM = "{0}"  # your code
    return (MAXIMUM,)


@app.cell(hide_code=True)
def _(compiled):
    def trial_maximum():
        larger = compiled(trace(lambda x, y: x.maximum(y)))
        for a, b in ((1.0, 2.0), (2.0, 1.0), (math.nan, 1.0), (1.0, math.nan)):
            (found,) = larger([a], [b])
            wanted = math.nan if math.isnan(a + b) else max(a, b)
            if str(found) != str(wanted):
                return f"the maximum of {a} and {b} is {wanted}, not {found}."

    mo.vstack([check("Exercise 1", trial_maximum), solution(__file__, "MAXIMUM")])
    return


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    ## Exercise 2: remove what is not needed

    A pass takes a program and returns an equivalent one. The first removes {term("dead code")}:
    ops whose results nobody needs. The `return` is needed, the inputs are (the caller passes
    them), and so is whatever a needed op reads. Return the list without dead ops, in order.
    """)
    return


@app.function
def remove_dead(ops: list) -> list:  # your code
    return ops


@app.cell(hide_code=True)
def _(ops, remove_dead, show_code):
    def trial_dead():
        def wasteful(x, y):
            (x + y) * 2
            return x + 1

        after = remove_dead(before := trace(wasteful))
        if not after or after[-1] is not before[-1]:
            return "the `return` is gone, or not the last op any more."
        for op in after:
            if missing := [x for x in op.operands if x not in after]:
                return f"`{op}` is still there, but its operand `{missing[0]}` is not."
        if sum(op.name == "input" for op in after) != 2:
            return "an input is gone, but callers pass two lists."
        if dead := [op for op in after if op.name == "mul" or op.number == 2]:
            return f"`{dead[0]}` is still there; no op reads it, or only a dead one."

    _verdict = check("Exercise 2", trial_dead, lambda: show_code(remove_dead(ops)))
    mo.vstack([_verdict, solution(__file__, "remove_dead")])
    return


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    ## Exercise 3: compute everything once

    Two ops are the same if they have the same name, number and operands. The second can go, and
    whoever read it reads the first: {term("CSE")}. This can make others the same: of two times
    `(x + y) * 2`, the products are the same once the sums are one. Inputs look alike, but differ.
    Go through the ops in order, with a dictionary of the ops you have seen, and another from
    each given op to what takes its place. Do not change an op: `replace(op, operands=...)` makes
    a new one.
    """)
    return


@app.function
def merge_equal(ops: list) -> list:  # your code
    return ops


@app.cell(hide_code=True)
def _(compiled, merge_equal, ops, show_code):
    def twice(x, y):
        return ((x + y) * 2 + x * y) * ((x + y) * 2 + (x + x) * 3)

    def trial_merge():
        given = trace(twice)
        before = [op.operands for op in given]
        merged = merge_equal(given)
        if [op.operands for op in given] != before:
            return "the ops given to you have changed; make new ones instead."
        if sum(op.name == "input" for op in merged) != 2:
            return "there are two inputs, and both must stay."
        for i, op in enumerate(merged):
            if missing := [x for x in op.operands if x not in merged[:i]]:
                return f"`{op}` reads a `{missing[0]}` that does not come before it."
        value, (found,) = twice(2.0, 5.0), compiled(merged)([2.0], [5.0])
        if found != value:
            return f"`twice(2, 5)` is {value}, not {found}: different ops were merged."
        forms = [(op.name, op.number, op.operands) for op in merged]
        if twins := [f[0] for f in forms if f[0] != "input" and forms.count(f) > 1]:
            return f"there are still two equal ops `{twins[0]}`."

    _verdict = check("Exercise 3", trial_merge, lambda: show_code(merge_equal(ops)))
    mo.vstack([_verdict, solution(__file__, "merge_equal")])
    return


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    ## In earnest

    DevProc has the same parts: a front end ({code("devproc/frontends/torch_export/graph/builder.py", "GraphBuilder")}),
    ops ({code("devproc/dialects/nn/pointwise.py", "MaximumOp")}, NaN included), passes listed as data
    ({code("devproc/stages.py", "STAGES")}), and code for CPUs and GPUs. Lesson 1 goes on with the IR.
    """)
    return


if __name__ == "__main__":
    app.run()
