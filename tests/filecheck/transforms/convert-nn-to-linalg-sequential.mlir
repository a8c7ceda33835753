// RUN: devproc-opt %s -p convert-nn-to-linalg --split-input-file | filecheck %s

// On the CPU the order of the iterations is the meaning; the room for a second copy is an
// output that nothing reads.
// CHECK-LABEL: func.func @sort
// CHECK:       %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} = linalg.sort %x into
// CHECK-NEXT:  ^bb0(%{{.*}}: i8, %{{.*}}: i8):
// CHECK-NEXT:    arith.cmpi ult
// CHECK:       kernel.family = "sort", kernel.sources = ["nn.sort"]
func.func @sort(%x: tensor<2x3xui8>) -> (tensor<2x3xui8>, tensor<2x3xi64>) {
  %v, %i = nn.sort %x descending 0 : (tensor<2x3xui8>) -> (tensor<2x3xui8>, tensor<2x3xi64>)
  func.return %v, %i : tensor<2x3xui8>, tensor<2x3xi64>
}

// Of a sort whose readers take the first of each row, no more is computed.
// CHECK-LABEL: func.func @first_two
// CHECK:       %{{.*}}, %{{.*}} = linalg.sort %x into
// CHECK:       (tensor<3x9xf32>, tensor<3x2xf32>, tensor<3x2xi64>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
func.func @first_two(%x: tensor<3x9xf32>) -> (tensor<3x1xf32>, tensor<3x2xi64>) {
  %v, %i = nn.sort %x descending 1 : (tensor<3x9xf32>) -> (tensor<3x9xf32>, tensor<3x9xi64>)
  %first = nn.slice %v from [0, 0] size [3, 1] step [1, 1] : (tensor<3x9xf32>) -> tensor<3x1xf32>
  %places = nn.slice %i from [0, 0] size [3, 2] step [1, 1] : (tensor<3x9xi64>) -> tensor<3x2xi64>
  func.return %first, %places : tensor<3x1xf32>, tensor<3x2xi64>
}

// CHECK-LABEL: func.func @scatter
// CHECK:       linalg.scatter %u at %i into %x axis 0
// CHECK:         arith.addf
// CHECK:       kernel.family = "scatter", kernel.sources = ["nn.scatter"]
func.func @scatter(%x: tensor<9x4xf32>, %u: tensor<2x4xf32>, %i: tensor<2x1xi64>) -> tensor<9x4xf32> {
  %r = nn.scatter %u into %x at %i axis 0 mode "add" : (tensor<2x4xf32>, tensor<9x4xf32>, tensor<2x1xi64>) -> tensor<9x4xf32>
  func.return %r : tensor<9x4xf32>
}

// Scores are one line for each image; the thresholds are the float32 that decide alike:
// the overlap is rounded down, the score to the nearest. Kept boxes fill whole vectors.
// CHECK-LABEL: func.func @nms
// CHECK:       plan.view %s : tensor<2x9x3xf32> -> tensor<2x27xf32>
// CHECK:       linalg.nms %b, %{{.*}} into %{{.*}} overlap 0.099999994 : f32 score 1.000000e-01 : f32 agnostic 0
// CHECK-SAME:  kernel.family = "nms", kernel.sources = ["nn.nms"]
// CHECK-SAME:  (tensor<2x7xi64>, tensor<2xi64>, tensor<2x27xi64>, tensor<2x5x16xf32>, tensor<2x16xi64>)
func.func @nms(%b: tensor<2x9x1x4xf32>, %s: tensor<2x9x3xf32>) -> (tensor<2x7xi64>, tensor<2xi64>) {
  %i, %n = nn.nms %b, %s thresholds [0.1, 0.1] max_n 7 agnostic 0 : (tensor<2x9x1x4xf32>, tensor<2x9x3xf32>) -> (tensor<2x7xi64>, tensor<2xi64>)
  func.return %i, %n : tensor<2x7xi64>, tensor<2xi64>
}

// -----

// On a GPU each element counts those that stand before it, and then finds its own.
// CHECK-LABEL: func.func @sort_on_gpu
// CHECK-NOT:   linalg.sort
// CHECK:       iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:       iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:       tensor.extract %x
func.func @sort_on_gpu(%x: tensor<2x3xf32, #dev.on<"cuda">>) -> (tensor<2x3xf32, #dev.on<"cuda">>, tensor<2x3xi64, #dev.on<"cuda">>) {
  %v, %i = nn.sort %x descending 0 : (tensor<2x3xf32, #dev.on<"cuda">>) -> (tensor<2x3xf32, #dev.on<"cuda">>, tensor<2x3xi64, #dev.on<"cuda">>)
  func.return %v, %i : tensor<2x3xf32, #dev.on<"cuda">>, tensor<2x3xi64, #dev.on<"cuda">>
}

// CHECK-LABEL: func.func @scatter_on_gpu
// CHECK-NOT:   linalg.scatter
// CHECK:       iterator_types = ["parallel", "reduction"]
func.func @scatter_on_gpu(%x: tensor<9xf32, #dev.on<"cuda">>, %u: tensor<2xf32, #dev.on<"cuda">>, %i: tensor<2xi64, #dev.on<"cuda">>) -> tensor<9xf32, #dev.on<"cuda">> {
  %r = nn.scatter %u into %x at %i axis 0 mode "set" : (tensor<2xf32, #dev.on<"cuda">>, tensor<9xf32, #dev.on<"cuda">>, tensor<2xi64, #dev.on<"cuda">>) -> tensor<9xf32, #dev.on<"cuda">>
  func.return %r : tensor<9xf32, #dev.on<"cuda">>
}
