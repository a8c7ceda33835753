// RUN: devproc-opt %s -p convert-to-llvm --split-input-file --verify-diagnostics | filecheck %s

// CHECK: in @segment_0 ({{.*}}): 'math.exp' is not an instruction of any CPU; run the pass expand-math first
func.func private @segment_0(%m: memref<f32>) {
  %x = memref.load %m[] : memref<f32>
  %y = math.exp %x : f32
  memref.store %y, %m[] : memref<f32>
  func.return
}

// -----

// CHECK: in @segment_0 ({{.*}}): 'linalg.fill' has no rule; an earlier stage must remove it
func.func private @segment_0(%m: memref<4xf32>) {
  %x = arith.constant 0.0 : f32
  linalg.fill ins(%x : f32) outs(%m : memref<4xf32>)
  func.return
}

// -----

// CHECK: @segment_0: memref<?xf32> is not static: every size and stride
func.func private @segment_0(%m: memref<?xf32>) {
  func.return
}

// -----

// CHECK: 'memref.cast' has a type that cannot be lowered: memref<?xf32> is not static
func.func private @segment_0(%m: memref<4xf32>) {
  %x = "memref.cast"(%m) : (memref<4xf32>) -> memref<?xf32>
  func.return
}

// -----

// CHECK: 'arith.constant' has a type that cannot be lowered: type vector<4x4xf32> cannot be converted to llvm
func.func private @segment_0(%m: memref<4x4xf32>) {
  %x = arith.constant dense<1.0> : vector<4x4xf32>
  func.return
}

// -----

// CHECK: needs 4000000 bytes of stack; the limit is 1048576: allocate it as scratch of the memory plan
func.func private @segment_0(%m: memref<4xf32>) {
  %x = memref.alloca() : memref<1000000xf32>
  func.return
}

// -----

// CHECK: 'scf.parallel' needs constant bounds and positive constant steps
func.func private @segment_0(%m: memref<4xindex>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = memref.load %m[%zero] : memref<4xindex>
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// -----

// CHECK: 'scf.parallel' has grain 0 : i64; it must be a positive integer
func.func private @segment_0(%m: memref<4xindex>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  "scf.parallel"(%zero, %four, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    scf.reduce
  }) {grain = 0 : i64} : (index, index, index) -> ()
  func.return
}

// -----

// CHECK: a CPU function calls @other {{.*}}, which is not a CPU function
func.func private @other()
func.func private @segment_0(%m: memref<4xf32>) {
  func.call @other() : () -> ()
  func.return
}

// -----

// CHECK: @segment_0 returns 1 values; a CPU function writes its results to memrefs
func.func private @segment_0(%m: memref<4xf32>) -> memref<4xf32> {
  func.return %m : memref<4xf32>
}

// -----

// CHECK: operand 0 of @segment_0 is a i32; the operands of a segment are memrefs
func.func private @segment_0(%x: i32) {
  func.return
}

// -----

// CHECK: 'scf.for' has step 0; it must be positive
func.func private @segment_0(%m: memref<4xf32>) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  scf.for %i = %zero to %four step %zero {
  }
  func.return
}
