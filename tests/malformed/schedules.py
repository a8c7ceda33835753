"""Malformed schedules: values that do not go together, nests without a meaning."""

from __future__ import annotations

from tests.malformed.cases import Program, main

REGISTER_TILE = (
    "#sched.register_tile<weight = none, rows = 12, vectors = 2, order = panels,"
    " cut = none, block = 64, accumulators = 8, prefetch_panel = no,"
    " prefetch_results = [], spread = 0, grain = none>"
)
VECTORS = (
    "#sched.vectors<loop = 1, lanes = 16, vectors = 4, inner = none, crossing = none,"
    " ragged = mask, block = none, split = none, grain = none>"
)
BOTTLENECK = (
    f"#sched.bottleneck<expansion = {REGISTER_TILE}, window = {VECTORS},"
    f" projection = {REGISTER_TILE}, parts = 1, grain = none>"
)
INNER_PRODUCT = (
    "#sched.inner_product<weight = #dev.inner_product<16, 192>, rows = 10,"
    " plain_rows = 5, scale_rows = 10, tiles = 13, group = 12, prefetch_panel = yes,"
    " prefetch_results = [], grain = 1>"
)
WINOGRAD = (
    "#sched.winograd<weight = #dev.winograd<4, 32>, block = 45, by_need = no, rows = 9,"
    " depth = 16, filters = scratch, prefetch = 1, groups = 1, grain = none>"
)
ATTENTION = (
    "#sched.attention<keys = panels, side = 2, rows = 10, mask = skip, mix = [2],"
    " block = 64, chunks = 1, grain = none>"
)
SCAN = (
    "#sched.scan<way = squares, lanes = 16, registers = 1, unroll = no, rest = none,"
    " grain = none, rest_grain = none>"
)
STRASSEN = (
    "#sched.strassen<weight = #dev.strassen<48>, block = 104, rows = 8, slice = 384,"
    " group = 2, grain = 1>"
)
RESAMPLE = "#sched.resample<way = columns, vectors = 1, pairs = no, grain = none>"
SORT = "#sched.sort<by = digits, vectors = 1, grain = none>"
ROW_PARTS = f"#sched.row_parts<parts = [{VECTORS}], split = none, grain = none>"
WELL_FORMED = (
    *(REGISTER_TILE, VECTORS, BOTTLENECK, INNER_PRODUCT, WINOGRAD, ATTENTION, SCAN),
    *(STRASSEN, RESAMPLE, SORT, ROW_PARTS),
)
"""The schedules of which the others are mutations."""


def changed(schedule: str, *changes: tuple[str, str]) -> str:
    """A module with a schedule in which these fields have other values."""
    for old, new in changes:
        assert old in schedule
        schedule = schedule.replace(old, new, 1)
    return f"builtin.module attributes {{schedule = {schedule}}} {{}}"


CONFLICTS: dict[str, Program] = {
    "cut of rows outermost": (
        changed(
            REGISTER_TILE, ("order = panels, cut = none", "order = rows, cut = [1, 4]")
        ),
        "'cut' must be none where 'order' is rows",
    ),
    "cut into no blocks": (
        changed(REGISTER_TILE, ("cut = none", "cut = [1, 0]")),
        "'cut' needs at least one block",
    ),
    "cut without a place": (
        changed(REGISTER_TILE, ("cut = none", "cut = [4]")),
        "'cut' must be a list of 2, each a number, 0 or more, or none, not [4]",
    ),
    "five vectors": (
        changed(REGISTER_TILE, ("vectors = 2", "vectors = 5")),
        "'vectors' must be a number, 1 to 4, not 5",
    ),
    "weight of another algorithm": (
        changed(REGISTER_TILE, ("weight = none", "weight = #dev.strassen<48>")),
        "'weight' must be #dev.layout, or none, not #dev.strassen<48>",
    ),
    "spread without a grain": (
        changed(REGISTER_TILE, ("spread = 0", "spread = 1")),
        "with this 'spread', 'grain' must be a number",
    ),
    "plain rows that leave some": (
        changed(INNER_PRODUCT, ("plain_rows = 5", "plain_rows = 4")),
        "'plain_rows' must divide the 10 rows of a tile",
    ),
    "more scales than rows": (
        changed(INNER_PRODUCT, ("scale_rows = 10", "scale_rows = 11")),
        "'scale_rows' must be at most the 10 rows of a tile",
    ),
    "a block is one chunk": (
        changed(INNER_PRODUCT, ("grain = 1", "grain = 2")),
        "'grain' must be 1, or none, not 2",
    ),
    "tile larger than a block": (
        changed(STRASSEN, ("block = 104", "block = 7")),
        "'rows' must be at most the 7 rows of a block",
    ),
    "more rows than tiles": (
        changed(WINOGRAD, ("block = 45", "block = 5")),
        "'rows' must be at most the 5 tiles of a block",
    ),
    "groups on one thread": (
        changed(WINOGRAD, ("groups = 1", "groups = 2")),
        "'groups' must be 1 where 'grain' is none",
    ),
    "tile of Winograd's that has no transform": (
        changed(WINOGRAD, ("#dev.winograd<4, 32>", "#dev.winograd<5, 32>")),
        "no Winograd transform for tiles of 5",
    ),
    "bottleneck of a parallel window": (
        changed(BOTTLENECK, ("split = none, grain = none", "split = 0, grain = 4")),
        "the 'window' runs on one thread: its 'grain' must be none",
    ),
    "bottleneck in parts on one thread": (
        changed(BOTTLENECK, ("parts = 1", "parts = 2")),
        "'parts' must be 1 where 'grain' is none",
    ),
    "keys as they are for many queries": (
        changed(ATTENTION, ("keys = panels", "keys = rows")),
        "'keys' may be rows for a single query alone",
    ),
    "chunks on one thread": (
        changed(ATTENTION, ("chunks = 1", "chunks = 2")),
        "'chunks' must be 1 where 'grain' is none",
    ),
    "one loop twice": (
        changed(VECTORS, ("inner = none", "inner = 1")),
        "'loop', 'inner' and 'crossing' must be different loops",
    ),
    "inner and crossing loop": (
        changed(VECTORS, ("inner = none, crossing = none", "inner = 0, crossing = 2")),
        "either 'inner' or 'crossing' must be none",
    ),
    "inner loop on threads": (
        changed(
            VECTORS,
            ("inner = none", "inner = 0"),
            ("split = none, grain = none", "split = 0, grain = 2"),
        ),
        "'split' must be neither the inner nor the crossing loop",
    ),
    "part with an inner loop": (
        changed(ROW_PARTS, ("inner = none", "inner = 0")),
        "a part has no 'inner' and no 'crossing' loop",
    ),
    "part split across its row": (
        changed(ROW_PARTS, ("split = none, grain = none", "split = 0, grain = 2")),
        "a part is split along its row alone",
    ),
    "rows and parts split": (
        changed(
            ROW_PARTS,
            ("split = none, grain = none>]", "split = 1, grain = 2>]"),
            ("split = none, grain = none", "split = 0, grain = 2"),
        ),
        "either the rows or their parts are split, not both",
    ),
    "parts of no row": (
        changed(ROW_PARTS, (f"[{VECTORS}]", "[]")),
        "'parts' must be a list of 1 or more, each #sched.vectors, not []",
    ),
    "parts of another kind": (
        changed(ROW_PARTS, (VECTORS, SORT)),
        "each #sched.vectors, not [#sched.sort<by = digits",
    ),
    "many vectors of columns": (
        changed(RESAMPLE, ("vectors = 1", "vectors = 2")),
        "'vectors' must be 1 where 'way' is columns",
    ),
    "rest of columns": (
        changed(
            SCAN, ("way = squares", "way = columns"), ("rest = none", "rest = rows")
        ),
        "'rest' must be none where 'way' is columns",
    ),
    "unrolled squares": (
        changed(SCAN, ("unroll = no", "unroll = yes")),
        "'unroll' must be no and 'registers' 1 where 'way' is squares",
    ),
    "grain of no rows": (
        changed(SCAN, ("rest_grain = none", "rest_grain = 8")),
        "'rest_grain' must be none where 'rest' is not rows",
    ),
    "vectors of a radix sort": (
        changed(SORT, ("vectors = 1", "vectors = 2")),
        "'vectors' must be 1 where 'by' is digits",
    ),
    "many vectors of a search": (
        changed(SORT, ("by = digits", "by = search"), ("vectors = 1", "vectors = 9")),
        "'vectors' must be a number, 1 to 8, not 9",
    ),
    "time of nowhere": (
        changed(f"#sched.variant<schedule = {SORT}, time = 2.5, by = none>"),
        "'time' and 'by' are given together, or both none",
    ),
    "time of zero": (
        changed(f"#sched.variant<schedule = {SORT}, time = 0.0, by = measured>"),
        "'time' must be a finite time above zero, in microseconds, or none, not 0.0",
    ),
    "time in words": (
        changed(f"#sched.variant<schedule = {SORT}, time = long, by = measured>"),
        "the field 'time' must be a finite time above zero, in microseconds, or none",
    ),
    "variant of no schedule": (
        changed("#sched.variant<schedule = #dev.strassen<48>, time = none, by = none>"),
        "'schedule' must be a schedule, not #dev.strassen<48>",
    ),
    "schedule without fields": (
        changed("#sched.sort<>"),
        "#sched.sort needs the fields 'by', 'vectors', 'grain'",
    ),
}

NESTS: dict[str, Program] = {
    "nest without a schedule": (
        main('sched.nest why "none" {\n}'),
        "attribute expected",
    ),
    "nest without a reason": (
        main(f"sched.nest {SORT} {{\n}}"),
        "Expected 'why'",
    ),
    "nest of another attribute": (
        main('sched.nest #dev.on<"cpu"> why "no schedule" {\n}'),
        "should be of attribute subclassing `Schedule`",
    ),
    "nest of a reason of two lines": (
        main(
            f'sched.nest @n {SORT} why "one\\ntwo" {{\n'
            "  linalg.fill ins(%v : f32) outs(%y : memref<4xf32>)\n}",
            "%v: f32, %y: memref<4xf32>",
        ),
        "sched.nest @n needs a reason of one line",
    ),
    "nest in a nest": (
        main(
            f'sched.nest @n {SORT} why "outer" {{\n'
            f'  sched.nest @m {SORT} why "inner" {{\n'
            "    linalg.fill ins(%v : f32) outs(%y : memref<4xf32>)\n  }\n}",
            "%v: f32, %y: memref<4xf32>",
        ),
        "sched.nest @n wraps structured ops without results, not 'sched.nest'",
    ),
    "variants of nothing": (
        main(
            'sched.variants @n [] take 0 why "none" {\n'
            "  linalg.fill ins(%v : f32) outs(%y : memref<4xf32>)\n}",
            "%v: f32, %y: memref<4xf32>",
        ),
        "sched.variants @n has 0 schedules, it cannot take number 0",
    ),
}
