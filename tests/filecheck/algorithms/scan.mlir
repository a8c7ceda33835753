// RUN: devproc-opt %s -p 'choose-schedules{algorithms=scan},expand-schedules' --split-input-file | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 256>>} {

// A block of columns is walked down; what is carried stays in registers. What is left
// over is a vector of that length.
// CHECK-LABEL: @columns
// CHECK:       scf.if
// CHECK:         scf.for %[[I:.*]] = {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (vector<32xf64>)
// CHECK-NEXT:      %[[X:.*]] = vector.load %{{.*}}[%{{.*}}, %[[I]], %{{.*}}] : memref<1x9x71xf32>, vector<32xf32>
// CHECK-NEXT:      %[[W:.*]] = arith.extf %[[X]] : vector<32xf32> to vector<32xf64>
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[A]], %[[W]] : vector<32xf64>
// CHECK-NEXT:      %[[Y:.*]] = arith.truncf %[[S]] : vector<32xf64> to vector<32xf32>
// CHECK-NEXT:      vector.store %[[Y]]
// CHECK-NEXT:      scf.yield %[[S]]
// CHECK:       } else {
// CHECK:         scf.for {{.*}} -> (vector<7xf64>)
// CHECK:           vector.load {{.*}} vector<7xf32>
func.func private @columns(%x: memref<9x71xf32>, %y: memref<9x71xf32>) attributes {dev.kernel = #dev.kernel<"cpu", "scan", ["nn.cumsum"]>} {
  linalg_ext.scan %x into %y axis 0 start [0.000000e+00 : f64] {
  ^bb0(%before: f64, %here: f64):
    %sum = arith.addf %before, %here : f64
    linalg.yield %sum : f64
  } : (memref<9x71xf32>, memref<9x71xf32>) -> ()
  func.return
}

// A row by itself: each lane and the one before it, then the two before them.
// CHECK-LABEL: @row
// CHECK:       scf.for %[[I:.*]] = {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (vector<4xi64>)
// CHECK-NEXT:    %[[X:.*]] = vector.load
// CHECK-NEXT:    %[[B:.*]] = vector.shuffle %{{.*}}, %[[X]] [3, 4, 5, 6]
// CHECK-NEXT:    %[[S:.*]] = arith.addi %[[B]], %[[X]]
// CHECK-NEXT:    %[[C:.*]] = vector.shuffle %{{.*}}, %[[S]] [2, 3, 4, 5]
// CHECK-NEXT:    %[[T:.*]] = arith.addi %[[C]], %[[S]]
// CHECK-NEXT:    %[[R:.*]] = arith.addi %[[A]], %[[T]]
// CHECK-NEXT:    vector.store %[[R]]
// CHECK-NEXT:    %[[L:.*]] = vector.shuffle %[[T]], %[[T]] [3, 3, 3, 3]
// CHECK-NEXT:    %[[N:.*]] = arith.addi %[[A]], %[[L]]
// CHECK-NEXT:    scf.yield %[[N]]
// CHECK:       vector.load {{.*}} vector<3xi64>
func.func private @row(%x: memref<103xi64>, %y: memref<103xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "scan", ["nn.cumsum"]>} {
  linalg_ext.scan %x into %y axis 0 start [0 : i64] {
  ^bb0(%before: i64, %here: i64):
    %sum = arith.addi %before, %here : i64
    linalg.yield %sum : i64
  } : (memref<103xi64>, memref<103xi64>) -> ()
  func.return
}

// Four rows at once, turned over: as many combinations as columns, then turned back. The
// fifth row is a row by itself.
// CHECK-LABEL: @rows
// CHECK:       scf.for
// CHECK-COUNT-4: vector.load
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: arith.addi
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: vector.store
// CHECK:         scf.yield
// CHECK:       scf.for
// CHECK:         vector.load
// CHECK-NEXT:    vector.shuffle %{{.*}}, %{{.*}} [3, 4, 5, 6]
func.func private @rows(%x: memref<5x100xi64>, %y: memref<5x100xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "scan", ["nn.cumsum"]>} {
  linalg_ext.scan %x into %y axis 1 start [0 : i64] {
  ^bb0(%before: i64, %here: i64):
    %sum = arith.addi %before, %here : i64
    linalg.yield %sum : i64
  } : (memref<5x100xi64>, memref<5x100xi64>) -> ()
  func.return
}

// Rows shorter than a vector: one element after the other, no loop.
// CHECK-LABEL: @short
// CHECK:       scf.for
// CHECK-NOT:     scf.for
// CHECK-COUNT-3: memref.store
func.func private @short(%x: memref<50x3xi64>, %y: memref<50x3xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "scan", ["nn.cumsum"]>} {
  linalg_ext.scan %x into %y axis 1 start [0 : i64] {
  ^bb0(%before: i64, %here: i64):
    %sum = arith.addi %before, %here : i64
    linalg.yield %sum : i64
  } : (memref<50x3xi64>, memref<50x3xi64>) -> ()
  func.return
}

// The place along the axis is the same for all columns.
// CHECK-LABEL: @places
// CHECK:       scf.for %[[I:[0-9]+]] = {{.*}} -> (vector<11xf64>, vector<11xi64>)
// CHECK:         %[[P:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK-NEXT:    %[[Q:.*]] = vector.broadcast %[[P]]
// CHECK-COUNT-2: vector.store
func.func private @places(%x: memref<2x9x11xf64>, %v: memref<2x9x11xf64>, %i: memref<2x9x11xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "scan", ["nn.cummax"]>} {
  linalg_ext.scan %x into %v, %i axis 1 start [0xfff0000000000000 : f64, 0 : i64] {
  ^bb0(%a: f64, %p: i64, %b: f64, %q: i64):
    %later = arith.cmpf oge, %b, %a : f64
    %value = arith.select %later, %b, %a : f64
    %place = arith.select %later, %q, %p : i64
    linalg.yield %value, %place : f64, i64
  } : (memref<2x9x11xf64>, memref<2x9x11xf64>, memref<2x9x11xi64>) -> ()
  func.return
}

// Nothing to do.
// CHECK-LABEL: @empty
// CHECK-NEXT:  func.return
func.func private @empty(%x: memref<5x0xi64>, %y: memref<5x0xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "scan", ["nn.cumsum"]>} {
  linalg_ext.scan %x into %y axis 1 start [0 : i64] {
  ^bb0(%before: i64, %here: i64):
    %sum = arith.addi %before, %here : i64
    linalg.yield %sum : i64
  } : (memref<5x0xi64>, memref<5x0xi64>) -> ()
  func.return
}
}

// -----

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 256>>} {

// Groups of rows are spread over threads, and blocks of columns.
// CHECK-LABEL: @threads
// CHECK:       "scf.parallel"
// CHECK:       grain = {{.*}} : i64
// CHECK:       "scf.parallel"
// CHECK-NEXT:  ^bb0(%{{.*}}: index, %{{.*}}: index):
func.func private @threads(%x: memref<512x300xi64>, %y: memref<512x300xi64>, %z: memref<512x300xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "scan", ["nn.cumsum"]>} {
  linalg_ext.scan %x into %y axis 1 start [0 : i64] {
  ^bb0(%before: i64, %here: i64):
    %sum = arith.addi %before, %here : i64
    linalg.yield %sum : i64
  } : (memref<512x300xi64>, memref<512x300xi64>) -> ()
  linalg_ext.scan %x into %z axis 0 start [0 : i64] {
  ^bb0(%before_1: i64, %here_1: i64):
    %sum_1 = arith.addi %before_1, %here_1 : i64
    linalg.yield %sum_1 : i64
  } : (memref<512x300xi64>, memref<512x300xi64>) -> ()
  func.return
}
}
