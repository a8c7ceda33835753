"""Planning memory: `marimo edit notebooks/course/10_planning_memory.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    import random
    from itertools import pairwise
    from typing import NamedTuple

    import marimo as mo
    import torch
    from exercise import check, code, picture, show, solution, term
    from xdsl.utils.exceptions import VerifyException

    import devproc
    from devproc.dialects.plan import BufferOp, LaunchOp
    from devproc.driver import parse_module
    from devproc.transforms.buffers.placement import Request, peak, place_requests

    class Buffer(NamedTuple):
        """A buffer: bytes (a multiple of 64), and the first and last step that uses it."""

        name: str
        size: int
        first: int
        last: int


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    # Lesson 10: Planning memory

    *35 minutes. You need lesson 8.*

    You will be able to

    - say from when to when a value needs memory;
    - give the least memory that any plan can reach;
    - place buffers such that they share memory, and prove that none overwrites another.

    Kernels hand values over in memory. If each value had memory of its own, a program would need the sum of
    all; but most values are read once or twice, soon after they are written. Shapes are known at compile time,
    so the compiler can decide once, for every call, where each one is, as a *buffer* in a common block of memory,
    the {term("arena")}.
    """)


@app.cell
def _():
    class UNet(torch.nn.Module):
        """Four layers down, four up; each of these also gets a result of the way down."""

        def __init__(self):
            super().__init__()
            widths = [64, 96, 48, 24, 12]
            pairs = list(pairwise(widths))
            self.down = torch.nn.ModuleList(torch.nn.Linear(a, b) for a, b in pairs)
            self.up = torch.nn.ModuleList(torch.nn.Linear(b, a) for a, b in pairs)

        def forward(self, x):
            kept = []
            for layer in self.down:
                x = torch.relu(layer(x))
                kept.append(x)
            for layer, same in zip(reversed(self.up), reversed(kept[:-1])):
                x = torch.softmax(layer(x), -1) + same
            return self.up[0](x)

    exported = torch.export.export(UNet().eval(), (torch.randn(40, 64),))
    program = devproc.compile(exported, target="cpu", threads=1)
    return (program,)


@app.cell(hide_code=True)
def _(program):
    _ops = list(parse_module(program.ir("buffers")).walk())
    planned = [op for op in _ops if isinstance(op, BufferOp)]
    launches = [op for op in _ops if isinstance(op, LaunchOp)]

    def names(values) -> list[str]:
        """The names of those values that are buffers, not inputs, outputs or weights."""
        owners = (value.owner for value in values)
        return [f"b{op.buffer_id}" for op in owners if isinstance(op, BufferOp)]

    steps = [(names(op.inputs), names(op.outputs)) for op in launches]
    unet = [Buffer(f"b{b.buffer_id}", b.bytes.value.data, *b.lifetime) for b in planned]
    lines = []
    for number, (op, (reads, writes)) in enumerate(zip(launches, steps)):
        kernel = op.kernel.root_reference.data
        uses = f"{' '.join(reads):6} -> {' '.join(writes):3}"
        lines.append(f"step {number}: {uses} {kernel}")
    _text = mo.md("""
    ## 1. Lifetimes

    The example is a small U-Net: a layer on the way up also reads a result from the way down. Here are the
    launches of the compiled program, with the buffers that each one reads and writes (not the program's own
    input, output and weights):
    """)
    _exercise = mo.md(f"""
    The {term("lifetime")} of a buffer goes from the step that writes it to the last step that reads it. Both
    steps belong to it: while a kernel runs, it needs what it reads and what it writes.

    **Exercise 1.** Write `lifetimes(steps)`. Each step is a pair: the names it reads, and those it writes. The
    result is a dict from each name to its first and last step. In earnest, where work on a GPU is still under
    way after its launch: {code("devproc/ir/host/lifetimes.py", "use_spans")}.
    """)
    mo.vstack([_text, show("\n".join(lines), "text"), _exercise])
    return planned, steps, unet


@app.cell
def _():
    def lifetimes(steps):
        """Name -> (first, last) step that uses it."""
        return {name: (0, len(steps) - 1) for reads, writes in steps for name in writes}

    return (lifetimes,)


@app.cell(hide_code=True)
def _(lifetimes, steps, unet):
    def trial_lifetimes():
        found = lifetimes(steps)
        for name, size, first, last in unet:
            if name not in found:
                return f"there is no lifetime for `{name}`."
            if tuple(found[name]) != (first, last):
                return f"`{name}` is written in step {first} and last read in step {last}; your lifetime goes from {found[name][0]} to {found[name][1]}."
        if extra := found.keys() - {buffer.name for buffer in unet}:
            return f"{sorted(extra)} are no buffers of the program."

    mo.vstack([check("Exercise 1", trial_lifetimes), solution(__file__, "lifetimes")])


@app.cell(hide_code=True)
def _(planned, unet):
    def drawing(buffers, offsets, title) -> mo.Html:
        """Buffers as boxes: steps from left to right, addresses from bottom to top."""
        buffers = [buffer for buffer in buffers if buffer.name in offsets]
        top = max(offsets[buffer.name] + buffer.size for buffer in buffers)
        width, scale = 352 // (1 + max(buffer.last for buffer in buffers)), 220 / top
        body = f'<text x="8" y="14">{title}: {top} bytes</text>'
        for number, (name, size, first, last) in enumerate(buffers):
            x, y = 8 + width * first, 244 - (offsets[name] + size) * scale
            body += f'<rect x="{x}" y="{y:.1f}" width="{width * (last - first + 1)}" height="{size * scale:.1f}" fill-opacity="0.15" stroke="currentColor" />'
            body += (
                f'<text x="{x + 4}" y="{y + size * scale / 2 + 5:.1f}">{number}</text>'
            )
        return picture(376, 266, body + '<text x="8" y="262">step 0</text>', title)

    stacked, ours, _at = {}, {}, 0
    for _buffer, _op in zip(unet, planned):
        stacked[_buffer.name], _at = _at, _at + _buffer.size
        ours[_buffer.name] = _op.offset.value.data
    _text = mo.md("""
    ## 2. Sharing

    Two buffers may have the same addresses if no step needs both. In the pictures a buffer is a box. Its width
    is its lifetime, its height is its size, and its position is the address. In the first one each buffer has memory
    of its own; the second one is the compiler's plan. Boxes slide up and down, and must not overlap.

    How low can the top be? Whatever the plan, in each step all the buffers that live then must be there at once.

    **Exercise 2.** Write `least_bytes(buffers)`, the largest sum of the sizes of the buffers that live in one
    step. A `Buffer` has `name`, `size`, `first` and `last`.
    """)
    _pictures = (
        drawing(unet, stacked, "one after the other"),
        drawing(unet, ours, "planned"),
    )
    mo.vstack([_text, *_pictures])
    return (drawing,)


@app.cell
def _():
    def least_bytes(buffers):
        """A bound that no plan can undercut."""
        return max(buffer.size for buffer in buffers)

    return (least_bytes,)


@app.cell(hide_code=True)
def _(least_bytes, unet):
    def mixed(seed: int) -> list[Buffer]:
        """Sixteen buffers of random sizes and lifetimes within ten steps."""
        rng, buffers = random.Random(seed), []
        for number in range(16):
            first = rng.randrange(10)
            last = min(9, first + rng.choice((1, 1, 1, 2, 3, 6)))
            buffers.append(Buffer(f"b{number}", 64 * rng.randint(1, 16), first, last))
        return buffers

    def trial_least():
        for name, buffers in (
            ("the U-Net", unet),
            ("sixteen random buffers", mixed(3)),
        ):
            living = [[b for b in buffers if b.first <= s <= b.last] for s in range(12)]
            sums = [sum(b.size for b in those) for those in living]
            if (found := least_bytes(buffers)) != max(sums):
                step = sums.index(max(sums))
                names = [b.name for b in living[step]]
                return f"for {name} you say {found}. In step {step} live {', '.join(names)}: {max(sums)} bytes."

    mo.vstack([check("Exercise 2", trial_least), solution(__file__, "least_bytes")])
    return (mixed,)


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    ## 3. Best fit

    To reach the bound is not always possible, and to find the best plan is NP-hard. Compilers place buffers
    greedily, one after the other. To place a buffer, look at those that are already placed and share a step with
    it, sorted by address. Between them there are free gaps. {term("best fit")} takes the smallest gap that is
    large enough; without one the buffer goes on top of them.

    The order counts. A large buffer finds no gap if small ones are scattered everywhere, so it is a good
    idea to place the large ones first.

    **Exercise 3.** Write `place(buffers)`: a dict from the name of each buffer to its offset in bytes. All sizes are
    multiples of 64, and so must be the offsets. The arena must not be larger than the compiler's, for the U-Net and for two sets of random buffers.
    """)


@app.cell
def _():
    def place(buffers):
        """Name -> offset."""
        offsets, end = {}, 0
        for buffer in buffers:
            offsets[buffer.name] = end
            end += buffer.size
        return offsets

    return (place,)


@app.cell(hide_code=True)
def _(least_bytes, mixed, place, unet):
    def plan_text(buffers, offsets) -> str:
        """A memory plan as IR."""
        total = max(offsets[b.name] + b.size for b in buffers)
        arena = f'memref<{total}xi8, #dev.on<"cpu">>'
        lines = [
            f"%{name} = plan.buffer %arena id {number} offset {offsets[name]} bytes {size} live {first} to {last}"
            f' : {arena} -> memref<{size}xi8, #dev.on<"cpu">>'
            for number, (name, size, first, last) in enumerate(buffers)
        ]
        body = "\n  ".join([f'%arena = plan.arena "cpu" : {arena}', *lines])
        return f"func.func @main() {{\n  {body}\n  func.return\n}}"

    def trial_place():
        sets = {
            "the U-Net": unet,
            "the first set": mixed(168),
            "the second set": mixed(1044),
        }
        for name, buffers in sets.items():
            offsets = place(buffers)
            if missing := [b.name for b in buffers if b.name not in offsets]:
                return f"in {name}, {', '.join(missing)} have no offset."
            try:
                parse_module(plan_text(buffers, offsets)).verify()
            except VerifyException as error:
                return f"the verifier rejects {name}: {error.args[0].splitlines()[-1]}."
            top = max(offsets[b.name] + b.size for b in buffers)
            requests = [Request(n, b.size, b[2:]) for n, b in enumerate(buffers)]
            if top > (limit := peak(place_requests(requests))):
                return f"{name} is right, but takes {top} bytes; the compiler needs {limit}, the bound of exercise 2 is {least_bytes(buffers)}."

    mo.vstack([check("Exercise 3", trial_place), solution(__file__, "place")])


@app.cell(hide_code=True)
def _(drawing, mixed, place, unet):
    _text = mo.md(f"""
    These are your plans, of the U-Net and of the first set. What said no to a wrong plan is the
    {term("verifier")} of the {term("op")} `plan.arena`, after the pass that makes the plan and after every later one:
    {code("devproc/dialects/plan.py", "verify_arena")}. It knows nothing of how the plan came about, so it
    holds for your algorithm too. That is why a compiler can afford a clever planner: a check that is simple
    stands behind it.

    The compiler places in five orders, moves buffers on top to the front of the order and tries again, and
    keeps the best plan: {code("devproc/transforms/buffers/placement.py", "place_requests")}. No order is the
    best for all programs. The page `docs/schedules/memory.md` has the rest of the rules.
    """)
    _pictures = [drawing(b, place(b), "yours") for b in (unet, mixed(168))]
    mo.vstack([*_pictures, _text])


if __name__ == "__main__":
    app.run()
