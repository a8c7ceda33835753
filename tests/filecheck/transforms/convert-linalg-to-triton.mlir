// RUN: devproc-opt %s -p convert-linalg-to-triton --split-input-file --verify-diagnostics | filecheck %s

module attributes {devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>, cuda = #triton.options<arch = "sm_90", interpret = 1>>} {
  // A kernel of the CPU stays as it is.
  // CHECK-LABEL: func.func private @on_the_cpu
  // CHECK:         linalg.generic
  func.func private @on_the_cpu(%x: memref<4xf32, #dev.on<"cpu">>, %y: memref<4xf32, #dev.on<"cpu">>) attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<4xf32, #dev.on<"cpu">>) outs(%y : memref<4xf32, #dev.on<"cpu">>) {
    ^bb0(%a: f32, %o: f32):
      %r = math.exp %a : f32
      linalg.yield %r : f32
    }
    func.return
  }

  // Sums along two dimensions share no program: two functions with the same arguments.
  // CHECK-LABEL: triton.func @two_sums(
  // CHECK:         triton.store
  // CHECK:       triton.func @two_sums_1(
  // CHECK:         triton.store
  func.func private @two_sums(%x: memref<4x6xf32, #dev.on<"cuda">>, %r: memref<4xf32, #dev.on<"cuda">>, %c: memref<6xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_sum"]>} {
    sched.nest @n0 #sched.block_rows<rows = 4, width = 8, warps = 4> why "4 rows of 6 elements, 4 for each program" {
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4x6xf32, #dev.on<"cuda">>) outs(%r : memref<4xf32, #dev.on<"cuda">>) {
      ^bb0(%a: f32, %o: f32):
        %s = arith.addf %o, %a : f32
        linalg.yield %s : f32
      }
    }
    sched.nest @n1 #sched.block_columns<columns = 8, height = 4, warps = 1> why "6 columns of 4 elements, 8 for each program" {
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : memref<4x6xf32, #dev.on<"cuda">>) outs(%c : memref<6xf32, #dev.on<"cuda">>) {
      ^bb0(%a_1: f32, %o_1: f32):
        %s_1 = arith.addf %o_1, %a_1 : f32
        linalg.yield %s_1 : f32
      }
    }
    func.return
  }

  // Nobody else reads the sums %t of the squares, so they stay in registers.
  // CHECK-LABEL: triton.func @norm(
  // CHECK:         triton.reduce "sum"
  // CHECK-COUNT-1: triton.store
  // CHECK-NOT:     triton.store
  func.func private @norm(%x: memref<4x6xf32, #dev.on<"cuda">>, %t: memref<4xf32, #dev.on<"cuda">>, %y: memref<4xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_sum"]>, dev.scratch = array<i64: 1>} {
    %zero = arith.constant 0.000000e+00 : f32
    sched.nest @n0 #sched.block_rows<rows = 4, width = 8, warps = 4> why "4 rows of 6 elements, 4 for each program" {
      linalg.fill ins(%zero : f32) outs(%t : memref<4xf32, #dev.on<"cuda">>)
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4x6xf32, #dev.on<"cuda">>) outs(%t : memref<4xf32, #dev.on<"cuda">>) {
      ^bb0(%a: f32, %o: f32):
        %q = arith.mulf %a, %a : f32
        %s = arith.addf %o, %q : f32
        linalg.yield %s : f32
      }
      linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t : memref<4xf32, #dev.on<"cuda">>) outs(%y : memref<4xf32, #dev.on<"cuda">>) {
      ^bb0(%a_1: f32, %o_1: f32):
        %s_1 = math.sqrt %a_1 : f32
        linalg.yield %s_1 : f32
      }
    }
    func.return
  }

  // Nothing to compute: no kernel and no launch.
  // CHECK-NOT: @nothing
  func.func private @nothing(%x: memref<0x6xf32, #dev.on<"cuda">>, %y: memref<0x6xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.exp"]>} {
    func.return
  }

  // CHECK-LABEL: func.func @main
  // CHECK:         plan.launch @two_sums(%x) -> (%r, %c)
  // CHECK-NEXT:    plan.launch @two_sums_1(%x) -> (%r, %c)
  // CHECK-NEXT:    plan.launch @norm(%x) -> ({{.*}}, %y)
  // CHECK-NEXT:    func.return
  func.func @main(%x: memref<4x6xf32, #dev.on<"cuda">>, %e: memref<0x6xf32, #dev.on<"cuda">>, %r: memref<4xf32, #dev.on<"cuda">>, %c: memref<6xf32, #dev.on<"cuda">>, %y: memref<4xf32, #dev.on<"cuda">>, %f: memref<0x6xf32, #dev.on<"cuda">>) {
    %arena = plan.arena "cuda" : memref<64xi8, #dev.on<"cuda">>
    %t = plan.buffer %arena id 0 offset 0 bytes 16 live 1 to 1 : memref<64xi8, #dev.on<"cuda">> -> memref<4xf32, #dev.on<"cuda">>
    plan.launch @two_sums(%x) -> (%r, %c) : (memref<4x6xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>, memref<6xf32, #dev.on<"cuda">>)
    plan.launch @norm(%x) -> (%t, %y) : (memref<4x6xf32, #dev.on<"cuda">>) -> (memref<4xf32, #dev.on<"cuda">>, memref<4xf32, #dev.on<"cuda">>)
    plan.launch @nothing(%e) -> (%f) : (memref<0x6xf32, #dev.on<"cuda">>) -> (memref<0x6xf32, #dev.on<"cuda">>)
    func.return
  }
}

// -----

// A schedule that is not legal says why.
// CHECK: the nest @n0 of the kernel @too_large cannot have the schedule #sched.block_rows<rows = 4, width = 1048576, warps = 4>: a block of 4 x 1048576 has more than Triton's 1048576 elements
func.func private @too_large(%x: memref<4x6xf32, #dev.on<"cuda">>, %r: memref<4xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "reduction", ["nn.reduce_sum"]>} {
  sched.nest @n0 #sched.block_rows<rows = 4, width = 1048576, warps = 4> why "by hand" {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4x6xf32, #dev.on<"cuda">>) outs(%r : memref<4xf32, #dev.on<"cuda">>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %o, %a : f32
      linalg.yield %s : f32
    }
  }
  func.return
}

// -----

// Nor does the GPU compute what is scheduled for the CPU.
// CHECK: the nest @n0 of the kernel @elsewhere cannot have the schedule #sched.elements<spread = 0, grain = none>: 'elements' computes no kernels of the device 'cuda'
func.func private @elsewhere(%x: memref<4xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.fill"]>} {
  %one = arith.constant 1.0 : f32
  sched.nest @n0 #sched.elements<spread = 0, grain = none> why "by hand" {
    linalg.fill ins(%one : f32) outs(%x : memref<4xf32, #dev.on<"cuda">>)
  }
  func.return
}

// -----

// No op is left out.
// CHECK: 'linalg.fill' of the kernel @unscheduled has no schedule; run choose-schedules first
func.func private @unscheduled(%x: memref<4xf32, #dev.on<"cuda">>) attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.fill"]>} {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%x : memref<4xf32, #dev.on<"cuda">>)
  func.return
}
