// RUN: devproc-opt %s -p quantize-weights --split-input-file | filecheck %s

// Matrices of products are stored in groups of int8, each once, also transposed; a small one,
// and one whose terms are no groups, stay as they are.

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
    threads = 1, weights = "int8:32">} {
  func.func @main(
    %x: tensor<2x256xf32>, %z: tensor<2x100xf32>
  ) -> (tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x300xf32>, tensor<2x300xf32>, tensor<2x8xf32>) {
    %w = nn.weight @w hash "1f" : tensor<64x256xf32>
    %b = nn.weight @b hash "2f" : tensor<64xf32>
    %y0 = nn.linear %x, %w bias %b : (tensor<2x256xf32>, tensor<64x256xf32>, tensor<64xf32>) -> tensor<2x64xf32>
    %y1 = nn.linear %x, %w : (tensor<2x256xf32>, tensor<64x256xf32>) -> tensor<2x64xf32>
    %m = nn.weight @m hash "3f" : tensor<256x300xf32>
    %y2 = nn.matmul %x, %m : (tensor<2x256xf32>, tensor<256x300xf32>) -> tensor<2x300xf32>
    %odd = nn.weight @odd hash "4f" : tensor<300x100xf32>
    %y3 = nn.linear %z, %odd : (tensor<2x100xf32>, tensor<300x100xf32>) -> tensor<2x300xf32>
    %small = nn.weight @small hash "5f" : tensor<8x256xf32>
    %y4 = nn.linear %x, %small : (tensor<2x256xf32>, tensor<8x256xf32>) -> tensor<2x8xf32>
    func.return %y0, %y1, %y2, %y3, %y4 : tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x300xf32>, tensor<2x300xf32>, tensor<2x8xf32>
  }
}

// CHECK-LABEL: func.func @main
// CHECK: %[[B:.*]] = nn.weight @b
// CHECK: %[[Q:.*]] = nn.weight @prepare.0 hash {{.*}} : tensor<64x8x32xi8>
// CHECK-NEXT: %[[S:.*]] = nn.weight @prepare.1 hash {{.*}} : tensor<64x8x1xf16>
// CHECK-NEXT: %[[D:.*]] = nn.dequantize %[[Q]] by %[[S]] : (tensor<64x8x32xi8>, tensor<64x8x1xf16>) -> tensor<64x8x32xf32>
// CHECK-NEXT: %[[W:.*]] = nn.reshape %[[D]] to [64, 256]
// CHECK-NEXT: nn.linear %x, %[[W]] bias %[[B]]
// CHECK-NEXT: nn.weight @prepare.0
// CHECK: nn.weight @prepare.2 hash {{.*}} : tensor<300x8x32xi8>
// CHECK: nn.linear %x, {{.*}} -> tensor<2x300xf32>
// CHECK: nn.weight @odd
// CHECK-NEXT: nn.linear %z
// CHECK: nn.weight @small
// CHECK-NEXT: nn.linear %x
// CHECK-LABEL: func.func private @prepare
// CHECK: nn.quantize_groups %{{.*}} bits 8 group 32
// CHECK: nn.weight @m
// CHECK-NEXT: nn.transpose %{{.*}} by [1, 0]
// CHECK-NEXT: nn.quantize_groups
// CHECK-NOT: nn.quantize_groups

// -----

// In half precision, which is summed in float32.
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = nn.reshape %{{.*}} to [64, 256]
// CHECK-NEXT: %[[X:.*]] = nn.cast %x to f32
// CHECK-NEXT: %[[B:.*]] = nn.cast %b to f32
// CHECK-NEXT: %[[Y:.*]] = nn.linear %[[X]], %[[W]] bias %[[B]]
// CHECK-NEXT: %[[H:.*]] = nn.cast %[[Y]] to bf16
// CHECK-NEXT: func.return %[[H]]
// CHECK-LABEL: func.func private @prepare
// CHECK: nn.weight @w
// CHECK-NEXT: %[[F:.*]] = nn.cast %{{.*}} to f32
// CHECK-NEXT: nn.quantize_groups %[[F]] bits 4 group 32
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
    threads = 1, weights = "int4:32">} {
  func.func @main(%x: tensor<2x256xbf16>, %b: tensor<64xbf16>) -> tensor<2x64xbf16> {
    %w = nn.weight @w hash "1f" : tensor<64x256xbf16>
    %y = nn.linear %x, %w bias %b : (tensor<2x256xbf16>, tensor<64x256xbf16>, tensor<64xbf16>) -> tensor<2x64xbf16>
    func.return %y : tensor<2x64xbf16>
  }
}

// -----

// Unsigned integers have a zero point for each group.
// CHECK-LABEL: func.func @main
// CHECK: %[[Q:.*]] = nn.weight @prepare.0 hash {{.*}} : tensor<64x4x64xui8>
// CHECK-NEXT: %[[S:.*]] = nn.weight @prepare.1 hash {{.*}} : tensor<64x4x1xf16>
// CHECK-NEXT: %[[Z:.*]] = nn.weight @prepare.2 hash {{.*}} : tensor<64x4x1xi32>
// CHECK-NEXT: nn.dequantize %[[Q]] by %[[S]] zero %[[Z]]
// CHECK-LABEL: func.func private @prepare
// CHECK: nn.quantize_groups %{{.*}} bits 4 group 64 zero
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
    threads = 1, weights = "uint4:64">} {
  func.func @main(%x: tensor<2x256xf32>) -> tensor<2x64xf32> {
    %w = nn.weight @w hash "1f" : tensor<64x256xf32>
    %y = nn.linear %x, %w : (tensor<2x256xf32>, tensor<64x256xf32>) -> tensor<2x64xf32>
    func.return %y : tensor<2x64xf32>
  }
}

// -----

// The rows of a matrix that a product has in int4 come from the same numbers.

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
    threads = 1, weights = "int4:64">} {
  func.func @main(%i: tensor<3x1xi64>) -> tensor<3x256xf32> {
    %w = nn.weight @w hash "1f" : tensor<256x256xf32>
    %x = nn.gather %w at %i axes [0] : (tensor<256x256xf32>, tensor<3x1xi64>) -> tensor<3x256xf32>
    %y = nn.linear %x, %w : (tensor<3x256xf32>, tensor<256x256xf32>) -> tensor<3x256xf32>
    func.return %y : tensor<3x256xf32>
  }
}

// CHECK-LABEL: func.func @main
// CHECK-NOT: nn.weight @w
// CHECK: %[[Q:.*]] = nn.weight @prepare.0 hash {{.*}} : tensor<256x4x64xi8>
// CHECK-NEXT: %[[I:.*]] = nn.reshape %i to [3, 1, 1]
// CHECK-NEXT: %[[R:.*]] = nn.gather %[[Q]] at %[[I]] axes [0] : (tensor<256x4x64xi8>, tensor<3x1x1xi64>) -> tensor<3x4x64xi8>
// CHECK-NEXT: %[[S:.*]] = nn.weight @prepare.1 hash {{.*}} : tensor<256x4x1xf16>
// CHECK: %[[T:.*]] = nn.gather %[[S]] at {{.*}} axes [0]
// CHECK-NEXT: %[[D:.*]] = nn.dequantize %[[R]] by %[[T]] : (tensor<3x4x64xi8>, tensor<3x4x1xf16>) -> tensor<3x4x64xf32>
// CHECK-NEXT: %[[X:.*]] = nn.reshape %[[D]] to [3, 256]
// CHECK: nn.weight @prepare.0 hash {{.*}} : tensor<256x4x64xi8>
// CHECK: nn.linear %[[X]],

// -----

// Two rows take matrices of their own: two numbers of 4 bits in a byte, a half of the group apart.

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default",
    threads = 1, weights = "int4:32">} {
  func.func @main(%x: tensor<2x256x1xf32>, %i: tensor<2x1x1xi64>) -> tensor<2x64x1xf32> {
    %w = nn.weight @w hash "1f" : tensor<5x64x256xf32>
    %m = nn.gather %w at %i axes [0] : (tensor<5x64x256xf32>, tensor<2x1x1xi64>) -> tensor<2x64x256xf32>
    %y = nn.matmul %m, %x : (tensor<2x64x256xf32>, tensor<2x256x1xf32>) -> tensor<2x64x1xf32>
    func.return %y : tensor<2x64x1xf32>
  }
}

// CHECK-LABEL: func.func @main
// CHECK-NOT: nn.weight @w
// CHECK: %[[Q:.*]] = nn.weight @prepare.0 hash {{.*}} : tensor<5x64x8x16xui8>
// CHECK-NEXT: %[[S:.*]] = nn.weight @prepare.1 hash {{.*}} : tensor<5x64x8x1xf16>
// CHECK-NEXT: %[[I:.*]] = nn.reshape %i to [2, 1, 1, 1]
// CHECK-NEXT: %[[E:.*]] = nn.expand %[[S]] to [5, 64, 8, 16]
// CHECK-NEXT: %[[B:.*]] = nn.gather %[[Q]] at %[[I]] axes [0]
// CHECK-NEXT: %[[T:.*]] = nn.gather %[[E]] at %[[I]] axes [0]
// CHECK: nn.and %[[B]]
// CHECK: nn.shift_right %[[B]]
// CHECK: nn.dequantize %{{.*}} by %[[T]] zero
// CHECK: nn.dequantize %{{.*}} by %[[T]] zero
// CHECK: nn.reduce_sum %{{.*}} axes [2, 3] keep 0 : (tensor<2x64x8x16xf32>) -> tensor<2x64xf32>
// CHECK-LABEL: func.func private @prepare
// CHECK: nn.reshape %{{.*}} to [320, 256]
// CHECK: nn.quantize_groups %{{.*}} bits 4 group 32
// CHECK: nn.or
