// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// CHECK: builtin.module attributes {devproc.target = #dev.target<"cpu+cuda", precision = "strict", threads = 2, cpu = #cpu.machine<vector_bits = 512>, cuda = #triton.options<arch = "sm_90", interpret = 1>>}
builtin.module attributes {devproc.target = #dev.target<"cpu+cuda", precision = "strict", threads = 2, cpu = #cpu.machine<vector_bits = 512>, cuda = #triton.options<arch = "sm_90", interpret = 1>>} {

// What a CPU by name is known for is written out; "native" and the usual are left out.
// CHECK: builtin.module @baseline attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "x86-64", vector_bits = 128, missing = ["fma", "round", "half"]>>}
builtin.module @baseline attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "x86-64", vector_bits = 128, missing = ["fma", "round", "half"]>>} {}

// CHECK: builtin.module @neon attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "aarch64", vector_bits = 128, vector_registers = 32>>}
builtin.module @neon attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "aarch64", vector_bits = 128, vector_registers = 32>>} {}

// CHECK: builtin.module @pairs attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, extensions = ["avx512bf16"]>>}
builtin.module @pairs attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, extensions = ["avx512bf16"]>>} {}
// CHECK: builtin.module @adders attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, separate_adders = 1>>}
builtin.module @adders attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, separate_adders = 1>>} {}

// CHECK: builtin.module @second_cache attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, prefetch_level = 2>>}
builtin.module @second_cache attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, prefetch_level = 2>>} {}

// CHECK: builtin.module @old attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 128, missing = ["fma"]>>}
builtin.module @old attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 128, vector_registers = 16, missing = ["fma"]>>} {}

// CHECK: func.func private @relu({{.*}}) -> {{.*}} attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.add", "nn.relu"]>}
func.func private @relu(tensor<2xf32, #dev.on<"cuda">>) -> tensor<2xf32, #dev.on<"cuda">> attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.add", "nn.relu"]>}

// CHECK: func.func private @tiled(tensor<30x8xf32, #dev.on<"cpu", #dev.layout<[1, 0], [16, 1]>>>)
func.func private @tiled(tensor<30x8xf32, #dev.on<"cpu", #dev.layout<[1, 0], [16, 1]>>>)

// CHECK: func.func private @filters(tensor<3x3x8x32xf32, #dev.on<"cpu", #dev.winograd<4, 16>>>)
func.func private @filters(tensor<3x3x8x32xf32, #dev.on<"cpu", #dev.winograd<4, 16>>>)
// CHECK: func.func private @first_filters(tensor<7x7x3x32xf32, #dev.on<"cpu", #dev.winograd_line<2, 16>>>)
func.func private @first_filters(tensor<7x7x3x32xf32, #dev.on<"cpu", #dev.winograd_line<2, 16>>>)
// CHECK: func.func private @weight(tensor<64x8xf32, #dev.on<"cpu", #dev.strassen<16>>>)
func.func private @weight(tensor<64x8xf32, #dev.on<"cpu", #dev.strassen<16>>>)
// CHECK: func.func private @paired(tensor<30x64xf32, #dev.on<"cpu", #dev.inner_product<16, 24>>>)
func.func private @paired(tensor<30x64xf32, #dev.on<"cpu", #dev.inner_product<16, 24>>>)
// CHECK: func.func private @paired_slices(tensor<30x64xf32, #dev.on<"cpu", #dev.inner_product<16, 24, 2>>>)
func.func private @paired_slices(tensor<30x64xf32, #dev.on<"cpu", #dev.inner_product<16, 24, 2>>>)
// CHECK: func.func private @narrow(tensor<30x64xf32, #dev.on<"cpu", #dev.weight_only<bfloat16, 64, 16>>>)
func.func private @narrow(tensor<30x64xf32, #dev.on<"cpu", #dev.weight_only<bfloat16, 64, 16>>>)
// CHECK: func.func private @rounded(tensor<30x64xf32, #dev.on<"cpu", #dev.block_float<16, 32>>>)
func.func private @rounded(tensor<30x64xf32, #dev.on<"cpu", #dev.block_float<16, 32>>>)

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

// A host call keeps the arguments of the exported graph; complex values are its own.
// CHECK-LABEL: func.func @spectrum
func.func @spectrum(%x: tensor<4x8xf32>, %y: tensor<5xui8>) -> (tensor<4x5x2xf32>, tensor<5xui8>, tensor<3xi64>) {
  // CHECK-NEXT: %f = dev.host_call "aten.fft_rfft.default"(%x) args [#dev.operand<0>, unit, -1 : i64, "ortho"] kwargs {} why "dtype complex64 is not supported" : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
  %f = dev.host_call "aten.fft_rfft.default" (%x) args [#dev.operand<0>, unit, -1 : i64, "ortho"] kwargs {} why "dtype complex64 is not supported" : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
  // CHECK-NEXT: %r = dev.host_call "aten.view_as_real.default"(%f) args [#dev.operand<0>] kwargs {}
  %r = dev.host_call "aten.view_as_real.default" (%f) args [#dev.operand<0>] kwargs {} why "dtype complex64 is not supported" : (tensor<4x5xcomplex<f32>>) -> tensor<4x5x2xf32>
  // CHECK-NEXT: %a, %b = dev.host_call "mine.two.default"(%y, %x) args {{\[\[}}#dev.operand<0>, #dev.operand<1>, #dev.operand<0>], true, 1.000000e-01 : f64] kwargs {dtype = #dev.torch<"dtype", "int64">}
  %a, %b = dev.host_call "mine.two.default" (%y, %x) args [[#dev.operand<0>, #dev.operand<1>, #dev.operand<0>], true, 0.1 : f64] kwargs {dtype = #dev.torch<"dtype", "int64">} why "the operator is not supported" : (tensor<5xui8>, tensor<4x8xf32>) -> (tensor<5xui8>, tensor<3xi64>)
  func.return %r, %a, %b : tensor<4x5x2xf32>, tensor<5xui8>, tensor<3xi64>
}

// What PyTorch runs keeps its values on every level: its launch gives the memory.
// CHECK: func.func private @host_0(%{{.*}}: tensor<2xui8, #dev.on<"cpu">>) -> tensor<f32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"host", "region", ["mine.one.default"]>} {
func.func private @host_0(%v: tensor<2xui8, #dev.on<"cpu">>) -> tensor<f32, #dev.on<"cpu">> attributes {dev.kernel = #dev.kernel<"host", "region", ["mine.one.default"]>} {
  // CHECK: dev.host_call "mine.one.default"(%v) args [#dev.operand<0>] kwargs {} why "the operator is not supported" :
  %s = dev.host_call "mine.one.default" (%v) args [#dev.operand<0>] kwargs {} why "the operator is not supported" : (tensor<2xui8, #dev.on<"cpu">>) -> tensor<f32, #dev.on<"cpu">>
  func.return %s : tensor<f32, #dev.on<"cpu">>
}
func.func @on_memory(%x: memref<2xi8, #dev.on<"cpu">>, %y: memref<f32, #dev.on<"cpu">>) {
  // CHECK: plan.launch @host_0(%x) -> (%y)
  plan.launch @host_0(%x) -> (%y) : (memref<2xi8, #dev.on<"cpu">>) -> (memref<f32, #dev.on<"cpu">>)
  func.return
}
}

func.func @events() {
  // CHECK: %e = dev.record "cuda" stream 1 : !dev.event
  %e = dev.record "cuda" stream 1 : !dev.event
  // CHECK-NEXT: dev.wait %e "cuda" stream 0 : !dev.event
  dev.wait %e "cuda" stream 0 : !dev.event
  func.return
}
