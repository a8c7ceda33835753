"""What the GPU queue measures: each item gives rows for JSON."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from generation import SHAPES

import devproc
from devproc.dialects.dev import target_of
from devproc.options import set_options, target_options
from devproc.source import read_source
from devproc.targets.triton import interpret
from devproc.targets.triton.archs import find_arch
from devproc.targets.triton.cost.assess import machine_codes
from devproc.targets.triton.cost.estimate import estimate
from devproc.targets.triton.cost.program_kernels import ProgramKernel, program_kernels
from devproc.targets.triton.cost.ranking import RankedNest, nests_of
from devproc.tools.commands.common.modules import scheduled_kernels
from gpu.bundles import bundle
from gpu.card import Card
from gpu.decoding import cached_attention, decode_steps
from gpu.digits_programs import check_frames, check_labels
from gpu.forms import FORMS, export, make
from gpu.streams import host_inputs, two_islands

Row = dict[str, Any]
Rows = list[Row]

COPY_BYTES = 1 << 30
CHECKED_BYTES = 1 << 21
"""Kernels that request no more are compared with the interpreter, which is slow."""
TOLERANCE = {"fp32": 1e-4, "fp16": 2e-2, "bf16": 1e-1}
"""Largest difference by the type of an argument; sums run in another order."""
STRUCTURES = ("gemm_128x768x3072", "gemm_128x3072x768", "conv_512_512_b1", "sum_8x1M")
"""Forms of which several schedules are timed."""
COPIES = ("blocks", "block_transpose")
"""Algorithms of kernels that only move data, around a form."""
DESCRIBED = ("gemm_4096", "conv_64_128_b32", "linear_4096x768x3072")
"""Those that persistent programs, or boxes of images, with descriptors may compute faster:
plans change where this says so."""
DESCRIPTORS = "linear_300x136x200", "image_2x16x64x9"
PERSISTENT = (
    "#sched.persistent_tile<m = 64, n = 64, k = 64, warps = 4, stages = 3, group = 4,"
    " precision = tf32x3, programs = {}, loads = descriptors>"
)
BOXES = (
    "#sched.box_gemm<rows = 8, columns = 8, n = 64, k = 64, warps = 4, stages = 3,"
    " precision = tf32x3>"
)
"""Forms that are small enough to compare all values, and their schedules."""


@dataclass(frozen=True)
class Item:
    """A part of the queue."""

    name: str
    run: Callable[[Card], Rows]


def items() -> Iterator[Item]:
    """All items, the most wanted first."""
    yield Item("bandwidth", bandwidth)
    yield Item("ceilings", ceilings)
    yield Item("gaps", gaps)
    given = [PERSISTENT.format(programs) for programs in (7, 1000)], [BOXES]
    for form, schedules in zip(DESCRIPTORS, given, strict=True):
        yield Item(f"descriptors {form}", partial(structures, form, given=schedules))
    for form in DESCRIBED:
        yield Item(f"schedules {form}", partial(structures, form))
    for name, dtype in (
        *((name, "bfloat16") for name in ("resnet50", "bert_base", "resnet50@32")),
        *((name, "bfloat16") for name in ("gpt2", "vit_b16", "llama_small")),
        *((name, "float32") for name in ("bert_base", "resnet50")),
        *((name, "bfloat16") for name in ("mobilenet_v2", "bert_base@32x128")),
        *((name, "float32") for name in ("resnet50@32", "vit_b16@32", "resnet18")),
    ):
        yield Item(f"model {name} {dtype}", partial(model, name, dtype))
    for name in SHAPES:
        yield Item(f"decode {name}", partial(decode_steps, name))
    yield Item("cached attention", cached_attention)
    for name in ("resnet50", "resnet50@32"):
        yield Item(f"host inputs {name}", partial(host_inputs, name))
    yield Item("two islands", two_islands)
    yield Item("bundle resnet18", partial(bundle, "resnet18"))
    for target in ("cuda", "cpu+cuda"):
        yield Item(f"digits {target}", partial(on_a_card, check_labels, target))
        yield Item(f"camera {target}", partial(on_a_card, check_frames, target))
    for form in FORMS:
        yield Item(f"form {form} bfloat16", partial(form_times, form, "bfloat16"))
    for form in ("gemm_128x768x3072", "softmax_4096x1000", "gemm_4096"):
        yield Item(f"form {form} float32", partial(form_times, form, "float32"))
    for name in ("resnet50", "bert_base", "resnet50@32"):
        yield Item(f"kernels {name} bfloat16", partial(kernels, name, "bfloat16"))
    for form in STRUCTURES:
        yield Item(f"schedules {form}", partial(structures, form))


def on_a_card(check: Callable[[str], Rows], target: str, card: Card) -> Rows:
    """The rows of a check that needs a GPU."""
    return [] if card.dry else check(target)


def bandwidth(card: Card) -> Rows:
    """Bytes per second of PyTorch's copy and addition of large tensors."""
    x, y = (torch.empty(COPY_BYTES // 4, device=card.device) for _ in range(2))
    calls = {
        "copy": (2, lambda: y.copy_(x)),
        "add": (3, lambda: torch.add(x, y, out=y)),
    }
    return [
        {"what": name, "bytes_per_second": n * COPY_BYTES / card.seconds(call)}
        for name, (n, call) in calls.items()
    ]


def ceilings(card: Card) -> Rows:
    """Operations per second of the library's products, on random numbers."""
    rows: Rows = []
    for dtype, tf32 in (
        *((torch.bfloat16, False), (torch.float16, False)),
        *((torch.float32, False), (torch.float32, True)),
    ):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        a, b = (torch.randn(8192, 8192, device=card.device).to(dtype) for _ in "ab")
        seconds = card.seconds(partial(torch.mm, a, b))
        kind = "tf32" if tf32 else str(dtype).removeprefix("torch.")
        rows.append({"what": kind, "flops": 2 * 8192**3 / seconds})
    torch.backends.cuda.matmul.allow_tf32 = False
    return rows


def gaps(card: Card) -> Rows:
    """Seconds from one small kernel to the next, launched and in a graph."""
    x = torch.zeros(128, device=card.device)
    call = partial(torch.add, x, 1.0, out=x)

    def many() -> None:
        for _ in range(100):
            call()

    return [
        {"what": "launch", "seconds": card.seconds(many) / 100},
        {"what": "graph", "seconds": card.seconds(call, graph=True)},
    ]


def compiled(name: str, dtype: str, card: Card) -> list[ProgramKernel]:
    """The kernels of a model for the card."""
    source = read_source(export(name, dtype))
    set_options(source.module, target_options("cuda", arch=card.arch), None)
    return program_kernels(source.module)


def kernels(name: str, dtype: str, card: Card) -> Rows:
    """Each kernel of a model: its time beside the estimate, its values if it is small."""
    found = compiled(name, dtype, card)
    codes = machine_codes([k.kernel for k in found], card.arch)
    rows: Rows = []
    for kernel, code in zip(found, codes, strict=True):
        row: Row = {"kernel": kernel.kernel.name, "schedule": kernel.schedule}
        rows.append(row)
        if isinstance(code, str):
            row["problem"] = code
            continue
        row |= time_of(kernel, card)
        gpu = find_arch(card.arch)
        modelled = estimate(code, kernel.work, kernel.argument_bytes, gpu)
        row |= {"modelled": modelled.seconds, "bound": modelled.bound}
        row["launches"] = kernel.launches
    return rows


def time_of(kernel: ProgramKernel, card: Card) -> Row:
    """The seconds of a kernel in a graph, and its difference to the interpreter."""
    tensors = card.random(kernel.kernel, kernel.argument_bytes)
    call = partial(card.launch, kernel.kernel, tensors)
    row: Row = {}
    if kernel.work.requested_bytes <= CHECKED_BYTES and not card.dry:
        row["difference"] = difference(kernel, tensors, card)
    row["seconds"] = card.seconds(call, graph=True)
    return row


def difference(kernel: ProgramKernel, tensors: list[Any], card: Card) -> float:
    """The largest difference of an argument after a launch, as a share of what its type
    allows."""
    here = [tensor.cpu().clone() for tensor in tensors]
    card.launch(kernel.kernel, tensors)
    interpret.launch(kernel.kernel, *here)
    worst = 0.0
    for type_, ours, wanted in zip(kernel.kernel.arg_types, tensors, here, strict=True):
        allowed = TOLERANCE.get(type_.removeprefix("*"), 1e-9)
        scale = max(1.0, float(wanted.double().abs().max()))
        off = float((ours.cpu().double() - wanted.double()).abs().max())
        worst = max(worst, off / scale / allowed)
    return worst


def form_times(form: str, dtype: str, card: Card) -> Rows:
    """The kernels of a form together, beside PyTorch eager and compiled, in graphs."""
    rows = kernels(form, dtype, card)
    ours = sum(row["seconds"] * row["launches"] for row in rows if "seconds" in row)
    module, inputs = make(form, dtype)
    modes = modes_of(f"{form} {dtype}")
    peers = {} if card.dry else peer_seconds(module, inputs, card, modes)
    return [{"form": form, "dtype": dtype, "ours": ours, **peers}, *rows]


MODES = {"default": None, "max-autotune": "max-autotune-no-cudagraphs"}
"""Peers by `torch.compile`; graphs are ours to record, for all alike."""

AUTOTUNED = ("bert_base bfloat16", "gemm_128x768x3072 bfloat16", "gemm_4096 bfloat16")
"""What is compared with max-autotune, which takes most of a minute for each product."""


def modes_of(name: str) -> Sequence[str]:
    """The modes of `torch.compile` that a model in a dtype is compared with."""
    return list(MODES)[: 2 if name in AUTOTUNED else 1]


def peer_seconds(
    module: torch.nn.Module,
    inputs: tuple[torch.Tensor, ...],
    card: Card,
    modes: Sequence[str],
) -> Row:
    """The seconds of PyTorch, eager and compiled, each replayed in a graph."""
    # Products of f32 in f32, as ours are.
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    module, row = module.to(card.device), Row()
    given = tuple(x.to(card.device) for x in inputs)
    with torch.no_grad():
        row["eager"] = card.seconds(lambda: module(*given), graph=True)
        for name in modes:
            torch._dynamo.reset()  # pyright: ignore[reportPrivateUsage]
            fast = torch.compile(module, mode=MODES[name])
            try:
                row[name] = card.seconds(partial(fast, *given), graph=True)
            except Exception as error:
                row[f"{name} failed"] = str(error)[:200]
    return row


def model(name: str, dtype: str, card: Card) -> Rows:
    """A whole model: its error beside PyTorch's own, its call, and the peers."""
    program = devproc.compile(export(name, dtype), target="cuda")
    if card.dry:
        return [
            {"model": name, "dtype": dtype, "steps": len(program.artifact.host.steps)}
        ]
    module, inputs = make(name, dtype)
    with torch.no_grad():
        exact = module.double()(
            *(x.double() if x.is_floating_point() else x for x in inputs)
        )
    module, inputs = make(name, dtype)
    given = tuple(x.to(card.device) for x in inputs)
    ours = torch.as_tensor(program(*given)).cpu().double()
    row: Row = {"model": name, "dtype": dtype}
    row["error"] = float((ours - exact).abs().max() / exact.abs().max())
    row["call"] = card.seconds(partial(program, *given))
    row["ours"] = card.seconds(partial(program, *given), graph=True)
    peers = peer_seconds(module, inputs, card, modes_of(f"{name} {dtype}"))
    with torch.no_grad():
        eager = module(*given)
    row["eager error"] = float((eager.cpu().double() - exact).abs().max())
    row["eager error"] /= float(exact.abs().max())
    return [row | peers]


def structures(form: str, card: Card, given: Sequence[str] = ()) -> Rows:
    """The given schedules, or those that the model ranks, each measured."""
    rows: Rows = []
    nest = nest_of(form, card)
    for schedule in given or list(map(str, nest.schedules)):
        source = read_source(export(form, "bfloat16"))
        options = target_options("cuda", arch=card.arch)
        pattern = nest.kernel.sym_name.data
        set_options(source.module, options, None, {pattern: schedule})
        found = program_kernels(source.module)
        row: Row = {"form": form, "schedule": schedule}
        rows.append(row)
        try:
            times = [time_of(kernel, card) for kernel in found]
        except Exception as error:
            # One with more shared memory than the card has, for instance.
            row["failed"] = str(error)[:200]
            continue
        launches = [kernel.launches for kernel in found]
        parts = zip(times, launches, strict=True)
        row["seconds"] = sum(time["seconds"] * count for time, count in parts)
        row["difference"] = max(time.get("difference", 0) for time in times)
    return rows


def nest_of(form: str, card: Card) -> RankedNest:
    """The nest of a form that is more than a copy, with its candidates."""
    source = read_source(export(form, "bfloat16"))
    options = target_options("cuda", arch=card.arch)
    set_options(source.module, options, None)
    kernels = (k for found in scheduled_kernels(source.module).values() for k in found)
    nests = (n for k in kernels for n in nests_of(k, target_of(source.module)))
    return next(n for n in nests if n.nest.schedule.algorithm not in COPIES)


@dataclass
class Calibration:
    """What the measured rows say of the constants of the model."""

    rows: dict[str, Rows] = field(default_factory=dict[str, Rows])

    def summary(self) -> Row:
        """Measured constants, and the median of measured over modelled time by bound."""
        found: Row = {}
        for row in (*self.rows.get("bandwidth", ()), *self.rows.get("gaps", ())):
            found[row["what"]] = row.get("bytes_per_second", row.get("seconds"))
        ratios: dict[str, list[float]] = {}
        for row in (row for rows in self.rows.values() for row in rows):
            if row.get("modelled") and row.get("seconds"):
                ratio = row["seconds"] / row["modelled"]
                ratios.setdefault(row["bound"], []).append(ratio)
        return found | {
            f"measured / modelled, {bound}": round(statistics.median(given), 2)
            for bound, given in ratios.items()
        }
