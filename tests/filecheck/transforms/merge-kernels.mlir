// RUN: devproc-opt %s -p merge-kernels | filecheck %s

// @b equals @a up to names; @c computes something else, @d runs elsewhere, @e has
// another type, @f belongs to an algorithm, the user chose a schedule for @g: they stay.

builtin.module attributes {devproc.schedules = [["g", #sched.elements<spread = 0, grain = none>]]} {
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>) {
  %a = dev.launch @a(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = dev.launch @b(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = dev.launch @c(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %d = dev.launch @d(%c) : (tensor<4xf32>) -> tensor<4xf32>
  %e = dev.launch @e(%y) : (tensor<5xf32>) -> tensor<5xf32>
  %f = dev.launch @f(%d) : (tensor<4xf32>) -> tensor<4xf32>
  %g = dev.launch @g(%f) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %g, %e : tensor<4xf32>, tensor<5xf32>
}
func.func private @a(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
  %r = math.exp %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}
func.func private @b(%other: tensor<4xf32>) -> tensor<4xf32> attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
  %name = math.exp %other : tensor<4xf32>
  func.return %name : tensor<4xf32>
}
func.func private @c(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
  %r = math.absf %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}
func.func private @d(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dev.kernel = #dev.kernel<"host", "pointwise", ["nn.exp"]>} {
  %r = math.exp %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}
func.func private @e(%x: tensor<5xf32>) -> tensor<5xf32> attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
  %r = math.exp %x : tensor<5xf32>
  func.return %r : tensor<5xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>, sched.algorithm = "register_tile"} {
  %r = math.exp %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}
func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
  %r = math.exp %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}
}

// CHECK:      dev.launch @a(%x)
// CHECK-NEXT: dev.launch @a(%a)
// CHECK-NEXT: dev.launch @c(%b)
// CHECK-NEXT: dev.launch @d(%c)
// CHECK-NEXT: dev.launch @e(%y)
// CHECK-NEXT: dev.launch @f(%d)
// CHECK-NEXT: dev.launch @g(%f)
// CHECK:      func.func private @a
// CHECK-NOT:  @b
// CHECK:      func.func private @c
// CHECK:      func.func private @d
// CHECK:      func.func private @e
// CHECK:      func.func private @f
// CHECK:      func.func private @g
