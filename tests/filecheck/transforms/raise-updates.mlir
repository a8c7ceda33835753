// RUN: devproc-opt %s -p raise-updates --split-input-file | filecheck %s

// Parts of a state that are replaced become scatters, which can write in place.

// CHECK-LABEL: func.func @main(%u: tensor<2x2x4xf32>, %v: tensor<2x1x4xf32>, %s: tensor<2x8x4xf32> {dev.state = "s"}) -> (tensor<2x8x4xf32> {dev.state = "s"}) {
// CHECK-NEXT:    %0 = nn.constant dense<[[[1], [2], [5]]]> : tensor<1x3x1xi64> : tensor<1x3x1xi64>
// CHECK-NEXT:    %1 = nn.concat %u, %v axis 1 : (tensor<2x2x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:    %r = nn.scatter %1 into %s at %0 axis 1 mode "set" : (tensor<2x3x4xf32>, tensor<2x8x4xf32>, tensor<1x3x1xi64>) -> tensor<2x8x4xf32>
// CHECK-NEXT:    func.return %r : tensor<2x8x4xf32>
!state = tensor<2x8x4xf32>
!row = tensor<1x1x4xf32>
!at = tensor<1x1x1xi64>
func.func @main(%u: tensor<2x2x4xf32>, %v: tensor<2x1x4xf32>, %s: !state {dev.state = "s"}) -> (!state {dev.state = "s"}) {
  %a = nn.slice %s from [0, 0, 0] size [2, 1, 4] step [1, 1, 1] : (!state) -> tensor<2x1x4xf32>
  %b = nn.slice %s from [0, 3, 0] size [2, 2, 4] step [1, 1, 1] : (!state) -> tensor<2x2x4xf32>
  %c = nn.slice %s from [0, 6, 0] size [2, 2, 4] step [1, 1, 1] : (!state) -> tensor<2x2x4xf32>
  %r = nn.concat %a, %u, %b, %v, %c axis 1 : (tensor<2x1x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x1x4xf32>, tensor<2x2x4xf32>) -> !state
  func.return %r : !state
}

// -----

// What moves within the state stays: these slices are not where they were.
// CHECK-LABEL: func.func @main(%u: tensor<1x4xf32>, %s: tensor<8x4xf32> {dev.state = "s"}) -> (tensor<8x4xf32> {dev.state = "s"}) {
// CHECK-NEXT:    %a = nn.slice %s from [1, 0] size [7, 4] step [1, 1] : (tensor<8x4xf32>) -> tensor<7x4xf32>
// CHECK-NEXT:    %r = nn.concat %a, %u axis 0 : (tensor<7x4xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:    func.return %r : tensor<8x4xf32>
func.func @main(%u: tensor<1x4xf32>, %s: tensor<8x4xf32> {dev.state = "s"}) -> (tensor<8x4xf32> {dev.state = "s"}) {
  %a = nn.slice %s from [1, 0] size [7, 4] step [1, 1] : (tensor<8x4xf32>) -> tensor<7x4xf32>
  %r = nn.concat %a, %u axis 0 : (tensor<7x4xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
  func.return %r : tensor<8x4xf32>
}

// -----

// So does a replaced part of an input, and most of a state.
// CHECK-LABEL: func.func @main(%u: tensor<1x4xf32>, %x: tensor<8x4xf32>, %v: tensor<7x4xf32>, %s: tensor<8x4xf32> {dev.state = "s"}) -> (tensor<8x4xf32>, tensor<8x4xf32> {dev.state = "s"}) {
// CHECK-NEXT:    %a = nn.slice %x from [1, 0] size [7, 4] step [1, 1] : (tensor<8x4xf32>) -> tensor<7x4xf32>
// CHECK-NEXT:    %q = nn.concat %u, %a axis 0 : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:    %b = nn.slice %s from [7, 0] size [1, 4] step [1, 1] : (tensor<8x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT:    %r = nn.concat %v, %b axis 0 : (tensor<7x4xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:    func.return %q, %r : tensor<8x4xf32>, tensor<8x4xf32>
func.func @main(%u: tensor<1x4xf32>, %x: tensor<8x4xf32>, %v: tensor<7x4xf32>, %s: tensor<8x4xf32> {dev.state = "s"}) -> (tensor<8x4xf32>, tensor<8x4xf32> {dev.state = "s"}) {
  %a = nn.slice %x from [1, 0] size [7, 4] step [1, 1] : (tensor<8x4xf32>) -> tensor<7x4xf32>
  %q = nn.concat %u, %a axis 0 : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
  %b = nn.slice %s from [7, 0] size [1, 4] step [1, 1] : (tensor<8x4xf32>) -> tensor<1x4xf32>
  %r = nn.concat %v, %b axis 0 : (tensor<7x4xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
  func.return %q, %r : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// s[1].index_copy_(0, i, u): the slice and the index become one axis.
// CHECK-LABEL: func.func @main(%u: tensor<1x4xf32>, %i: tensor<1x1xi64>, %s: tensor<2x8x4xf32> {dev.state = "s"}) -> (tensor<2x8x4xf32> {dev.state = "s"}) {
// CHECK-NEXT:    %0 = nn.reshape %u to [1, 1, 4] : (tensor<1x4xf32>) -> tensor<1x1x4xf32>
// CHECK-NEXT:    %1 = nn.reshape %i to [1, 1, 1] : (tensor<1x1xi64>) -> tensor<1x1x1xi64>
// CHECK-NEXT:    %2 = nn.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT:    %3 = nn.le %2, %1 : (tensor<i64>, tensor<1x1x1xi64>) -> tensor<1x1x1xi1>
// CHECK-NEXT:    %4 = nn.constant dense<8> : tensor<i64> : tensor<i64>
// CHECK-NEXT:    %5 = nn.lt %1, %4 : (tensor<1x1x1xi64>, tensor<i64>) -> tensor<1x1x1xi1>
// CHECK-NEXT:    %6 = nn.and %3, %5 : (tensor<1x1x1xi1>, tensor<1x1x1xi1>) -> tensor<1x1x1xi1>
// CHECK-NEXT:    %7 = nn.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT:    %8 = nn.add %1, %7 : (tensor<1x1x1xi64>, tensor<i64>) -> tensor<1x1x1xi64>
// CHECK-NEXT:    %9 = nn.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT:    %10 = nn.mul %8, %9 : (tensor<1x1x1xi64>, tensor<i64>) -> tensor<1x1x1xi64>
// CHECK-NEXT:    %11 = nn.reshape %10 to [1, 1] : (tensor<1x1x1xi64>) -> tensor<1x1xi64>
// CHECK-NEXT:    %12 = nn.constant dense<8> : tensor<1x1xi64> : tensor<1x1xi64>
// CHECK-NEXT:    %13 = nn.add %11, %12 : (tensor<1x1xi64>, tensor<1x1xi64>) -> tensor<1x1xi64>
// CHECK-NEXT:    %14 = nn.reshape %6 to [1, 1] : (tensor<1x1x1xi1>) -> tensor<1x1xi1>
// CHECK-NEXT:    %15 = nn.constant dense<-1> : tensor<i64> : tensor<i64>
// CHECK-NEXT:    %16 = nn.where %14, %13, %15 : (tensor<1x1xi1>, tensor<1x1xi64>, tensor<i64>) -> tensor<1x1xi64>
// CHECK-NEXT:    %17 = nn.reshape %0 to [1, 4] : (tensor<1x1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT:    %18 = nn.reshape %s to [16, 4] : (tensor<2x8x4xf32>) -> tensor<16x4xf32>
// CHECK-NEXT:    %19 = nn.scatter %17 into %18 at %16 axis 0 mode "set" : (tensor<1x4xf32>, tensor<16x4xf32>, tensor<1x1xi64>) -> tensor<16x4xf32>
// CHECK-NEXT:    %r = nn.reshape %19 to [2, 8, 4] : (tensor<16x4xf32>) -> tensor<2x8x4xf32>
// CHECK-NEXT:    func.return %r : tensor<2x8x4xf32>
func.func @main(%u: tensor<1x4xf32>, %i: tensor<1x1xi64>, %s: tensor<2x8x4xf32> {dev.state = "s"}) -> (tensor<2x8x4xf32> {dev.state = "s"}) {
  %p = nn.slice %s from [1, 0, 0] size [1, 8, 4] step [1, 1, 1] : (tensor<2x8x4xf32>) -> tensor<1x8x4xf32>
  %q = nn.reshape %p to [8, 4] : (tensor<1x8x4xf32>) -> tensor<8x4xf32>
  %n = nn.scatter %u into %q at %i axis 0 mode "set" : (tensor<1x4xf32>, tensor<8x4xf32>, tensor<1x1xi64>) -> tensor<8x4xf32>
  %o = nn.reshape %n to [1, 8, 4] : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
  %a = nn.slice %s from [0, 0, 0] size [1, 8, 4] step [1, 1, 1] : (tensor<2x8x4xf32>) -> tensor<1x8x4xf32>
  %r = nn.concat %a, %o axis 0 : (tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<2x8x4xf32>
  func.return %r : tensor<2x8x4xf32>
}

// -----

// s[2:5].index_copy_(0, i, u): of one axis, the part begins at 2.
// CHECK-LABEL: func.func @main(%u: tensor<2x4xf32>, %i: tensor<2x1xi64>, %s: tensor<8x4xf32> {dev.state = "s"}) -> (tensor<8x4xf32> {dev.state = "s"}) {
// CHECK-NEXT:    %0 = nn.constant dense<0> : tensor<i64> : tensor<i64>
// CHECK-NEXT:    %1 = nn.le %0, %i : (tensor<i64>, tensor<2x1xi64>) -> tensor<2x1xi1>
// CHECK-NEXT:    %2 = nn.constant dense<3> : tensor<i64> : tensor<i64>
// CHECK-NEXT:    %3 = nn.lt %i, %2 : (tensor<2x1xi64>, tensor<i64>) -> tensor<2x1xi1>
// CHECK-NEXT:    %4 = nn.and %1, %3 : (tensor<2x1xi1>, tensor<2x1xi1>) -> tensor<2x1xi1>
// CHECK-NEXT:    %5 = nn.constant dense<2> : tensor<i64> : tensor<i64>
// CHECK-NEXT:    %6 = nn.add %i, %5 : (tensor<2x1xi64>, tensor<i64>) -> tensor<2x1xi64>
// CHECK-NEXT:    %7 = nn.constant dense<1> : tensor<i64> : tensor<i64>
// CHECK-NEXT:    %8 = nn.mul %6, %7 : (tensor<2x1xi64>, tensor<i64>) -> tensor<2x1xi64>
// CHECK-NEXT:    %9 = nn.reshape %8 to [2] : (tensor<2x1xi64>) -> tensor<2xi64>
// CHECK-NEXT:    %10 = nn.constant dense<0> : tensor<1xi64> : tensor<1xi64>
// CHECK-NEXT:    %11 = nn.add %9, %10 : (tensor<2xi64>, tensor<1xi64>) -> tensor<2xi64>
// CHECK-NEXT:    %12 = nn.reshape %4 to [2] : (tensor<2x1xi1>) -> tensor<2xi1>
// CHECK-NEXT:    %13 = nn.constant dense<-1> : tensor<i64> : tensor<i64>
// CHECK-NEXT:    %14 = nn.where %12, %11, %13 : (tensor<2xi1>, tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
// CHECK-NEXT:    %15 = nn.reshape %14 to [2, 1] : (tensor<2xi64>) -> tensor<2x1xi64>
// CHECK-NEXT:    %r = nn.scatter %u into %s at %15 axis 0 mode "add" : (tensor<2x4xf32>, tensor<8x4xf32>, tensor<2x1xi64>) -> tensor<8x4xf32>
// CHECK-NEXT:    func.return %r : tensor<8x4xf32>
func.func @main(%u: tensor<2x4xf32>, %i: tensor<2x1xi64>, %s: tensor<8x4xf32> {dev.state = "s"}) -> (tensor<8x4xf32> {dev.state = "s"}) {
  %p = nn.slice %s from [2, 0] size [3, 4] step [1, 1] : (tensor<8x4xf32>) -> tensor<3x4xf32>
  %q = nn.scatter %u into %p at %i axis 0 mode "add" : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<2x1xi64>) -> tensor<3x4xf32>
  %a = nn.slice %s from [0, 0] size [2, 4] step [1, 1] : (tensor<8x4xf32>) -> tensor<2x4xf32>
  %b = nn.slice %s from [5, 0] size [3, 4] step [1, 1] : (tensor<8x4xf32>) -> tensor<3x4xf32>
  %r = nn.concat %a, %q, %b axis 0 : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  func.return %r : tensor<8x4xf32>
}
