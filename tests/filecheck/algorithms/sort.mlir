// RUN: devproc-opt %s -p 'choose-schedules{algorithms=sort},expand-schedules' | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 256>>} {

// Rows are spread over threads. A block of four vectors meets the elements before it, its
// own and those behind it; then each element's place goes where its rank says.
// CHECK-LABEL: @short
// CHECK:       %[[OWN:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// CHECK:       "scf.parallel"
// CHECK-NEXT:  ^bb0(%[[R:.*]]: index):
// CHECK:         memref.alloca
// CHECK:         %[[RANKS:.*]] = memref.alloca
// CHECK:         memref.load %x[%[[R]], %{{.*}}]
// CHECK:         scf.for %[[START:.*]] =
// CHECK:           %[[END:.*]] = arith.minui
// CHECK:           %[[MINE:.*]] = vector.load
// CHECK:           scf.for %{{.*}} = %{{.*}} to %[[START]] step
// CHECK:             simd.cmpi sgt, %{{.*}}, %[[MINE]]
// CHECK:             arith.subi %{{.*}} : vector<8xi32>
// CHECK:           scf.for %{{.*}} = %[[START]] to %[[END]] step
// CHECK:             %[[LESS:.*]] = simd.cmpi slt, %{{.*}}, %[[MINE]]
// CHECK:             %[[EARLIER:.*]] = simd.cmpi slt, %{{.*}}, %[[OWN]]
// CHECK:             %[[EQUAL:.*]] = simd.cmpi eq, %{{.*}}, %[[MINE]]
// CHECK:             %[[TIE:.*]] = arith.andi %[[EARLIER]], %[[EQUAL]]
// CHECK:             arith.ori %[[LESS]], %[[TIE]]
// CHECK:           scf.for %{{.*}} = %[[END]] to %{{.*}} step
// CHECK:             simd.cmpi slt, %{{.*}}, %[[MINE]]
// CHECK:             arith.addi %{{.*}} : vector<8xi32>
// CHECK:         vector.store %{{.*}}, %[[RANKS]]
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[RANK:.*]] = memref.load %[[RANKS]][%[[I]]]
// CHECK:           %[[AT:.*]] = arith.index_cast %[[RANK]] : i32 to index
// CHECK:           %[[PLACE:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK:           memref.store %[[PLACE]], %i[%[[R]], %[[AT]]]
func.func private @short(%x: memref<64x100xi32>, %i: memref<64x100xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "sort", ["nn.sort"]>} {
  linalg_ext.sort %x into %i : (memref<64x100xi32>, memref<64x100xi64>) -> ()
  func.return
}

// All four digits are counted in one pass; one in which not all elements agree moves them
// from one copy into the other.
// CHECK-LABEL: @long
// CHECK:       "scf.parallel"
// CHECK-NEXT:  ^bb0(%[[R:.*]]: index):
// CHECK:         %[[COUNTS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4x256xi64
// CHECK:         scf.for
// CHECK-COUNT-4:   memref.store %{{.*}}, %[[COUNTS]]
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           arith.shli
// CHECK:           memref.store %{{.*}}, %room[%[[R]], %{{.*}}, %[[I]]]
// CHECK-COUNT-4:   memref.load %[[COUNTS]]
// CHECK:         %[[COPY:.*]] = scf.for %[[DIGIT:[0-9]+]] = {{.*}} iter_args(%[[FROM:.*]] = %{{.*}}) -> (index) {
// CHECK:           %[[TO:.*]] = arith.subi %{{.*}}, %[[FROM]] : index
// CHECK:           %[[DIFFER:.*]] = arith.cmpi ne,
// CHECK:           scf.if %[[DIFFER]] {
// CHECK:             scf.for %{{.*}} iter_args
// CHECK:             scf.for %[[K:.*]] =
// CHECK:               %[[PAIR:.*]] = memref.load %room[%[[R]], %[[FROM]], %[[K]]]
// CHECK:               memref.load %[[COUNTS]][%[[DIGIT]], %{{.*}}]
// CHECK:               memref.store %[[PAIR]], %room[%[[R]], %[[TO]], %{{.*}}]
// CHECK:               memref.store %{{.*}}, %[[COUNTS]][%[[DIGIT]], %{{.*}}]
// CHECK:           arith.select %[[DIFFER]], %[[TO]], %[[FROM]]
// CHECK:         scf.for
// CHECK:           memref.load %room[%[[R]], %[[COPY]], %{{.*}}]
// CHECK:           memref.store %{{.*}}, %i
func.func private @long(%x: memref<64x1000xi32>, %i: memref<64x1000xi64>, %room: memref<64x2x1000xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "sort", ["nn.sort"]>} {
  linalg_ext.sort %x into %i, %room : (memref<64x1000xi32>, memref<64x1000xi64>, memref<64x2x1000xi64>) -> ()
  func.return
}

// 64 bits are two words of four digits; the second is read by the places that the first
// one left.
// CHECK-LABEL: @wide
// CHECK:       scf.for
// CHECK:       scf.for %[[I:.*]] =
// CHECK:         arith.index_cast %[[I]] : index to i64
// CHECK:         arith.shli
// CHECK:       %[[COPY:.*]] = scf.for
// CHECK:         arith.select
// CHECK:       scf.for
// CHECK:       scf.for %[[J:.*]] =
// CHECK:         %[[PAIR:.*]] = memref.load %room[%[[COPY]], %[[J]]]
// CHECK:         %[[PLACE:.*]] = arith.andi %[[PAIR]],
// CHECK:         %[[AT:.*]] = arith.index_cast %[[PLACE]] : i64 to index
// CHECK:         memref.load %x[%[[AT]]]
// CHECK:         memref.store %{{.*}}, %room[%[[COPY]], %[[J]]]
func.func private @wide(%x: memref<300xi64>, %i: memref<300xi64>, %room: memref<2x300xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "sort", ["nn.sort"]>} {
  linalg_ext.sort %x into %i, %room : (memref<300xi64>, memref<300xi64>, memref<2x300xi64>) -> ()
  func.return
}

// The first three: a list into which few of the others get, each from its end. Blocks of
// which none gets in are not looked at one by one.
// CHECK-LABEL: @first_three
// CHECK:       %[[LAST:.*]] = arith.constant 2 : index
// CHECK:       %[[LIST:.*]] = memref.alloca() {alignment = 64 : i64} : memref<3xi32
// CHECK:       scf.for %{{.*}} =
// CHECK:         scf.for %{{.*}} iter_args
// CHECK:       scf.for %{{.*}} =
// CHECK-COUNT-4: vector.load %x
// CHECK:         %[[ANY:.*]] = vector.reduction <or>
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[X:.*]] = memref.load %x[%[[I]]]
// CHECK:           %[[LEAST:.*]] = memref.load %[[LIST]][%[[LAST]]]
// CHECK:           %[[BEFORE:.*]] = arith.cmpi slt, %[[X]], %[[LEAST]] : i32
// CHECK:           scf.if %[[BEFORE]] {
// CHECK:             scf.for %{{.*}} iter_args
// CHECK:               memref.store %{{.*}}, %[[LIST]]
// CHECK:               memref.store %{{.*}}, %i
func.func private @first_three(%x: memref<99xi32>, %i: memref<3xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "sort", ["nn.sort"]>} {
  linalg_ext.sort %x into %i : (memref<99xi32>, memref<3xi64>) -> ()
  func.return
}

// Between the smallest and the largest element, until the bounds meet; then the place.
// CHECK-LABEL: @median
// CHECK:       %[[LEAST:.*]] = arith.minsi %{{.*}}, %{{.*}} : i64
// CHECK:       %[[MOST:.*]] = arith.maxsi %{{.*}}, %{{.*}} : i64
// CHECK:       scf.while (%{{.*}} = %[[LEAST]], %{{.*}} = %[[MOST]]
// CHECK:         arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// CHECK:         scf.condition
// CHECK:         arith.shrui
// CHECK:         scf.for
// CHECK-COUNT-2:   simd.cmpi sgt
// CHECK:         vector.reduction <add>
// CHECK:       scf.while
// CHECK:         memref.load %x
// CHECK:         arith.cmpi eq
// CHECK:       memref.store %{{.*}}, %i
func.func private @median(%x: memref<201xi64>, %k: memref<1xi64>, %i: memref<1xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "sort", ["nn.kth_value"]>} {
  linalg_ext.kth_value %x at %k into %i : (memref<201xi64>, memref<1xi64>, memref<1xi64>) -> ()
  func.return
}

// With room, the search goes on with what is left when that is no more than 3125.
// CHECK-LABEL: @median_of_many
// CHECK:       arith.constant 3125 : index
// CHECK:       scf.while
// CHECK:         scf.yield
// CHECK:       %[[COUNT:[0-9]+]] = scf.for {{.*}} -> (index)
// CHECK:         vector.reduction <or>
// CHECK:         memref.store %{{.*}}, %room
// CHECK:       scf.while
// CHECK:         arith.divui %[[COUNT]],
// CHECK:         vector.load %room
// CHECK:       scf.while
// CHECK:         memref.load %x
func.func private @median_of_many(%x: memref<50000xi32>, %k: memref<1xi64>, %i: memref<1xi64>, %room: memref<3126xi32>) attributes {dev.kernel = #dev.kernel<"cpu", "sort", ["nn.kth_value"]>} {
  linalg_ext.kth_value %x at %k into %i, %room : (memref<50000xi32>, memref<1xi64>, memref<1xi64>, memref<3126xi32>) -> ()
  func.return
}

// Smaller than the last one, or equal and not behind it.
// CHECK-LABEL: @first_hundred
// CHECK:       %[[LAST:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK:       %[[KEY:.*]] = memref.load %x[%[[LAST]]]
// CHECK:       vector.reduction <or>
// CHECK:         scf.for %[[I:[0-9]+]] =
// CHECK:           %[[EQUAL:.*]] = arith.cmpi eq, %{{.*}}, %[[KEY]] : i32
// CHECK:           %[[BEFORE:.*]] = arith.cmpi sle, %[[I]], %[[LAST]] : index
// CHECK:           arith.andi %[[EQUAL]], %[[BEFORE]] : i1
// CHECK:           memref.store %{{.*}}, %i
func.func private @first_hundred(%x: memref<1000xi32>, %last: memref<1xi64>, %i: memref<100xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "sort", ["nn.sort"]>} {
  linalg_ext.first_places %x up_to %last into %i : (memref<1000xi32>, memref<1xi64>, memref<100xi64>) -> ()
  func.return
}

// Nothing to sort.
// CHECK-LABEL: @empty
// CHECK-NOT:   scf
// CHECK:       func.return
func.func private @empty(%x: memref<2x0xi32>, %i: memref<2x0xi64>) attributes {dev.kernel = #dev.kernel<"cpu", "sort", ["nn.sort"]>} {
  linalg_ext.sort %x into %i : (memref<2x0xi32>, memref<2x0xi64>) -> ()
  func.return
}
}
