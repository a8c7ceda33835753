// RUN: devproc-opt %s -p form-islands --split-input-file --verify-diagnostics | filecheck %s

// Weights and constants first, then islands; what no output needs goes. Of the two groupings
// that the order allows, the one with fewer islands begins on the CPU.

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = nn.exp %x {dev.place = #dev.place<"cpu", "">} : (tensor<4xf32>) -> tensor<4xf32>
  %b = nn.relu %a {dev.place = #dev.place<"cuda", "">} : (tensor<4xf32>) -> tensor<4xf32>
  %c = nn.abs %x {dev.place = #dev.place<"cpu", "">} : (tensor<4xf32>) -> tensor<4xf32>
  %dead = nn.abs %b {dev.place = #dev.place<"cpu", "">} : (tensor<4xf32>) -> tensor<4xf32>
  %w = nn.weight @w hash "0" : tensor<4xf32>
  %d = nn.add %b, %c {dev.place = #dev.place<"cuda", "">} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %k = nn.constant dense<2.0> : tensor<4xf32> : tensor<4xf32>
  %e = nn.mul %d, %w {dev.place = #dev.place<"cuda", "">} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %f = nn.mul %e, %k {dev.place = #dev.place<"cuda", "">} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %f : tensor<4xf32>
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:  %w = nn.weight
// CHECK-NEXT:  %k = nn.constant
// CHECK-NEXT:  %a = nn.exp %x
// CHECK-NEXT:  %c = nn.abs %x
// CHECK-NEXT:  %b = nn.relu %a
// CHECK-NEXT:  %d = nn.add %b, %c
// CHECK-NEXT:  %e = nn.mul %d, %w
// CHECK-NEXT:  %f = nn.mul %e, %k
// CHECK-NEXT:  func.return %f

// -----

// An op without a place is refused.

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = nn.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// CHECK: 'nn.exp' (unknown source) has no device: run place-ops first
