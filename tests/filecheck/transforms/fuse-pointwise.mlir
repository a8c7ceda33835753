// RUN: devproc-opt %s --split-input-file -p convert-nn-to-linalg,fuse-pointwise | filecheck %s

// Bias and relu are the epilogue of the contraction; the sum of two values read in two
// places is one more kernel.
// CHECK-LABEL: @main
func.func @main(%x: tensor<2x8xf32>, %w: tensor<4x8xf32>, %b: tensor<4xf32>) -> tensor<4x2xf32> {
  // CHECK:      linalg.fill {kernel.sources = ["nn.linear"], kernel.group = 0 : i64}
  // CHECK:      linalg.generic
  // CHECK-SAME:   {kernel.sources = ["nn.linear"], kernel.family = "contraction", kernel.group = 0 : i64}
  // CHECK:      linalg.generic
  // CHECK-SAME:   {kernel.sources = ["nn.linear", "nn.relu"], kernel.group = 0 : i64}
  // CHECK:        arith.addf
  // CHECK:        arith.maximumf
  // CHECK:      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>]
  // CHECK-SAME:   {kernel.sources = ["nn.transpose", "nn.exp"], kernel.family = "pointwise", kernel.group = 1 : i64}
  // CHECK:        math.exp
  // CHECK-NOT:  linalg.generic
  %0 = nn.linear %x, %w bias %b : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = nn.relu %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = nn.transpose %1 by [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %3 = nn.exp %2 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  func.return %3 : tensor<4x2xf32>
}

// -----

// Softmax: one kernel of two reductions with pointwise ops over the same rows.
// CHECK-LABEL: @main
func.func @main(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  // CHECK:      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]}
  // CHECK-SAME:   {kernel.sources = ["nn.reduce_max"], kernel.family = "reduction", kernel.group = 0 : i64}
  // CHECK:      linalg.generic
  // CHECK-SAME:   {kernel.sources = ["nn.sub", "nn.exp"], kernel.group = 0 : i64}
  // CHECK:      linalg.generic
  // CHECK-SAME:   {kernel.sources = ["nn.reduce_sum"], kernel.group = 0 : i64}
  // CHECK:      linalg.generic
  // CHECK-SAME:   {kernel.sources = ["nn.div"], kernel.group = 0 : i64}
  // CHECK-NOT:  linalg.generic
  %m = nn.reduce_max %x axes [1] keep 1 : (tensor<2x5xf32>) -> tensor<2x1xf32>
  %s = nn.sub %x, %m : (tensor<2x5xf32>, tensor<2x1xf32>) -> tensor<2x5xf32>
  %e = nn.exp %s : (tensor<2x5xf32>) -> tensor<2x5xf32>
  %d = nn.reduce_sum %e axes [1] keep 1 : (tensor<2x5xf32>) -> tensor<2x1xf32>
  %p = nn.div %e, %d : (tensor<2x5xf32>, tensor<2x1xf32>) -> tensor<2x5xf32>
  func.return %p : tensor<2x5xf32>
}

// -----

// A pad belongs to its window. The value that others read is a second result.
// CHECK-LABEL: @main
func.func @main(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) {
  // CHECK:      tensor.pad
  // CHECK:      } {kernel.sources = ["nn.conv2d"], kernel.group = 0 : i64}
  // CHECK:      kernel.family = "window", kernel.group = 0 : i64
  // CHECK:      %[[BOTH:.*]], %[[RAW:.*]] = "linalg.generic"
  // CHECK:        linalg.yield %{{.*}}, %{{.*}} : f32, f32
  // CHECK-NEXT: {kernel.sources = ["nn.relu"], kernel.group = 0 : i64}
  // CHECK:      func.return %[[RAW]], %[[BOTH]]
  %0 = nn.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1
     : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  %1 = nn.relu %0 : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  func.return %0, %1 : tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>
}

// -----

// The sum may not join the first contraction: the second one reads that one's result.
// CHECK-LABEL: @main
func.func @main(%x: tensor<3x3xf32>, %w: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // CHECK: {kernel.sources = ["nn.linear"], kernel.family = "contraction", kernel.group = 0 : i64}
  // CHECK: {kernel.sources = ["nn.linear"], kernel.family = "contraction", kernel.group = 1 : i64}
  // CHECK: {kernel.sources = ["nn.add"], kernel.group = 1 : i64}
  %0 = nn.linear %x, %w : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %1 = nn.linear %0, %w : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %2 = nn.add %0, %1 : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  func.return %2 : tensor<3x3xf32>
}

// -----

!x = tensor<1x8x8x3xf32, #dev.on<"cpu">>
!w = tensor<3x3x3x4xf32, #dev.on<"cpu">>
!y = tensor<1x6x6x4xf32, #dev.on<"cpu">>
!z = tensor<1x7x8x4xf32, #dev.on<"cpu">>
// On the CPU a border is filled, and what makes the image writes it behind: loop + 1. In a
// dimension with a border at the end alone, the loop stops before it.
// CHECK-LABEL: @main
func.func @main(%x: !x, %w: !w) -> !z {
  // CHECK:      kernel.family = "window", kernel.group = 0 : i64
  // CHECK:      %[[BORDER:.*]] = linalg.fill {kernel.sources = ["nn.pad"], kernel.group = 0 : i64}
  // CHECK:      linalg_ext.generic {indexing_maps = [{{.*}}, affine_map<(d0, d1, d2, d3) -> (d0, d1, (d2 + 1), d3)>]
  // CHECK-SAME: outs(%[[BORDER]]
  // CHECK-SAME: loop_sizes = array<i64: 1, 6, 6, 4>
  // CHECK-NOT:  linalg{{.*}}.generic
  %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!z) {
  ^bb0(%a: !x, %b: !w):
    %0 = nn.conv2d %a, %b stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 layout "nhwc" : (!x, !w) -> !y
    %1 = nn.relu %0 : (!y) -> !y
    %2 = nn.pad %1 low [0, 0, 1, 0] high [0, 1, 1, 0] : (!y) -> !z
    dev.yield %2 : !z
  }
  func.return %r : !z
}

// -----

!x = tensor<2x9x12xf32, #dev.on<"cpu">>
!w = tensor<7x4xf32, #dev.on<"cpu">>
!y = tensor<2x4x7xf32, #dev.on<"cpu">>
// A product reads a slice at its source. The loop over channels ends before the source does.
// CHECK-LABEL: @main
func.func @main(%x: !x, %w: !w) -> !y {
  // CHECK:      linalg_ext.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, ((d1 * 2) + 1), d3)>
  // CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<2x9x12xf32, #dev.on<"cpu">>, tensor<7x4xf32, #dev.on<"cpu">>)
  // CHECK-SAME: loop_sizes = array<i64: 2, 4, 7, 4>
  // CHECK-NOT:  linalg{{.*}}.generic
  %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
  ^bb0(%a: !x, %b: !w):
    %0 = nn.slice %a from [0, 1, 0] size [2, 4, 4] step [1, 2, 1] : (!x) -> tensor<2x4x4xf32, #dev.on<"cpu">>
    %1 = nn.linear %0, %b : (tensor<2x4x4xf32, #dev.on<"cpu">>, !w) -> !y
    dev.yield %1 : !y
  }
  func.return %r : !y
}

// -----

// On the CPU what follows a gather without taps is part of its loops; a product in which
// each matrix meets one vector is a sum along rows, not a contraction.
// CHECK-LABEL: @main
// CHECK:       linalg.generic
// CHECK-SAME:    kernel.sources = ["nn.gather", "nn.exp"], kernel.family = "gather"
// CHECK:         %[[X:.*]] = tensor.extract %m
// CHECK:         math.exp %[[X]] : f32
// CHECK:       linalg.fill
// CHECK:       linalg.generic
// CHECK-SAME:    kernel.sources = ["nn.matmul"], kernel.family = "reduction"
func.func @main(%m: tensor<7x4xf32, #dev.on<"cpu">>, %i: tensor<3x4xindex, #dev.on<"cpu">>, %v: tensor<3x5x4xf32, #dev.on<"cpu">>) -> tensor<3x5xf32, #dev.on<"cpu">> {
  %e0 = tensor.empty() : tensor<3x4xf32, #dev.on<"cpu">>
  %g = linalg.generic {
    indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%i : tensor<3x4xindex, #dev.on<"cpu">>) outs(%e0 : tensor<3x4xf32, #dev.on<"cpu">>) attrs = {kernel.sources = ["nn.gather"]} {
  ^bb0(%at: index, %o: f32):
    %k = linalg.index 1 : index
    %x = tensor.extract %m[%at, %k] : tensor<7x4xf32, #dev.on<"cpu">>
    linalg.yield %x : f32
  } -> tensor<3x4xf32, #dev.on<"cpu">>
  %e1 = tensor.empty() : tensor<3x4xf32, #dev.on<"cpu">>
  %f = linalg.generic {
    indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%g : tensor<3x4xf32, #dev.on<"cpu">>) outs(%e1 : tensor<3x4xf32, #dev.on<"cpu">>) attrs = {kernel.sources = ["nn.exp"]} {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<3x4xf32, #dev.on<"cpu">>
  %zero = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<3x5xf32, #dev.on<"cpu">>
  %start = linalg.fill ins(%zero : f32) outs(%e2 : tensor<3x5xf32, #dev.on<"cpu">>) -> tensor<3x5xf32, #dev.on<"cpu">>
  %p = linalg.generic {
    indexing_maps = [affine_map<(b, m, k) -> (b, m, k)>, affine_map<(b, m, k) -> (b, k)>, affine_map<(b, m, k) -> (b, m)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%v, %f : tensor<3x5x4xf32, #dev.on<"cpu">>, tensor<3x4xf32, #dev.on<"cpu">>) outs(%start : tensor<3x5xf32, #dev.on<"cpu">>) attrs = {kernel.sources = ["nn.matmul"]} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m0 = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m0 : f32
    linalg.yield %s : f32
  } -> tensor<3x5xf32, #dev.on<"cpu">>
  func.return %p : tensor<3x5xf32, #dev.on<"cpu">>
}

// -----

!x = tensor<40x1000xf32, #dev.on<"cpu">>
!r = tensor<40xf32, #dev.on<"cpu">>
// Values of more than a stack may hold, which one reduction reads, are computed in its body.
// CHECK-LABEL: @main
func.func @main(%x: !x) -> !r {
  // CHECK:      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
  // CHECK-SAME: ins(%{{.*}} : tensor<40x1000xf32
  // CHECK-SAME: kernel.sources = ["nn.exp", "nn.reduce_sum"], kernel.family = "reduction"
  // CHECK:        %[[E:.*]] = math.exp
  // CHECK-NEXT:   arith.addf %{{.*}}, %[[E]]
  // CHECK-NOT:  linalg.generic
  %y = dev.region "cpu" (%x) : (!x) -> (!r) {
  ^bb0(%a: !x):
    %0 = nn.exp %a : (!x) -> !x
    %1 = nn.reduce_sum %0 axes [1] keep 0 : (!x) -> !r
    dev.yield %1 : !r
  }
  func.return %y : !r
}

// -----

!w = tensor<8x64x96xf32, #dev.on<"cpu">>
!i = tensor<5x1x1xi64, #dev.on<"cpu">>
!v = tensor<5x96x1xf32, #dev.on<"cpu">>
!r = tensor<5x64x1xf32, #dev.on<"cpu">>
// So are the matrices that rows pick: the product reads them at their source.
// CHECK-LABEL: @main
func.func @main(%w: !w, %i: !i, %v: !v) -> !r {
  // CHECK:      linalg.generic
  // CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]
  // CHECK-SAME: kernel.sources = ["nn.gather", "nn.matmul"], kernel.family = "reduction"
  // CHECK:        %[[E:.*]] = tensor.extract
  // CHECK-NEXT:   %[[P:.*]] = arith.mulf %[[E]], %{{.*}}
  // CHECK-NEXT:   arith.addf %{{.*}}, %[[P]]
  // CHECK-NOT:  linalg.generic
  %y = dev.region "cpu" (%w, %i, %v) : (!w, !i, !v) -> (!r) {
  ^bb0(%a: !w, %b: !i, %c: !v):
    %0 = nn.gather %a at %b axes [0] : (!w, !i) -> tensor<5x64x96xf32, #dev.on<"cpu">>
    %1 = nn.matmul %0, %c : (tensor<5x64x96xf32, #dev.on<"cpu">>, !v) -> !r
    dev.yield %1 : !r
  }
  func.return %y : !r
}

// -----

!x = tensor<4x6xf32, #dev.on<"cpu">>
// A roll: the parts are picked where they lie, and both are of one tensor, so that only the
// place is chosen.
// CHECK-LABEL: @main
func.func @main(%x: !x) -> !x {
  // CHECK:      linalg.generic
  // CHECK-SAME:   kernel.sources = ["nn.slice", "nn.concat"], kernel.family = "gather"
  // CHECK:        %[[PLACE:.*]] = arith.select %{{.*}} : index
  // CHECK-NEXT:   %[[E:.*]] = tensor.extract %{{.*}}[%{{.*}}, %[[PLACE]]] : tensor<4x6xf32
  // CHECK-NEXT:   linalg.yield %[[E]]
  // CHECK-NOT:  linalg.generic
  %y = dev.region "cpu" (%x) : (!x) -> (!x) {
  ^bb0(%a: !x):
    %0 = nn.slice %a from [0, 4] size [4, 2] step [1, 1] : (!x) -> tensor<4x2xf32, #dev.on<"cpu">>
    %1 = nn.slice %a from [0, 0] size [4, 4] step [1, 1] : (!x) -> tensor<4x4xf32, #dev.on<"cpu">>
    %2 = nn.concat %0, %1 axis 1 : (tensor<4x2xf32, #dev.on<"cpu">>, tensor<4x4xf32, #dev.on<"cpu">>) -> !x
    dev.yield %2 : !x
  }
  func.return %y : !x
}
