"""A matrix product: `marimo edit notebooks/course/11_matrix_product.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    import copy
    import re
    import timeit

    import marimo as mo
    import torch
    from exercise import check, code, picture, show, solution, term
    from peak import peak_of_core
    from xdsl.dialects import memref, scf, vector

    import devproc
    from devproc.dialects.dev import target_of
    from devproc.dialects.sched import NestOp, RegisterTileSchedule
    from devproc.driver import parse_module
    from devproc.targets.cpu.jit import assembly
    from devproc.targets.cpu.machine.attribute import machine_of
    from devproc.targets.cpu.machine.cpu_target import CPUTarget

    M, N, K = 384, 768, 768


@app.cell
def _():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(K, N), torch.nn.ReLU()).eval()
    x = torch.randn(M, K)
    exported = torch.export.export(model, (x,))

    def built(schedule=None):
        """The program, with another schedule for its kernel if one is given."""
        own = {} if schedule is None else {"*": schedule}
        return devproc.compile(exported, threads=1, precision="strict", schedules=own)

    program = built()
    kernels = program.ir("kernels")
    panel = int(re.search(r"#dev.layout<\[0, 1\], \[(\d+), 1\]>", kernels)[1])
    assert kernels.count("linalg.generic") == 2, "the product, and its epilogue"
    assert kernels.count("dev.launch") == 1, "in one kernel"
    _text = mo.md(f"""
    # Lesson 11: A matrix product

    *40 minutes. You need lesson 8.*

    You will be able to

    - say how a product has to be cut into {term("tile")}s such that a processor is busy all the time;
    - choose a {term("schedule")} yourself, and see what becomes of it in {term("IR")} and in machine code;
    - say how far a {term("kernel")} is from what the processor can do.

    The example is a linear layer of {K} inputs and {N} outputs with a ReLU, for {M} rows: {M * N * K // 10**6}
    million multiply-adds. Below is its kernel at the stage `kernels`: the product as one `linalg.generic`,
    bias and ReLU as a second one. The weight is constant, so it is *packed* ahead of time, into
    {term("panel")}s of {panel} columns, which the kernel then reads from front to back.
    """)
    _short = kernels.replace(', #dev.on<"cpu">', "")
    mo.vstack([_text, show(_short[_short.index("func.func private @linear") :])])
    return built, exported, model, panel, program, x


@app.cell(hide_code=True)
def _(panel, program):
    module = parse_module(program.ir("schedules"))
    (_nest,) = [op for op in module.walk() if isinstance(op, NestOp)]
    planned = _nest.schedule
    processor = machine_of(target_of(module))
    lanes, registers = processor.vector_bits.data // 32, processor.vector_registers.data
    assert isinstance(planned, RegisterTileSchedule)
    assert planned.vectors * lanes == panel
    _printed = re.sub(r", (rows|cut|prefetch_panel)", r",\n        \1", str(planned))
    mo.md(f"""
    ## 1. A decision is a value

    A vector instruction works on {lanes} numbers at once, and an {term("FMA")} multiplies and adds. A core starts one
    or two of them in a cycle, if their operands are in registers. A loop that loads two operands for each FMA
    spends its time on loads. The remedy is {term("tiling")}: a tile of `rows` times `vectors` sums stays
    in registers over the whole loop over `k`. For each `k` it needs `vectors` loads of the panel and `rows` loads of
    single numbers, and does `rows * vectors` FMAs.

    How large is a tile? That decision is an attribute. It is made once, with a reason, and the passes that follow
    only carry it out. For this kernel the compiler says:

    ```text
    {_printed}
    {_nest.why.data}
    ```

    You can decide otherwise. A schedule is a Python value: `planned.replace(rows=4)` is another one, and
    `devproc.compile(..., schedules={{"*": schedule}})` uses it. `vectors` is bound to the width of a panel.

    **Exercise 1.** Write `pick(planned, registers)`: the schedule with the tallest tile that fits. All its sums
    need a register each, so do the `vectors` of the panel, and one more holds a number of the row. The processor
    has {registers} vector registers. In earnest: {code("devproc/targets/cpu/algorithms/register_tile/plan.py", "plan")}.
    """)
    return lanes, planned, registers


@app.cell
def _():
    def pick(planned, registers):
        """The same schedule with the tallest tile that fits the registers."""
        return planned

    return (pick,)


@app.cell(hide_code=True)
def _(built, pick, planned):
    def trial_pick():
        for registers, vectors in ((32, 2), (16, 2), (32, 3), (16, 1), (32, 4)):
            given = planned.replace(vectors=vectors)
            picked = pick(given, registers)
            if not isinstance(picked, RegisterTileSchedule):
                return f"`pick` returns {picked!r}; `planned.replace(...)` makes a schedule."
            if picked.replace(rows=given.rows) != given:
                return "only `rows` should differ from the planned schedule."
            used = picked.rows * vectors + vectors + 1
            if used > registers:
                return f"{picked.rows} rows of {vectors} vectors need {used} registers; there are {registers}: sums would be stored and loaded again for each `k`."
            if used + vectors <= registers:
                return f"{picked.rows} rows of {vectors} vectors need {used} of {registers} registers: one more row fits."

    mo.vstack([check("Exercise 1", trial_pick), solution(__file__, "pick")])


@app.cell(hide_code=True)
def _(built, planned, program):
    def tile_loop(program) -> scf.ForOp:
        """The loop over `k` of the largest tile."""

        def fmas(loop) -> int:
            return sum(isinstance(op, vector.FMAOp) for op in loop.body.block.ops)

        ops = parse_module(program.ir("cpu")).walk()
        return max((op for op in ops if isinstance(op, scf.ForOp)), key=fmas)

    small, large = tile_loop(built(planned.replace(rows=4))), tile_loop(program)
    assert len(large.results) == planned.rows * planned.vectors
    _text = mo.md("""
    ## 2. The innermost loop

    Here is the loop over `k` with a tile of only four rows. The tile became vectors, and each sum is a value that
    the loop carries (`iter_args`), not a place in memory.
    """)
    _exercise = mo.md(f"""
    **Exercise 2.** Write `count(loop)`: how many multiply-adds are in the body of such a loop, and how many loads? The
    {term("op")}s of the body are `loop.body.block.ops`; loads are both `vector.LoadOp` and `memref.LoadOp`.
    """)
    _short = str(small).replace(', #dev.on<"cpu">', "")
    mo.vstack([_text, show(_short), _exercise])
    return large, small


@app.cell
def _():
    def count(loop):
        """The multiply-adds and the loads in the body of a loop."""
        fmas = len(loop.results)
        loads = sum(isinstance(op, vector.LoadOp) for op in loop.body.block.ops)
        return fmas, loads

    return (count,)


@app.cell(hide_code=True)
def _(count, large, planned, small):
    def trial_count():
        for rows, loop in ((4, small), (planned.rows, large)):
            fmas, loads = count(loop)
            right = rows * planned.vectors, rows + planned.vectors
            if fmas != right[0]:
                return f"a tile of {rows} x {planned.vectors} vectors does {right[0]} multiply-adds for each k, not {fmas}. Each of them is one `vector.FMAOp`, whatever its width."
            if loads != right[1]:
                return f"a tile of {rows} x {planned.vectors} vectors loads {rows} single numbers and {planned.vectors} vectors for each k, which is {right[1]} loads, not {loads}."

    mo.vstack([check("Exercise 2", trial_count), solution(__file__, "count")])


@app.cell(hide_code=True)
def _(lanes, planned, program):
    host = CPUTarget.host()
    fma, spill = r"\tvfmadd\w+\s", r"\(%rsp\)"
    if host.architecture == "aarch64":
        fma, spill = r"\tfmla\s", r"\[sp"
    _sums = planned.rows * planned.vectors
    _blocks = re.split(r"\n(?=\w+:\n)", program.ir("llvm-ir"))
    _calls = rf"call <{lanes} x float> @llvm\.fma\.v{lanes}f32"
    _block = max(_blocks, key=lambda block: len(re.findall(_calls, block)))
    assert len(re.findall(_calls, _block)) == _block.count("= phi <") == _sums

    def hot_loop(program) -> tuple[str, int, int]:
        """The machine code of the loop with most FMAs; their number, and that of spills."""
        text = assembly(program.ir("llvm-ir"), host)
        blocks = re.split(r"^\.L\w+:", text, flags=re.M)
        hot = max(blocks, key=lambda block: len(re.findall(fma, block)))
        hot = hot[: re.search(r"\n\t(?:j\w+|b\.\w+|cbn?z)\s.*", hot).end()]
        return hot, len(re.findall(fma, hot)), len(re.findall(spill, hot))

    hot, _fmas, _spills = hot_loop(program)
    assert (_fmas % _sums, _spills) == (0, 0), "nothing is on the stack"
    _text = mo.md(f"""
    ## 3. Machine code

    In LLVM IR the loop is a block that jumps to itself, with {_sums} `phi` nodes and as many calls of `llvm.fma`. LLVM
    assigns the registers; {term("vectorisation")} is done by then. The machine code has {_fmas} FMAs in an
    iteration, and accesses no memory for the sums:
    """)
    mo.vstack([_text, show(hot, "asm")])
    return host, hot_loop


@app.cell(hide_code=True)
def _(host, lanes):
    peak = peak_of_core(host, lanes)
    mo.md(f"""
    ## 4. The share of the peak

    A loop of nothing but FMAs, on registers, reaches {peak / 1e9:.0f} GFLOP/s on this core at this moment. That is the
    *peak*. An FMA counts as two operations.

    **Exercise 3.** A product of `rows` x `depth` and `depth` x `columns` took `seconds`. How much of the peak is that?
    Mend `share_of_peak`.
    """)
    return (peak,)


@app.cell
def _():
    def share_of_peak(seconds, rows, columns, depth, peak):
        """The share of the peak, in floating-point operations per second, that is reached."""
        return rows * columns / seconds / peak

    return (share_of_peak,)


@app.cell(hide_code=True)
def _(share_of_peak):
    def trial_share():
        for args, right in (
            ((0.5, 10, 20, 30, 48e3), 0.5),
            ((2, 7, 5, 3, 420.0), 0.25),
        ):
            found = share_of_peak(*args)
            if abs(found - right) > 1e-9:
                seconds, rows, columns, depth, peak = args
                return f"{rows}x{depth} times {depth}x{columns} in {seconds} s, with a peak of {peak:g} operations per second: {right:.0%}, not {found:.3%}. How many multiply-adds has a product, and how many operations is that?"

    mo.vstack([check("Exercise 3", trial_share), solution(__file__, "share_of_peak")])


@app.cell(hide_code=True)
def _(
    built, hot_loop, model, peak, pick, planned, program, registers, share_of_peak, x
):
    heights = {1, planned.rows, 20}
    _picked = pick(planned, registers)
    if isinstance(_picked, RegisterTileSchedule) and _picked.rows <= 20:
        heights.add(_picked.rows)
    _body = ""
    for _line, _rows in enumerate(sorted(heights)):  # the last one has 20 rows
        _run = built(planned.replace(rows=_rows))
        _seconds = min(timeit.repeat(lambda run=_run: run(x), number=1, repeat=8))
        _share = share_of_peak(_seconds, M, N, K, peak)
        _y, _length = 8 + 30 * _line, 150 * min(max(_share, 0), 1.2)
        _body += f'<text x="0" y="{_y + 15}">{_rows} rows</text>'
        _body += f'<rect x="64" y="{_y}" width="{_length:.0f}" height="20" fill-opacity="0.3" />'
        _body += f'<text x="{70 + _length:.0f}" y="{_y + 15}">{_share:.0%}</text>'
    _, _, _spills = hot_loop(_run)
    _height = 16 + 30 * len(heights)
    _bars = picture(376, _height, _body, "Share of the peak by the height of a tile")
    with torch.no_grad():
        _exact = copy.deepcopy(model).double()(x.double())
        _results = program(x), model(x)
    _errors = [float((y - _exact).norm() / _exact.norm()) for y in _results]
    assert _errors[0] <= 4 * _errors[1], "beside a run in float64"
    _text = mo.md(f"""
    These are measured, each with a tile of another height. A tile of one row loads more than it computes. One of
    twenty rows does not fit the registers: its innermost loop stores sums and loads them again, in {_spills} accesses to the stack
    (*spills*). In between the
    heights differ little, since loads and FMAs go to different units of the core. (On a busy machine all numbers
    are lower.) The relative error is {_errors[0]:.1e}, PyTorch's {_errors[1]:.1e}.

    Since a schedule is a value, {term("autotuning")} is a loop over values: `devproc tune` measures the legal ones
    close to the planned one, which {code("devproc/tuning.py", "candidates")} lists. The page
    `docs/schedules/contraction.md` has the other decisions: blocks for the cache, prefetches, threads.
    """)
    mo.vstack([_bars, _text])


if __name__ == "__main__":
    app.run()
