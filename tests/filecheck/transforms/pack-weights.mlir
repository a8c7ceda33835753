// RUN: devproc-opt %s --split-input-file -p convert-nn-to-linalg,fuse-pointwise,outline-kernels,pack-weights | filecheck %s

!x = tensor<2x8xf32, #dev.on<"cpu">>
!w = tensor<8x10xf32, #dev.on<"cpu">>
!y = tensor<2x10xf32, #dev.on<"cpu">>
// The columns of a matrix on the right stand in its second dimension. Ten of them fit
// one vector of 16 elements.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  // CHECK-LABEL: @main
  // CHECK:       %[[W:.*]] = nn.weight @prepare.0 hash "{{.*}}" : tensor<8x10xf32, #dev.on<"cpu", #dev.layout<[1, 0], [1, 16]>>>
  // CHECK-NOT:   nn.weight
  // CHECK:       dev.launch @matmul(%x, %[[W]])
  // CHECK:       @matmul(%{{.*}}: tensor<2x8xf32, #dev.on<"cpu">>, %{{.*}}: tensor<8x10xf32, #dev.on<"cpu", #dev.layout<[1, 0], [1, 16]>>>)
  // CHECK-SAME:  sched.algorithm = "register_tile"
  // CHECK:       @prepare() -> tensor<1x8x16xf32>
  // CHECK:       nn.weight @w hash "1f" : tensor<8x10xf32>
  // CHECK:       nn.pack %{{.*}} as #dev.layout<[1, 0], [1, 16]>
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.matmul %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<1x4x4x4xf32, #dev.on<"cpu">>
!w = tensor<6x2x3x3xf32, #dev.on<"cpu">>
!y = tensor<1x6x2x2xf32, #dev.on<"cpu">>
// Groups are a dimension of their own, of the packed weight too. 256 bits by default.
// CHECK-LABEL: @main
// CHECK:       nn.weight @prepare.0 hash "{{.*}}" : tensor<2x3x2x3x3xf32, #dev.on<"cpu", #dev.layout<[0, 1, 2, 3, 4], [1, 8, 1, 1, 1]>>>
// CHECK:       @prepare() -> tensor<2x1x2x3x3x8xf32>
// CHECK:       nn.reshape %{{.*}} to [2, 3, 2, 3, 3]
func.func @main(%x: !x) -> !y {
  %w = nn.weight @w hash "1f" : !w
  %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
  ^bb0(%a: !x, %b: !w):
    %p = nn.conv2d %a, %b stride [1, 1] padding [0, 0] dilation [1, 1] groups 2 : (!x, !w) -> !y
    dev.yield %p : !y
  }
  func.return %r : !y
}

// -----

!x = tensor<2x8xf32, #dev.on<"cuda">>
!w = tensor<10x8xf32, #dev.on<"cuda">>
!y = tensor<2x10xf32, #dev.on<"cuda">>
// Only kernels of the CPU want panels.
// CHECK-LABEL: @main
// CHECK:       nn.weight @w hash "1f" : tensor<10x8xf32, #dev.on<"cuda">>
// CHECK-NOT:   @prepare
func.func @main(%x: !x) -> !y {
  %w = nn.weight @w hash "1f" : !w
  %r = dev.region "cuda" (%x, %w) : (!x, !w) -> (!y) {
  ^bb0(%a: !x, %b: !w):
    %p = nn.linear %a, %b : (!x, !w) -> !y
    dev.yield %p : !y
  }
  dev.sync "cuda"
  func.return %r : !y
}

// -----

!x = tensor<2x8xf32, #dev.on<"cpu">>
!w = tensor<10x8xf32, #dev.on<"cpu">>
!y = tensor<2x10xf32, #dev.on<"cpu">>
// An operand that is not a weight stays as it is.
// CHECK-LABEL: @main
// CHECK-NOT:   dev.layout
// CHECK-NOT:   @prepare
func.func @main(%x: !x, %w: !w) -> !y {
  %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
  ^bb0(%a: !x, %b: !w):
    %p = nn.linear %a, %b : (!x, !w) -> !y
    dev.yield %p : !y
  }
  func.return %r : !y
}

// -----

!x = tensor<128x512xf32, #dev.on<"cpu">>
!w = tensor<576x512xf32, #dev.on<"cpu">>
!y = tensor<128x576xf32, #dev.on<"cpu">>
// Large products take Strassen's algorithm, where the error may be of its kind.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "fast", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  // CHECK-LABEL: @main
  // CHECK:       nn.weight @prepare.0 hash "{{.*}}" : tensor<576x512xf32, #dev.on<"cpu", #dev.strassen<48>>>
  // CHECK:       @prepare() -> tensor<6x7x256x48xf32>
  // CHECK:       nn.pack %{{.*}} as #dev.strassen<48>
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.linear %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<128x512xf32, #dev.on<"cpu">>
!w = tensor<576x512xf32, #dev.on<"cpu">>
!y = tensor<128x576xf32, #dev.on<"cpu">>
// Its error is one of precision "fast" alone.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  // CHECK-LABEL: @main
  // CHECK-NOT:   strassen
  // CHECK:       nn.pack
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.linear %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<63x512xf32, #dev.on<"cpu">>
!w = tensor<576x512xf32, #dev.on<"cpu">>
!y = tensor<63x576xf32, #dev.on<"cpu">>
// Few rows do not pay.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "fast", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  // CHECK-LABEL: @main
  // CHECK-NOT:   strassen
  // CHECK:       nn.pack
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.linear %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<128x1952xf32, #dev.on<"cpu">>
!w = tensor<576x1952xf32, #dev.on<"cpu">>
!y = tensor<128x576xf32, #dev.on<"cpu">>
// No slices of whole vectors make up half of these sums.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "fast", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  // CHECK-LABEL: @main
  // CHECK-NOT:   strassen
  // CHECK:       nn.pack
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.linear %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<1x14x14x32xf32, #dev.on<"cpu">>
!w = tensor<3x3x32x48xf32, #dev.on<"cpu">>
!y = tensor<1x12x12x48xf32, #dev.on<"cpu">>
// The filters of a 3x3 convolution of many channels go to a Winograd kernel: tiles of 4 x 4 pixels,
// panels of three vectors.
// CHECK-LABEL: @main
// CHECK:       nn.weight @prepare.0 hash "{{.*}}" : tensor<3x3x32x48xf32, #dev.on<"cpu", #dev.winograd<4, 24>>>
// CHECK:       @prepare() -> tensor<2x32x9x24xf32>
// CHECK:       nn.pack %{{.*}} as #dev.winograd<4, 24>
func.func @main(%x: !x) -> !y {
  %w = nn.weight @w hash "1f" : !w
  %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
  ^bb0(%a: !x, %b: !w):
    %p = nn.conv2d %a, %b stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 layout "nhwc" : (!x, !w) -> !y
    dev.yield %p : !y
  }
  func.return %r : !y
}

// -----

!x = tensor<1x3x37x69xf32, #dev.on<"cpu">>
!t = tensor<1x37x69x3xf32, #dev.on<"cpu">>
!w = tensor<7x7x3x64xf32, #dev.on<"cpu">>
!y = tensor<1x16x32x64xf32, #dev.on<"cpu">>
// Those of a convolution of few channels are transformed along their lines.
// CHECK-LABEL: @main
// CHECK:       nn.weight @prepare.0 hash "{{.*}}" : tensor<7x7x3x64xf32, #dev.on<"cpu", #dev.winograd_line<2, 16>>>
// CHECK:       nn.pack %{{.*}} as #dev.winograd_line<2, 16> : (tensor<7x7x3x64xf32>) -> tensor<4x7x7x6x16xf32>
func.func @main(%x: !x) -> !y {
  %w = nn.weight @w hash "1f" : !w
  %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
  ^bb0(%a: !x, %b: !w):
    %t = nn.transpose %a by [0, 2, 3, 1] : (!x) -> !t
    %p = nn.conv2d %t, %b stride [2, 2] padding [0, 0] dilation [1, 1] groups 1 layout "nhwc" : (!t, !w) -> !y
    dev.yield %p : !y
  }
  func.return %r : !y
}

// -----

!x = tensor<1x14x14x32xf32, #dev.on<"cpu">>
!w = tensor<3x3x32x48xf32, #dev.on<"cpu">>
!y = tensor<1x12x12x48xf32, #dev.on<"cpu">>
// Not where results must be as exact as PyTorch's: panels of output channels, as elsewhere.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "strict", threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {
  // CHECK-LABEL: @main
  // CHECK:       nn.weight @prepare.0 hash "{{.*}}" : tensor<3x3x32x48xf32, #dev.on<"cpu", #dev.layout<[3, 0, 1, 2], [1, 1, 1, 16]>>>
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.conv2d %a, %b stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 layout "nhwc" : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<1x640xf32, #dev.on<"cpu">>
!w = tensor<500x640xf32, #dev.on<"cpu">>
!y = tensor<1x500xf32, #dev.on<"cpu">>
// One row waits for a large weight: it gets three bytes for each number.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  // CHECK-LABEL: @main
  // CHECK:       nn.weight @prepare.0 hash "{{.*}}" : tensor<500x640xf32, #dev.on<"cpu", #dev.block_float<64, 64>>>
  // CHECK:       @prepare() -> tensor<8x10x3136xf32>
  // CHECK:       nn.pack %{{.*}} as #dev.block_float<64, 64>
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.linear %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<1x640xf32, #dev.on<"cpu">>
!w = tensor<500x640xf32, #dev.on<"cpu">>
!y = tensor<1x500xf32, #dev.on<"cpu">>
// With precision "strict" the weight keeps all its digits.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "strict", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  // CHECK-LABEL: @main
  // CHECK-NOT:   block_float
  // CHECK:       nn.pack
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.linear %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<2x640xf32, #dev.on<"cpu">>
!w = tensor<500x640xf32, #dev.on<"cpu">>
!y = tensor<2x500xf32, #dev.on<"cpu">>
// Two rows have work while they wait.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  // CHECK-LABEL: @main
  // CHECK-NOT:   block_float
  // CHECK:       nn.pack
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.linear %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<1x640xf32, #dev.on<"cpu">>
!w = tensor<500x640xf32, #dev.on<"cpu">>
!y = tensor<1x500xf32, #dev.on<"cpu">>
// Without AVX-512 the numbers take longer to unpack than to arrive.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {
  // CHECK-LABEL: @main
  // CHECK-NOT:   block_float
  // CHECK:       nn.pack
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.linear %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<1x640xf32, #dev.on<"cpu">>
!w = tensor<100x640xf32, #dev.on<"cpu">>
!y = tensor<1x100xf32, #dev.on<"cpu">>
// A small weight stays in the cache.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  // CHECK-LABEL: @main
  // CHECK-NOT:   block_float
  // CHECK:       nn.pack
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.linear %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<1x2048xf32, #dev.on<"cpu">>
!w = tensor<40x2048xf32, #dev.on<"cpu">>
!y = tensor<1x40xf32, #dev.on<"cpu">>
// Few outputs: three vectors of them would not be fewer bytes.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  // CHECK-LABEL: @main
  // CHECK-NOT:   block_float
  // CHECK:       nn.pack
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.linear %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<1x641xf32, #dev.on<"cpu">>
!w = tensor<500x641xf32, #dev.on<"cpu">>
!y = tensor<1x500xf32, #dev.on<"cpu">>
// No blocks of equal size make up these sums.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  // CHECK-LABEL: @main
  // CHECK-NOT:   block_float
  // CHECK:       nn.pack
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.linear %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<25x64xf32, #dev.on<"cpu">>
!w = tensor<70x64xf32, #dev.on<"cpu">>
!y = tensor<25x70xf32, #dev.on<"cpu">>
// Where additions have units of their own, two thirds of the terms go in pairs.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, separate_adders = 1>>} {
  // CHECK-LABEL: @main
  // CHECK:       nn.weight @prepare.0 hash "{{.*}}" : tensor<70x64xf32, #dev.on<"cpu", #dev.inner_product<16, 48>>>
  // CHECK:       @prepare() -> tensor<5x67x16xf32>
  // CHECK:       nn.pack %{{.*}} as #dev.inner_product<16, 48> : (tensor<70x64xf32>) -> tensor<5x67x16xf32>
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.linear %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<1x11x11x32xf32, #dev.on<"cpu">>
!w = tensor<3x3x32x64xf32, #dev.on<"cpu">>
!y = tensor<1x5x5x64xf32, #dev.on<"cpu">>
// Filters, too, but for those that Winograd's other algorithm takes.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, separate_adders = 1>>} {
  // CHECK-LABEL: @main
  // CHECK:       nn.weight @prepare.0 hash "{{.*}}" : tensor<3x3x32x64xf32, #dev.on<"cpu", #dev.inner_product<16, 144>>>
  // CHECK:       nn.pack %{{.*}} as #dev.inner_product<16, 144> : (tensor<3x3x32x64xf32>) -> tensor<4x292x16xf32>
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.conv2d %a, %b stride [2, 2] padding [0, 0] dilation [1, 1] groups 1 layout "nhwc" : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<25x64xf32, #dev.on<"cpu">>
!w = tensor<70x64xf32, #dev.on<"cpu">>
!y = tensor<25x70xf32, #dev.on<"cpu">>
// Strict: no algebraic shortcuts.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "strict", threads = 1, cpu = #cpu.machine<vector_bits = 512, separate_adders = 1>>} {
  // CHECK-LABEL: @main
  // CHECK-NOT:   inner_product
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.linear %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<11x64xf32, #dev.on<"cpu">>
!w = tensor<70x64xf32, #dev.on<"cpu">>
!y = tensor<11x70xf32, #dev.on<"cpu">>
// Few rows: there is no time to fetch the weight.
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, separate_adders = 1>>} {
  // CHECK-LABEL: @main
  // CHECK-NOT:   inner_product
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.linear %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

!x = tensor<11x64xf32, #dev.on<"cpu">>
!w = tensor<70x64xf32, #dev.on<"cpu">>
!y = tensor<11x70xf32, #dev.on<"cpu">>
// The user chose a schedule: the weight lies as that wants it.
builtin.module attributes {
    devproc.schedules = [["lin*", #sched.block_float<weight = #dev.block_float<64, 32>, rows = 4, accumulators = 8, prefetch_results = [], spread = 0, grain = none>]],
    devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  // CHECK-LABEL: @main
  // CHECK:       func.func private @linear
  // CHECK-SAME:  tensor<70x64xf32, #dev.on<"cpu", #dev.block_float<64, 32>>>
  // CHECK-SAME:  sched.algorithm = "block_float"
  // CHECK:       nn.pack %{{.*}} as #dev.block_float<64, 32>
  func.func @main(%x: !x) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%x, %w) : (!x, !w) -> (!y) {
    ^bb0(%a: !x, %b: !w):
      %p = nn.linear %a, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

// Rows of a weight are read from the panels that a product reads; `float24` stores it in 24
// bits a number.
// CHECK-LABEL: @main
// CHECK:       %[[R:.*]] = nn.weight @prepare.0 hash "{{.*}}" : tensor<512x576xf32, #dev.on<"cpu", #dev.block_float<64, 64>>>
// CHECK:       dev.launch @gather(%{{.*}}, %[[R]])
// CHECK:       %[[W:.*]] = nn.weight @prepare.0
// CHECK:       dev.launch @linear(%{{.*}}, %[[W]])
// CHECK-NOT:   sched.algorithm
// CHECK:       @gather(%{{.*}}, %{{.*}}: tensor<512x576xf32, #dev.on<"cpu", #dev.block_float<64, 64>>>)
// CHECK:       tensor.extract %{{.*}} : tensor<512x576xf32, #dev.on<"cpu", #dev.block_float<64, 64>>>
!i = tensor<1x1xi64, #dev.on<"cpu">>
!x = tensor<1x576xf32, #dev.on<"cpu">>
!w = tensor<512x576xf32, #dev.on<"cpu">>
!y = tensor<1x512xf32, #dev.on<"cpu">>
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
    threads = 1, weights = "float24", cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%i: !i) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%i, %w) : (!i, !w) -> (!y) {
    ^bb0(%j: !i, %b: !w):
      %x = nn.gather %b at %j axes [0] : (!w, !i) -> !x
      %p = nn.linear %x, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}

// -----

// Without that option a product of one row rounds to 24 bits, but rows do not.
// CHECK-LABEL: @main
// CHECK:       nn.weight @w hash "1f" : tensor<512x576xf32, #dev.on<"cpu">>
// CHECK:       nn.weight @prepare.0 hash "{{.*}}" : tensor<512x576xf32, #dev.on<"cpu", #dev.block_float<64, 64>>>
!i = tensor<1x1xi64, #dev.on<"cpu">>
!x = tensor<1x576xf32, #dev.on<"cpu">>
!w = tensor<512x576xf32, #dev.on<"cpu">>
!y = tensor<1x512xf32, #dev.on<"cpu">>
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
    threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%i: !i) -> !y {
    %w = nn.weight @w hash "1f" : !w
    %r = dev.region "cpu" (%i, %w) : (!i, !w) -> (!y) {
    ^bb0(%j: !i, %b: !w):
      %x = nn.gather %b at %j axes [0] : (!w, !i) -> !x
      %p = nn.linear %x, %b : (!x, !w) -> !y
      dev.yield %p : !y
    }
    func.return %r : !y
  }
}
