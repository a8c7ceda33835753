// RUN: devproc-opt %s -p plan-other-archs | filecheck %s --check-prefix=PLAN
// RUN: devproc-opt %s -p plan-other-archs,convert-linalg-to-triton,drop-unused-arguments | filecheck %s

module attributes {devproc.target = #dev.target<"cuda", cuda = #triton.options<arch = "sm_90", interpret = 0, others = ["sm_86", "sm_80"]>>} {

// The argument %t is dropped from the kernel and its variants.
// PLAN-LABEL: func.func private @relu
// PLAN:         sched.nest @n0 #sched.blocks<size = 2048, warps = 4>
// PLAN:         } {triton.plans = {sm_86 = #sched.blocks<size = 1024, warps = 4>, sm_80 = #sched.blocks<size = 1024, warps = 4>}}
// CHECK:      triton.func @relu(%x: !triton.ptr<f32>, %y: !triton.ptr<f32>) attributes {grid = array<i64: 512, 1, 1>
// CHECK:      triton.func @relu_sm_86(%x: !triton.ptr<f32>, %y: !triton.ptr<f32>) attributes {grid = array<i64: 1024, 1, 1>
// CHECK-SAME:   variant_of = "relu", arch = "sm_86"
// CHECK:      triton.func @relu_sm_80(%x: !triton.ptr<f32>, %y: !triton.ptr<f32>)
func.func private @relu(%x: memref<1048576xf32, #dev.on<"cuda">>, %t: memref<1048576xf32, #dev.on<"cuda">>, %y: memref<1048576xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.relu"]>} {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.blocks<size = 2048, warps = 4> why "edited" {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<1048576xf32, #dev.on<"cuda">>) outs(%y : memref<1048576xf32, #dev.on<"cuda">>) {
    ^bb1(%v: f32, %o: f32):
      %r = arith.maximumf %v, %zero : f32
      linalg.yield %r : f32
    }
  }
  func.return
}

// What the user chose stays.
// PLAN-LABEL: func.func private @copy
// PLAN-NOT:     triton.plans
// CHECK-NOT:  @copy_
func.func private @copy(%x: memref<64xf32, #dev.on<"cuda">>, %y: memref<64xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.copy"]>} {
  sched.nest @n0 #sched.blocks<size = 16, warps = 1> why "chosen by the user" {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<64xf32, #dev.on<"cuda">>) outs(%y : memref<64xf32, #dev.on<"cuda">>) {
    ^bb1(%v: f32, %o: f32):
      linalg.yield %v : f32
    }
  }
  func.return
}

func.func @main(%x: memref<1048576xf32, #dev.on<"cuda">>, %t: memref<1048576xf32, #dev.on<"cuda">>, %y: memref<1048576xf32, #dev.on<"cuda">>) {
  plan.launch @relu(%x, %t) -> (%y) {plan.step = 0 : i64} : (memref<1048576xf32, #dev.on<"cuda">>, memref<1048576xf32, #dev.on<"cuda">>) -> (memref<1048576xf32, #dev.on<"cuda">>)
  func.return
}
}
