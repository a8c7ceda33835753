// RUN: devproc-opt %s -p mask-selected-loads | filecheck %s

!i = tensor<128xi32>
!b = tensor<128xi1>
!p = tensor<128x!triton.ptr<f32>>
!x = tensor<128xf32>

// Padding: bounded to itself means within the bounds, of which the lower one holds. A masked
// load gives the zeros.
// CHECK-LABEL: triton.func @pad(
triton.func @pad(%a: !triton.ptr<f32>, %y: !triton.ptr<f32>)
    attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %first = arith.constant 0 : i32
  %last = arith.constant 99 : i32
  %zero = arith.constant 0.0 : f32
  %low = triton.splat %first : i32 -> !i
  %high = triton.splat %last : i32 -> !i
  %zeros = triton.splat %zero : f32 -> !x
  // CHECK:      %[[I:.*]] = triton.arange
  // CHECK-NEXT: %[[M:.*]] = triton.compare "sle" %[[I]], %high
  // CHECK:      %[[A:.*]] = triton.addptr %a, %[[I]] :
  // CHECK:      %[[U:.*]] = triton.load %[[A]] mask %[[M]]
  // CHECK-NOT:  triton.where
  // CHECK:      triton.store %{{.*}}, %[[U]]
  %i = triton.arange : !i
  %0 = arith.maxsi %i, %low : !i
  %1 = arith.minsi %0, %high : !i
  %inside = triton.compare "eq" %1, %i : !i -> !b
  %2 = triton.addptr %a, %1 : !triton.ptr<f32>, !i -> !p
  %u = triton.load %2 : !p -> !x
  %w = triton.where %inside, %u, %zeros : !b, !x
  %3 = triton.addptr %y, %i : !triton.ptr<f32>, !i -> !p
  triton.store %3, %w : !p, !x
  triton.return
}

// A function of the zeros of a masked load may be another number, and so may the value that a
// load has outside of its own mask: the select stays.
// CHECK-LABEL: triton.func @pad_of_a_function(
triton.func @pad_of_a_function(%a: !triton.ptr<f32>, %y: !triton.ptr<f32>)
    attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %last = arith.constant 99 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %high = triton.splat %last : i32 -> !i
  %zeros = triton.splat %zero : f32 -> !x
  %ones = triton.splat %one : f32 -> !x
  %i = triton.arange : !i
  %0 = arith.minsi %i, %high : !i
  %inside = triton.compare "sle" %i, %high : !i -> !b
  %1 = triton.addptr %a, %0 : !triton.ptr<f32>, !i -> !p
  // CHECK:      %[[E:.*]] = math.exp
  // CHECK-NEXT: %[[W:.*]] = triton.where %inside, %[[E]], %zeros
  // CHECK-NEXT: %[[P:.*]] = triton.addptr %y
  // CHECK-NEXT: triton.store %[[P]], %[[W]]
  %u = triton.load %1 : !p -> !x
  %v = math.exp %u : !x
  %w = triton.where %inside, %v, %zeros : !b, !x
  %2 = triton.addptr %y, %i : !triton.ptr<f32>, !i -> !p
  triton.store %2, %w : !p, !x
  // CHECK:      %[[T:.*]] = triton.load {{.*}} other %ones
  // CHECK-NEXT: %[[Z:.*]] = triton.where %inside, %[[T]], %zeros
  // CHECK-NEXT: triton.store %[[P]], %[[Z]]
  %odd = triton.compare "ne" %i, %high : !i -> !b
  %t = triton.load %1 mask %odd : !b other %ones : !x : !p -> !x
  %z = triton.where %inside, %t, %zeros : !b, !x
  triton.store %2, %z : !p, !x
  triton.return
}

// A select of indices implies bounds of its arms; the load needs no mask.
// CHECK-LABEL: triton.func @rotate(
triton.func @rotate(%a: !triton.ptr<f32>, %y: !triton.ptr<f32>)
    attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %three = arith.constant 3 : i32
  %last = arith.constant 124 : i32
  %most = arith.constant 125 : i32
  %shift = triton.splat %three : i32 -> !i
  %high = triton.splat %last : i32 -> !i
  %end = triton.splat %most : i32 -> !i
  // CHECK:      %[[I:.*]] = triton.arange
  // CHECK:      %[[S:.*]] = arith.subi %[[I]], %shift
  // CHECK:      %[[W:.*]] = triton.where %{{.*}}, %[[S]], %{{.*}}
  // CHECK-NEXT: %[[A:.*]] = triton.addptr %a, %[[W]]
  // CHECK-NEXT: triton.load %[[A]] :
  %i = triton.arange : !i
  %0 = arith.subi %i, %shift : !i
  %1 = arith.minsi %0, %high : !i
  %2 = arith.addi %i, %end : !i
  %is = triton.compare "sge" %i, %shift : !i -> !b
  %3 = triton.where %is, %1, %2 : !b, !i
  %4 = triton.addptr %a, %3 : !triton.ptr<f32>, !i -> !p
  %u = triton.load %4 : !p -> !x
  %5 = triton.addptr %y, %i : !triton.ptr<f32>, !i -> !p
  triton.store %5, %u : !p, !x
  triton.return
}

// No bound is dropped: a mask would only make the load narrow. Nor is there one where a
// condition comes from memory, or memory is written before the select.
// CHECK-LABEL: triton.func @stays(
triton.func @stays(%a: !triton.ptr<f32>, %c: !triton.ptr<i1>, %y: !triton.ptr<f32>)
    attributes {grid = array<i64: 1, 1, 1>, num_warps = 4 : i32, num_stages = 1 : i32} {
  %last = arith.constant 99 : i32
  %zero = arith.constant 0.0 : f32
  %high = triton.splat %last : i32 -> !i
  %zeros = triton.splat %zero : f32 -> !x
  %i = triton.arange : !i
  // CHECK-NOT: mask
  %0 = triton.addptr %a, %i : !triton.ptr<f32>, !i -> !p
  %u = triton.load %0 : !p -> !x
  %is = triton.compare "sle" %i, %high : !i -> !b
  %v = triton.where %is, %u, %zeros : !b, !x
  %1 = arith.minsi %i, %high : !i
  %2 = triton.addptr %a, %1 : !triton.ptr<f32>, !i -> !p
  %s = triton.load %2 : !p -> !x
  %3 = triton.addptr %c, %i : !triton.ptr<i1>, !i -> tensor<128x!triton.ptr<i1>>
  %given = triton.load %3 : tensor<128x!triton.ptr<i1>> -> !b
  %w = triton.where %given, %s, %v : !b, !x
  %t = triton.load %2 : !p -> !x
  %4 = triton.addptr %y, %i : !triton.ptr<f32>, !i -> !p
  triton.store %4, %w : !p, !x
  %z = triton.where %is, %t, %zeros : !b, !x
  triton.store %4, %z : !p, !x
  // CHECK: triton.return
  triton.return
}
