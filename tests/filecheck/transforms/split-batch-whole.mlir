// RUN: devproc-opt %s --split-input-file -p "split-batch{items=1}" | filecheck %s

// Programs that need more than an item at a time stay whole.

// A weight of its own for each item.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %w = nn.weight @w hash "1f" : tensor<4x3xf32>
    %r = nn.add %x, %w : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    func.return %r : tensor<4x3xf32>
  }
}

// -----

// Constants that differ, even if each half is the same.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
    %c = nn.constant dense<[[0.0], [1.0], [0.0], [1.0]]> : tensor<4x1xf32> : tensor<4x1xf32>
    %r = nn.add %x, %c : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    func.return %r : tensor<4x1xf32>
  }
}

// -----

// The place in the batch as a number.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4xi64>) -> tensor<4xi64> {
    %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64> : tensor<4xi64>
    %r = nn.add %x, %c : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    func.return %r : tensor<4xi64>
  }
}

// -----

// A sum over the batch.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x4xf32>) -> tensor<4xf32> {
    %r = nn.reduce_sum %x axes [0] keep 0 : (tensor<4x4xf32>) -> tensor<4xf32>
    func.return %r : tensor<4xf32>
  }
}

// -----

// A mean over the batch, used by each item.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %m = nn.reduce_max %x axes [0] keep 1 : (tensor<4x3xf32>) -> tensor<1x3xf32>
    %r = nn.sub %x, %m : (tensor<4x3xf32>, tensor<1x3xf32>) -> tensor<4x3xf32>
    func.return %r : tensor<4x3xf32>
  }
}

// -----

// A softmax along the batch.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %r = nn.softmax %x axis -2 : (tensor<4x3xf32>) -> tensor<4x3xf32>
    func.return %r : tensor<4x3xf32>
  }
}

// -----

// All pairs of items.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %t = nn.transpose %x by [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %r = nn.matmul %x, %t : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    func.return %r : tensor<4x4xf32>
  }
}

// -----

// A weight that is an input.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %r = nn.linear %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    func.return %r : tensor<4x4xf32>
  }
}

// -----

// The items in another order.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %r = nn.slice %x from [3, 0] size [4, 3] step [-1, 1] : (tensor<4x3xf32>) -> tensor<4x3xf32>
    func.return %r : tensor<4x3xf32>
  }
}

// -----

// Items and channels as one dimension, channels first.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x3xf32>) -> tensor<12xf32> {
    %t = nn.transpose %x by [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %r = nn.reshape %t to [12] : (tensor<3x4xf32>) -> tensor<12xf32>
    func.return %r : tensor<12xf32>
  }
}

// -----

// Rows of one input at indices of another.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x1xf32>, %i: tensor<4x1xi64>) -> tensor<4x1xf32> {
    %r = nn.gather %x at %i axes [0] : (tensor<4x1xf32>, tensor<4x1xi64>) -> tensor<4x1xf32>
    func.return %r : tensor<4x1xf32>
  }
}

// -----

// Rows of more than the batch at places in the batch.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x2xf32>) -> tensor<4x1xf32> {
    %i = nn.constant dense<[[0], [1], [2], [3]]> : tensor<4x1xi64> : tensor<4x1xi64>
    %y = nn.reshape %x to [8, 1] : (tensor<4x2xf32>) -> tensor<8x1xf32>
    %r = nn.gather %y at %i axes [0] : (tensor<8x1xf32>, tensor<4x1xi64>) -> tensor<4x1xf32>
    func.return %r : tensor<4x1xf32>
  }
}

// -----

// Inputs of different first dimensions.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x3xf32>, %y: tensor<1x3xf32>) -> tensor<4x3xf32> {
    %r = nn.add %x, %y : (tensor<4x3xf32>, tensor<1x3xf32>) -> tensor<4x3xf32>
    func.return %r : tensor<4x3xf32>
  }
}

// -----

// An output that is not of the batch.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<2xf32>) {
    %w = nn.weight @w hash "1f" : tensor<2xf32>
    %r = nn.exp %x : (tensor<4x3xf32>) -> tensor<4x3xf32>
    func.return %r, %w : tensor<4x3xf32>, tensor<2xf32>
  }
}

// -----

// State, which each call of a part would change.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x3xf32>, %s: tensor<4x3xf32> {dev.name = "s", dev.state = "s"}) -> (tensor<4x3xf32>, tensor<4x3xf32> {dev.name = "s", dev.state = "s"}) {
    %r = nn.add %x, %s : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    func.return %r, %r : tensor<4x3xf32>, tensor<4x3xf32>
  }
}

// -----

// A GPU among the devices.
// CHECK: func.func @main
// CHECK-NOT: dev.parts
// CHECK: func.return
builtin.module attributes {devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>, cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
  func.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %r = nn.exp %x : (tensor<4x3xf32>) -> tensor<4x3xf32>
    func.return %r : tensor<4x3xf32>
  }
}
