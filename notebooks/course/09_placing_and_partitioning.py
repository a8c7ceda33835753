"""One program on two devices: `marimo edit notebooks/course/09_placing_and_partitioning.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    import random
    from itertools import pairwise, product

    import marimo as mo
    import networkx as nx
    from exercise import check, code, picture, show, solution, term

    from devproc.dialects.dev import CopyOp, RegionOp
    from devproc.driver import parse_module, stage_text
    from devproc.transforms.placed.assignment.minimum_cut import Flow, assign, total_ns
    from devproc.transforms.placed.assignment.requests import read_requests
    from devproc.transforms.placed.place_ops import choice_of, placeable_ops


@app.cell(hide_code=True)
def _():
    def flows_of(copies) -> list[Flow]:
        """The values of a chain as the compiler describes them."""
        last, flows = len(copies) - 1, []
        for n, copy in enumerate(copies):
            made_by, read_by = n - 1 if n else None, (n,) if n < last else ()
            flows.append(Flow(made_by, read_by, n == last, 0, (0, copy)))
        return flows

    def drawing(where, names, copies) -> mo.Html:
        """A chain of ops on two devices; what crosses the line is copied."""
        body = '<text x="4" y="20">CPU</text><text x="4" y="132">GPU</text>'
        body += '<path d="M4 70 H372" stroke="currentColor" stroke-dasharray="5 4" />'
        rows = [30, *(30 + 80 * device for device in where), 30]
        step = 330 / (len(rows) - 1)
        for n, (y, after) in enumerate(pairwise(rows)):
            x = 20 + step * n
            body += f'<path d="M{x} {y} L{x + step} {after}" stroke="currentColor" stroke-width="{1 if y == after else 3}" />'
            if y != after:
                body += f'<text x="{x + step / 2 + 12}" y="66">{copies[n]}</text>'
        for n, (name, y) in enumerate(zip(names, rows[1:]), 1):
            body += f'<circle cx="{20 + step * n}" cy="{y}" r="6" />'
            body += f'<text x="{20 + step * n}" y="{y - 12 if y < 70 else y + 24}" text-anchor="middle">{name}</text>'
        return picture(376, 144, body, "Ops on two devices, and their copies")

    names = ["decode", "resize", "conv", "head", "topk"]
    times = [[20, 30, 400, 300, 5], [90, 6, 10, 8, 40]]
    copies = [36, 46, 12, 26, 8, 4]
    best = assign(times, flows_of(copies), {})
    assert best == [0, 0, 1, 1, 0]
    _text = mo.md(f"""
    # Lesson 9: One program on two devices

    *35 minutes. You need lesson 8.*

    You will be able to

    - say what it costs to run a program on two devices, copies included;
    - find the cheapest {term("placement")} as a minimum cut;
    - predict when a slower link moves work from one device to the other.

    A GPU takes less time for most {term("op")}s, but its data has to get there. Here is a chain of five ops: the
    CPU has the input and wants the result. In the picture they are where they cost least. Each line that crosses
    the dashed one is a copy, with its time.
    """)
    mo.vstack([_text, drawing(best, names, copies)])
    return copies, drawing, flows_of, names, times


@app.cell(hide_code=True)
def _(copies, times):
    _rows = [f"| {' | '.join(map(str, row))} |" for row in times]
    mo.md(f"""
    ## 1. What an assignment costs

    Microseconds of each op:

    | | decode | resize | conv | head | topk |
    |---|---|---|---|---|---|
    | on the CPU {_rows[0]}
    | on the GPU {_rows[1]}

    A copy of value `n` takes `copies[n]`: {", ".join(map(str, copies))}. Value 0 is the input, value `n` is what op
    `n - 1` makes and op `n` reads; the last one is the result. These numbers are a {term("cost model")}: nothing
    is measured here. The compiler's is {code("devproc/transforms/placed/assignment/cost_model.py", "CostModel")}.

    **Exercise 1.** Write `cost(where, times, copies)`. `where[n]` is the device of op `n`, 0 for the CPU and 1 for
    the GPU; `times[device][n]` is its time. The sum has to include the copies, the first and the last as well.
    """)


@app.cell
def _():
    def cost(where, times, copies):
        """The time of a chain of ops, and of the copies between the devices."""
        return sum(times[device][n] for n, device in enumerate(where))

    return (cost,)


@app.cell(hide_code=True)
def _(copies, cost, flows_of, names, times):
    def trial_cost():
        for where in product((0, 1), repeat=5):
            right = total_ns(times, flows_of(copies), where)
            if (found := cost(list(where), times, copies)) != right:
                on_gpu = ", ".join(n for n, d in zip(names, where) if d) or "nothing"
                return f"with {on_gpu} on the GPU and the rest on the CPU it is {right}, not {found}."

    mo.vstack([check("Exercise 1", trial_cost), solution(__file__, "cost")])


@app.cell(hide_code=True)
def _(cost, copies, times):
    _all = {where: cost(where, times, copies) for where in product((0, 1), repeat=5)}
    _best = min(_all, key=_all.get)
    mo.md(f"""
    ## 2. A minimum cut

    Five ops have 32 assignments, and by your `cost` {list(_best)} is the cheapest ({_all[_best]} µs). A hundred
    ops have 10³⁰. But the problem is that of a *minimum cut*, which is solved in no time.

    Draw a graph: a node for each op, a node `"cpu"` and a node `"gpu"`. A cut divides the nodes into two sides,
    that of `"cpu"` and that of `"gpu"`. It costs the capacities of all edges *from* the first side *to* the
    second one. Choose the edges such that each cut costs what the assignment costs:

    - An op on the CPU's side must cost its time on the CPU. So there is an edge from the op to `"gpu"` with just
      this capacity: it is cut if and only if the op is on the CPU's side.
    - Likewise for its time on the GPU.
    - A value costs its copy if its producer and its reader are on different sides, whichever way round. The
      input comes from `"cpu"`, and the result goes there.

    **Exercise 2.** Write `edges(times, copies)`: a list of `(from, to, capacity)`. The nodes are `"cpu"`, `"gpu"`
    and the numbers of the ops.
    """)


@app.cell
def _():
    def edges(times, copies):
        """The graph of a chain, as (from, to, capacity)."""
        return [(n, "gpu", time) for n, time in enumerate(times[0])]

    return (edges,)


@app.cell(hide_code=True)
def _(copies, edges, flows_of, names, times):
    def cut_by(graph, times, copies) -> tuple[int, list[int]]:
        """The capacity of the minimum cut, and the device of each op."""
        network = nx.DiGraph()
        network.add_nodes_from(["cpu", "gpu", *range(len(times[0]))])
        for start, end, capacity in graph:
            before = network.get_edge_data(start, end, {"capacity": 0})["capacity"]
            network.add_edge(start, end, capacity=before + capacity)
        value, (_, far) = nx.minimum_cut(network, "cpu", "gpu")
        return value, [int(n in far) for n in range(len(times[0]))]

    def trial_edges():
        graph, known = edges(times, copies), {"cpu", "gpu", *range(5)}
        if strange := {node for edge in graph for node in edge[:2]} - known:
            return f"there is no node {strange.pop()!r}; the nodes are 'cpu', 'gpu' and 0 to 4."
        for where in sorted(product((0, 1), repeat=5), key=sum):
            side = {"cpu": 0, "gpu": 1} | dict(enumerate(where))
            cut = sum(c for start, end, c in graph if side[start] < side[end])
            if cut != (right := total_ns(times, flows_of(copies), where)):
                on_gpu = ", ".join(n for n, d in zip(names, where) if d) or "nothing"
                return f"with {on_gpu} on the side of 'gpu' the edges from the side of 'cpu' sum up to {cut}; the assignment costs {right}."
        rng = random.Random(0)
        numbers = [[rng.randint(1, 99) for _ in range(12)] for _ in range(3)]
        wide, flows = (numbers[:2], [*numbers[2], 7]), flows_of([*numbers[2], 7])
        least = total_ns(wide[0], flows, assign(wide[0], flows, {}))
        if cut_by(edges(*wide), *wide)[0] != least:
            return "for five ops it is right, for a chain of twelve it is not."

    mo.vstack([check("Exercise 2", trial_edges), solution(__file__, "edges")])
    return (cut_by,)


@app.cell(hide_code=True)
def _(copies, cut_by, drawing, edges, names, times):
    _pictures = []
    for link in (
        copies,
        [copy // 2 for copy in copies],
        [40 * copy for copy in copies],
    ):
        _, _where = cut_by(edges(times, link), times, link)
        _pictures.append(drawing(_where, names, link))
    program_text = """
    builtin.module attributes {devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {
      func.func @main(%x: tensor<2048x4x1024xf32>) -> tensor<2048x1024xf32> {
        %w = nn.weight @w hash "0" : tensor<1024x1024xf32>
        %s = nn.reduce_sum %x axes [1] keep 0 : (tensor<2048x4x1024xf32>) -> tensor<2048x1024xf32>
        %m = nn.matmul %s, %w : (tensor<2048x1024xf32>, tensor<1024x1024xf32>) -> tensor<2048x1024xf32>
        %r = nn.relu %m : (tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
        func.return %r : tensor<2048x1024xf32>
      }
    }"""
    _text = mo.md(f"""
    These are your cuts of the chain: with the copies above, with a link twice as fast, and with one that is forty
    times slower. There the GPU keeps `topk`, slow as it is, since its result is the smallest of all values. The
    compiler does the same for any graph of values, with more than two devices as well:
    {code("devproc/transforms/placed/assignment/minimum_cut.py", "expanded")}.

    ## 3. Parts of a program

    Now a program as the compiler sees it, and what the {term("stage")} `placed` makes of it. Each device gets
    its part: that is {term("partitioning")}. A `dev.region` contains the ops of one part, a `dev.copy` moves a
    value, and a `dev.sync` waits for the GPU. The reason stays with each op, as `dev.place`.
    """)
    placed = stage_text(program_text, "placed")
    _ops = list(parse_module(placed).walk())
    assert [
        sum(isinstance(op, kind) for op in _ops) for kind in (RegionOp, CopyOp)
    ] == [1, 2]
    _short = placed.replace(', #dev.on<"cpu">', "").replace(', #dev.on<"cuda">', "")
    mo.vstack([*_pictures, _text, show(_short)])
    return (program_text,)


@app.cell(hide_code=True)
def _(program_text):
    module = parse_module(program_text)
    _ops = placeable_ops(next(iter(module.ops)).body.block)
    _requests = read_requests(module, _ops, ("cpu", "cuda"))
    problem = choice_of(_ops, module.attributes["devproc.target"], _requests).problem
    seconds = [row[0] / 1e9 for row in problem.times]
    sizes = [flow.byte_count for flow in problem.flows[:2]]
    argument_names = ("cpu_seconds", "gpu_seconds", "bytes_in", "bytes_out")
    reduce_sum = dict(zip(argument_names, seconds + sizes))

    def devices(bytes_per_second: float) -> list[str]:
        """Where the ops are with a link of 10 µs and this rate."""
        where = problem.with_link(1, 10e-6, bytes_per_second).assigned()
        return [problem.devices[device] for device in where]

    assert [set(devices(rate)) for rate in (1e12, 1e3)] == [{"cuda"}, {"cpu"}]
    _numbers = ", ".join(f"`{name}` {value:.4g}" for name, value in reduce_sum.items())
    mo.md(f"""
    ## 4. A slow link

    `nn.reduce_sum` adds up groups of four rows: it reads four times as much as it writes. On the GPU its input
    has to cross the link; on the CPU its result has to, for the product that follows. With a fast link it is on the
    GPU. With a slower one there is a rate at which both cost the same, and below it the cut moves to the other
    side of this op. For this op: {_numbers}.

    **Exercise 3.** Predict this rate: write `break_even`. A copy takes a fixed latency plus its bytes divided by
    the rate. (Which of the two assignments has more copies?)
    """)
    return devices, reduce_sum


@app.cell
def _():
    def break_even(cpu_seconds, gpu_seconds, bytes_in, bytes_out):
        """The bytes per second at which the op costs the same on both devices."""
        return bytes_in / cpu_seconds

    return (break_even,)


@app.cell(hide_code=True)
def _(break_even, devices, reduce_sum):
    def trial_break_even():
        rate = break_even(**reduce_sum)
        if not isinstance(rate, int | float) or rate <= 0:
            return f"a rate is a positive number, not {rate!r}."
        for factor, wanted, other in ((1.03, "cuda", "cpu"), (0.97, "cpu", "cuda")):
            if devices(rate * factor)[0] != wanted:
                return f"by your rate a link of {rate * factor / 1e9:.3g} GB/s puts the op on {wanted}; the compiler still has it on {other}. Compare the bytes that cross the link, and the seconds, of both assignments."

    mo.vstack([check("Exercise 3", trial_break_even), solution(__file__, "break_even")])


@app.cell(hide_code=True)
def _(break_even, devices, drawing, reduce_sum):
    _rate = max(break_even(**reduce_sum), 1.0)
    _rows = []
    _values = ["33.6 MB", *["8.4 MB"] * 3]
    for _name, _bytes in zip(
        ("faster", "slower", "far slower"), (1.1 * _rate, 0.9 * _rate, 1e6)
    ):
        _where = [int(device == "cuda") for device in devices(_bytes)]
        _rows.append(mo.md(f"A link that is {_name}, {_bytes / 1e9:.3g} GB/s:"))
        _rows.append(drawing(_where, ["sum", "matmul", "relu"], _values))
    _text = mo.md(f"""
    The cut moves where you said, and if the link is slow enough, nothing crosses it. The command
    `devproc explain` answers the same question for each op of your own programs ("it would win with a link of
    cuda with 255 MB/s instead of 20 GB/s"), and `docs/placement.md` says how to request a device. The rates come
    from the device itself, as a {code("devproc/backend/description.py", "Link")}; lesson 14 writes one.
    """)
    mo.vstack([*_rows, _text])


if __name__ == "__main__":
    app.run()
