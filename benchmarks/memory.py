"""Memory of a process that loads a saved program and runs it, and ONNX Runtime's beside.

Each measurement is a fresh process that imports NumPy and its engine, neither of them
PyTorch, loads the model from a file and runs it three times on one thread; the figure is
its peak of resident memory (`VmHWM`), with the pages of mapped files. The last columns
are the memory plan: the arena, and the largest sum of bytes that live at the same time.
Writes a table into `benchmarks/RESULTS.md`.

    python benchmarks/memory.py --models shared/bench --peer-python P

`--peer-python`: an interpreter with ONNX Runtime, and with PyTorch's ONNX exporter.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from results import write_section

ROOT = Path(__file__).parent.parent

NAMES = ("mlp", "mobilenet_v2", "resnet18", "bert_base")

BUILD = """
import sys, warnings
warnings.filterwarnings("ignore")
import torch
sys.path.insert(0, sys.argv[1])
import models
module, inputs = models.build(sys.argv[2])
path = sys.argv[3]
if path.endswith(".onnx"):
    torch.onnx.export(module, inputs, path, dynamo=True, external_data=False)
else:
    import devproc
    with torch.no_grad():
        exported = torch.export.export(module, inputs)
    program = devproc.compile(exported, threads=1)
    program.save(path)
    memory = program.report().memory
    print(memory.peak_bytes, memory.live_bytes("cpu"), program.weights.byte_count())
"""

PEAK = """
import re
from pathlib import Path
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]
assert "torch" not in sys.modules
print(int(peak) * 1024)
"""

RUN_PROGRAM = f"""
import sys
import numpy as np
import devproc
program = devproc.load(sys.argv[1])
arrays = [np.ones(s.shape, s.dtype) for s in program.interface.inputs]
for _ in range(3):
    program(*arrays)
{PEAK}"""

RUN_ONNX = f"""
import sys
import numpy as np
import onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(
    sys.argv[1], options, providers=["CPUExecutionProvider"]
)
dtypes = {{"tensor(float)": np.float32, "tensor(int64)": np.int64}}
feed = {{i.name: np.ones(i.shape, dtypes[i.type]) for i in session.get_inputs()}}
for _ in range(3):
    session.run(None, feed)
{PEAK}"""

ALONE = f"import sys\nimport numpy\n{PEAK}"


def run(python: str, code: str, *arguments: str) -> list[int]:
    """The numbers in the last line that a process writes."""
    done = subprocess.run(
        [python, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    return [int(word) for word in re.findall(r"\d+", done.stdout.splitlines()[-1])]


def measure(models: str, name: str, peer: str, folder: Path) -> list[str]:
    """The cells of one model's row."""
    paths = [str(folder / f"{name}.{suffix}") for suffix in ("devproc", "onnx")]
    arena, live, weights = run(sys.executable, BUILD, models, name, paths[0])
    run(peer, BUILD + "print(0)", models, name, paths[1])
    (ours,) = run(sys.executable, RUN_PROGRAM, paths[0])
    (theirs,) = run(peer, RUN_ONNX, paths[1])
    megabytes = [f"{size / 1e6:.1f}" for size in (weights, ours, theirs)]
    plan = [f"{arena / 1e6:.2f}", f"{live / 1e6:.2f}", f"{arena / live:.2f}"]
    return [name, *megabytes, f"{ours / theirs:.2f}", *plan]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True, help="holds models.py")
    parser.add_argument("--peer-python", required=True, help="has ONNX Runtime")
    parser.add_argument("--only", nargs="*", default=NAMES)
    given = parser.parse_args()
    models = str(given.models.resolve())
    lines = [
        "| model | weights MB | devproc MB | ONNX Runtime MB | ratio | arena MB "
        "| live MB | arena / live |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in given.only:
        with tempfile.TemporaryDirectory() as folder:
            cells = measure(models, name, given.peer_python, Path(folder))
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    (alone,) = run(sys.executable, ALONE)
    code = "import onnxruntime\nprint(onnxruntime.__version__)"
    version = ".".join(map(str, run(given.peer_python, code)))
    lines += [
        "",
        f"Python with NumPy alone: {alone / 1e6:.1f} MB. A program needs NumPy and xDSL; "
        "weights are mapped from its file, packed as they are used. "
        f"ONNX Runtime {version}.",
    ]
    write_section(
        "Memory of a process that loads and runs a program",
        "python benchmarks/memory.py",
        lines,
    )


if __name__ == "__main__":
    main()
