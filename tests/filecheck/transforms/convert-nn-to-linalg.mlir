// RUN: devproc-opt %s --split-input-file -p convert-nn-to-linalg | filecheck %s

// A linear layer is a contraction from zero, then an epilogue with the bias.
// CHECK-LABEL: @main(%x: tensor<2x8xf32>, %w: tensor<4x8xf32>, %b: tensor<4xf32>)
func.func @main(%x: tensor<2x8xf32>, %w: tensor<4x8xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  // CHECK:      linalg.fill {kernel.sources = ["nn.linear"]}
  // CHECK:      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
  // CHECK-SAME:   ins(%x, %w : tensor<2x8xf32>, tensor<4x8xf32>)
  // CHECK:        arith.mulf
  // CHECK:        arith.addf
  // CHECK:      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
  // CHECK:        arith.addf
  // CHECK-NOT:  = nn.
  %r = nn.linear %x, %w bias %b : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return %r : tensor<2x4xf32>
}

// -----

// A convolution reads the padded image at d * stride + k * dilation.
// CHECK-LABEL: @main
func.func @main(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x4x4xf32> {
  // CHECK:      tensor.pad %x low[0, 0, 1, 1] high[0, 0, 0, 0]
  // CHECK:      linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, ((d2 * 2) + d5), ((d3 * 2) + d6))>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>]
  %r = nn.conv2d %x, %w stride [2, 2] padding [1, 1] dilation [1, 1] groups 1
     : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x4x4xf32>
  func.return %r : tensor<1x4x4x4xf32>
}

// -----

// The window of a pooling has its sizes from an empty tensor that nothing reads.
// CHECK-LABEL: @main
func.func @main(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32> {
  // CHECK:      %[[WINDOW:.*]] = tensor.empty() : tensor<2x2xf32>
  // CHECK:      arith.constant 0xff800000 : f32
  // CHECK:      linalg.generic {{.*}} ins(%x, %[[WINDOW]] : tensor<1x2x4x4xf32>, tensor<2x2xf32>)
  // CHECK:        arith.maximumf
  %r = nn.max_pool2d %x kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0
     : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
  func.return %r : tensor<1x2x2x2xf32>
}

// -----

// Argmax keeps value and index together; the value is not used.
// CHECK-LABEL: @main
func.func @main(%x: tensor<2x5xf32>) -> tensor<2xi64> {
  // CHECK:      %[[BOTH:.*]], %[[INDEX:.*]] = "linalg.generic"
  // CHECK:        arith.cmpf ugt
  // CHECK:        linalg.index 1 : index
  // CHECK:      -> (tensor<2xf32>, tensor<2xi64>)
  // CHECK-NEXT: func.return %[[INDEX]]
  %r = nn.argmax %x axis 1 keep 0 : (tensor<2x5xf32>) -> tensor<2xi64>
  func.return %r : tensor<2xi64>
}

// -----

// Signs leave the types, constants of one number go into the loops.
// CHECK-LABEL: @main(%x: tensor<2xi8> {dev.name = "x", dev.dtype = "uint8"})
func.func @main(%x: tensor<2xui8> {dev.name = "x"}) -> tensor<2xf32> {
  // CHECK-NOT:  = nn.
  // CHECK:      arith.uitofp
  // CHECK:      arith.constant 2.550000e+02 : f32
  // CHECK:      arith.divf
  %f = nn.cast %x to f32 : (tensor<2xui8>) -> tensor<2xf32>
  %c = nn.constant dense<255.0> : tensor<f32> : tensor<f32>
  %r = nn.div %f, %c : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  func.return %r : tensor<2xf32>
}

// -----

// Resampling reads its source at a computed index.
// CHECK-LABEL: @main
func.func @main(%x: tensor<5x7xui8>, %first: tensor<9xi32>, %taps: tensor<9x3xi32>) -> tensor<5x9xui8> {
  // CHECK:      arith.constant 2097152 : i32
  // CHECK:      linalg.generic {{.*}} ins(%first, %taps : tensor<9xi32>, tensor<9x3xi32>)
  // CHECK:        tensor.extract %x
  // CHECK:      arith.shrsi
  // CHECK:      arith.trunci
  %r = nn.resample %x, %first, %taps axis 1 : (tensor<5x7xui8>, tensor<9xi32>, tensor<9x3xi32>) -> tensor<5x9xui8>
  func.return %r : tensor<5x9xui8>
}

// -----

// A reshape is a view; @prepare stays as it is.
// CHECK-LABEL: @prepare
// CHECK:       nn.relu
func.func private @prepare() -> tensor<2x3xui8> {
  %w = nn.weight @"w" hash "00" : tensor<2x3xui8>
  %r = nn.relu %w : (tensor<2x3xui8>) -> tensor<2x3xui8>
  func.return %r : tensor<2x3xui8>
}
// CHECK-LABEL: @main
// CHECK:       plan.view %x : tensor<2x3xi8> -> tensor<6xi8>
func.func @main(%x: tensor<2x3xui8>) -> tensor<6xui8> {
  %r = nn.reshape %x to [6] : (tensor<2x3xui8>) -> tensor<6xui8>
  func.return %r : tensor<6xui8>
}

// Attention stays one chain: scores, scale and mask, maximum, exponentials, sum, product
// with the values, quotient (0 for a row without any key).
// CHECK-LABEL: @attention
// CHECK:       linalg.generic {{.*}} ins(%q, %k {{.*}}kernel.chain = "[[CHAIN:attention_[0-9]+]]"
// CHECK:         arith.addf
// CHECK:       linalg.generic {{.*}} ins(%{{.*}}, %m {{.*}}kernel.chain = "[[CHAIN]]"
// CHECK:         arith.mulf
// CHECK:         arith.select
// CHECK:       arith.constant -3.40282347e+38 : f32
// CHECK:       linalg.generic {{.*}}kernel.chain = "[[CHAIN]]"
// CHECK:         arith.maximumf
// CHECK:       linalg.generic {{.*}}kernel.chain = "[[CHAIN]]"
// CHECK:         math.exp
// CHECK:       linalg.generic {{.*}}kernel.chain = "[[CHAIN]]"
// CHECK:         arith.addf
// CHECK:       linalg.generic {{.*}}, %v {{.*}}kernel.chain = "[[CHAIN]]"
// CHECK:         arith.addf
// CHECK:       linalg.generic {{.*}}kernel.chain = "[[CHAIN]]"
// CHECK:         arith.divf
// CHECK:         arith.select
func.func @attention(%q: tensor<3x5x8xf32>, %k: tensor<7x8xf32>, %v: tensor<3x7x4xf32>, %m: tensor<5x7xi1>) -> tensor<3x5x4xf32> {
  %r = nn.attention %q, %k, %v mask %m scale 0.5 : f64 empty 1 : (tensor<3x5x8xf32>, tensor<7x8xf32>, tensor<3x7x4xf32>, tensor<5x7xi1>) -> tensor<3x5x4xf32>
  func.return %r : tensor<3x5x4xf32>
}

// -----

// Joined tensors that are joined are one choice among all parts; one that is read twice is
// a tensor of its own.
// CHECK-LABEL: @joined
func.func @joined(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>, %z: tensor<2x7xf32>) -> (tensor<4x7xf32>, tensor<4x7xf32>) {
  // CHECK:      linalg.generic
  // CHECK:        tensor.extract %x
  // CHECK:        tensor.extract %z
  // CHECK:      %[[J:.*]] = linalg.generic
  // CHECK-NOT:    tensor.extract %z
  // CHECK:        tensor.extract %y
  // CHECK:      linalg.generic
  // CHECK:        tensor.extract %[[J]]
  // CHECK-NOT:  linalg.generic
  // CHECK:      func.return
  %a = nn.concat %x, %y axis 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  %r = nn.concat %a, %z axis 0 : (tensor<2x7xf32>, tensor<2x7xf32>) -> tensor<4x7xf32>
  %b = nn.concat %x, %y axis 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  %s = nn.concat %b, %b axis 0 : (tensor<2x7xf32>, tensor<2x7xf32>) -> tensor<4x7xf32>
  func.return %r, %s : tensor<4x7xf32>, tensor<4x7xf32>
}

// -----

// Padding of images with channels last lies around height and width; a convolution of few
// results is split into parts of its channels, whose sum is a reduction.
// CHECK-LABEL: @parts
builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1, cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
  func.func @parts(%x: tensor<1x7x7x512xf32, #dev.on<"cuda">>, %w: tensor<3x3x512x512xf32, #dev.on<"cuda">>) -> tensor<1x7x7x512xf32, #dev.on<"cuda">> {
    // CHECK:      %[[X:.*]] = plan.view %x : {{.*}} -> tensor<1x7x7x16x32xf32, #dev.on<"cuda">>
    // CHECK:      %[[W:.*]] = plan.view %w : {{.*}} -> tensor<3x3x16x32x512xf32, #dev.on<"cuda">>
    // CHECK:      %[[P:.*]] = tensor.pad %[[X]] low[0, 1, 1, 0, 0] high[0, 1, 1, 0, 0]
    // CHECK:      %[[S:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%[[P]], %[[W]]
    // CHECK:      -> tensor<1x7x7x16x512xf32, #dev.on<"cuda">>
    // CHECK:      linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[S]]
    // CHECK:        arith.addf
    %r = nn.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 layout "nhwc" : (tensor<1x7x7x512xf32, #dev.on<"cuda">>, tensor<3x3x512x512xf32, #dev.on<"cuda">>) -> tensor<1x7x7x512xf32, #dev.on<"cuda">>
    func.return %r : tensor<1x7x7x512xf32, #dev.on<"cuda">>
  }
}

// -----

// That of groups is split into parts of the longer side of its window.
// CHECK-LABEL: @parts_of_window
builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1, cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
  func.func @parts_of_window(%x: tensor<1x1x49x768xbf16, #dev.on<"cuda">>, %w: tensor<1x128x48x768xbf16, #dev.on<"cuda">>) -> tensor<1x1x50x768xbf16, #dev.on<"cuda">> {
    // CHECK:      %[[X:.*]] = plan.view %x : {{.*}} -> tensor<1x1x49x16x48xbf16, #dev.on<"cuda">>
    // CHECK:      %[[W:.*]] = plan.view %w : {{.*}} -> tensor<1x4x32x48x16x48xbf16, #dev.on<"cuda">>
    // CHECK:      %[[P:.*]] = tensor.pad %[[X]] low[0, 0, 64, 0, 0] high[0, 0, 64, 0, 0]
    // CHECK:      %[[S:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, (d1 + d6), (d2 + (d7 + (d3 * 32))), d4, d8)>,
    // CHECK-SAME: affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d6, d3, d7, d8, d4, d5)>
    // CHECK-SAME: ins(%[[P]], %[[W]]
    // CHECK:      -> tensor<1x1x50x4x16x48xf32, #dev.on<"cuda">>
    // CHECK:      %[[V:.*]] = plan.view %[[S]] : {{.*}} -> tensor<1x1x50x4x768xf32, #dev.on<"cuda">>
    // CHECK:      linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[V]]
    // CHECK:        arith.addf
    %r = nn.conv2d %x, %w stride [1, 1] padding [0, 64] dilation [1, 1] groups 16 layout "nhwc" : (tensor<1x1x49x768xbf16, #dev.on<"cuda">>, tensor<1x128x48x768xbf16, #dev.on<"cuda">>) -> tensor<1x1x50x768xbf16, #dev.on<"cuda">>
    func.return %r : tensor<1x1x50x768xbf16, #dev.on<"cuda">>
  }
}
