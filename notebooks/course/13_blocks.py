"""Blocks: `marimo edit notebooks/course/13_blocks.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    import re

    import marimo as mo
    import numpy as np
    import torch
    from exercise import check, code, picture, show, solution, term

    import devproc
    from devproc.targets.triton.interpret import launch
    from devproc.targets.triton.interpretation.traffic import counting
    from devproc.targets.triton.kernel import TritonKernel

    GPU = "cuda:interpret"  # the kernels of a GPU, run by an interpreter on the CPU


@app.cell(hide_code=True)
def _():
    exported = torch.export.export(torch.nn.Softmax(-1), (torch.randn(7, 100),))
    softmax_program = devproc.compile(exported, target=GPU)
    blocks = softmax_program.ir("gpu").split("triton.func")[1].splitlines()
    wanted = r"triton\.(program_id|arange|addptr|load|reduce|store)"
    shown = "\n".join(line.strip() for line in blocks if re.search(wanted, line))
    mo.md(f"""
    # Lesson 13: Blocks

    *40 minutes. You need lesson 8, but no GPU.*

    A GPU runs the same {term("kernel")} many times at once, as *programs* that differ in
    their number only. After this lesson you can write such a program for blocks of numbers,
    explain how {term("flash attention")} gets by without its largest matrix, and predict the
    bytes that it reads.

    ## 1. A block is a value

    On a CPU, a kernel is loops around vectors. In the `triton` {term("dialect")} a value is a
    whole block, such as `tensor<128xf32>`, and there is no loop over its elements. These
    {term("op")}s of a softmax of 7 rows of 100 touch memory or join the elements of a block; each row
    is one program:

    {show(shown)}

    An op is printed as a line of Triton, a language for such programs that looks
    like Python ({code("devproc/targets/triton/printer.py", "print_kernel")}):

    {show(softmax_program.ir("triton-source"), "python")}

    The lines that compare a value with itself make the result NaN where the row has one.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    A block has a power of two of elements, here 128 for 100. The `mask` says which of them
    exist: others are not loaded, but get the value of `other`.

    **Exercise 1.** Write that kernel without special cases for NaN. The one below runs, and
    is wrong in three ways. You need `tl.max` and `float("-inf")`. It runs in an interpreter, which also checks each access
    ({code("devproc/targets/triton/interpret.py", "launch")}).
    """)


@app.cell
def _():
    softmax = """
    @triton.jit
    def softmax(x_ptr, y_ptr):
        row = tl.program_id(0)
        lanes = tl.arange(0, 128)
        x = tl.load(x_ptr + row * 100 + lanes, mask=lanes < 100, other=0.0)
        e = tl.exp(x)
        y = e / tl.sum(e, axis=0)
        tl.store(y_ptr + row * 100 + lanes, y)
    """
    return (softmax,)


@app.cell(hide_code=True)
def _(softmax):
    def trial_softmax():
        import inspect

        source = "import triton\nimport triton.language as tl\n" + inspect.cleandoc(
            softmax
        )
        kernel = TritonKernel("softmax", source, ("*fp32", "*fp32"), (7, 1, 1), 4, 1)
        noise = torch.randn(7, 100)
        for shift in (0.0, 200.0, -200.0):
            x, found = noise + shift, torch.full((7, 100), -1.0)
            launch(kernel, x, found)
            wanted = torch.softmax(x.double(), -1)
            if torch.allclose(found.double(), wanted, atol=1e-6):
                continue
            if shift == 0 and found[0].sum() < 0.99:
                return "a row adds up to less than 1: what do the other 28 lanes add?"
            if shift == 0:
                return (
                    "the result is wrong: exp of each number over the sum of the row."
                )
            if shift > 0:
                return "for numbers near 200 exp leaves float32: shift the row first."
            return "numbers near -200: the largest is one of the 100, not of the 128."
        return None

    mo.vstack([check("Exercise 1", trial_softmax), solution(__file__, "softmax")])


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    ## 2. A softmax that never sees its row

    Attention weighs the rows of `v`: `softmax(q @ k.T) @ v`. For n queries and n keys the
    scores are an n by n matrix; stored, it would be most of the {term("traffic")}. So a
    program takes a few queries and visits the keys block by block. It keeps three blocks:

    - `most`, the largest score so far of each query;
    - `total`, the sum of `exp(score - most)` so far;
    - `acc`, the sum of `exp(score - most) * v` so far.

    At the end, `acc / total` is the result. When a new block has a larger score, `most`
    grows, and what was added with the old one has to shrink accordingly.

    **Exercise 2.** Write one step in NumPy. `scores` are those of `q` queries and a block of
    `k` keys, `values` are `(k, d)`; `most` and `total` have shape `(q,)`, `acc` `(q, d)`.
    Before the first step they are minus infinity, 0 and 0. The one below is right for a
    single block only.
    """)


@app.cell
def _():
    def step(most, total, acc, scores, values):
        new = scores.max(axis=1)
        p = np.exp(scores - new[:, None])
        return new, total + p.sum(axis=1), acc + p @ values

    return (step,)


@app.cell(hide_code=True)
def _(step):
    def attend(scores, values):
        """`acc / total` after all blocks of 16 keys."""
        q, n = scores.shape
        state = np.full(q, -np.inf), np.zeros(q), np.zeros((q, values.shape[1]))
        for t in range(0, n, 16):
            state = step(*state, scores[:, t : t + 16], values[t : t + 16])
        return state[2] / state[1][:, None]

    def right(scores, values):
        found, p = attend(scores, values), np.exp(scores - scores.max())
        wanted = p @ values[: scores.shape[1]] / p.sum(axis=1, keepdims=True)
        return np.allclose(found, wanted)

    def trial_step():
        generator = np.random.default_rng(0)
        scores, values = generator.normal(size=(5, 64)), generator.normal(size=(64, 6))
        with np.errstate(all="ignore"):
            if not right(scores[:, :16], values):
                return "a single block of keys gives a wrong result already."
            if not np.isfinite(attend(scores + 1000, values)).all():
                return "scores near 1000 overflow: subtract the largest before `exp`."
            if not np.allclose(attend(scores, values * 0 + 1), 1):
                return (
                    "with all values 1 the result is not 1: scale `acc` like `total`."
                )
            if not right(np.sort(scores), values):
                return "the result is wrong where scores rise from block to block."
            if not right(-np.sort(-scores), values):
                return "the result is wrong where scores fall from block to block."
        return None

    mo.vstack([check("Exercise 2", trial_step), solution(__file__, "step")])


@app.cell
def _():
    class Attention(torch.nn.Module):
        def forward(self, q, k, v):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v)

    HEADS, N, D = 2, 160, 32
    qkv = tuple(torch.randn(HEADS, N, D) for _ in range(3))
    attention = torch.export.export(Attention(), qkv)
    program = devproc.compile(attention, target=GPU)
    schedule = re.search(r"#sched\.flash<.*?>", program.ir("schedules"))[0]
    torch.testing.assert_close(program(*qkv), Attention()(*qkv), atol=1e-5, rtol=1e-5)

    queries, keys = (
        int(re.search(rf"{w} = (\d+)", schedule)[1]) for w in ("queries", "keys")
    )
    body = ""
    for row in range(0, N, queries):
        height = min(queries, N - row)
        for column in range(0, N, keys):
            shade = 0.1 + 0.1 * (row // queries)
            body += f'<rect x="{2 * column + 1}" y="{2 * row + 1}" width="{2 * keys - 2}" height="{2 * height - 2}" fill-opacity="{shade}" />'
        body += f'<text x="6" y="{2 * row + 22}">program {row // queries}: {height} queries</text>'
    mo.md(f"""
    ## 3. The compiled kernel, and its traffic

    The {term("schedule")} says how many queries a program takes and how many keys a step:
    `{schedule}`. The scores of one head, {N} by {N}; nobody holds more than one block of them:

    {picture(2 * N, 2 * N, body, "The matrix of scores, in blocks of queries and keys")}

    The kernel has your step inside. It computes `exp2` instead of `exp`, as the hardware does,
    so that scores are multiplied by log2(e), and by the scale of attention, 1 / sqrt({D}). Its
    result is that of PyTorch:

    {show(program.ir("triton-source"), "python")}
    """)
    return D, HEADS, N, attention, qkv, schedule


@app.cell(hide_code=True)
def _(D, HEADS, N, attention, qkv, schedule):
    requested = {}
    for count in (16, 32, 64, 128):
        other = re.sub(r"queries = \d+", f"queries = {count}", schedule)
        variant = devproc.compile(
            attention, target=GPU, schedules={"attention*": other}
        )
        with counting() as counted:
            variant(*qkv)
        requested[count] = sum(k.requested_bytes for k in counted.kernels.values())

    scale = 300 / max(requested.values())
    bars = ""
    for line, (count, number) in enumerate(requested.items()):
        bars += f'<rect x="0" y="{34 * line + 16}" width="{scale * number:.0f}" height="14" fill-opacity="0.3" />'
        bars += f'<text x="0" y="{34 * line + 12}">{count} queries: {number / 1024:.0f} KiB</text>'
    mo.md(f"""
    The interpreter counts what the programs read and write
    ({code("devproc/targets/triton/interpretation/traffic.py", "counting")}). All four
    schedules compute the same, but with more queries in a program the keys are read less
    often:

    {picture(320, 140, bars, "Bytes requested for 16, 32, 64 and 128 queries in a program")}

    **Exercise 3.** Write the formula: the bytes that all programs read and write, for
    float32 arrays of shape `(heads, n, d)` and `queries` rows of `q` in a program.
    """)
    return (requested,)


@app.cell
def _():
    def traffic(heads: int, n: int, d: int, queries: int) -> int:
        return 4 * heads * n * d * 4  # q, k, v and the result, each once

    return (traffic,)


@app.cell(hide_code=True)
def _(D, HEADS, N, requested, traffic):
    def trial_traffic():
        once = 4 * HEADS * N * D
        for queries, counted in requested.items():
            found = traffic(HEADS, N, D, queries)
            if found == 4 * once:
                return "this is each number once. How often is a key read, by how many programs?"
            if found == 2 * once * (1 + N / queries) != counted:
                return f"{N} queries in blocks of {queries} are {-(-N // queries)} programs."
            if found in (counted - 2 * once, counted - once):
                return "nearly: `q` is read once, and the result is written once."
            if found != counted:
                return f"{queries} queries a program: counted {counted} bytes, yours is {found}."
        return None

    mo.vstack([check("Exercise 3", trial_traffic), solution(__file__, "traffic")])


if __name__ == "__main__":
    app.run()
