// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: sched.nest @n0 wraps no op
func.func private @k() {
  sched.nest @n0 #sched.padding<lanes = 16> why "empty" {
  ^bb0:
  }
  func.return
}

// -----

// CHECK: sched.nest wraps structured ops without results, not 'arith.constant'
func.func private @k() {
  sched.nest #sched.padding<lanes = 16> why "a constant" {
    %zero = arith.constant 0.0 : f32
  }
  func.return
}

// -----

// CHECK: sched.nest @n0 wraps structured ops without results, not 'linalg.fill'
func.func private @k(%x: tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "on tensors" {
    %y = linalg.fill ins(%zero : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  }
  func.return
}

// -----

// CHECK: sched.nest @n0 needs a reason of one line
func.func private @k(%y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
  }
  func.return
}

// -----

// CHECK: sched.nest @n0 takes no block arguments
func.func private @k(%y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "arguments" {
  ^bb0(%a: index):
    linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
  }
  func.return
}

// -----

// CHECK: two nests of one kernel are named @n0
func.func private @k(%y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #sched.padding<lanes = 16> why "first" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
  }
  sched.nest @n0 #sched.padding<lanes = 16> why "second" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
  }
  func.return
}

// -----

// CHECK: #dev.on<"cpu"> should be of attribute subclassing `Schedule`
func.func private @k(%y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.nest @n0 #dev.on<"cpu"> why "no schedule" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
  }
  func.return
}

// -----

// CHECK: sched.variants @n0 has 1 schedules, it cannot take number 1
func.func private @k(%y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.variants @n0 [
    #sched.variant<schedule = #sched.padding<lanes = 16>, time = 3.0, by = measured>
  ] take 1 why "out of range" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
  }
  func.return
}

// -----

// CHECK: sched.variants @n0 has the schedule #sched.padding<lanes = 16> twice
func.func private @k(%y: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  sched.variants @n0 [
    #sched.variant<schedule = #sched.padding<lanes = 16>, time = 3.0, by = measured>,
    #sched.variant<schedule = #sched.padding<lanes = 16>, time = 4.0, by = measured>
  ] take 0 why "equal schedules" {
    linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
  }
  func.return
}
