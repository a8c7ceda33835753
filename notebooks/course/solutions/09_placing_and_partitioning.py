"""Answers to `09_placing_and_partitioning.py`, and typical wrong ones with their hints."""

import runpy
import sys
from itertools import pairwise
from pathlib import Path


def cost(where, times, copies):
    """The time of a chain of ops, and of the copies between the devices."""
    ops = sum(times[device][n] for n, device in enumerate(where))
    ends = [0, *where, 0]  # the input comes from the CPU, and the result goes there
    moved = zip(copies, pairwise(ends), strict=True)
    return ops + sum(copy for copy, (here, there) in moved if here != there)


def edges(times, copies):
    """The graph of a chain, as (from, to, capacity)."""
    graph = [(n, "gpu", time) for n, time in enumerate(times[0])]
    graph += [("cpu", n, time) for n, time in enumerate(times[1])]
    nodes = ["cpu", *range(len(times[0])), "cpu"]
    for copy, (producer, reader) in zip(copies, pairwise(nodes), strict=True):
        graph += [(producer, reader, copy), (reader, producer, copy)]
    return graph


def break_even(cpu_seconds, gpu_seconds, bytes_in, bytes_out):
    """Each assignment has one copy, so that the latency is the same for both."""
    return (bytes_in - bytes_out) / (cpu_seconds - gpu_seconds)


ANSWERS = {"cost": cost, "edges": edges, "break_even": break_even}


def ends_are_free(where, times, copies):
    """Only the copies between ops."""
    ops = sum(times[device][n] for n, device in enumerate(where))
    between = zip(copies[1:-1], pairwise(where), strict=True)
    return ops + sum(copy for copy, (here, there) in between if here != there)


def copied_always(where, times, copies):
    return sum(times[device][n] for n, device in enumerate(where)) + sum(copies)


def one_way(times, copies):
    """A copy to the GPU costs, one back does not."""
    ops = 2 * len(times[0])
    return [e for n, e in enumerate(edges(times, copies)) if n < ops or n % 2 == 0]


def times_swapped(times, copies):
    return edges(times[::-1], copies)


def without_ends(times, copies):
    return edges(times, [0, *copies[1:-1], 0])


def wrong_name(times, copies):
    return [("CPU" if a == "cpu" else a, b, c) for a, b, c in edges(times, copies)]


WRONG = [
    ("cost", ends_are_free, "with topk on the GPU"),
    ("cost", copied_always, "with nothing on the GPU"),
    ("edges", one_way, "the assignment costs"),
    ("edges", times_swapped, "with nothing on the side of 'gpu'"),
    ("edges", without_ends, "the assignment costs"),
    ("edges", wrong_name, "there is no node 'CPU'"),
    (
        "break_even",
        lambda cpu_seconds, gpu_seconds, bytes_in, bytes_out: (
            bytes_in / (cpu_seconds - gpu_seconds)
        ),
        "the compiler still has it on cuda",
    ),
    (
        "break_even",
        lambda cpu_seconds, gpu_seconds, bytes_in, bytes_out: (
            (bytes_in - 2 * bytes_out) / (cpu_seconds - gpu_seconds)
        ),
        "the compiler still has it on cpu",
    ),
    (
        "break_even",
        lambda cpu_seconds, gpu_seconds, bytes_in, bytes_out: (
            (bytes_out - bytes_in) / (cpu_seconds - gpu_seconds)
        ),
        "a positive number",
    ),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
