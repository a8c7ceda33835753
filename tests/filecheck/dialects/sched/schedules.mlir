// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// CHECK: @register_tile() -> () attributes {schedule = #sched.register_tile<weight = #dev.layout<[0, 1], [48, 1]>, rows = 7, vectors = 3, order = panels, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 2, grain = 1>}
func.func private @register_tile() attributes {schedule = #sched.register_tile<weight = #dev.layout<[0, 1], [48, 1]>, rows = 7, vectors = 3, order = panels, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 2, grain = 1>}

// CHECK: @bf16_dot() -> () attributes {schedule = #sched.bf16_dot<weight = #dev.layout<[0, 1], [32, 2]>, instruction = yes, rows = 9, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 2, grain = 1>}
func.func private @bf16_dot() attributes {schedule = #sched.bf16_dot<weight = #dev.layout<[0, 1], [32, 2]>, instruction = yes, rows = 9, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 2, grain = 1>}
// CHECK: @weight_only() -> () attributes {schedule = #sched.weight_only<weight = #dev.weight_only<int8, 32, 32>, digits = 3, rows = 1, block = 1, ahead = 4096, accumulators = 8, row_grain = none, grain = none>}
func.func private @weight_only() attributes {schedule = #sched.weight_only<weight = #dev.weight_only<int8, 32, 32>, digits = 3, rows = 1, block = 1, ahead = 4096, accumulators = 8, row_grain = none, grain = none>}
// CHECK: @widened_panels() -> () attributes {schedule = #sched.widened_panels<weight = #dev.weight_only<int8, 32, 32>, block = 768, product = #sched.inner_product<weight = #dev.inner_product<16, 192>, rows = 8, plain_rows = 4, scale_rows = 8, tiles = 16, group = 48, prefetch_panel = no, prefetch_results = [], grain = none>>}
func.func private @widened_panels() attributes {schedule = #sched.widened_panels<weight = #dev.weight_only<int8, 32, 32>, block = 768, product = #sched.inner_product<weight = #dev.inner_product<16, 192>, rows = 8, plain_rows = 4, scale_rows = 8, tiles = 16, group = 48, prefetch_panel = no, prefetch_results = [], grain = none>>}
// CHECK: @block_float() -> () attributes {schedule = #sched.block_float<weight = #dev.block_float<64, 56>, rows = 1, accumulators = 8, prefetch_results = [], spread = 1, grain = 4>}
func.func private @block_float() attributes {schedule = #sched.block_float<weight = #dev.block_float<64, 56>, rows = 1, accumulators = 8, prefetch_results = [], spread = 1, grain = 4>}

// CHECK: @inner_product() -> () attributes {schedule = #sched.inner_product<weight = #dev.inner_product<16, 192>, rows = 10, plain_rows = 5, scale_rows = 10, tiles = 13, group = 12, prefetch_panel = yes, prefetch_results = [], grain = 1>}
func.func private @inner_product() attributes {schedule = #sched.inner_product<weight = #dev.inner_product<16, 192>, rows = 10, plain_rows = 5, scale_rows = 10, tiles = 13, group = 12, prefetch_panel = yes, prefetch_results = [], grain = 1>}

// CHECK: @strassen() -> () attributes {schedule = #sched.strassen<weight = #dev.strassen<48>, block = 104, rows = 8, slice = 384, group = 2, grain = 1>}
func.func private @strassen() attributes {schedule = #sched.strassen<weight = #dev.strassen<48>, block = 104, rows = 8, slice = 384, group = 2, grain = 1>}

// CHECK: @pixel_tile() -> () attributes {schedule = #sched.pixel_tile<vectors = 2, pixels = 4, block = none, split = 1, grain = 2>}
func.func private @pixel_tile() attributes {schedule = #sched.pixel_tile<vectors = 2, pixels = 4, block = none, split = 1, grain = 2>}

// CHECK: @winograd() -> () attributes {schedule = #sched.winograd<weight = #dev.winograd<4, 32>, block = 45, by_need = no, rows = 9, depth = 16, filters = scratch, prefetch = 1, groups = 1, grain = 1>}
func.func private @winograd() attributes {schedule = #sched.winograd<weight = #dev.winograd<4, 32>, block = 45, by_need = no, rows = 9, depth = 16, filters = scratch, prefetch = 1, groups = 1, grain = 1>}

// CHECK: @winograd_line() -> () attributes {schedule = #sched.winograd_line<weight = #dev.winograd_line<2, 32>, lines = 7, rows = 8, grain = 1>}
func.func private @winograd_line() attributes {schedule = #sched.winograd_line<weight = #dev.winograd_line<2, 32>, lines = 7, rows = 8, grain = 1>}

// CHECK: @bottleneck() -> () attributes {schedule = #sched.bottleneck<expansion = #sched.register_tile<weight = #dev.layout<[0, 1, 2, 3], [1, 1, 1, 48]>, rows = 8, vectors = 3, order = rows, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 0, grain = none>, window = #sched.pixel_tile<vectors = 2, pixels = 4, block = none, split = none, grain = none>, projection = #sched.register_tile<weight = none, rows = 12, vectors = 2, order = rows, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 0, grain = none>, parts = 2, grain = 1>}
func.func private @bottleneck() attributes {schedule = #sched.bottleneck<expansion = #sched.register_tile<weight = #dev.layout<[0, 1, 2, 3], [1, 1, 1, 48]>, rows = 8, vectors = 3, order = rows, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 0, grain = none>, window = #sched.pixel_tile<vectors = 2, pixels = 4, block = none, split = none, grain = none>, projection = #sched.register_tile<weight = none, rows = 12, vectors = 2, order = rows, cut = none, block = 64, accumulators = 8, prefetch_panel = no, prefetch_results = [], spread = 0, grain = none>, parts = 2, grain = 1>}

// CHECK: @vectors() -> () attributes {schedule = #sched.vectors<loop = 1, lanes = 16, vectors = 4, inner = none, crossing = none, ragged = mask, block = none, split = 0, grain = 66>}
func.func private @vectors() attributes {schedule = #sched.vectors<loop = 1, lanes = 16, vectors = 4, inner = none, crossing = none, ragged = mask, block = none, split = 0, grain = 66>}

// CHECK: @channels() -> () attributes {schedule = #sched.channels<lanes = 16, ragged = mask, split = 0, grain = 8>}
func.func private @channels() attributes {schedule = #sched.channels<lanes = 16, ragged = mask, split = 0, grain = 8>}

// CHECK: @row_parts() -> () attributes {schedule = #sched.row_parts<parts = [#sched.vectors<loop = 1, lanes = 16, vectors = 4, inner = none, crossing = none, ragged = mask, block = none, split = none, grain = none>], split = 0, grain = 8>}
func.func private @row_parts() attributes {schedule = #sched.row_parts<parts = [#sched.vectors<loop = 1, lanes = 16, vectors = 4, inner = none, crossing = none, ragged = mask, block = none, split = none, grain = none>], split = 0, grain = 8>}

// CHECK: @padding() -> () attributes {schedule = #sched.padding<lanes = 16>}
func.func private @padding() attributes {schedule = #sched.padding<lanes = 16>}

// CHECK: @elements() -> () attributes {schedule = #sched.elements<spread = 2, grain = 8>}
func.func private @elements() attributes {schedule = #sched.elements<spread = 2, grain = 8>}

// CHECK: @rows() -> () attributes {schedule = #sched.rows<lanes = 16, vectors = [4, 2], block = 128, grain = 8>}
func.func private @rows() attributes {schedule = #sched.rows<lanes = 16, vectors = [4, 2], block = 128, grain = 8>}

// CHECK: @attention() -> () attributes {schedule = #sched.attention<keys = panels, side = 2, rows = 10, mask = skip, mix = [2], block = 64, chunks = 1, grain = 1>}
func.func private @attention() attributes {schedule = #sched.attention<keys = panels, side = 2, rows = 10, mask = skip, mix = [2], block = 64, chunks = 1, grain = 1>}

// CHECK: @cached_attention() -> () attributes {schedule = #sched.cached_attention<rows = 7, keys = 16, digits = 0, mix = 2, prefetch = yes, parts = 3, grain = 1>}
func.func private @cached_attention() attributes {schedule = #sched.cached_attention<rows = 7, keys = 16, digits = 0, mix = 2, prefetch = yes, parts = 3, grain = 1>}

// CHECK: @resample() -> () attributes {schedule = #sched.resample<way = rows, vectors = 4, pairs = no, grain = 8>}
func.func private @resample() attributes {schedule = #sched.resample<way = rows, vectors = 4, pairs = no, grain = 8>}

// CHECK: @scan() -> () attributes {schedule = #sched.scan<way = squares, lanes = 16, registers = 1, unroll = no, rest = rows, grain = 8, rest_grain = none>}
func.func private @scan() attributes {schedule = #sched.scan<way = squares, lanes = 16, registers = 1, unroll = no, rest = rows, grain = 8, rest_grain = none>}

// CHECK: @sort() -> () attributes {schedule = #sched.sort<by = ranks, vectors = 4, grain = 8>}
func.func private @sort() attributes {schedule = #sched.sort<by = ranks, vectors = 4, grain = 8>}

// CHECK: @nms() -> () attributes {schedule = #sched.nms<lanes = 16, grain = 1>}
func.func private @nms() attributes {schedule = #sched.nms<lanes = 16, grain = 1>}

// CHECK: @scatter() -> () attributes {schedule = #sched.scatter<grain = 8, lanes = 1>}
func.func private @scatter() attributes {schedule = #sched.scatter<grain = 8, lanes = 1>}

// CHECK: @box_gemm() -> () attributes {schedule = #sched.box_gemm<rows = 8, columns = 16, n = 128, k = 64, warps = 8, stages = 3, precision = ieee>}
func.func private @box_gemm() attributes {schedule = #sched.box_gemm<rows = 8, columns = 16, n = 128, k = 64, warps = 8, stages = 3, precision = ieee>}

// CHECK: @persistent_tile() -> () attributes {schedule = #sched.persistent_tile<m = 128, n = 256, k = 64, warps = 8, stages = 3, group = 8, precision = ieee, programs = 132, loads = descriptors>}
func.func private @persistent_tile() attributes {schedule = #sched.persistent_tile<m = 128, n = 256, k = 64, warps = 8, stages = 3, group = 8, precision = ieee, programs = 132, loads = descriptors>}

// CHECK: @block_tile() -> () attributes {schedule = #sched.block_tile<m = 64, n = 64, k = 32, warps = 4, stages = 2, group = 1, precision = ieee>}
func.func private @block_tile() attributes {schedule = #sched.block_tile<m = 64, n = 64, k = 32, warps = 4, stages = 2, group = 1, precision = ieee>}
// CHECK: @implicit_gemm() -> () attributes {schedule = #sched.implicit_gemm<m = 128, n = 64, k = 64, warps = 4, stages = 3, group = 1, precision = ieee>}
func.func private @implicit_gemm() attributes {schedule = #sched.implicit_gemm<m = 128, n = 64, k = 64, warps = 4, stages = 3, group = 1, precision = ieee>}
// CHECK: @block_window() -> () attributes {schedule = #sched.block_window<pixels = 16, channels = 64, warps = 4>}
func.func private @block_window() attributes {schedule = #sched.block_window<pixels = 16, channels = 64, warps = 4>}
// CHECK: @block_vector() -> () attributes {schedule = #sched.block_vector<rows = 4, step = 2048, warps = 4>}
func.func private @block_vector() attributes {schedule = #sched.block_vector<rows = 4, step = 2048, warps = 4>}

// CHECK: @flash() -> () attributes {schedule = #sched.flash<queries = 128, keys = 64, warps = 4, stages = 2, mask = skip, precision = ieee>}
func.func private @flash() attributes {schedule = #sched.flash<queries = 128, keys = 64, warps = 4, stages = 2, mask = skip, precision = ieee>}

// CHECK: @block_rows() -> () attributes {schedule = #sched.block_rows<rows = 8, width = 128, warps = 4>}
func.func private @block_rows() attributes {schedule = #sched.block_rows<rows = 8, width = 128, warps = 4>}

// CHECK: @block_columns() -> () attributes {schedule = #sched.block_columns<columns = 64, height = 32, warps = 4>}
func.func private @block_columns() attributes {schedule = #sched.block_columns<columns = 64, height = 32, warps = 4>}
// CHECK: @blocks() -> () attributes {schedule = #sched.blocks<size = 1024, warps = 4>}
func.func private @blocks() attributes {schedule = #sched.blocks<size = 1024, warps = 4>}

// CHECK: @block_transpose() -> () attributes {schedule = #sched.block_transpose<read = 64, written = 32, warps = 4>}
func.func private @block_transpose() attributes {schedule = #sched.block_transpose<read = 64, written = 32, warps = 4>}

// CHECK: @block_scan() -> () attributes {schedule = #sched.block_scan<rows = 32, width = 32, warps = 4>}
func.func private @block_scan() attributes {schedule = #sched.block_scan<rows = 32, width = 32, warps = 4>}

// CHECK: @block_sort() -> () attributes {schedule = #sched.block_sort<rows = 4, width = 128, warps = 4>}
func.func private @block_sort() attributes {schedule = #sched.block_sort<rows = 4, width = 128, warps = 4>}

// CHECK: @block_rank() -> () attributes {schedule = #sched.block_rank<width = 256, step = 16, warps = 4>}
func.func private @block_rank() attributes {schedule = #sched.block_rank<width = 256, step = 16, warps = 4>}

// CHECK: @block_scatter() -> () attributes {schedule = #sched.block_scatter<places = 4, columns = 128, warps = 4>}
func.func private @block_scatter() attributes {schedule = #sched.block_scatter<places = 4, columns = 128, warps = 4>}

// CHECK: @block_atomics() -> () attributes {schedule = #sched.block_atomics<size = 512, warps = 4>}
func.func private @block_atomics() attributes {schedule = #sched.block_atomics<size = 512, warps = 4>}

// CHECK: @block_update() -> () attributes {schedule = #sched.block_update<columns = 512, warps = 4>}
func.func private @block_update() attributes {schedule = #sched.block_update<columns = 512, warps = 4>}

// CHECK: @block_merge() -> () attributes {schedule = #sched.block_merge<size = 256, warps = 4>}
func.func private @block_merge() attributes {schedule = #sched.block_merge<size = 256, warps = 4>}

// CHECK: @register_tile_unpacked() -> () attributes {schedule = #sched.register_tile<weight = none, rows = 12, vectors = 2, order = rows, cut = none, block = 64, accumulators = 8, prefetch_panel = yes, prefetch_results = [0, 2], spread = 0, grain = none>}
func.func private @register_tile_unpacked() attributes {schedule = #sched.register_tile<weight = none, rows = 12, vectors = 2, order = rows, cut = none, block = 64, accumulators = 8, prefetch_panel = yes, prefetch_results = [0, 2], spread = 0, grain = none>}

// CHECK: @register_tile_cut() -> () attributes {schedule = #sched.register_tile<weight = none, rows = 12, vectors = 2, order = panels, cut = [1, 4], block = 64, accumulators = 8, prefetch_panel = yes, prefetch_results = [], spread = 1, grain = 3>}
func.func private @register_tile_cut() attributes {schedule = #sched.register_tile<weight = none, rows = 12, vectors = 2, order = panels, cut = [1, 4], block = 64, accumulators = 8, prefetch_panel = yes, prefetch_results = [], spread = 1, grain = 3>}

// CHECK: @vectors_repeat() -> () attributes {schedule = #sched.vectors<loop = 2, lanes = 32, vectors = 1, inner = 0, crossing = none, ragged = repeat, block = 64, split = 2, grain = 2>}
func.func private @vectors_repeat() attributes {schedule = #sched.vectors<loop = 2, lanes = 32, vectors = 1, inner = 0, crossing = none, ragged = repeat, block = 64, split = 2, grain = 2>}

// CHECK: @vectors_crossing() -> () attributes {schedule = #sched.vectors<loop = 0, lanes = 16, vectors = 1, inner = none, crossing = 1, ragged = mask, block = none, split = none, grain = none>}
func.func private @vectors_crossing() attributes {schedule = #sched.vectors<loop = 0, lanes = 16, vectors = 1, inner = none, crossing = 1, ragged = mask, block = none, split = none, grain = none>}

// CHECK: @scan_columns() -> () attributes {schedule = #sched.scan<way = columns, lanes = 8, registers = 4, unroll = yes, rest = none, grain = none, rest_grain = none>}
func.func private @scan_columns() attributes {schedule = #sched.scan<way = columns, lanes = 8, registers = 4, unroll = yes, rest = none, grain = none, rest_grain = none>}
// CHECK: @grouped_rows() -> () attributes {schedule = #sched.grouped_rows<lanes = 16, rows = 6, few_rows = 2, columns = 4, tiles = 10, group = 128, prefetch_columns = yes, grain = none>}
func.func private @grouped_rows() attributes {schedule = #sched.grouped_rows<lanes = 16, rows = 6, few_rows = 2, columns = 4, tiles = 10, group = 128, prefetch_columns = yes, grain = none>}
