// RUN: devproc-opt %s -p split-keys | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cuda", precision = "default", threads = 1, cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
// Two heads of keys, each for four queries: 1000 keys are five parts of at least 128.
// CHECK-LABEL: @grouped
// CHECK:       nn.attention {{.*}} empty 0 parts 5 :
func.func @grouped(%q: tensor<2x4x1x16xf32, #dev.on<"cuda">>, %k: tensor<2x1x1000x16xf32, #dev.on<"cuda">>) -> tensor<2x4x1x16xf32, #dev.on<"cuda">> {
  %r = nn.attention %q, %k, %k scale 1.0 : f64 empty 0 : (tensor<2x4x1x16xf32, #dev.on<"cuda">>, tensor<2x1x1000x16xf32, #dev.on<"cuda">>, tensor<2x1x1000x16xf32, #dev.on<"cuda">>) -> tensor<2x4x1x16xf32, #dev.on<"cuda">>
  func.return %r : tensor<2x4x1x16xf32, #dev.on<"cuda">>
}

// Many queries; a prime number of keys; a band; another device.
// CHECK-LABEL: @whole
// CHECK-NOT:   parts
func.func @whole(%q: tensor<65x16xf32, #dev.on<"cuda">>, %k: tensor<1000x16xf32, #dev.on<"cuda">>, %p: tensor<997x16xf32, #dev.on<"cuda">>, %h: tensor<1000x16xf32, #dev.on<"cpu">>) {
  %a = nn.attention %q, %k, %k scale 1.0 : f64 empty 0 : (tensor<65x16xf32, #dev.on<"cuda">>, tensor<1000x16xf32, #dev.on<"cuda">>, tensor<1000x16xf32, #dev.on<"cuda">>) -> tensor<65x16xf32, #dev.on<"cuda">>
  %s = nn.slice %q from [0, 0] size [2, 16] step [1, 1] : (tensor<65x16xf32, #dev.on<"cuda">>) -> tensor<2x16xf32, #dev.on<"cuda">>
  %b = nn.attention %s, %p, %p scale 1.0 : f64 empty 0 : (tensor<2x16xf32, #dev.on<"cuda">>, tensor<997x16xf32, #dev.on<"cuda">>, tensor<997x16xf32, #dev.on<"cuda">>) -> tensor<2x16xf32, #dev.on<"cuda">>
  %c = nn.attention %s, %k, %k scale 1.0 : f64 empty 0 band [-1, 9] : (tensor<2x16xf32, #dev.on<"cuda">>, tensor<1000x16xf32, #dev.on<"cuda">>, tensor<1000x16xf32, #dev.on<"cuda">>) -> tensor<2x16xf32, #dev.on<"cuda">>
  %d = nn.attention %h, %h, %h scale 1.0 : f64 empty 0 : (tensor<1000x16xf32, #dev.on<"cpu">>, tensor<1000x16xf32, #dev.on<"cpu">>, tensor<1000x16xf32, #dev.on<"cpu">>) -> tensor<1000x16xf32, #dev.on<"cpu">>
  func.return
}

// Over a cache, too, whatever its rows in use are.
// CHECK-LABEL: @cached
// CHECK:       nn.cached_attention {{.*}} last %p window 300 scale 1.000000e+00 : f64 empty 1 parts 8 :
func.func @cached(%q: tensor<2x4x16xf32, #dev.on<"cuda">>, %k: tensor<2x1024x16xbf16, #dev.on<"cuda">>, %p: tensor<1xi64, #dev.on<"cuda">>) -> tensor<2x4x16xf32, #dev.on<"cuda">> {
  %r = nn.cached_attention %q, %k, %k last %p window 300 scale 1.0 : f64 empty 1 : (tensor<2x4x16xf32, #dev.on<"cuda">>, tensor<2x1024x16xbf16, #dev.on<"cuda">>, tensor<2x1024x16xbf16, #dev.on<"cuda">>, tensor<1xi64, #dev.on<"cuda">>) -> tensor<2x4x16xf32, #dev.on<"cuda">>
  func.return %r : tensor<2x4x16xf32, #dev.on<"cuda">>
}
}
