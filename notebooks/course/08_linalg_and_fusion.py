"""Fusion of structured loops: `marimo edit notebooks/course/08_linalg_and_fusion.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    from itertools import product, zip_longest
    from math import prod

    import marimo as mo
    import numpy as np
    import torch
    from exercise import check, code, picture, show, solution, term
    from xdsl.ir.affine import AffineMap
    from xdsl.parser import Parser

    import devproc
    from devproc.driver import make_context, parse_module
    from devproc.ir.program.structured import Generic, is_parallel, loop_sizes, maps_of


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    # Lesson 8: Fusion of structured loops

    *30 minutes. You need lesson 6.*

    You will be able to

    - read a `linalg.generic`, the form in which every {term("op")} becomes loops;
    - say why two ops are one {term("kernel")}, or why they are not;
    - rewrite a model so that it needs one launch less.

    Each launch of a kernel reads its operands from memory and writes its results there. Ops that share a
    kernel pass values in registers. Which ones do is the decision of {term("fusion")}.
    """)


@app.cell
def _():
    def compiled(function, *inputs):
        """A function of tensors, compiled as a model without weights."""
        model = torch.nn.Module()
        model.forward = function
        exported = torch.export.export(model, inputs)
        return devproc.compile(exported, target="cpu", threads=1)

    def generics(program):
        """The loops of a program, in order."""
        module = parse_module(program.ir("kernels"))
        return [op for op in module.walk() if isinstance(op, Generic)]

    torch.manual_seed(0)
    x, w = torch.randn(12, 16), torch.randn(16, 20)
    return compiled, generics, w, x


@app.cell(hide_code=True)
def _(compiled, generics, w, x):
    (matmul,) = generics(compiled(lambda x, w: x @ w, x, w))
    assert is_parallel(matmul) == [True, True, False], "two loops, and a sum"
    _text = mo.md(f"""
    ## 1. One op as loops

    After the {term("stage")} `kernels` the product `x @ w` is one {term("generic")}. It says three things:

    - `iterator_types`: there are three loops, `d0`, `d1` and `d2`. The iterations of the first two are
      independent (`parallel`); the last loop is a {term("reduction")}, a sum.
    - `indexing_maps`: an {term("affine map")} for each operand says which element an iteration uses. `x` is
      read at `(d0, d2)`, `w` at `(d2, d1)`; the result is at `(d0, d1)`.
    - the body: what happens to these elements. Its last argument is the element of the result so far.

    It does not say in which order the loops run, or how many iterations at a time. Later stages decide that.
    """)
    mo.vstack([_text, show(str(matmul).replace(', #dev.on<"cpu">', ""))])
    return (matmul,)


@app.cell
def _(matmul, w, x):
    def read_map(text: str) -> AffineMap:
        """The map of a text such as `(i, j) -> (j)`."""
        return Parser(make_context(), f"affine_map<{text}>").parse_attribute().data

    def run_loops(maps, sizes, body, inputs, result):
        """What a generic means: all iterations, one after the other."""
        *reads, write = maps
        for iteration in product(*map(range, sizes)):
            elements = [x[at.eval(iteration, [])] for x, at in zip(inputs, reads)]
            place = write.eval(iteration, [])
            result[place] = body(*elements, result[place])
        return result

    by_loops = run_loops(
        maps_of(matmul),
        loop_sizes(matmul),
        lambda a, b, sum_: sum_ + a * b,
        [x.numpy(), w.numpy()],
        np.zeros((12, 20), np.float32),
    )
    assert np.allclose(by_loops, (x @ w).numpy(), atol=1e-5)
    mo.md("""
    `run_loops` above is the meaning of a generic in a few lines of Python. With the maps of the product it
    gives what PyTorch gives.

    **Exercise 1.** Write the maps of `y = x.T @ v`: each `y[j]` is the sum over `i` of `x[i, j] * v[i]`. There
    are two loops, `i` and `j`, and three maps, for `x`, `v` and `y`. The ones below compute `x @ v`.
    """)
    return read_map, run_loops


@app.cell
def _():
    MAPS = ["(i, j) -> (i, j)", "(i, j) -> (j)", "(i, j) -> (i)"]
    return (MAPS,)


@app.cell(hide_code=True)
def _(MAPS, read_map, run_loops):
    def trial_maps():
        x, v = np.random.default_rng(1).integers(-9, 9, (3, 5)), np.array([2, -3, 5])
        arrays = {"x": x, "v": v, "y": np.zeros(5, int)}
        if len(MAPS) != 3:
            return f"there are {len(MAPS)} maps; `x`, `v` and `y` need one each."
        maps = [read_map(text) for text in MAPS]
        for (name, array), map_ in zip(arrays.items(), maps, strict=True):
            if len(map_.results) != array.ndim:
                return f"`{name}` has {array.ndim} dimensions, its map {map_} does not."
            largest = map_.eval([2, 4], [])
            if any(at >= size for at, size in zip(largest, array.shape, strict=True)):
                return f"for x of 3x5, i goes to 2 and j to 4: `{name}` would be used at {largest}, but its shape is {array.shape}."
        y = arrays["y"]
        run_loops(maps, (3, 5), lambda a, b, sum_: sum_ + a * b, [x, v], y)
        if not np.array_equal(y, x.T @ v):
            return "each index exists, but the sums are not those of `x.T @ v`."

    mo.vstack([check("Exercise 1", trial_maps), solution(__file__, "MAPS")])


@app.cell(hide_code=True)
def _(compiled, w, x):
    def network(x, w):
        return torch.softmax(torch.exp(torch.relu(x @ w)) * 2 + 1, -1)

    def drawing(report) -> mo.Html:
        """The kernels of a program as boxes around their ops; arrows are memory."""
        body, top, passed = "", 8, [row.byte_count for row in report.fusion.rows]
        for kernel, byte_count in zip_longest(report.kernels.rows, passed):
            height = 26 * len(kernel.sources) + 14
            body += f'<rect x="8" y="{top}" width="200" height="{height}" rx="8" fill-opacity="0.08" stroke="currentColor" />'
            for line, source in enumerate(kernel.sources):
                body += f'<text x="24" y="{top + 24 + 26 * line}">{source}</text>'
            body += f'<text x="220" y="{top + 24}">{kernel.family}</text>'
            top += height
            if byte_count is not None:
                body += f'<path d="M108 {top} v34 m-6 -9 l6 9 l6 -9" fill="none" stroke="currentColor" />'
                body += f'<text x="124" y="{top + 22}">{byte_count} bytes stored</text>'
                top += 36
        return picture(350, top + 8, body, "Kernels, and the ops in each of them")

    report = compiled(network, x, w).report()
    kinds = [kernel.family for kernel in report.kernels.rows]
    assert kinds == ["contraction", "reduction"]
    _text = mo.md(f"""
    ## 2. What shares a kernel

    Here is what the compiler makes of `softmax(exp(relu(x @ w)) * 2 + 1)`. The first kernel is a product with
    an {term("epilogue")}: as soon as an element of the product is complete, it goes through four more ops, and
    is stored once. The second kernel is a softmax, which consists of five ops. {report.fusion.saved_bytes} bytes
    never reach memory.

    The {term("family")} of a kernel (`contraction`, `reduction`) is that of its {term("anchor")}. An op joins the
    kernel of its operand if each iteration reads just the element that this iteration has computed: see
    {code("devproc/transforms/kernels/fusion/grouping.py", "Grouping")}.
    """)
    _barriers = mo.md("""
    ## 3. What does not: barriers

    In `relu(x) @ w` the product reads relu's result. Could it compute relu on the fly, and save a launch? Each
    element of `x` takes part in 20 sums, one for each column of `w`, so relu would be computed 20 times instead
    of once. There is a *barrier* between the two ops: the value has to be in memory.

    The maps tell. An operand that is read at `(d0, d2)` is read at the same place in each iteration of `d1`.

    **Exercise 2.** How many iterations of a generic read one element of an operand, given its map and the sizes
    of all loops? `map_.used_dims()` is the set of the loops that occur in a map. (All maps here use a loop as it
    is, such as `d0`; a window, `d0 + d3`, would need more thought.)
    """)
    mo.vstack([_text, drawing(report), _barriers])


@app.cell
def _():
    def times_read(map_: AffineMap, sizes: tuple[int, ...]) -> int:
        """The iterations that read one element of an operand."""
        return 1  # your code

    return (times_read,)


@app.cell(hide_code=True)
def _(compiled, generics, times_read, w, x):
    def trial_times():
        def network(x, w, bias):
            return torch.relu(x) @ w + bias - (x * 2).sum(-1, keepdim=True)

        small = x[:3, :5], w[:5, :4], x[0, :4]
        for op in generics(compiled(network, *small)):
            sizes = loop_sizes(op)
            for map_ in maps_of(op)[: len(op.inputs)]:
                reads = [map_.eval(i, []) for i in product(*map(range, sizes))]
                right, answer = reads.count(reads[0]), times_read(map_, sizes)
                if answer != right:
                    return f"loops of sizes {sizes} read an operand at {map_}: {right} of the {len(reads)} iterations read one element, not {answer}."

    mo.vstack([check("Exercise 2", trial_times), solution(__file__, "times_read")])


@app.cell(hide_code=True)
def _(compiled, times_read, w, x):
    programs = {
        "softmax(x)": (lambda x: torch.softmax(x, -1), x),
        "relu(x @ w)": (lambda x, w: torch.relu(x @ w), x, w),
        "relu(x) @ w": (lambda x, w: torch.relu(x) @ w, x, w),
        "(x - means of rows).amax(0)": (lambda x: (x - x.mean(1)[:, None]).amax(0), x),
    }
    rows, launches = ["| program | launches | barrier |", "|---|---|---|"], []

    def launches_of(program) -> tuple[int, str]:
        """The launches of a program, and why they are not fewer."""
        report = program.report()
        why = (f"{row.maker} is apart: {row.why}" for row in report.fusion.rows)
        return sum(row.launches for row in report.kernels.rows), "; ".join(why)

    for title, (function, *inputs) in programs.items():
        count, why = launches_of(compiled(function, *inputs))
        rows.append(f"| `{title}` | {count} | {why} |")
        launches.append(count)
    assert launches == [1, 1, 2, 2]
    of_x = AffineMap.from_callable(lambda d0, d1, d2: (d0, d2))
    again = times_read(of_x, (12, 20, 16))
    _text = mo.md(f"""
    By your count the product in `relu(x) @ w` reads each element of `relu(x)` {again} times. The compiler gives
    the same reason.

    The last row is a barrier of another kind. The mean of a row must be complete before any element of the row
    can be shifted. That is no obstacle: a row fits in a cache, and one kernel goes over it twice. But the
    largest number of a column needs an element of *every* row, so its loops go across those of the mean. A
    softmax of rows has no such change of direction. The reasons are those of
    {code("devproc/transforms/kernels/fusion/apart.py", "values_between")}.

    ## 4. One launch less

    Attention scales its scores. The program below does so before the product, and takes three launches. One of
    the two barriers is inherent; the other one is only there because of how the program is written.

    **Exercise 3.** Rewrite `scores` such that it returns the same numbers with two launches.
    """)
    mo.vstack([mo.md("\n".join(rows)), _text])
    return (launches_of,)


@app.cell
def _():
    def scores(x, w):
        return torch.softmax((x * 0.125) @ w, -1)

    return (scores,)


@app.cell(hide_code=True)
def _(compiled, launches_of, scores, w, x):
    def trial_scores():
        program = compiled(scores, x, w)
        wanted = torch.softmax((x.double() * 0.125) @ w.double(), -1)
        result = program(x, w)
        if result.shape != wanted.shape:
            return f"the result has shape {tuple(result.shape)}, not {tuple(wanted.shape)}."
        difference = float((result - wanted).abs().max())
        if difference > 1e-6:
            return f"the numbers are others, by up to {difference:.1e}."
        count, why = launches_of(program)
        return f"there are still {count} launches. {why}." if count > 2 else None

    _text = mo.md(f"""
    ## What to keep

    A generic is loops, maps and a body. Two ops share a kernel if the same iteration makes and uses a value; a
    value that is read many times, or across the loops that make it, goes through memory.
    `program.report().fusion` lists these values for any program, with their bytes and the reason: a list of what
    to try. In earnest: {code("devproc/transforms/kernels/fuse_pointwise.py", "fuse_block")}.
    """)
    mo.vstack([check("Exercise 3", trial_scores), solution(__file__, "scores"), _text])


if __name__ == "__main__":
    app.run()
