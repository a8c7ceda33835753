// RUN: devproc-opt %s --split-input-file -p convert-nn-to-linalg,fuse-pointwise,outline-kernels,pack-weights,pad-rows | filecheck %s

!x = tensor<2x49x64xf32, #dev.on<"cpu">>
!v = tensor<1024x64xf32, #dev.on<"cpu">>
!h = tensor<2x49x1024xf32, #dev.on<"cpu">>
!w = tensor<512x1024xf32, #dev.on<"cpu">>
!y = tensor<2x49x512xf32, #dev.on<"cpu">>
// The loop that makes a row stops in front of the gap, and so does the one that sums it up.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {
  // CHECK-LABEL: func.func @main
  // CHECK:       %[[H:.*]] = dev.launch @{{.*}} -> tensor<2x49x1040xf32, #dev.on<"cpu">>
  // CHECK:       dev.launch @{{.*}}(%[[H]], %{{.*}}) : (tensor<2x49x1040xf32, #dev.on<"cpu">>, tensor<512x1024xf32, {{.*}}>)
  // CHECK:       func.func private @{{.*}} -> tensor<2x49x1040xf32, #dev.on<"cpu">>
  // CHECK:       %[[E:.*]] = tensor.empty() : tensor<2x49x1040xf32, #dev.on<"cpu">>
  // CHECK:       linalg_ext.generic {{.*}} outs(%[[E]] : tensor<2x49x1040xf32, #dev.on<"cpu">>) {{.*}}loop_sizes = array<i64: 2, 49, 1024>
  // CHECK:       func.func private @{{.*}}(%[[H:.*]]: tensor<2x49x1040xf32, #dev.on<"cpu">>
  // CHECK:       linalg_ext.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>{{.*}}loop_sizes = array<i64: 2, 49, 512, 1024>
  func.func @main(%x: !x) -> !y {
    %v = nn.weight @v hash "1e" : !v
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %v, %w) : (!x, !v, !w) -> (!y) {
    ^bb0(%a: !x, %b: !v, %c: !w):
      %p = nn.linear %a, %b : (!x, !v) -> !h
      %q = nn.relu %p : (!h) -> !h
      %s = nn.linear %q, %c : (!h, !w) -> !y
      dev.yield %s : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<8x64xf32, #dev.on<"cpu">>
!v = tensor<1024x64xf32, #dev.on<"cpu">>
!h = tensor<8x1024xf32, #dev.on<"cpu">>
!w = tensor<512x1024xf32, #dev.on<"cpu">>
!y = tensor<8x512xf32, #dev.on<"cpu">>
// A few rows are not in the way of one another.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {
  // CHECK-LABEL: func.func @main
  // CHECK-NOT:   floordiv
  func.func @main(%x: !x) -> !y {
    %v = nn.weight @v hash "1e" : !v
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %v, %w) : (!x, !v, !w) -> (!y) {
    ^bb0(%a: !x, %b: !v, %c: !w):
      %p = nn.linear %a, %b : (!x, !v) -> !h
      %q = nn.relu %p : (!h) -> !h
      %s = nn.linear %q, %c : (!h, !w) -> !y
      dev.yield %s : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<64x64xf32, #dev.on<"cpu">>
!v = tensor<1000x64xf32, #dev.on<"cpu">>
!h = tensor<64x1000xf32, #dev.on<"cpu">>
!w = tensor<512x1000xf32, #dev.on<"cpu">>
!y = tensor<64x512xf32, #dev.on<"cpu">>
// Rows of 1000 numbers begin in different sets as they are.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {
  // CHECK-LABEL: func.func @main
  // CHECK-NOT:   floordiv
  func.func @main(%x: !x) -> !y {
    %v = nn.weight @v hash "1e" : !v
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %v, %w) : (!x, !v, !w) -> (!y) {
    ^bb0(%a: !x, %b: !v, %c: !w):
      %p = nn.linear %a, %b : (!x, !v) -> !h
      %q = nn.relu %p : (!h) -> !h
      %s = nn.linear %q, %c : (!h, !w) -> !y
      dev.yield %s : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<128x64xf32, #dev.on<"cpu">>
!v = tensor<1024x64xf32, #dev.on<"cpu">>
!h = tensor<128x1024xf32, #dev.on<"cpu">>
!w = tensor<512x1024xf32, #dev.on<"cpu">>
!y = tensor<128x512xf32, #dev.on<"cpu">>
// Strassen's algorithm copies the rows that it reads.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "fast", threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {
  // CHECK-LABEL: func.func @main
  // CHECK-NOT:   floordiv
  func.func @main(%x: !x) -> !y {
    %v = nn.weight @v hash "1e" : !v
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %v, %w) : (!x, !v, !w) -> (!y) {
    ^bb0(%a: !x, %b: !v, %c: !w):
      %p = nn.linear %a, %b : (!x, !v) -> !h
      %q = nn.relu %p : (!h) -> !h
      %s = nn.linear %q, %c : (!h, !w) -> !y
      dev.yield %s : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<128x64xf32, #dev.on<"cpu">>
!v = tensor<1024x64xf32, #dev.on<"cpu">>
!h = tensor<128x1024xf32, #dev.on<"cpu">>
!w = tensor<512x1024xf32, #dev.on<"cpu">>
!y = tensor<128x512xf32, #dev.on<"cpu">>
// So does Winograd's inner product.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256, separate_adders = 1>>} {
  // CHECK-LABEL: func.func @main
  // CHECK-NOT:   floordiv
  func.func @main(%x: !x) -> !y {
    %v = nn.weight @v hash "1e" : !v
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %v, %w) : (!x, !v, !w) -> (!y) {
    ^bb0(%a: !x, %b: !v, %c: !w):
      %p = nn.linear %a, %b : (!x, !v) -> !h
      %q = nn.relu %p : (!h) -> !h
      %s = nn.linear %q, %c : (!h, !w) -> !y
      dev.yield %s : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<64x64xf32, #dev.on<"cuda">>
!v = tensor<1024x64xf32, #dev.on<"cuda">>
!h = tensor<64x1024xf32, #dev.on<"cuda">>
!w = tensor<512x1024xf32, #dev.on<"cuda">>
!y = tensor<64x512xf32, #dev.on<"cuda">>
// A GPU has no such sets.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {
  // CHECK-LABEL: func.func @main
  // CHECK-NOT:   floordiv
  func.func @main(%x: !x) -> !y {
    %v = nn.weight @v hash "1e" : !v
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cuda" (%x, %v, %w) : (!x, !v, !w) -> (!y) {
    ^bb0(%a: !x, %b: !v, %c: !w):
      %p = nn.linear %a, %b : (!x, !v) -> !h
      %q = nn.relu %p : (!h) -> !h
      %s = nn.linear %q, %c : (!h, !w) -> !y
      dev.yield %s : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<64x64xf32, #dev.on<"cpu">>
!v = tensor<1024x64xf32, #dev.on<"cpu">>
!h = tensor<64x1024xf32, #dev.on<"cpu">>
!w = tensor<512x1024xf32, #dev.on<"cpu">>
!y = tensor<64x512xf32, #dev.on<"cpu">>
// A result of the program is where the caller wants it.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {
  // CHECK-LABEL: func.func @main
  // CHECK-NOT:   floordiv
  func.func @main(%x: !x) -> (!h, !y) {
    %v = nn.weight @v hash "1e" : !v
    %w = nn.weight @w hash "1f" : !w
    %r, %t = dev.region "cpu" (%x, %v, %w) : (!x, !v, !w) -> (!h, !y) {
    ^bb0(%a: !x, %b: !v, %c: !w):
      %p = nn.linear %a, %b : (!x, !v) -> !h
      %q = nn.relu %p : (!h) -> !h
      %s = nn.linear %q, %c : (!h, !w) -> !y
      dev.yield %q, %s : !h, !y
    }
    func.return %r, %t : !h, !y
  }
}

// -----

!x = tensor<64x64xf32, #dev.on<"cpu">>
!v = tensor<1024x64xf32, #dev.on<"cpu">>
!h = tensor<64x1024xf32, #dev.on<"cpu">>
!w = tensor<512x1024xf32, #dev.on<"cpu">>
!y = tensor<64x512xf32, #dev.on<"cpu">>
!m = tensor<64xf32, #dev.on<"cpu">>
// A maximum reads whole rows, one behind the other.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {
  // CHECK-LABEL: func.func @main
  // CHECK-NOT:   floordiv
  func.func @main(%x: !x) -> (!m, !y) {
    %v = nn.weight @v hash "1e" : !v
    %w = nn.weight @w hash "1f" : !w
    %r, %t = dev.region "cpu" (%x, %v, %w) : (!x, !v, !w) -> (!m, !y) {
    ^bb0(%a: !x, %b: !v, %c: !w):
      %p = nn.linear %a, %b : (!x, !v) -> !h
      %q = nn.relu %p : (!h) -> !h
      %s = nn.linear %q, %c : (!h, !w) -> !y
      %o = nn.reduce_max %q axes [1] keep 0 : (!h) -> !m
      dev.yield %o, %s : !m, !y
    }
    func.return %r, %t : !m, !y
  }
}

// -----

!x = tensor<64x64xf32, #dev.on<"cpu">>
!v = tensor<1024x64xf32, #dev.on<"cpu">>
!h = tensor<64x1024xf32, #dev.on<"cpu">>
!w = tensor<1024x1024xf32, #dev.on<"cpu">>
// What one product sums up, an epilogue of another adds: both stop in front of the gap.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {
  // CHECK-LABEL: func.func @main
  // CHECK:       func.func private @{{.*}}(%{{.*}}: tensor<64x1040xf32, #dev.on<"cpu">>{{.*}} -> tensor<64x1024xf32, #dev.on<"cpu">>
  // CHECK:       linalg_ext.generic {{.*}}loop_sizes = array<i64: 64, 1024, 1024>
  // CHECK:       linalg_ext.generic {{.*}}loop_sizes = array<i64: 64, 1024>
  func.func @main(%x: !x) -> !h {
    %v = nn.weight @v hash "1e" : !v
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %v, %w) : (!x, !v, !w) -> (!h) {
    ^bb0(%a: !x, %b: !v, %c: !w):
      %p = nn.linear %a, %b : (!x, !v) -> !h
      %q = nn.relu %p : (!h) -> !h
      %s = nn.linear %q, %c : (!h, !w) -> !h
      %o = nn.add %q, %s : (!h, !h) -> !h
      dev.yield %o : !h
    }
    func.return %r : !h
  }
}
