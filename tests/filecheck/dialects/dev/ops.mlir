// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// CHECK: builtin.module attributes {devproc.target = #dev.target<"cpu+cuda", vector_bits = 512, threads = 2, precision = "strict", arch = "sm_90", interpret = 1>}
builtin.module attributes {devproc.target = #dev.target<"cpu+cuda", vector_bits = 512, threads = 2, precision = "strict", arch = "sm_90", interpret = 1>} {

// CHECK: func.func private @relu({{.*}}) -> {{.*}} attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.add", "nn.relu"]>}
func.func private @relu(tensor<2xf32, #dev.on<"cuda">>) -> tensor<2xf32, #dev.on<"cuda">> attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.add", "nn.relu"]>}

// CHECK: func.func private @tiled(tensor<30x8xf32, #dev.on<"cpu", #dev.layout<[1, 0], [16, 1]>>>)
func.func private @tiled(tensor<30x8xf32, #dev.on<"cpu", #dev.layout<[1, 0], [16, 1]>>>)

// CHECK: func.func private @filters(tensor<3x3x8x32xf32, #dev.on<"cpu", #dev.winograd<4, 16>>>)
func.func private @filters(tensor<3x3x8x32xf32, #dev.on<"cpu", #dev.winograd<4, 16>>>)

// CHECK: func.func @main
func.func @main(%x: tensor<2xf32, #dev.on<"cpu">>) -> tensor<2xf32, #dev.on<"cpu">> {
  // CHECK-NEXT: %d = dev.copy %x : tensor<2xf32, #dev.on<"cpu">> to tensor<2xf32, #dev.on<"cuda">>
  %d = dev.copy %x : tensor<2xf32, #dev.on<"cpu">> to tensor<2xf32, #dev.on<"cuda">>

  // CHECK-NEXT: %r = dev.region "cuda"(%d) : (tensor<2xf32, #dev.on<"cuda">>) -> tensor<2xf32, #dev.on<"cuda">> {
  // CHECK-NEXT: ^{{.*}}(%a: tensor<2xf32, #dev.on<"cuda">>):
  %r = dev.region "cuda"(%d) : (tensor<2xf32, #dev.on<"cuda">>) -> tensor<2xf32, #dev.on<"cuda">> {
  ^bb0(%a: tensor<2xf32, #dev.on<"cuda">>):
    // CHECK-NEXT: %b = nn.exp %a {dev.place = #dev.place<"cuda", "stays with its operand">} :
    %b = nn.exp %a {dev.place = #dev.place<"cuda", "stays with its operand">} : (tensor<2xf32, #dev.on<"cuda">>) -> tensor<2xf32, #dev.on<"cuda">>
    // CHECK-NEXT: dev.yield %b : tensor<2xf32, #dev.on<"cuda">>
    dev.yield %b : tensor<2xf32, #dev.on<"cuda">>
  }

  // CHECK: %y = dev.launch @relu(%r) : (tensor<2xf32, #dev.on<"cuda">>) -> tensor<2xf32, #dev.on<"cuda">>
  %y = dev.launch @relu(%r) : (tensor<2xf32, #dev.on<"cuda">>) -> tensor<2xf32, #dev.on<"cuda">>
  %h = dev.copy %y : tensor<2xf32, #dev.on<"cuda">> to tensor<2xf32, #dev.on<"cpu">>
  // CHECK: dev.sync "cuda"
  dev.sync "cuda"
  func.return %h : tensor<2xf32, #dev.on<"cpu">>
}
}
