// RUN: devproc-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: #sched.scatter has no field 'grains', but grain, lanes; did you mean 'grain'?
builtin.module attributes {schedule = #sched.scatter<grains = 8>} {}

// -----

// CHECK: #sched.nms needs the field 'grain'
builtin.module attributes {schedule = #sched.nms<lanes = 16>} {}

// -----

// CHECK: #sched.nms has the field 'lanes' twice
builtin.module attributes {schedule = #sched.nms<lanes = 16, lanes = 8>} {}

// -----

// CHECK: the field 'grain' must be a number, 1 or more, or none
builtin.module attributes {schedule = #sched.scatter<grain = many>} {}

// -----

// CHECK: #sched.scatter: 'grain' must be a number, 1 or more, or none, not 0
builtin.module attributes {schedule = #sched.scatter<grain = 0, lanes = 1>} {}

// -----

// CHECK: #sched.padding: 'lanes' must be a number, 1 or more, not -1
builtin.module attributes {schedule = #sched.padding<lanes = -1>} {}

// -----

// CHECK: the field 'lanes' must be a number, 1 or more
builtin.module attributes {schedule = #sched.padding<lanes = none>} {}

// -----

// CHECK: the field 'way' must be rows or columns; did you mean 'rows'?
builtin.module attributes {schedule = #sched.resample<way = row, vectors = 4, pairs = no, grain = 8>} {}

// -----

// CHECK: the field 'pairs' must be yes or no
builtin.module attributes {schedule = #sched.resample<way = rows, vectors = 4, pairs = true, grain = 8>} {}

// -----

// CHECK: #sched.resample: 'pairs' must be no where 'way' is rows
builtin.module attributes {schedule = #sched.resample<way = rows, vectors = 4, pairs = yes, grain = 8>} {}

// -----

// CHECK: #sched.box_gemm: a rectangle has at least 16 pixels
builtin.module attributes {schedule = #sched.box_gemm<rows = 2, columns = 4, n = 64, k = 32, warps = 4, stages = 2, precision = ieee>} {}

// -----

// CHECK: #sched.block_tile: 'm' must be a power of two, 16 or more, not 48
builtin.module attributes {schedule = #sched.block_tile<m = 48, n = 64, k = 32, warps = 4, stages = 2, group = 1, precision = ieee>} {}

// -----

// CHECK: #sched.blocks: 'warps' must be a power of two, 1 to 32, not 64
builtin.module attributes {schedule = #sched.blocks<size = 1024, warps = 64>} {}

// -----

// CHECK: #sched.strassen: 'weight' must be #dev.strassen, not #dev.winograd<4, 32>
builtin.module attributes {schedule = #sched.strassen<weight = #dev.winograd<4, 32>, block = 104, rows = 8, slice = 384, group = 2, grain = 1>} {}

// -----

// CHECK: #sched.strassen: 'weight' must be #dev.strassen, not none
builtin.module attributes {schedule = #sched.strassen<weight = none, block = 104, rows = 8, slice = 384, group = 2, grain = 1>} {}

// -----

// CHECK: the field 'vectors' must be a list of 1 or more, each a number, 1 or more
builtin.module attributes {schedule = #sched.rows<lanes = 16, vectors = 4, block = none, grain = none>} {}

// -----

// CHECK: #sched.rows: 'vectors' must be a list of 1 or more, each a number, 1 or more, not []
builtin.module attributes {schedule = #sched.rows<lanes = 16, vectors = [], block = none, grain = none>} {}

// -----

// CHECK: #sched.rows: 'vectors' must be a list of 1 or more, each a number, 1 or more, not [4, 0]
builtin.module attributes {schedule = #sched.rows<lanes = 16, vectors = [4, 0], block = none, grain = none>} {}

// -----

// CHECK: #sched.elements: with this 'spread', 'grain' must be a number
builtin.module attributes {schedule = #sched.elements<spread = 1, grain = none>} {}

// -----

// CHECK: #sched.elements: with this 'spread', 'grain' must be none
builtin.module attributes {schedule = #sched.elements<spread = 0, grain = 8>} {}

// -----

// CHECK: 'sched.everything' is not registered
builtin.module attributes {schedule = #sched.everything<grain = 8>} {}
