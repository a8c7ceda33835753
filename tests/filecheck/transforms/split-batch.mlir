// RUN: devproc-opt %s --split-input-file -p "split-batch{items=2}" --print-debuginfo | filecheck %s

// Each op on one part: sizes that are written on an op shrink with the first dimension.
// CHECK: builtin.module
// CHECK: func.func @main(%x: tensor<2x3x8xf32> {dev.name = "x"} loc(unknown)) -> (tensor<10x3xf32> {dev.name = "y"}) attributes {dev.parts = 3 : i64} {
// CHECK-NEXT: %{{.*}} = nn.weight @w hash "1f" : tensor<5x8xf32>
// CHECK-NEXT: %[[L:.*]] = nn.linear %x, %{{.*}} : (tensor<2x3x8xf32>, tensor<5x8xf32>) -> tensor<2x3x5xf32> loc("fc")
// CHECK-NEXT: %[[T:.*]] = nn.transpose %[[L]] by [0, 2, 1] : (tensor<2x3x5xf32>) -> tensor<2x5x3xf32>
// CHECK-NEXT: %[[R:.*]] = nn.reshape %[[T]] to [10, 3] : (tensor<2x5x3xf32>) -> tensor<10x3xf32>
// CHECK-NEXT: %[[S:.*]] = nn.slice %[[R]] from [0, 1] size [10, 1] step [1, 1] : (tensor<10x3xf32>) -> tensor<10x1xf32>
// CHECK-NEXT: %[[E:.*]] = nn.expand %[[S]] to [10, 3] : (tensor<10x1xf32>) -> tensor<10x3xf32>
// CHECK-NEXT: %[[A:.*]] = nn.add %[[R]], %[[E]]
// CHECK-NEXT: func.return %[[A]] : tensor<10x3xf32>
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<6x3x8xf32> {dev.name = "x"}) -> (tensor<30x3xf32> {dev.name = "y"}) {
    %w = nn.weight @w hash "1f" : tensor<5x8xf32>
    %l = nn.linear %x, %w : (tensor<6x3x8xf32>, tensor<5x8xf32>) -> tensor<6x3x5xf32> loc("fc")
    %t = nn.transpose %l by [0, 2, 1] : (tensor<6x3x5xf32>) -> tensor<6x5x3xf32>
    %r = nn.reshape %t to [30, 3] : (tensor<6x5x3xf32>) -> tensor<30x3xf32>
    %s = nn.slice %r from [0, 1] size [30, 1] step [1, 1] : (tensor<30x3xf32>) -> tensor<30x1xf32>
    %e = nn.expand %s to [30, 3] : (tensor<30x1xf32>) -> tensor<30x3xf32>
    %a = nn.add %r, %e : (tensor<30x3xf32>, tensor<30x3xf32>) -> tensor<30x3xf32>
    func.return %a : tensor<30x3xf32>
  }
}

// -----

// What is the same for every item shrinks too, in @prepare and as a constant; the old
// results of @prepare stay, so that their numbers hold.
// CHECK: func.func @main(%x: tensor<2x3xf32> loc(unknown)) -> tensor<2x5xf32> attributes {dev.parts = 2 : i64} {
// CHECK-NEXT: %[[W:.*]] = nn.weight @prepare.1 hash "{{[0-9a-f]+}}" : tensor<2x1xf32>
// CHECK-NEXT: %[[C:.*]] = nn.constant dense<2.000000e+00> : tensor<2x1xf32>
// CHECK-NEXT: %{{.*}} = nn.concat %[[W]], %x, %[[C]] axis 1 : (tensor<2x1xf32>, tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x5xf32>
// CHECK: func.func private @prepare() -> (tensor<4x1xf32>, tensor<2x1xf32>) {
// CHECK: %[[NEW:.*]] = nn.reshape %{{.*}} to [2, 1] : (tensor<2xf32>) -> tensor<2x1xf32>
// CHECK: %[[OLD:.*]] = nn.reshape %{{.*}} to [4, 1]
// CHECK: func.return %[[OLD]], %[[NEW]]
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x3xf32>) -> tensor<4x5xf32> {
    %w = nn.weight @prepare.0 hash "2f" : tensor<4x1xf32>
    %c = nn.constant dense<2.0> : tensor<4x1xf32> : tensor<4x1xf32>
    %r = nn.concat %w, %x, %c axis 1 : (tensor<4x1xf32>, tensor<4x3xf32>, tensor<4x1xf32>) -> tensor<4x5xf32>
    func.return %r : tensor<4x5xf32>
  }
  func.func private @prepare() -> tensor<4x1xf32> {
    %t = nn.weight @token hash "1f" : tensor<1xf32>
    %e = nn.expand %t to [4] : (tensor<1xf32>) -> tensor<4xf32>
    %r = nn.reshape %e to [4, 1] : (tensor<4xf32>) -> tensor<4x1xf32>
    func.return %r : tensor<4x1xf32>
  }
}

// -----

// An item that selects its own row by its place in the batch: the place counts from the
// begin of a part.
// CHECK: func.func @main(%x: tensor<2x3xf32> loc(unknown)) -> tensor<2x3xf32> attributes {dev.parts = 2 : i64} {
// CHECK: %[[I:.*]] = nn.constant dense<{{.*}}> : tensor<2x1xi64>
// CHECK: %[[E:.*]] = nn.expand %[[I]] to [2, 3]
// CHECK: nn.gather %x at %[[E]] axes [0] : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %i = nn.constant dense<[[0], [1], [2], [3]]> : tensor<4x1xi64> : tensor<4x1xi64>
    %e = nn.expand %i to [4, 3] : (tensor<4x1xi64>) -> tensor<4x3xi64>
    %g = nn.gather %x at %e axes [0] : (tensor<4x3xf32>, tensor<4x3xi64>) -> tensor<4x3xf32>
    func.return %g : tensor<4x3xf32>
  }
}
