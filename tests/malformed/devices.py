"""Malformed regions, copies, orders between devices, and memory plans."""

from __future__ import annotations

from tests.malformed.cases import Program, main

CPU, CUDA = '#dev.on<"cpu">', '#dev.on<"cuda">'
X, Y = f"tensor<2xf32, {CPU}>", f"tensor<2xf32, {CUDA}>"
RELU = "nn.relu %a : ({0}) -> {0}"


def region(device: str, type_: str, body: str, outer: str | None = None) -> str:
    """A host function with one region of one operand and one result."""
    outer = outer or type_
    return main(
        f'%r = dev.region "{device}" (%x) : ({outer}) -> ({type_}) {{\n'
        f"^bb0(%a: {type_}):\n  {body}\n}}",
        f"%x: {outer}",
    )


REGIONS: dict[str, Program] = {
    "region without a yield": (
        region("cpu", X, "%b = " + RELU.format(X)),
        "nn.relu terminates block in single-block region but is not a terminator",
    ),
    "region on an unknown device": (
        region("tpu", X, f"dev.yield %a : {X}"),
        "unknown device 'tpu' of a region; one of cpu, cuda, host",
    ),
    "region of unplaced values": (
        region("cpu", "tensor<2xf32>", "dev.yield %a : tensor<2xf32>"),
        "in a region on 'cpu' has no device",
    ),
    "region with a value of another device": (
        region("cpu", Y, f"dev.yield %a : {Y}"),
        "uses a value of 'cuda': a value crosses devices only through dev.copy",
    ),
    "cuda region with a cpu value": (
        region("cuda", X, f"dev.yield %a : {X}"),
        "uses a value of 'cpu': a value crosses devices only through dev.copy",
    ),
    "region whose body computes elsewhere": (
        region("cpu", X, f"%b = nn.relu %a : ({X}) -> {Y}\n  dev.yield %a : {X}"),
        "a value crosses devices only through dev.copy",
    ),
    "region argument of another type": (
        main(
            f'%r = dev.region "cpu" (%x) : ({X}) -> ({X}) {{\n'
            f"^bb0(%a: tensor<3xf32, {CPU}>):\n"
            f"  %b = nn.reshape %a to [3] : (tensor<3xf32, {CPU}>) -> "
            f"tensor<3xf32, {CPU}>\n  dev.yield %b : tensor<3xf32, {CPU}>\n}}",
            f"%x: {X}",
        ),
        "the block arguments must have the inputs' types",
    ),
    "region yields another type": (
        region(
            "cpu",
            X,
            f"%b = nn.cast %a to f64 : ({X}) -> tensor<2xf64, {CPU}>\n"
            f"  dev.yield %b : tensor<2xf64, {CPU}>",
        ),
        "dev.yield must give the region's result types",
    ),
    "region reaches outside": (
        main(
            f'%r = dev.region "cpu" () : () -> ({X}) {{\n'
            f"  %b = nn.relu %x : ({X}) -> {X}\n  dev.yield %b : {X}\n}}",
            f"%x: {X}",
        ),
        "",
    ),
    "copy to itself": (
        main(f"%y = dev.copy %x : {X} to {X}", f"%x: {X}"),
        "dev.copy from 'cpu' to itself is redundant",
    ),
    "copy that changes the shape": (
        main(f"%y = dev.copy %x : {X} to tensor<3xf32, {CUDA}>", f"%x: {X}"),
        "dev.copy keeps shape and element type",
    ),
    "copy that changes the dtype": (
        main(f"%y = dev.copy %x : {X} to tensor<2xf16, {CUDA}>", f"%x: {X}"),
        "dev.copy keeps shape and element type",
    ),
    "copy from nowhere": (
        main(f"%y = dev.copy %x : tensor<2xf32> to {Y}"),
        "both sides of dev.copy need a device",
    ),
    "copy to nowhere": (
        main(f"%y = dev.copy %x : {X} to tensor<2xf32>", f"%x: {X}"),
        "both sides of dev.copy need a device",
    ),
    "sync of the cpu": (
        main('dev.sync "cpu"'),
        "'cpu' runs in the host's order and needs no sync",
    ),
    "sync of nothing": (main('dev.sync "tpu"'), "unknown device 'tpu' of a sync"),
    "launch of no kernel": (
        main(f"%y = dev.launch @k(%x) : ({X}) -> ({X})", f"%x: {X}"),
        "no kernel named @k",
    ),
    "launch with other types": (
        f"func.func private @k({X}) -> {X}\n"
        + main(f"%y = dev.launch @k(%x, %x) : ({X}, {X}) -> ({X})", f"%x: {X}"),
        "launched as",
    ),
}

ROUND_TRIP = f"""
  %d = dev.copy %x : {X} to {Y}
  %e = dev.region "cuda" (%d) : ({Y}) -> ({Y}) {{
  ^bb0(%a: {Y}):
    %b = nn.relu %a : ({Y}) -> {Y}
    dev.yield %b : {Y}
  }}
  %h = dev.copy %e : {Y} to {X}"""
"""A value goes to the GPU and comes back as %h, which no sync has ordered yet."""

HOST_REGION = f"""
  %i = dev.region "cpu" ({{0}}) : ({X}) -> ({X}) {{{{
  ^bb0(%a: {X}):
    %b = nn.relu %a : ({X}) -> {X}
    dev.yield %b : {X}
  }}}}"""

ORDER: dict[str, Program] = {
    "host region before the sync": (
        main(ROUND_TRIP + HOST_REGION.format("%h"), f"%x: {X}"),
        "'dev.region' (unknown source) reads a result of 'cuda' on the host before the "
        'dev.sync "cuda" that orders it',
    ),
    "sync before the copy": (
        main(
            ROUND_TRIP.replace("  %h =", '  dev.sync "cuda"\n  %h =')
            + HOST_REGION.format("%h"),
            f"%x: {X}",
        ),
        "reads a result of 'cuda' on the host before the dev.sync",
    ),
    "sync after the read": (
        main(ROUND_TRIP + HOST_REGION.format("%h") + '\n  dev.sync "cuda"', f"%x: {X}"),
        "reads a result of 'cuda' on the host before the dev.sync",
    ),
    "return before the sync": (
        f"func.func @main(%x: {X}) -> {X} {{{ROUND_TRIP}\n  func.return %h : {X}\n}}",
        "'func.return' (unknown source) reads a result of 'cuda'",
    ),
    "read through a view": (
        f"func.func @main(%x: {X}) -> tensor<1x2xf32, {CPU}> {{{ROUND_TRIP}\n"
        f"  %v = plan.view %h : {X} -> tensor<1x2xf32, {CPU}>\n"
        f"  func.return %v : tensor<1x2xf32, {CPU}>\n}}",
        "'func.return' (unknown source) reads a result of 'cuda'",
    ),
    "kernel on values of another device": (
        f'func.func private @k({Y}) -> {Y} attributes {{dev.kernel = #dev.kernel<"cpu", '
        '"pointwise", ["nn.relu"]>}\n'
        + main(f"%y = dev.launch @k(%x) : ({Y}) -> ({Y})", f"%x: {Y}"),
        "'dev.launch' (unknown source) on 'cpu' uses a value of 'cuda' without a copy",
    ),
}

ARENA, BUFFER = f"memref<256xi8, {CPU}>", f"memref<16xf32, {CPU}>"
DEVICE_BUFFER = f"memref<16xf32, {CUDA}>"


def planned(
    body: str, *, a: str = "offset 0 bytes 64 live 0 to 1", b: str | None = None
) -> str:
    """Three launches x -> a -> b -> y on an arena of 256 bytes."""
    b = b or "offset 64 bytes 64 live 1 to 2"
    steps = body or (
        f"plan.launch @k(%x) -> (%a) : ({BUFFER}) -> ({BUFFER})\n"
        f"plan.launch @k(%a) -> (%b) : ({BUFFER}) -> ({BUFFER})\n"
        f"plan.launch @k(%b) -> (%y) : ({BUFFER}) -> ({BUFFER})"
    )
    return f"func.func private @k({BUFFER}, {BUFFER})\n" + main(
        f'%arena = plan.arena "cpu" : {ARENA}\n'
        f"%a = plan.buffer %arena id 0 {a} : {ARENA} -> {BUFFER}\n"
        f"%b = plan.buffer %arena id 1 {b} : {ARENA} -> {BUFFER}\n{steps}",
        f"%x: {BUFFER}, %y: {BUFFER}, %d: {DEVICE_BUFFER}",
    )


PLANS: dict[str, Program] = {
    "live together at one place": (
        planned("", b="offset 0 bytes 64 live 1 to 2"),
        "buffers 0 and 1 of the 'cpu' arena are live together and overlap",
    ),
    "live together, one byte shared": (
        planned("", a="offset 0 bytes 65 live 0 to 1"),
        "are live together and overlap",
    ),
    "one inside the other": (
        planned("", a="offset 0 bytes 256 live 0 to 1"),
        "are live together and overlap",
    ),
    "used after its life": (
        planned("", a="offset 0 bytes 64 live 0 to 0"),
        "buffer 0 is used from step 0 to 1, but planned live from 0 to 0",
    ),
    "used before its life": (
        planned("", b="offset 64 bytes 64 live 2 to 2"),
        "buffer 1 is used from step 1 to 2, but planned live from 2 to 2",
    ),
    "lifetime ends before it begins": (
        planned("func.return", a="offset 0 bytes 64 live 1 to 0").replace(
            "func.return\n  func.return", "func.return"
        ),
        "the buffer's lifetime ends before it begins",
    ),
    "too small": (
        planned("", a="offset 0 bytes 63 live 0 to 1"),
        "63 bytes are too few for 64",
    ),
    "unaligned": (
        planned("", b="offset 72 bytes 64 live 1 to 2"),
        "offset 72 is not a multiple of 64",
    ),
    "behind the arena": (
        planned("", b="offset 256 bytes 64 live 1 to 2"),
        "the buffer ends at 320, after the end of its arena",
    ),
    "before the arena": (
        planned("", b="offset -64 bytes 64 live 1 to 2"),
        "offset -64 is before its arena",
    ),
    "ids equal": (
        planned("").replace("id 1", "id 0"),
        "two buffers of the 'cpu' arena have the id 0",
    ),
    "arena elsewhere": (
        main(f'%arena = plan.arena "cuda" : {ARENA}'),
        "the arena's memref must be on the arena's device",
    ),
    "buffer elsewhere": (
        main(
            f'%arena = plan.arena "cpu" : {ARENA}\n'
            "%a = plan.buffer %arena id 0 offset 0 bytes 64 live 0 to 1"
            f" : {ARENA} -> {DEVICE_BUFFER}"
        ),
        "a buffer must be on the device of its arena",
    ),
    "view of another size": (
        main(f"%v = plan.view %x : {BUFFER} -> memref<8xf32, {CPU}>", f"%x: {BUFFER}"),
        "plan.view from 16 elements to 8",
    ),
    "view of another device": (
        main(f"%v = plan.view %x : {BUFFER} -> {DEVICE_BUFFER}", f"%x: {BUFFER}"),
        "plan.view does not move a value to another device",
    ),
    "view of another kind": (
        main(f"%v = plan.view %x : {BUFFER} -> tensor<16xf32, {CPU}>", f"%x: {BUFFER}"),
        "plan.view keeps tensors tensors, memrefs memrefs",
    ),
    "copy of another size": (
        main(
            f"plan.copy %x to %y : {BUFFER} to memref<8xf32, {CUDA}>",
            f"%x: {BUFFER}, %y: memref<8xf32, {CUDA}>",
        ),
        "plan.copy between buffers of different size",
    ),
    "launch of no kernel": (
        main(
            f"plan.launch @none(%x) -> (%x) : ({BUFFER}) -> ({BUFFER})", f"%x: {BUFFER}"
        ),
        "no kernel named @none",
    ),
    "launch with other types": (
        planned(f"plan.launch @k(%x) -> () : ({BUFFER}) -> ()"),
        "launched as",
    ),
    "read of a stream's copy before the sync": (
        planned(
            f"plan.copy %d to %a : {DEVICE_BUFFER} to {BUFFER}\n"
            f"plan.launch @k(%a) -> (%y) : ({BUFFER}) -> ({BUFFER})\n"
            'dev.sync "cuda"',
            a="offset 0 bytes 64 live 0 to 2",
        ),
        "'plan.launch' (unknown source) reads a result of 'cuda' on the host before",
    ),
    "overwriting what a stream still reads": (
        planned(
            f"plan.launch @k(%x) -> (%a) : ({BUFFER}) -> ({BUFFER})\n"
            f"plan.copy %a to %d : {BUFFER} to {DEVICE_BUFFER}\n"
            f"plan.launch @k(%x) -> (%a) : ({BUFFER}) -> ({BUFFER})\n"
            'dev.sync "cuda"',
            a="offset 0 bytes 64 live 0 to 3",
        ),
        "'plan.launch' (unknown source) overwrites an input of 'cuda'",
    ),
    "a buffer that nothing writes": (
        planned(
            f"plan.copy %a to %d : {BUFFER} to {DEVICE_BUFFER}",
            a="offset 0 bytes 64 live 0 to 0",
        ),
        "reads a buffer that no earlier launch or copy writes",
    ),
    "return before the output is there": (
        planned(f"plan.copy %d to %y : {DEVICE_BUFFER} to {BUFFER}"),
        "'func.return' (unknown source) returns a result of 'cuda'",
    ),
    "kernel on buffers of another device": (
        f"func.func private @k({BUFFER}, {BUFFER}) attributes {{dev.kernel = "
        '#dev.kernel<"cuda", "pointwise", ["nn.relu"]>}\n'
        + main(
            f"plan.launch @k(%x) -> (%x) : ({BUFFER}) -> ({BUFFER})", f"%x: {BUFFER}"
        ),
        "on 'cuda' uses a value of 'cpu' without a copy",
    ),
    "weight without a hash": (
        main(f'%w = "plan.weight"() <{{key = @w}}> : () -> {BUFFER}'),
        "property 'hash' expected in operation 'plan.weight'",
    ),
}
