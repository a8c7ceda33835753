// RUN: devproc-opt %s -p guard-updates --split-input-file | filecheck %s

// A call that a check refuses writes no element of %s, and keeps %n.
// CHECK-LABEL: func.func @main
// CHECK-SAME: {dev.state = "s", dev.guarded}, %n: tensor<1xi64> {dev.state = "n", dev.guarded})
// CHECK: %[[REFUSED:.*]] = nn.or
// CHECK: %[[ACCEPTED:.*]] = nn.and
// CHECK: %[[ALL:.*]] = nn.reshape %[[REFUSED]] to [1, 1]
// CHECK-NEXT: %[[SIZE:.*]] = nn.constant dense<8>
// CHECK-NEXT: %[[AT:.*]] = nn.where %[[ALL]], %[[SIZE]], %i
// CHECK-NEXT: %[[S:.*]] = nn.scatter %u into %s at %[[AT]]
// CHECK-NEXT: %[[M:.*]] = nn.add %n, %n
// CHECK-NEXT: %[[N:.*]] = nn.where %[[ACCEPTED]], %[[M]], %n
// CHECK-NEXT: func.return %r, %[[S]], %[[N]]
!at = tensor<1x1xi64>
!s = tensor<8x4xf32>
module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
    check_values = 1, cpu = #cpu.machine<vector_bits = 256>>,
    devproc.checks = [{of = "aten.index_copy.default", what = "index", lower = 0 : i64,
    upper = 7 : i64, shape = array<i64: 1>, where = "unknown source"}]} {
  func.func @main(%u: tensor<1x4xf32>, %i: !at, %r: tensor<1x2xi64>,
      %s: !s {dev.state = "s"}, %n: tensor<1xi64> {dev.state = "n"})
      -> (tensor<1x2xi64> {dev.name = "devproc.checks"}, !s {dev.state = "s"},
      tensor<1xi64> {dev.state = "n"}) {
    %t = nn.scatter %u into %s at %i axis 0 mode "set" : (tensor<1x4xf32>, !s, !at) -> !s
    %m = nn.add %n, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    func.return %r, %t, %m : tensor<1x2xi64>, !s, tensor<1xi64>
  }
}

// -----

// A check of what was written cannot prevent it.
// CHECK-LABEL: func.func @main
// CHECK-SAME: {dev.state = "s"}, %n: tensor<1xi64> {dev.state = "n", dev.guarded})
// CHECK-NEXT: nn.scatter %u into %s at %i
!at = tensor<1x1xi64>
!s = tensor<8x4xf32>
module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
    check_values = 1, cpu = #cpu.machine<vector_bits = 256>>,
    devproc.checks = [{of = "aten.index_copy.default", what = "index", lower = 0 : i64,
    upper = 7 : i64, shape = array<i64: 1>, where = "unknown source"}]} {
  func.func @main(%u: tensor<1x4xf32>, %i: !at, %r: tensor<1x2xi64>,
      %s: !s {dev.state = "s"}, %n: tensor<1xi64> {dev.state = "n"})
      -> (tensor<1x2xi64> {dev.name = "devproc.checks"}, !s {dev.state = "s"},
      tensor<1xi64> {dev.state = "n"}) {
    %t = nn.scatter %u into %s at %i axis 0 mode "set" : (tensor<1x4xf32>, !s, !at) -> !s
    %q = nn.slice %t from [0, 0] size [1, 2] step [1, 1] : (!s) -> tensor<1x2xf32>
    %c = nn.cast %q to i64 : (tensor<1x2xf32>) -> tensor<1x2xi64>
    %m = nn.add %n, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    func.return %c, %t, %m : tensor<1x2xi64>, !s, tensor<1xi64>
  }
}

// -----

// Of calls in a row a refused one is the last. A state that no call changes stays as it is.
// CHECK-LABEL: func.func @main
// CHECK: %[[REFUSED:.*]] = nn.eq
// CHECK: %[[ENDED:.*]] = nn.or %e, %[[REFUSED]]
// CHECK-NEXT: func.return %[[ENDED]], %n, %{{.*}}, %k
module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
    check_values = 1, cpu = #cpu.machine<vector_bits = 256>>,
    devproc.repeat = {at_most = 9 : i64, until = "ended"},
    devproc.checks = [{of = "aten.remainder.Tensor", what = "divisor", lower = 0 : i64,
    upper = 0 : i64, shape = array<i64: 1>, where = "unknown source"}]} {
  func.func @main(%n: tensor<1x2xi64> {dev.name = "n", dev.state = "n"},
      %k: tensor<1xi64> {dev.name = "k", dev.state = "k"})
      -> (tensor<1xi1> {dev.name = "ended"}, tensor<1x2xi64> {dev.name = "devproc.checks"},
      tensor<1x2xi64> {dev.name = "n", dev.state = "n"},
      tensor<1xi64> {dev.name = "k", dev.state = "k"}) {
    %e = nn.constant dense<false> : tensor<1xi1> : tensor<1xi1>
    %m = nn.add %n, %n : (tensor<1x2xi64>, tensor<1x2xi64>) -> tensor<1x2xi64>
    func.return %e, %n, %m, %k
      : tensor<1xi1>, tensor<1x2xi64>, tensor<1x2xi64>, tensor<1xi64>
  }
}
