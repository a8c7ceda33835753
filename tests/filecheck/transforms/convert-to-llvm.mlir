// RUN: devproc-opt %s -p convert-to-llvm | filecheck %s

// Functions of other devices and the host function stay as they are.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    func.return
func.func @main(%x: memref<4xf32>) {
  func.return
}
// CHECK-LABEL: func.func private @on_gpu
func.func private @on_gpu(%x: memref<4xf32>)
    attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", []>} {
  func.return
}

// A parallel loop becomes the function of its body, the function the pool calls, and a
// call of the pool. Two variables count one linear index.
// CHECK-LABEL: llvm.func internal @add_parallel_0(
// CHECK-SAME:    %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr {llvm.noalias
// CHECK:         [[J:%.*]] = llvm.urem %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:    [[I:%.*]] = llvm.udiv %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:    [[ROW:%.*]] = llvm_ext.getelementptr %{{.*}}[[[I]]] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<5 x f32>
// CHECK-NEXT:    %{{.*}} = llvm_ext.getelementptr [[ROW]][[[J]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK:         llvm.cond_br
// CHECK-LABEL: llvm.func internal @add_parallel_0_chunk(
// CHECK-SAME:    [[CTX:%[0-9]+]]: !llvm.ptr, [[CHUNK:%[0-9]+]]: i64)
// CHECK:         [[X:%.*]] = llvm.load [[CTX]] {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
// CHECK:         llvm.mul [[CHUNK]], %{{.*}} overflow<nsw> : i64
// CHECK:         llvm_ext.intr.smin
// CHECK:         llvm.call @add_parallel_0(
// CHECK-LABEL: llvm.func internal @add(
// CHECK:         [[CHUNKS:%.*]] = llvm.mlir.constant(4) : i64
// CHECK-NEXT:    [[STACK:%.*]] = llvm.alloca %{{.*}} x !llvm.struct<(!llvm.ptr)> {alignment = 64 : i64}
// CHECK:         llvm.store %x, [[STACK]] {alignment = 8 : i64}
// CHECK-NEXT:    [[BODY:%.*]] = llvm.mlir.addressof @add_parallel_0_chunk
// CHECK-NEXT:    llvm.call @devproc_parallel_for([[BODY]], [[STACK]], [[CHUNKS]])
func.func private @add(%x: memref<4x5xf32> {llvm.noalias})
    attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", []>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %five = arith.constant 5 : index
  "scf.parallel"(%zero, %zero, %four, %five, %one, %one)
      <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %v = memref.load %x[%i, %j] : memref<4x5xf32>
    %w = arith.addf %v, %v fastmath<contract> : f32
    memref.store %w, %x[%i, %j] : memref<4x5xf32>
    scf.reduce
  }) {grain = 6 : i64} : (index, index, index, index, index, index) -> ()
  func.return
}

// One chunk needs no pool, and a loop that runs once is no loop.
// CHECK-LABEL: llvm.func internal @once(
// CHECK-NOT:     llvm.br
// CHECK-NOT:     llvm.call
// CHECK:         llvm.return
func.func private @once(%x: memref<1xf32>)
    attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", []>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  "scf.parallel"(%zero, %one, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %v = memref.load %x[%i] : memref<1xf32>
    memref.store %v, %x[%i] : memref<1xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// A bound that is not known before run time needs a test before the loop.
// CHECK-LABEL: llvm.func internal @guarded(
// CHECK:         [[N:%.*]] = llvm.load
// CHECK:         [[ANY:%.*]] = llvm.icmp "slt" %{{.*}}, [[N]] : i64
// CHECK-NEXT:    llvm.cond_br [[ANY]], ^[[LOOP:.*]](%{{.*}}, %{{.*}} : i64, i64), ^[[END:.*]](%{{.*}} : i64)
// CHECK-NEXT:  ^[[LOOP]]([[IV:%.*]]: i64, [[SUM:%.*]]: i64):
// CHECK-NEXT:    [[NEW:%.*]] = llvm.add [[SUM]], [[IV]] : i64
// CHECK-NEXT:    [[NEXT:%.*]] = llvm.add [[IV]], %{{.*}} overflow<nsw> : i64
// CHECK-NEXT:    [[MORE:%.*]] = llvm.icmp "slt" [[NEXT]], [[N]] : i64
// CHECK-NEXT:    llvm.cond_br [[MORE]], ^[[LOOP]]([[NEXT]], [[NEW]] : i64, i64), ^[[END]]([[NEW]] : i64)
func.func private @guarded(%x: memref<2xi64>)
    attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", []>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = memref.load %x[%zero] : memref<2xi64>
  %end = arith.index_cast %n : i64 to index
  %sum = scf.for %i = %zero to %end step %one iter_args(%s = %zero) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  %result = arith.index_cast %sum : index to i64
  memref.store %result, %x[%one] : memref<2xi64>
  func.return
}

// An address takes one step for each index, where that index changes: rows in the outer
// loop, columns in the inner one, constants in the access. The two accesses of a row of %x
// share all but the constant. What steps by more than an element takes is counted: here
// 40 bytes, a row of %t.
// CHECK-LABEL: llvm.func internal @addresses(
// CHECK-SAME:    [[X:%.*]]: !llvm.ptr {{.*}}, [[T:%.*]]: !llvm.ptr
// CHECK:         llvm.br ^[[OUTER:.*]](%{{.*}} : i64)
// CHECK-NEXT:  ^[[OUTER]]([[I:%.*]]: i64):
// CHECK-NEXT:    [[XROW:%.*]] = llvm_ext.getelementptr [[X]][[[I]]] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<40 x f32>
// CHECK-NEXT:    [[TROW:%.*]] = llvm_ext.getelementptr [[T]][[[I]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:    llvm.br ^[[INNER:.*]](%{{.*}}, %{{.*}} : i64, i64)
// CHECK-NEXT:  ^[[INNER]]([[J:%.*]]: i64, [[BYTES:%.*]]: i64):
// CHECK-NEXT:    [[P:%.*]] = llvm_ext.getelementptr [[XROW]][[[J]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:    [[A:%.*]] = llvm.load [[P]]
// CHECK-NEXT:    [[Q:%.*]] = llvm_ext.getelementptr [[P]][23] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-NEXT:    [[B:%.*]] = llvm.load [[Q]]
// CHECK-NEXT:    [[S:%.*]] = llvm.fadd [[A]], [[B]]
// CHECK-NEXT:    [[R:%.*]] = llvm_ext.getelementptr [[TROW]][[[BYTES]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT:    llvm.store [[S]], [[R]]
// CHECK-NEXT:    [[JNEXT:%.*]] = llvm.add [[J]], %{{.*}} overflow<nsw> : i64
// CHECK-NEXT:    [[MORE:%.*]] = llvm.icmp "slt" [[JNEXT]], %{{.*}} : i64
// CHECK-NEXT:    [[BNEXT:%.*]] = llvm.add [[BYTES]], %{{.*}} : i64
// CHECK-NEXT:    llvm.cond_br [[MORE]], ^[[INNER]]([[JNEXT]], [[BNEXT]] : i64, i64), ^{{.*}}
func.func private @addresses(%x: memref<10x2x20xf32>, %t: memref<17x10xf32>)
    attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", []>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %ten = arith.constant 10 : index
  %seventeen = arith.constant 17 : index
  scf.for %i = %zero to %ten step %one {
    scf.for %j = %zero to %seventeen step %one {
      %a = memref.load %x[%i, %zero, %j] : memref<10x2x20xf32>
      %k = arith.addi %j, %three : index
      %b = memref.load %x[%i, %one, %k] : memref<10x2x20xf32>
      %s = arith.addf %a, %b : f32
      memref.store %s, %t[%j, %i] : memref<17x10xf32>
    }
  }
  func.return
}

// Bools are bytes in memory; a view moves the pointer.
// CHECK-LABEL: llvm.func internal @memory(
// CHECK-SAME:    [[F:%.*]]: !llvm.ptr {{.*}}, [[B:%.*]]: !llvm.ptr
// CHECK:         [[V:%.*]] = llvm_ext.getelementptr [[F]][10] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-NEXT:    [[BYTES:%.*]] = llvm.load [[B]] {alignment = 1 : i64} : !llvm.ptr -> vector<4xi8>
// CHECK-NEXT:    [[MASK:%.*]] = llvm.icmp "ne" [[BYTES]], %{{.*}} : vector<4xi8>
// CHECK-NEXT:    [[P:%.*]] = llvm_ext.getelementptr [[V]][8] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-NEXT:    [[L:%.*]] = llvm_ext.intr.masked.load [[P]], [[MASK]], %{{.*}} {alignment = 4 : i32}
// CHECK-NEXT:    [[C:%.*]] = llvm_ext.fcmp "olt" [[L]], %{{.*}} : vector<4xf32>
// CHECK-NEXT:    [[S:%.*]] = llvm_ext.select [[C]], %{{.*}}, [[L]] : vector<4xi1>, vector<4xf32>
// CHECK-NEXT:    llvm.store [[S]], [[F]] {alignment = 64 : i64} : vector<4xf32>, !llvm.ptr
func.func private @memory(%f: memref<8x8xf32>, %b: memref<16xi1>)
    attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", []>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %other = arith.constant dense<0.0> : vector<4xf32>
  %v = memref.subview %f[1, 2] [4, 4] [1, 1]
    : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 10>>
  %mask = vector.load %b[%zero] : memref<16xi1>, vector<4xi1>
  %l = vector.maskedload %v[%one, %zero], %mask, %other
    : memref<4x4xf32, strided<[8, 1], offset: 10>>, vector<4xi1>, vector<4xf32>
    into vector<4xf32>
  %c = simd.cmpf olt, %l, %other : vector<4xf32> -> vector<4xi1>
  %s = simd.select %c, %other, %l : vector<4xi1>, vector<4xf32>
  vector.store %s, %f[%zero, %zero] {alignment = 64 : i64}
    : memref<8x8xf32>, vector<4xf32>
  func.return
}

// A segment gets a C entry that loads its operands from a table.
// CHECK-LABEL: llvm.func internal @segment_0(
// CHECK:         llvm.call @add(
// CHECK-LABEL: llvm.func @segment_0_entry(
// CHECK-SAME:    %table: !llvm.ptr)
// CHECK:         [[A:%.*]] = llvm.load %table {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
// CHECK:         [[SLOT:%.*]] = llvm_ext.getelementptr %table[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK:         [[D:%.*]] = llvm.load [[SLOT]] {alignment = 8 : i64}
// CHECK:         llvm.call @segment_0([[A]], [[D]])
func.func private @segment_0(%x: memref<4x5xf32>, %y: memref<1xf32>) {
  func.call @add(%x) : (memref<4x5xf32>) -> ()
  func.call @once(%y) : (memref<1xf32>) -> ()
  func.return
}

// CHECK:       llvm.func @devproc_parallel_for(!llvm.ptr, !llvm.ptr, i64)
