// RUN: devproc-opt %s -p place-ops --split-input-file --verify-diagnostics | filecheck %s

// One device: nothing to weigh. Weights and constants have no place.

builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>, cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %w = nn.weight @w hash "0" : tensor<4xf32>
    %a = nn.mul %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    func.return %a : tensor<4xf32>
  }
}

// CHECK:      nn.weight @w hash "0" : tensor<4xf32>
// CHECK-NEXT: nn.mul %x, %w {dev.place = #dev.place<"cuda", "the only device">}

// -----

// Two devices: too little work to pay for a copy there and back.

builtin.module attributes {devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>, cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = nn.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    func.return %a : tensor<4xf32>
  }
}

// CHECK:      nn.exp %x {dev.place = #dev.place<"cpu",
// CHECK-SAME: "48 FLOP, 32 B: {{[0-9.]+}} us; rejected cuda: {{[0-9.]+}} us and +32 B of copies (+20 us), {{[0-9.]+}} us slower">}

// -----

// The work of a large product pays for the copies; the small op behind it follows, since
// its result is no larger where it is.

builtin.module attributes {devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>, cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
  func.func @main(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>) -> tensor<1024xf32> {
    %a = nn.matmul %x, %y : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %b = nn.reduce_sum %a axes [1] keep 0 : (tensor<1024x1024xf32>) -> tensor<1024xf32>
    func.return %b : tensor<1024xf32>
  }
}

// CHECK:      nn.matmul %x, %y {dev.place = #dev.place<"cuda", "2.15 GFLOP, 12.6 MB: {{.*}}; rejected cpu:
// CHECK-NEXT: nn.reduce_sum %a {{.*}} {dev.place = #dev.place<"cuda", "1.05 MFLOP, 4.2 MB: {{.*}} us and +4.19 MB of copies

// -----

// The user's wish counts more than the numbers, which still stand there.

builtin.module attributes {
  devproc.placement = [["nn.exp", "cuda"]],
  devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>, cuda = #triton.options<arch = "sm_90", interpret = 0>>
} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = nn.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    func.return %a : tensor<4xf32>
  }
}

// CHECK: nn.exp %x {dev.place = #dev.place<"cuda", "requested by the user with 'nn.exp'; 48 FLOP, {{.*}}, faster, not requested">}

// -----

// What is not compiled runs in PyTorch, with the reason of the importer, whatever the target.

builtin.module attributes {devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>, cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
  func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
    %a = dev.host_call "aten.fft_rfft.default" (%x) args [#dev.operand<0>] kwargs {} why "dtype complex64 is not supported" : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
    %b = dev.host_call "mine.norms.default" (%a) args [#dev.operand<0>] kwargs {} why "the operator is not supported" : (tensor<3xcomplex<f32>>) -> tensor<2xf32>
    %c = nn.exp %b : (tensor<2xf32>) -> tensor<2xf32>
    func.return %c : tensor<2xf32>
  }
}

// CHECK:      why "dtype complex64 is not supported" {dev.place = #dev.place<"host", "dtype complex64 is not supported">}
// CHECK-NEXT: why "the operator is not supported" {dev.place = #dev.place<"host", "the operator is not supported">}
// CHECK-NEXT: nn.exp %b {dev.place = #dev.place<"cpu",

// -----

// What only the CPU has runs there, whatever the target.

builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>, cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
  func.func @main(%b: tensor<2x9x1x4xf32>, %s: tensor<2x9x3xf32>) -> tensor<2x7xi64> {
    %a = nn.exp %s : (tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
    %i, %n = nn.nms %b, %a thresholds [0.5, 0.05] max_n 7 agnostic 1 : (tensor<2x9x1x4xf32>, tensor<2x9x3xf32>) -> (tensor<2x7xi64>, tensor<2xi64>)
    func.return %i : tensor<2x7xi64>
  }
}

// CHECK:      nn.exp %s {dev.place = #dev.place<"cuda", "the only device">}
// CHECK-NEXT: nn.nms
// CHECK-SAME: {dev.place = #dev.place<"cpu", "rejected cuda: each box depends on the boxes kept before it: no block program">}
