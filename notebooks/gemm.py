"""One matrix product down to its machine code; run with marimo, or as a script."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()


@app.cell
def _():
    import re

    import marimo as mo

    from devproc.stages import STAGES

    names = " → ".join(stage.name for stage in STAGES)

    def show(text: str, language: str = "mlir"):
        """Some code, without source locations."""
        plain = re.sub(r" loc\((?:[^()]|\([^()]*\))*\)", "", text)
        return mo.md(f"```{language}\n{plain}\n```")

    mo.md(
        f"""
        # Follow one product

        A linear layer of 768 inputs and outputs with a ReLU, for 128 rows: 75 million
        multiply-adds. A core does them in a loop of some forty instructions. Here is how
        that loop comes about, stage by stage ({names}): each step is the text that the
        compiler itself passes on, and what the text says about it is asserted.
        """
    )
    return STAGES, mo, re, show


@app.cell
def _(show):
    import torch

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(768, 768), torch.nn.ReLU()).eval()
    x = torch.randn(128, 768)
    exported = torch.export.export(model, (x,))
    graph = str(exported.graph)
    assert "torch.ops.aten.linear.default" in graph
    show(graph, "python")
    return exported, model, torch, x


@app.cell
def _(STAGES, exported, mo):
    import devproc

    # Easier to read: loops not split into chunks, without docs/schedules/inner_product.md.
    program = devproc.compile(exported, threads=1, precision="strict")
    texts = {stage.name: program.ir(stage.name) for stage in STAGES}
    mo.md("Compiled once; `program.ir(stage)` is the text of each level.")
    return program, texts


@app.cell
def _(mo, show, texts):
    assert texts["program"].count("nn.linear") == 1
    assert "dense<" not in texts["program"], "weights are symbols with a hash"
    mo.vstack(
        [
            mo.md(
                """
                ## 1. Tensor ops

                The two ATen calls became `nn.linear` and `nn.relu`: values, shapes, no
                loops. A weight is a name; its bytes lie elsewhere. The next stage gives
                both a device and writes the reason down.
                """
            ),
            show(texts["program"]),
            show(texts["placed"]),
        ]
    )


@app.cell
def _(mo, re, show, texts):
    kernels = texts["kernels"]
    assert kernels.count("linalg.generic") == 2, "the product, and its epilogue"
    assert kernels.count("dev.launch") == 1, "in one kernel"
    panel = int(
        re.search(r"nn.pack %\w+ as #dev.layout<\[0, 1\], \[(\d+), 1\]>", kernels)[1]
    )
    assert f"tensor<{768 // panel}x768x{panel}xf32>" in kernels
    mo.vstack(
        [
            mo.md(
                f"""
                ## 2. Structured loops, and a packed weight

                A `linalg.generic` says which element is read where (maps of m, n, k) and
                what is done with it, not in which order. Bias and ReLU are a second one,
                in the same kernel: its *epilogue*.

                The weight is constant: `@prepare` packs it into panels of {panel} columns.
                """
            ),
            show(kernels),
        ]
    )
    return (panel,)


@app.cell
def _(mo, show, texts):
    buffers = texts["buffers"]
    assert "memref.alloc" not in buffers, "the only result is the caller's memory"
    assert "tensor<768x768" not in buffers.partition("@prepare()")[0]
    mo.vstack(
        [
            mo.md(
                """
                ## 3. Memory

                Product and epilogue share one place, the output; nothing is copied.
                `llvm.noalias` is a promise that holds for every launch of the kernel.
                """
            ),
            show(buffers),
        ]
    )


@app.cell
def _(mo, panel, show, texts):
    from xdsl.dialects import memref, scf, vector

    from devproc.dialects.dev import target_of
    from devproc.driver import parse_module
    from devproc.targets.cpu.machine.attribute import machine_of

    scheduled = parse_module(texts["cpu"])
    processor = machine_of(target_of(scheduled))
    lanes = processor.vector_bits.data // 32
    loops = [
        op
        for op in scheduled.walk()
        if isinstance(op, scf.ForOp)
        and any(isinstance(inside, vector.FMAOp) for inside in op.body.block.ops)
    ]
    tile = max(loops, key=lambda op: len(op.results))
    inside = list(tile.body.block.ops)
    vectors = sum(isinstance(op, vector.LoadOp) for op in inside)
    rows = sum(isinstance(op, memref.LoadOp) for op in inside)
    multiply_adds = sum(isinstance(op, vector.FMAOp) for op in inside)
    assert vectors * lanes == panel, "a row of the panel"
    assert multiply_adds == rows * vectors == len(tile.results)
    assert multiply_adds + vectors + 1 <= processor.vector_registers.data
    mo.vstack(
        [
            mo.md(
                f"""
                ## 4. The register tile

                `choose-schedules` chose a tile of {rows} rows by {vectors} vectors of
                {lanes} numbers. Its {multiply_adds} accumulators, the {vectors} vectors of
                the panel and one broadcast number fit the
                {processor.vector_registers.data} vector registers; larger would spill,
                smaller would load more for each product. The innermost loop over k:
                """
            ),
            show(str(tile)),
            mo.md(
                """
                After 256 terms the accumulators are added to outer ones, which keeps
                rounding errors small; after the whole sum come bias and ReLU, on
                registers; then each number is stored once.
                `docs/schedules/contraction.md` explains how the sizes are chosen.
                """
            ),
        ]
    )
    return lanes, multiply_adds, rows, vectors


@app.cell
def _(lanes, mo, multiply_adds, program, re, show, texts):
    calls = rf"call <{lanes} x float> @llvm\.fma\.v{lanes}f32"
    blocks = re.split(r"\n(?=\w+:\n)", program.ir("llvm-ir"))
    block = max(blocks, key=lambda text: len(re.findall(calls, text)))
    assert "llvm.intr.fma" in texts["llvm"], "first as ops of the llvm dialect"
    assert len(re.findall(calls, block)) == multiply_adds
    assert block.count("= phi <") == multiply_adds, "accumulators are values, no memory"
    mo.vstack(
        [
            mo.md(
                """
                ## 5. LLVM IR

                The loop became a block that jumps to itself, its accumulators `phi`
                nodes. This is text that LLVM compiles; no pass of LLVM vectorises it. The
                branch names its metadata: that the loop starts at a line of the cache,
                and, where it is short, how many iterations LLVM makes one.
                """
            ),
            show(block, "llvm"),
        ]
    )


@app.cell
def _(mo, multiply_adds, program, re, rows, show, vectors):
    from devproc.targets.cpu.jit import assembly
    from devproc.targets.cpu.machine.cpu_target import CPUTarget

    host = CPUTarget.host()
    if host.architecture == "aarch64":
        fma, spill = r"\tfmla\s", r"\[sp"
    else:
        fma, spill = r"\tvfmadd\w+\s", r"\(%rsp\)"
    machine = re.split(r"^\.L\w+:", assembly(program.ir("llvm-ir"), host), flags=re.M)
    hot = max(machine, key=lambda text: len(re.findall(fma, text)))
    hot = hot[: re.search(r"\n\t(?:j\w+|b\.\w+|cbn?z)\s.*", hot).end()]
    found = len(re.findall(fma, hot))
    instructions = len(re.findall(r"^\t[a-z]", hot, re.M))
    times = found // multiply_adds
    assert found == times * multiply_adds, "an iteration, or two or four of them"
    assert not re.findall(spill, hot), "nothing lies on the stack"
    assert instructions <= found + times * (vectors + rows + 1) + 6, "one fetches ahead"
    mo.vstack(
        [
            mo.md(
                f"""
                ## 6. Machine code

                {found} multiply-adds of {instructions} instructions; for each of
                {times} iterations {vectors} loads of the panel and {rows} broadcasts of the
                rows and a fetch of the next panel, and the counter of the loop. No spill, no
                call.
                """
            ),
            show(hot, "asm"),
        ]
    )
    return (host,)


@app.cell
def _(model, program, torch, x):
    import copy

    with torch.no_grad():
        outputs = [program(x), model(x), copy.deepcopy(model).double()(x.double())]
    errors = [float((y - outputs[2]).norm() / outputs[2].norm()) for y in outputs]
    assert errors[0] <= 4 * errors[1], "beside a run in float64"
    return (errors,)


@app.cell
def _(host, lanes, program, x):
    import timeit

    from devproc.targets.cpu.jit import compile_object
    from devproc.targets.cpu.native_code import NativeLibrary

    # Twelve independent sums: as many multiply-adds as the core can start.
    v, sums, steps = f"<{lanes} x float>", range(12), 1_000_000
    phis = [f"%a{i} = phi {v} [ zeroinitializer, %e ], [ %b{i}, %l ]" for i in sums]
    fmas = [f"%b{i} = call {v} @fma({v} %x, {v} %x, {v} %a{i})" for i in sums]
    peak_ir = "\n".join(
        [
            f"declare {v} @fma({v}, {v}, {v})",
            f"define void @peak(ptr %p) {{\ne:\n%x = load {v}, ptr %p\nbr label %l\nl:",
            *("%n = phi i64 [ 0, %e ], [ %m, %l ]", *phis, *fmas, "%m = add i64 %n, 1"),
            f"%c = icmp ult i64 %m, {steps}\nbr i1 %c, label %l, label %d\nd:",
            *(f"store volatile {v} %b{i}, ptr %p" for i in sums),
            "ret void\n}",
        ]
    ).replace("@fma", f"@llvm.fma.v{lanes}f32")
    peak_code = NativeLibrary([compile_object(peak_ir, host)]).function("peak")

    room = x.new_zeros(64).data_ptr()
    bare = min(timeit.repeat(lambda: peak_code(room), number=1, repeat=5))
    ours = min(timeit.repeat(lambda: program(x), number=1, repeat=50))
    peak, reached = 2 * steps * len(sums) * lanes / bare, 2 * 128 * 768 * 768 / ours
    return peak, reached


@app.cell
def _(errors, mo, peak, reached):
    mo.md(
        f"""
        ## 7. What it reaches

        {reached / 1e9:.0f} GFLOP/s on one core, where a loop of nothing but multiply-adds
        reaches {peak / 1e9:.0f} ({reached / peak:.0%}); a busy machine shows less. The
        relative error is {errors[0]:.1e}, PyTorch's {errors[1]:.1e}.
        """
    )


if __name__ == "__main__":
    app.run()
