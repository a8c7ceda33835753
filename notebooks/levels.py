"""One program through every level of the compiler: from the user's steps to machine
code. Run it with `marimo edit notebooks/levels.py`, or as a script."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()


@app.cell
def _():
    import marimo as mo

    from devproc.stages import STAGES

    rows = [
        {"stage": s.name, "why": s.why, "passes": ", ".join(s.passes)} for s in STAGES
    ]
    mo.vstack(
        [
            mo.md(
                """
                # A program through every level

                DevProc takes a whole inference program (pre-processing, an exported
                model, post-processing) through the stages below. The table is
                `devproc.stages.STAGES` itself: the driver loops over it, and so does
                this notebook. Every stage is text that parses back.
                """
            ),
            mo.ui.table(rows, selection=None),
        ]
    )
    return STAGES, mo


@app.cell
def _(mo):
    import sys
    import tempfile
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
    import digits

    data = digits.read_digits()
    model = digits.train(digits.convnet, data, epochs=4)
    exported = digits.export(model, Path(tempfile.mkdtemp()) / "convnet.pt2")
    pipe = digits.build_pipeline("convnet", exported)
    mo.md(
        """
        ## 1. What the user writes

        The demo's program (`examples/digits.py`): bytes of a camera, Pillow's resize,
        torchvision's normalisation, a small ConvNet trained on handwritten digits,
        softmax and argmax. Nothing is computed by the DSL: it builds IR.
        """
    )
    return data, digits, model, pipe


@app.cell
def _(mo, pipe):
    from devproc.driver import module_text

    program_text = module_text(pipe.module())
    assert "pipe.resize" in program_text
    assert 'like = "pillow"' in program_text or 'like "pillow"' in program_text
    assert "nn.conv2d" in program_text
    assert "dense<[" not in program_text, "weights stay out of the text"
    mo.md(f"```mlir\n{program_text}\n```")
    return (program_text,)


@app.cell
def _(STAGES, pipe):
    import devproc

    # Compile once; every level below is `program.ir(stage)`.
    program = devproc.compile(pipe, target="cpu", threads=2)
    texts = {stage.name: program.ir(stage.name) for stage in STAGES}
    assert list(texts) == [stage.name for stage in STAGES]
    return devproc, program, texts


@app.cell
def _(mo, texts):
    tensor = texts["tensor"]
    assert "pipe." not in tensor, "the user's steps became tensor ops"
    assert "nn.softmax %" not in tensor, "softmax is composed of simpler ops"
    assert "nn.resample " in tensor, "a resize is one weighted sum per axis"
    assert "@prepare" in tensor, "work on constants only is done once"
    mo.md(
        f"""
        ## 2. One graph of tensor ops

        Pre-processing, model and post-processing are one SSA graph now. Composed ops
        (resize, normalize, softmax) are spelled out in simpler ones; what depends on
        constants only, such as the table of filter weights, moved to `@prepare`.

        ```mlir\n{tensor}\n```
        """
    )


@app.cell
def _(mo, program, texts):
    assert 'dev.region "cpu"' in texts["placed"]
    report = program.report()
    mo.md(
        f"""
        ## 3. A device for each op

        With one device the choice is easy; with two, the cheapest cut between them is
        taken, copies and syncs are written out, and each op keeps the reason.

        ```mlir\n{texts["placed"]}\n```
        """
    )
    return (report,)


@app.cell
def _(mo, texts):
    kernels = texts["kernels"]
    ops = texts["tensor"].count(" nn.")
    launches = kernels.count("dev.launch")
    assert 0 < launches < ops, "fusion made fewer kernels than there were ops"
    assert "linalg.generic" in kernels
    mo.md(
        f"""
        ## 4. Structured loops, fused into kernels

        {ops} tensor ops became {launches} kernels. Each op is a `linalg.generic`: index
        maps that say what is read where, and a scalar body. An activation joins the
        convolution in front of it, the four steps of softmax share one kernel.

        ```mlir\n{kernels}\n```
        """
    )


@app.cell
def _(mo, texts):
    import re

    buffers = texts["buffers"]
    spans = [
        tuple(int(number) for number in match)
        for match in re.findall(
            r"offset (\d+) bytes (\d+) live (\d+) to (\d+)", buffers
        )
    ]
    for i, (offset, size, first, last) in enumerate(spans):
        for other, other_size, begin, end in spans[i + 1 :]:
            together = first <= end and begin <= last
            apart = offset + size <= other or other + other_size <= offset
            assert apart or not together, "live buffers do not overlap"
    arena = max((offset + size for offset, size, _, _ in spans), default=0)
    assert arena <= sum(size for _, size, _, _ in spans)
    mo.md(
        f"""
        ## 5. The memory plan

        {len(spans)} buffers share an arena of {arena} bytes; alone they would need
        {sum(size for _, size, _, _ in spans)}. Offsets and lifetimes stand in the text,
        and a verifier proves that no two live buffers overlap.

        ```mlir\n{buffers}\n```
        """
    )


@app.cell
def _(mo, texts):
    loops = texts["cpu"]
    assert "linalg." not in loops, "every kernel has its loops"
    assert "vector<" in loops
    assert "scf.for" in loops
    mo.md(f"## 6. Loops and vectors\n\n```mlir\n{loops}\n```")


@app.cell
def _(mo, program, texts):
    llvm = program.ir("llvm-ir")
    assert "define void @segment_0_entry" in llvm, "one native entry"
    assert texts["llvm"].count("plan.launch") == 1, "called once per inference"
    mo.md(
        f"""
        ## 7. LLVM IR

        The host program calls one native entry; LLVM compiles this text to an object.

        ```llvm\n{llvm}\n```
        """
    )


@app.cell
def _(devproc, mo, pipe):
    gpu = devproc.compile(pipe, target="cuda:interpret")
    source = gpu.ir("triton-source")
    assert "@triton.jit" in source
    assert "tl.load" in source
    mo.md(
        f"## 8. The same program for a GPU: Triton source\n\n```python\n{source}\n```"
    )
    return (gpu,)


@app.cell
def _(data, digits, gpu, mo, model, program):
    import numpy as np

    images = data.test[:60]
    theirs = digits.run_torch(model, images)
    ours = digits.run_program(program, images)
    interpreted = digits.run_program(gpu, images[:4])
    assert np.array_equal(ours.labels, theirs.labels)
    assert np.array_equal(interpreted.labels, theirs.labels[:4])
    gap = np.abs(ours.probabilities - theirs.probabilities).max()
    assert gap < 1e-5
    mo.md(
        f"""
        ## 9. And it is right

        On {len(images)} images that the model has not seen, every label is the one that
        Pillow and PyTorch give; so are the Triton kernels' in their interpreter. The
        largest difference of a probability is {gap:.1e}.
        """
    )


if __name__ == "__main__":
    app.run()
