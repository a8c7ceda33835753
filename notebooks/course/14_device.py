"""A device of one's own: `marimo edit notebooks/course/14_device.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    import json
    import re
    import runpy
    from pathlib import Path
    from types import SimpleNamespace

    import marimo as mo
    import numpy as np
    import torch
    from exercise import check, code, hint_of, show, solution, term
    from package import installed
    from timeline import timeline

    import devproc
    from devproc.backend import Backend, Description, Link, Memory
    from devproc.backend.conformance.kit import run_kit
    from devproc.ir.program.region_data import dtypes_of, functions_as_data


@app.cell
def _():
    torch.manual_seed(0)
    layers = [torch.nn.Flatten(), torch.nn.Linear(144, 16), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(16, 5)).eval()
    exported = torch.export.export(model, (torch.zeros(1, 3, 6, 8),))
    pipe = devproc.pipeline("classify")
    frame = pipe.input("image", "uint8", (6, 8, 3))
    pixels = pipe.normalize(frame, mean=(0.5, 0.4, 0.3), std=(0.2, 0.3, 0.4))
    logits = pipe.model(exported, pipe.layout(pixels, "HWC->NCHW"))
    pipe.output("probabilities", pipe.softmax(logits, axis=-1))
    pipe.output("label", pipe.argmax(logits, axis=-1))
    main = devproc.compile(pipe).ir("tensor").partition("@prepare")[0]
    rows = re.findall(r"%.* = nn\.(?!weight|constant).*?(?= :)", main)
    mo.md(f"""
    # Lesson 14: A device of one's own

    *40 minutes. You need lessons 9 and 10.*

    After this lesson you have a device of sixty lines. The compiler places {term("op")}s on it,
    plans its memory and inserts copies, as it does for those that come with DevProc. It
    computes with NumPy; the class of an accelerator has the same methods.

    ## 1. What a device computes

    Its unit of work is an op of the tensor level, here those of a whole {term("pipeline")}:

    {show(chr(10).join(rows))}

    A device gets runs of such ops as plain data: for each one the numbers of its operands,
    properties by name, and the dtype and shape of its result. Below is all of the device but
    for three parts, which you write.

    **Exercise 1.** `OPS` has the function of each op. Add what is missing for the pipeline.
    Properties have the names above, and `dtype` is that of a cast. `run` converts results to
    their dtype and shape, so that a cast may return its operand, and `keep` may be ignored.
    """)
    return model, pipe


@app.function
def run(ops, function, weights, places):
    """Runs some ops; `places` are the arrays of operands, then of results."""
    ops = ops | {"nn.weight": lambda name: weights[name]}
    types = function["arguments"]
    values = [place.view(dtype) for place, (dtype, _) in zip(places, types)]
    for name, operands, properties, dtype, shape in function["ops"]:
        with np.errstate(all="ignore"):  # NaN and infinities are data
            value = ops[name](*(values[n] for n in operands), **properties)
        values.append(np.asarray(value, dtype).reshape(shape))
    for place, n in zip(places[len(types) :], function["returned"]):
        assign(place, values[n])


@app.function
def assign(place, value):  # memory has no sign: uint8 is kept as int8
    place[...] = value.view(place.dtype).reshape(place.shape)


@app.function
def device(OPS, legal, view):
    """The class of the device around your three parts."""

    class Device(Backend):
        summary = "NumPy, as written in a lesson"

        def describe(self, target):  # bytes and operations per second, for placement
            link = Link(seconds=1e-6, bytes_per_second=1e10)
            return Description((Memory("array", 1e10),), {"": 1e10}, 1e-6, link)

        def legal(self, ops):
            return legal(ops, OPS)

        def build(self, module):  # any bytes
            return json.dumps(functions_as_data(module)).encode()

        def problems(self, code, launches):  # before code from a file is loaded
            known = json.loads(code)
            return [f"no function '{name}'" for name in launches if name not in known]

        def load(self, code, weights, option=""):
            kept = {name: array.copy() for name, array in weights.items()}
            return SimpleNamespace(code=json.loads(code), weights=kept, queue=[])

        def allocate(self, handle, byte_count):
            return handle.queue, np.zeros(byte_count, np.uint8)

        def view(self, memory, offset, dtype, shape):
            return memory[0], view(memory[1], offset, dtype, shape)

        def upload(self, source, buffer):  # copies and launches are queued
            buffer[0].append(lambda: assign(buffer[1], source.numpy()))

        def download(self, buffer, destination):
            buffer[0].append(lambda: assign(destination.numpy(), buffer[1]))

        def launch(self, handle, symbol, buffers, queue=0):
            places = [place for _, place in buffers]
            work = handle.code[symbol], handle.weights, places
            handle.queue.append(lambda: run(OPS, *work))

        def synchronize(self, handle, queue=0):
            while handle.queue:
                handle.queue.pop(0)()

    return Device


@app.cell
def _():
    OPS = {
        "nn.add": lambda x, y: x + y,
        "nn.sub": lambda x, y: x - y,
        "nn.exp": lambda x: np.exp(x),
        "nn.relu": lambda x: np.maximum(x, 0),
        "nn.linear": lambda x, weight, bias=0: x @ weight.T + bias,
        "nn.reduce_sum": lambda x, axes, keep: x.sum(tuple(axes)),
        "nn.transpose": lambda x, permutation: x.transpose(permutation),
        "nn.reshape": lambda x, shape: x,
        "nn.constant": lambda value: value,
    }
    return (OPS,)


@app.cell(hide_code=True)
def _(OPS, legal, model, pipe, view):
    solutions = Path(__file__).parent / "solutions" / Path(__file__).name
    parts = {"OPS": OPS, "legal": legal, "view": view}
    if solutions.exists():  # then each exercise is judged alone
        parts = runpy.run_path(str(solutions))["ANSWERS"]

    def with_device(**yours):
        return installed("devproc.targets", "mine", device(**{**parts, **yours}))

    image, texts = np.random.default_rng(0).integers(0, 256, (6, 8, 3), np.uint8), []
    scaled = (image / 255 - np.array([0.5, 0.4, 0.3])) / np.array([0.2, 0.3, 0.4])
    tensor = torch.from_numpy(scaled.transpose(2, 0, 1)[None]).float()
    wanted = torch.softmax(model(tensor), -1).numpy(force=True)

    def trial_ops():
        with with_device(OPS=OPS):
            program = devproc.compile(pipe, target="mine", cache=False)
            texts.append(program.ir("host"))
            rejected = r'(nn\.\w+) .*rejected mine: (.*?)"'
            for name, why in re.findall(rejected, program.ir("placed")):
                return f"{name} still runs on the CPU: {why}."
            try:
                found = program(image=image)["probabilities"]
            except KeyError as error:
                return f"`OPS` has no function for {error}."
            if not np.allclose(found, wanted, atol=1e-6):
                return f"the probabilities are {found.round(3)}, not those of PyTorch."
            new = ["nn.div", "nn.reduce_max", "nn.argmax"]
            return next(run_kit("mine", new, ["float32"], ["weights"]).failures(), None)

    hint_1 = hint_of(trial_ops)
    steps = timeline(texts[0], "mine") if texts else "(it cannot be compiled)"
    text_2 = mo.md(f"""
    The steps of the program with the device as it is now; arrows are copies:

    {steps}

    ## 2. What a device cannot compute

    Where each op runs is decided by {term("placement")}. For that the compiler asks `legal` why
    the device cannot compute some ops that follow one another; no reason means that it can.
    Reasons appear in reports, so they name what is missing.

    **Exercise 2.** Write `legal`. `names` are the ops that the device knows; `op.name` is the name
    of one, and `dtypes_of(ops)` gives the dtypes of operands and results. NumPy has no bfloat16:
    `hasattr(np, "bfloat16")` is false.
    """)
    mo.vstack([check("Exercise 1", lambda: hint_1), solution(__file__, "OPS"), text_2])
    return hint_1, with_device


@app.cell
def _():
    def legal(ops, names) -> list[str]:
        return []  # your code

    return (legal,)


@app.cell(hide_code=True)
def _(legal, with_device):
    def refusal(layer, dtype):
        """Why a layer is not placed on the device; None if it is."""
        with with_device(legal=legal):
            source = torch.export.export(layer, (torch.ones(3, 5, dtype=dtype),))
            placed = devproc.compile(source, "mine", cache=False).ir("placed")
            return next(iter(re.findall(r'rejected mine: (.*?)"', placed)), None)

    def trial_legal():
        if why := refusal(torch.nn.ReLU(), torch.float32):
            return f"nn.relu in float32 is in `OPS`, and is refused: “{why}”."
        if (why := refusal(torch.nn.Tanh(), torch.float32)) is None:
            return "nn.tanh is placed on the device, which has no function for it."
        if "nn.tanh" not in why:
            return f"the reason against nn.tanh is “{why}”: name the op."
        if (why := refusal(torch.nn.ReLU(), torch.bfloat16)) is None:
            return "nn.relu in bfloat16 is placed there; NumPy lacks that dtype."
        return None if "bfloat16" in why else f"“{why}” does not name bfloat16."

    hint_2 = hint_of(trial_legal)
    exercise_2 = [check("Exercise 2", lambda: hint_2), solution(__file__, "legal")]
    text_3 = mo.md(f"""
    ## 3. Where values are

    The memory plan gives each value an offset in one block of bytes, the {term("arena")}. The
    device provides the block, here an array of uint8, and `view`.

    **Exercise 3.** Write `view`: the array of this dtype and shape that lies in `memory`, a
    one-dimensional array of bytes, `offset` bytes from its start.
    """)
    mo.vstack([*exercise_2, text_3])
    return (hint_2,)


@app.cell
def _():
    def view(memory, offset: int, dtype: str, shape) -> np.ndarray:
        return np.zeros(shape, dtype)  # your code

    return (view,)


@app.cell(hide_code=True)
def _(view):
    def trial_view():
        memory = np.zeros(1024, np.uint8)
        cases = (0, "int8", (7,)), (64, "float32", (3, 5)), (128, "int64", ())
        for offset, dtype, shape in cases:
            found = view(memory, offset, dtype, shape)
            what = f"{dtype} {shape} at {offset}"
            if (found.dtype, found.shape) != (np.dtype(dtype), shape):
                return f"{what}: the view is {found.dtype} {found.shape}."
            if not np.shares_memory(found, memory):
                return f"{what}: not in `memory`, so what is written there is lost."
            if (at := found.ctypes.data - memory.ctypes.data) != offset:
                return f"{what}: it begins at byte {at}, where something else may be."

    hint_3 = hint_of(trial_view)
    mo.vstack([check("Exercise 3", lambda: hint_3), solution(__file__, "view")])
    return (hint_3,)


@app.cell
def _(OPS, hint_1, hint_2, hint_3, legal, view, with_device):
    page = "Solve the exercises, and the result of the kit appears here."
    if not (hint_1 or hint_2 or hint_3):
        checks = ["order of *", "weights", "states", "alignment", "saved programs"]
        with with_device(OPS=OPS, legal=legal, view=view):
            result = run_kit("mine", ["nn.relu", "nn.linear"], ["float32"], checks)
        assert result.passed, list(result.failures())
        page = result.page().replace("# Conf", "### Conf")
    mo.md(f"""
    ## 4. Whether it is a device

    The conformance kit tests ops on odd shapes, NaN and infinities, compared with PyTorch, and
    memory, queues, states. Try int8 as well: it finds that sums of `nn.linear` overflow.

    {page}

    A package has the class in a module, and in `pyproject.toml` an {term("entry point")} of the
    group `devproc.targets`: `mine = "my_package.device:Device"`. After `pip install` every command
    takes it, as in `devproc compile model.pt2 --target cpu+mine`. More methods, for passes of its
    own or a better cost, are in {code("devproc/backend/backend.py", "Backend")}.
    """)


if __name__ == "__main__":
    app.run()
