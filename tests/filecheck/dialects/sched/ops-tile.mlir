// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// CHECK-LABEL: func.func private @tiles
func.func private @tiles(%y: memref<49x144xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  sched.nest @n0 #sched.padding<lanes = 16> why "a fill" {
    linalg.fill ins(%zero : f32) outs(%y : memref<49x144xf32>)
  }
  scf.for %i = %c0 to %c7 step %c1 {
    %row = arith.muli %i, %c7 : index
    // CHECK: sched.tile @n0 at [%row, %c0] size [7, 144]
    sched.tile @n0 at [%row, %c0] size [7, 144]
    // The loops were merged into one.
    // CHECK-NEXT: sched.tile @n0 at [%c0] size [7056] {note}
    sched.tile @n0 at [%c0] size [7056] {note}
  }
  func.return
}

// CHECK-LABEL: func.func private @linear
func.func private @linear(%x: memref<49x100xf32>, %p: memref<3x100x48xf32>, %y: memref<49x144xf32>,
                          %row: index, %panel: index, %column: index, %k: index,
                          %a: vector<7x48xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK:      %r = sched.read %x[%row, %k] along [0] : memref<49x100xf32>, vector<7xf32>
  %r = sched.read %x[%row, %k] along [0] : memref<49x100xf32>, vector<7xf32>
  // CHECK-NEXT: %c = sched.read %p[%panel, %k, %c0] along [2] : memref<3x100x48xf32>, vector<48xf32>
  %c = sched.read %p[%panel, %k, %c0] along [2] : memref<3x100x48xf32>, vector<48xf32>
  // CHECK-NEXT: sched.prefetch %p[%panel] share %row of 7 term %k of 100 : memref<3x100x48xf32>
  sched.prefetch %p[%panel] share %row of 7 term %k of 100 : memref<3x100x48xf32>
  // CHECK-NEXT: %n = sched.outer %r, %c, %a : vector<7xf32>, vector<48xf32> -> vector<7x48xf32>
  %n = sched.outer %r, %c, %a : vector<7xf32>, vector<48xf32> -> vector<7x48xf32>
  // CHECK-NEXT: sched.write %n, %y[%row, %column] along [0, 1] : vector<7x48xf32>, memref<49x144xf32>
  sched.write %n, %y[%row, %column] along [0, 1] : vector<7x48xf32>, memref<49x144xf32>
  // CHECK-NEXT: %t = sched.read %y[%c0, %c0] along [1, 0] : memref<49x144xf32>, vector<16x8xf32>
  %t = sched.read %y[%c0, %c0] along [1, 0] : memref<49x144xf32>, vector<16x8xf32>
  func.return
}

// CHECK-LABEL: func.func private @widened
func.func private @widened(%r: vector<7xbf16>, %c: vector<48xbf16>, %a: vector<7x48xf32>) {
  // CHECK: %n = sched.outer %r, %c, %a : vector<7xbf16>, vector<48xbf16> -> vector<7x48xf32>
  %n = sched.outer %r, %c, %a : vector<7xbf16>, vector<48xbf16> -> vector<7x48xf32>
  func.return
}
