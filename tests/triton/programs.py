"""Kernels in the normal forms of `devproc/ir/program/structured.py`, as text on memrefs."""

from __future__ import annotations

from collections.abc import Sequence


def memref(shape: Sequence[int], element: str = "f32") -> str:
    """A memref type on the GPU."""
    return f'memref<{"".join(f"{n}x" for n in shape)}{element}, #dev.on<"cuda">>'


def function(
    name: str, family: str, sources: Sequence[str], arguments: str, body: str
) -> str:
    """A kernel function."""
    names = ", ".join(f'"{s}"' for s in sources)
    return (
        f"func.func private @{name}({arguments}) attributes"
        f' {{dev.kernel = #dev.kernel<"cuda", "{family}", [{names}]>}} {{\n'
        f"{body}\n  func.return\n}}\n"
    )


def affine_map(loops: int, results: str) -> str:
    """A map from the loops d0.. to these results."""
    return f"affine_map<({', '.join(f'd{i}' for i in range(loops))}) -> ({results})>"


def generic(
    loops: str,
    maps: Sequence[str],
    inputs: Sequence[tuple[str, str]],
    outputs: Sequence[tuple[str, str]],
    body: str,
) -> str:
    """A generic; `loops` has a letter for each: p (parallel) or r (reduction)."""
    kinds = {"p": '"parallel"', "r": '"reduction"'}
    operands = [*inputs, *outputs]
    arguments = ", ".join(
        f"%{'abc'[i] if i < len(inputs) else 'o' + str(i - len(inputs))}:"
        f" {type_.split('#')[0].rstrip(', ').split('x')[-1].split('<')[-1].rstrip('>')}"
        for i, (_, type_) in enumerate(operands)
    )

    def clause(word: str, values: Sequence[tuple[str, str]]) -> str:
        if not values:
            return ""
        names, types = zip(*values, strict=True)
        return f"{word}({', '.join(names)} : {', '.join(types)})"

    return (
        "  linalg.generic {indexing_maps = ["
        + ", ".join(affine_map(len(loops), m) for m in maps)
        + "], iterator_types = ["
        + ", ".join(kinds[k] for k in loops)
        + f"]}} {clause('ins', inputs)} {clause('outs', outputs)} {{\n"
        f"  ^bb0({arguments}):\n{body}\n  }}"
    )


def fill(value: str, element: str, target: str, type_: str) -> str:
    """A constant and a fill with it."""
    return (
        f"  %c_{target[1:]} = arith.constant {value} : {element}\n"
        f"  linalg.fill ins(%c_{target[1:]} : {element}) outs({target} : {type_})"
    )


def elementwise(body: str, result: str, shape: Sequence[int], *elements: str) -> str:
    """`body` on inputs %a, %b, .. (yielding %r) of one shape; `result` is its type."""
    loops, index = len(shape), ", ".join(f"d{i}" for i in range(len(shape)))
    names = [f"%x{i}" for i in range(len(elements))]
    inputs = [(n, memref(shape, e)) for n, e in zip(names, elements, strict=True)]
    output = ("%out", memref(shape, result))
    arguments = ", ".join(f"{n}: {t}" for n, t in [*inputs, output])
    op = generic(
        "p" * loops,
        [index] * (len(inputs) + 1),
        inputs,
        [output],
        f"    {body}\n    linalg.yield %r : {result}",
    )
    return function("elementwise", "pointwise", ["nn.test"], arguments, op)


def transpose(shape: Sequence[int], order: Sequence[int], element: str = "f32") -> str:
    """out[i0, i1, ..] = x[..] with out dimension k = x dimension order[k]."""
    loops = len(shape)
    read = ", ".join(f"d{list(order).index(axis)}" for axis in range(loops))
    write = ", ".join(f"d{i}" for i in range(loops))
    x = ("%x", memref(shape, element))
    out = ("%out", memref([shape[d] for d in order], element))
    op = generic(
        "p" * loops, [read, write], [x], [out], f"    linalg.yield %a : {element}"
    )
    arguments = f"{x[0]}: {x[1]}, {out[0]}: {out[1]}"
    return function("transpose", "pointwise", ["nn.transpose"], arguments, op)


def softmax(shape: Sequence[int], axis: int) -> str:
    """Softmax with its four steps; arguments %x, %m, %e, %s, %out."""
    rank = len(shape)
    kept = [d for d in range(rank) if d != axis]
    loop = {d: i for i, d in enumerate([*kept, axis])}
    full = ", ".join(f"d{loop[d]}" for d in range(rank))
    row = ", ".join(f"d{i}" for i in range(rank - 1))
    rows = memref([shape[d] for d in kept])
    whole = memref(shape)
    rr, pp = "p" * (rank - 1) + "r", "p" * rank
    body = "\n".join(
        [
            fill("0xff800000", "f32", "%m", rows),
            generic(
                rr,
                [full, row],
                [("%x", whole)],
                [("%m", rows)],
                "    %r = arith.maximumf %a, %o0 : f32\n    linalg.yield %r : f32",
            ),
            generic(
                pp,
                [full, row, full],
                [("%x", whole), ("%m", rows)],
                [("%e", whole)],
                "    %d = arith.subf %a, %b : f32\n    %r = math.exp %d : f32\n"
                "    linalg.yield %r : f32",
            ),
            fill("0.0", "f32", "%s", rows),
            generic(
                rr,
                [full, row],
                [("%e", whole)],
                [("%s", rows)],
                "    %r = arith.addf %o0, %a : f32\n    linalg.yield %r : f32",
            ),
            generic(
                pp,
                [full, row, full],
                [("%e", whole), ("%s", rows)],
                [("%out", whole)],
                "    %r = arith.divf %a, %b : f32\n    linalg.yield %r : f32",
            ),
        ]
    )
    arguments = f"%x: {whole}, %m: {rows}, %e: {whole}, %s: {rows}, %out: {whole}"
    return function("softmax", "reduction", ["nn.softmax"], arguments, body)


def reduction(
    shape: Sequence[int], axis: int, element: str, start: str, body: str
) -> str:
    """One reduction along an axis; `body` computes %r from %a and the old %o0."""
    rank = len(shape)
    kept = [d for d in range(rank) if d != axis]
    loop = {d: i for i, d in enumerate([*kept, axis])}
    full = ", ".join(f"d{loop[d]}" for d in range(rank))
    row = ", ".join(f"d{i}" for i in range(rank - 1))
    rows, whole = memref([shape[d] for d in kept], element), memref(shape, element)
    text = "\n".join(
        [
            fill(start, element, "%out", rows),
            generic(
                "p" * (rank - 1) + "r",
                [full, row],
                [("%x", whole)],
                [("%out", rows)],
                f"    {body}\n    linalg.yield %r : {element}",
            ),
        ]
    )
    arguments = f"%x: {whole}, %out: {rows}"
    return function("reduce", "reduction", ["nn.reduce"], arguments, text)


def argmax(
    rows: int, columns: int, element: str = "f32", predicate: str = "ugt"
) -> str:
    """Value and index of the largest element of each row; arguments %x, %v, %i."""
    whole, values = memref([rows, columns], element), memref([rows], element)
    indices = memref([rows], "i64")
    if element.startswith("f"):
        lowest = {"f16": "0xfc00", "f32": "0xff800000"}[element]
        compare = (
            f"    %g = arith.cmpf {predicate}, %a, %o0 : {element}\n"
            f"    %n = arith.cmpf ord, %o0, %o0 : {element}\n"
            "    %better = arith.andi %g, %n : i1\n"
        )
    else:
        lowest = "0" if predicate[0] == "u" else str(-(1 << (int(element[1:]) - 1)))
        compare = f"    %better = arith.cmpi {predicate}, %a, %o0 : {element}\n"
    body = (
        compare + "    %at = linalg.index 1 : index\n"
        "    %index = arith.index_cast %at : index to i64\n"
        f"    %r = arith.select %better, %a, %o0 : {element}\n"
        "    %s = arith.select %better, %index, %o1 : i64\n"
        f"    linalg.yield %r, %s : {element}, i64"
    )
    text = "\n".join(
        [
            fill(lowest, element, "%v", values),
            fill("0", "i64", "%i", indices),
            generic(
                "pr",
                ["d0, d1", "d0", "d0"],
                [("%x", whole)],
                [("%v", values), ("%i", indices)],
                body,
            ),
        ]
    )
    arguments = f"%x: {whole}, %v: {values}, %i: {indices}"
    return function("argmax", "reduction", ["nn.argmax"], arguments, text)


def multiply_add(element: str, total: str) -> str:
    """The body `old + a * b`, widened to the type of the total."""
    if element == total:
        widen, a, b = "", "%a", "%b"
    else:
        op = "extf" if total.startswith("f") else "extsi"
        widen = (
            f"    %aw = arith.{op} %a : {element} to {total}\n"
            f"    %bw = arith.{op} %b : {element} to {total}\n"
        )
        a, b = "%aw", "%bw"
    kind = "f" if total.startswith("f") else "i"
    return (
        f"{widen}    %p = arith.mul{kind} {a}, {b} : {total}\n"
        f"    %r = arith.add{kind} %o0, %p : {total}\n    linalg.yield %r : {total}"
    )


def bias(total: str) -> str:
    """The body `a + b`."""
    kind = "f" if total.startswith("f") else "i"
    return f"    %r = arith.add{kind} %a, %b : {total}\n    linalg.yield %r : {total}"


def linear(m: int, n: int, k: int, element: str = "f32", total: str = "f32") -> str:
    """x[m, k] @ w[n, k].T + b[n]; arguments %x, %w, %bias, %out."""
    x, w = memref([m, k], element), memref([n, k], element)
    b, out = memref([n], total), memref([m, n], total)
    zero = "0.0" if total.startswith("f") else "0"
    text = "\n".join(
        [
            fill(zero, total, "%out", out),
            generic(
                "ppr",
                ["d0, d2", "d1, d2", "d0, d1"],
                [("%x", x), ("%w", w)],
                [("%out", out)],
                multiply_add(element, total),
            ),
            generic(
                "pp",
                ["d0, d1", "d1", "d0, d1"],
                [("%out", out), ("%bias", b)],
                [("%out", out)],
                bias(total),
            ),
        ]
    )
    arguments = f"%x: {x}, %w: {w}, %bias: {b}, %out: {out}"
    return function("linear", "contraction", ["nn.linear"], arguments, text)


def batched_matmul(batch: int, m: int, n: int, k: int) -> str:
    """a[batch, m, k] @ b[1, k, n], the second operand shared by the batches."""
    a, b, out = memref([batch, m, k]), memref([1, k, n]), memref([batch, m, n])
    text = "\n".join(
        [
            fill("0.0", "f32", "%out", out),
            generic(
                "pppr",
                ["d0, d1, d3", "0, d3, d2", "d0, d1, d2"],
                [("%x", a), ("%w", b)],
                [("%out", out)],
                multiply_add("f32", "f32"),
            ),
        ]
    )
    arguments = f"%x: {a}, %w: {b}, %out: {out}"
    return function("matmul", "contraction", ["nn.matmul"], arguments, text)


def conv2d(
    n: int,
    c: int,
    size: tuple[int, int],
    o: int,
    kernel: int,
    *,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
) -> str:
    """Convolution, bias, relu; arguments %x, %w, %bias, %out. Groups > 1: 5-D operands."""
    height, width = size
    padded = (height + 2 * padding, width + 2 * padding)
    reach = dilation * (kernel - 1) + 1
    oh, ow = ((s - reach) // stride + 1 for s in padded)
    g = [groups] if groups > 1 else []
    lead = ["d1"] if groups > 1 else []
    base = 1 + len(g)
    names = [f"d{i}" for i in range(base + 6)]
    oc, h, w, ci, kh, kw = names[base:]
    at = [f"{h} * {stride} + {kh} * {dilation}", f"{w} * {stride} + {kw} * {dilation}"]
    image = memref([n, *g, c // groups, height, width])
    border = memref([n, *g, c // groups, *padded])
    weight = memref([*g, o // groups, c // groups, kernel, kernel])
    offset = memref([*g, o // groups])
    out = memref([n, *g, o // groups, oh, ow])
    rank = 4 + len(g)
    index = [f"d{i}" for i in range(rank)]
    shifted = [*index[:-2], *(f"{i} + {padding}" for i in index[-2:])]
    steps: list[str] = []
    source = ("%x", image)
    if padding:
        source = ("%pad", border)
        steps = [
            f"  %pad = memref.alloca() : {border}",
            fill("0.0", "f32", "%pad", border),
            generic(
                "p" * rank,
                [", ".join(index), ", ".join(shifted)],
                [("%x", image)],
                [source],
                "    linalg.yield %a : f32",
            ),
        ]
    steps += [
        fill("0.0", "f32", "%out", out),
        generic(
            "p" * rank + "rrr",
            [
                ", ".join(["d0", *lead, ci, *at]),
                ", ".join([*lead, oc, ci, kh, kw]),
                ", ".join(index),
            ],
            [source, ("%w", weight)],
            [("%out", out)],
            multiply_add("f32", "f32"),
        ),
        generic(
            "p" * rank,
            [", ".join(index), ", ".join([*lead, oc]), ", ".join(index)],
            [("%out", out), ("%bias", offset)],
            [("%out", out)],
            "    %zero = arith.constant 0.0 : f32\n    %s = arith.addf %a, %b : f32\n"
            "    %r = arith.maximumf %s, %zero : f32\n    linalg.yield %r : f32",
        ),
    ]
    arguments = f"%x: {image}, %w: {weight}, %bias: {offset}, %out: {out}"
    return function(
        "conv", "window", ["nn.conv2d", "nn.relu"], arguments, "\n".join(steps)
    )


def depthwise(n: int, c: int, size: tuple[int, int], kernel: int, padding: int) -> str:
    """One filter per channel; arguments %x, %w, %out."""
    height, width = size
    padded = (height + 2 * padding, width + 2 * padding)
    oh, ow = (s - kernel + 1 for s in padded)
    image, border = memref([n, c, height, width]), memref([n, c, *padded])
    weight, out = memref([c, 1, kernel, kernel]), memref([n, c, oh, ow])
    text = "\n".join(
        [
            f"  %pad = memref.alloca() : {border}",
            fill("0.0", "f32", "%pad", border),
            generic(
                "pppp",
                ["d0, d1, d2, d3", f"d0, d1, d2 + {padding}, d3 + {padding}"],
                [("%x", image)],
                [("%pad", border)],
                "    linalg.yield %a : f32",
            ),
            fill("0.0", "f32", "%out", out),
            generic(
                "pppprr",
                ["d0, d1, d2 + d4, d3 + d5", "d1, 0, d4, d5", "d0, d1, d2, d3"],
                [("%pad", border), ("%w", weight)],
                [("%out", out)],
                multiply_add("f32", "f32"),
            ),
        ]
    )
    arguments = f"%x: {image}, %w: {weight}, %out: {out}"
    return function("depthwise", "window", ["nn.conv2d"], arguments, text)


def max_pool2d(
    n: int, c: int, size: tuple[int, int], kernel: int, stride: int, padding: int
) -> str:
    """Largest element of each window; arguments %x, %out."""
    height, width = size
    padded = (height + 2 * padding, width + 2 * padding)
    oh, ow = ((s - kernel) // stride + 1 for s in padded)
    image, border = memref([n, c, height, width]), memref([n, c, *padded])
    window, out = memref([kernel, kernel]), memref([n, c, oh, ow])
    text = "\n".join(
        [
            f"  %pad = memref.alloca() : {border}",
            f"  %window = memref.alloca() : {window}",
            fill("0xff800000", "f32", "%pad", border),
            generic(
                "pppp",
                ["d0, d1, d2, d3", f"d0, d1, d2 + {padding}, d3 + {padding}"],
                [("%x", image)],
                [("%pad", border)],
                "    linalg.yield %a : f32",
            ),
            fill("0xff800000", "f32", "%out", out),
            generic(
                "pppprr",
                [
                    f"d0, d1, d2 * {stride} + d4, d3 * {stride} + d5",
                    "d4, d5",
                    "d0, d1, d2, d3",
                ],
                [("%pad", border), ("%window", window)],
                [("%out", out)],
                "    %r = arith.maximumf %a, %o0 : f32\n    linalg.yield %r : f32",
            ),
        ]
    )
    arguments = f"%x: {image}, %out: {out}"
    return function("max_pool", "window", ["nn.max_pool2d"], arguments, text)


def resample_bytes(rows: int, source: int, size: int, taps: int) -> str:
    """Pillow's 8-bit path along the last axis; arguments %x, %first, %taps, %out."""
    x, out = memref([rows, source], "i8"), memref([rows, size], "i8")
    total = memref([rows, size], "i32")
    first, table = memref([size], "i32"), memref([size, taps], "i32")
    text = "\n".join(
        [
            f"  %sum = memref.alloca() : {total}",
            fill(str(1 << 21), "i32", "%sum", total),
            generic(
                "ppr",
                ["d1", "d1, d2", "d0, d1"],
                [("%first", first), ("%taps", table)],
                [("%sum", total)],
                "    %start = arith.index_cast %a : i32 to index\n"
                "    %t = linalg.index 2 : index\n"
                "    %row = linalg.index 0 : index\n"
                "    %at = arith.addi %start, %t : index\n"
                f"    %byte = memref.load %x[%row, %at] : {x}\n"
                "    %value = arith.extui %byte : i8 to i32\n"
                "    %p = arith.muli %value, %b : i32\n"
                "    %r = arith.addi %o0, %p : i32\n    linalg.yield %r : i32",
            ),
            generic(
                "pp",
                ["d0, d1", "d0, d1"],
                [("%sum", total)],
                [("%out", out)],
                "    %bits = arith.constant 22 : i32\n"
                "    %zero = arith.constant 0 : i32\n"
                "    %top = arith.constant 255 : i32\n"
                "    %s = arith.shrsi %a, %bits : i32\n"
                "    %l = arith.maxsi %s, %zero : i32\n"
                "    %c = arith.minsi %l, %top : i32\n"
                "    %r = arith.trunci %c : i32 to i8\n    linalg.yield %r : i8",
            ),
        ]
    )
    arguments = f"%x: {x}, %first: {first}, %taps: {table}, %out: {out}"
    return function("resample", "gather", ["nn.resample"], arguments, text)


def sort(shape: Sequence[int], count: int, element: str = "i32") -> str:
    """The indices of the first `count` elements in order of each row."""
    x, y = memref(shape, element), memref((*shape[:-1], count), "i64")
    body = (
        f"  linalg_ext.sort_runs %x : {x} into %y : {y} run {shape[-1]} first {count}"
    )
    return function("order", "sort", ["nn.sort"], f"%x: {x}, %y: {y}", body)


def merge(
    shape: Sequence[int], run: int, ways: int, first: int, element: str = "i32"
) -> str:
    """Sorted runs of each row, so many of which become one; arguments %x, %of, %y, %z."""
    whole, rest = divmod(shape[-1], run * ways)
    kept = whole * first + min(rest, first)
    x, of = memref(shape, element), memref(shape, "i64")
    y, z = memref((*shape[:-1], kept), "i64"), memref((*shape[:-1], kept), element)
    body = (
        f"  linalg_ext.merge_runs %x : {x} of %of : {of} into %y : {y}, %z : {z}"
        f" run {run} ways {ways} first {first}"
    )
    arguments = f"%x: {x}, %of: {of}, %y: {y}, %z: {z}"
    return function("merge", "sort", ["nn.sort"], arguments, body)


def scan(
    shape: Sequence[int],
    axis: int,
    element: str,
    carried: Sequence[str],
    starts: Sequence[str],
    body: str,
) -> str:
    """A scan; `body` makes %r, and %p of places, of %a0, %a1 and the later %b0, %b1."""
    types = [memref(shape, element)] + [memref(shape, e) for e in carried[1:]]
    names = [f"%y{i}" for i in range(len(types))]
    arguments = ", ".join(
        f"{name}: {type_}"
        for name, type_ in zip(["%x", *names], [types[0], *types], strict=True)
    )
    inner = ", ".join(
        f"%{side}{i}: {type_}" for side in "ab" for i, type_ in enumerate(carried)
    )
    numbers = ", ".join(f"{n} : {t}" for n, t in zip(starts, carried, strict=True))
    yielded = ", ".join(("%r", "%p")[: len(carried)])
    return function(
        "running",
        "scan",
        ["nn.cumsum"],
        arguments,
        f"  linalg_ext.scan %x into {', '.join(names)} axis {axis} start [{numbers}] {{\n"
        f"  ^bb0({inner}):\n{body}\n"
        f"    linalg.yield {yielded} : {', '.join(carried)}\n"
        f"  }} : ({', '.join([types[0], *types])}) -> ()",
    )
