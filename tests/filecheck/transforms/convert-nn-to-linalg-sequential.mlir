// RUN: devproc-opt %s -p convert-nn-to-linalg --split-input-file | filecheck %s

// On the CPU the order of the iterations is the meaning: places of integer keys, by which
// the elements are read.
// CHECK-LABEL: func.func @sort
// CHECK:       arith.extui %{{.*}} : i8 to i32
// CHECK:       %[[I:.*]] = linalg_ext.sort %{{.*}} into %{{.*}} {kernel.family = "sort", kernel.sources = ["nn.sort"]} : (tensor<2x3xi32>, tensor<2x3xi64>) -> tensor<2x3xi64>
// CHECK:       ins(%[[I]] : tensor<2x3xi64>)
// CHECK:       tensor.extract %x
func.func @sort(%x: tensor<2x3xui8>) -> (tensor<2x3xui8>, tensor<2x3xi64>) {
  %v, %i = nn.sort %x descending 0 : (tensor<2x3xui8>) -> (tensor<2x3xui8>, tensor<2x3xi64>)
  func.return %v, %i : tensor<2x3xui8>, tensor<2x3xi64>
}

// The key of a float: its sign and magnitude in two's complement, the largest of NaN; all
// bits turned round to go down. A long row has room.
// CHECK-LABEL: func.func @floats
// CHECK:       %[[BITS:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK:       %[[LEAST:.*]] = arith.constant -2147483648 : i32
// CHECK:       %[[MOST:.*]] = arith.constant 2147483647 : i32
// CHECK:       %[[NEGATIVE:.*]] = arith.cmpi slt, %[[BITS]], %{{.*}} : i32
// CHECK:       %[[TURNED:.*]] = arith.subi %[[LEAST]], %[[BITS]] : i32
// CHECK:       %[[NUMBER:.*]] = arith.select %[[NEGATIVE]], %[[TURNED]], %[[BITS]] : i32
// CHECK:       %[[NAN:.*]] = arith.cmpf uno
// CHECK:       %[[KEY:.*]] = arith.select %[[NAN]], %[[MOST]], %[[NUMBER]] : i32
// CHECK:       arith.xori %[[KEY]], %{{.*}} : i32
// CHECK:       linalg_ext.sort %{{.*}} into %{{.*}}, %{{.*}} {{.*}} : (tensor<2x300xi32>, tensor<2x300xi64>, tensor<2x2x300xi64>)
func.func @floats(%x: tensor<2x300xf32>) -> (tensor<2x300xf32>, tensor<2x300xi64>) {
  %v, %i = nn.sort %x descending 1 : (tensor<2x300xf32>) -> (tensor<2x300xf32>, tensor<2x300xi64>)
  func.return %v, %i : tensor<2x300xf32>, tensor<2x300xi64>
}

// Of a sort whose readers take the first of each row, no more is computed.
// CHECK-LABEL: func.func @first_two
// CHECK:       linalg_ext.sort %x into %{{.*}} : (tensor<3x100xi64>, tensor<3x2xi64>) -> tensor<3x2xi64>
func.func @first_two(%x: tensor<3x100xi64>) -> (tensor<3x1xi64>, tensor<3x2xi64>) {
  %v, %i = nn.sort %x descending 0 : (tensor<3x100xi64>) -> (tensor<3x100xi64>, tensor<3x100xi64>)
  %first = nn.slice %v from [0, 0] size [3, 1] step [1, 1] : (tensor<3x100xi64>) -> tensor<3x1xi64>
  %places = nn.slice %i from [0, 0] size [3, 2] step [1, 1] : (tensor<3x100xi64>) -> tensor<3x2xi64>
  func.return %first, %places : tensor<3x1xi64>, tensor<3x2xi64>
}

// Where those are many for a list, the last of them is searched for, those before it are
// picked, and sorted.
// CHECK-LABEL: func.func @first_forty
// CHECK:       %[[RANK:.*]] = linalg.fill {{.*}}ins(%{{.*}} : i64) outs(%{{.*}} : tensor<3x1xi64>)
// CHECK:       %[[LAST:.*]] = linalg_ext.kth_value %x at %[[RANK]] into
// CHECK:       %[[SOME:.*]] = linalg_ext.first_places %x up_to %[[LAST]] into %{{.*}} : (tensor<3x100xi64>, tensor<3x1xi64>, tensor<3x40xi64>)
// CHECK:       ins(%[[SOME]] : tensor<3x40xi64>)
// CHECK:       tensor.extract %x
// CHECK:       %[[ORDER:.*]] = linalg_ext.sort %{{.*}} into %{{.*}} : (tensor<3x40xi64>, tensor<3x40xi64>)
// CHECK:       ins(%[[ORDER]] : tensor<3x40xi64>)
// CHECK:       tensor.extract %[[SOME]]
func.func @first_forty(%x: tensor<3x100xi64>) -> tensor<3x40xi64> {
  %v, %i = nn.sort %x descending 0 : (tensor<3x100xi64>) -> (tensor<3x100xi64>, tensor<3x100xi64>)
  %first = nn.slice %v from [0, 0] size [3, 40] step [1, 1] : (tensor<3x100xi64>) -> tensor<3x40xi64>
  func.return %first : tensor<3x40xi64>
}

// A search in a row of some length, with room in a long one; in a short one, and for many
// ranks, a sort takes less.
// CHECK-LABEL: func.func @kth_values
// CHECK:       linalg_ext.kth_value %x at %k into %{{.*}} : (tensor<2x100xi64>, tensor<2x1xi64>, tensor<2x1xi64>) -> tensor<2x1xi64>
// CHECK:       linalg_ext.kth_value %long at %k into %{{.*}}, %{{.*}} : (tensor<2x40000xi64>, tensor<2x1xi64>, tensor<2x1xi64>, tensor<2x2501xi64>)
// CHECK:       linalg_ext.sort %short into
// CHECK:       arith.maxsi
// CHECK:       arith.minsi
// CHECK:       linalg_ext.sort %x into
func.func @kth_values(%x: tensor<2x100xi64>, %long: tensor<2x40000xi64>, %short: tensor<2x9xi64>, %k: tensor<2x1xi64>, %ks: tensor<2x5xi64>) -> (tensor<2x1xi64>, tensor<2x1xi64>, tensor<2x1xi64>, tensor<2x5xi64>) {
  %0, %i0 = nn.kth_value %x at %k : (tensor<2x100xi64>, tensor<2x1xi64>) -> (tensor<2x1xi64>, tensor<2x1xi64>)
  %1, %i1 = nn.kth_value %long at %k : (tensor<2x40000xi64>, tensor<2x1xi64>) -> (tensor<2x1xi64>, tensor<2x1xi64>)
  %2, %i2 = nn.kth_value %short at %k : (tensor<2x9xi64>, tensor<2x1xi64>) -> (tensor<2x1xi64>, tensor<2x1xi64>)
  %3, %i3 = nn.kth_value %x at %ks : (tensor<2x100xi64>, tensor<2x5xi64>) -> (tensor<2x5xi64>, tensor<2x5xi64>)
  func.return %0, %1, %2, %3 : tensor<2x1xi64>, tensor<2x1xi64>, tensor<2x1xi64>, tensor<2x5xi64>
}

// CHECK-LABEL: func.func @scatter
// CHECK:       linalg_ext.scatter %u at %i into %x axis 0
// CHECK:         arith.addf
// CHECK:       kernel.family = "scatter", kernel.sources = ["nn.scatter"]
func.func @scatter(%x: tensor<9x4xf32>, %u: tensor<2x4xf32>, %i: tensor<2x1xi64>) -> tensor<9x4xf32> {
  %r = nn.scatter %u into %x at %i axis 0 mode "add" : (tensor<2x4xf32>, tensor<9x4xf32>, tensor<2x1xi64>) -> tensor<9x4xf32>
  func.return %r : tensor<9x4xf32>
}

// Scores are one line for each image; the thresholds are the float32 that decide alike:
// the overlap is rounded down, the score to the nearest. Kept boxes fill whole vectors.
// CHECK-LABEL: func.func @nms
// CHECK:       plan.view %s : tensor<2x9x3xf32> -> tensor<2x27xf32>
// CHECK:       linalg_ext.nms %b, %{{.*}} into %{{.*}} overlap 0.099999994 : f32 score 1.000000e-01 : f32 agnostic 0
// CHECK-SAME:  kernel.family = "nms", kernel.sources = ["nn.nms"]
// CHECK-SAME:  (tensor<2x7xi64>, tensor<2xi64>, tensor<2x27xi64>, tensor<2x5x16xf32>, tensor<2x16xi64>)
func.func @nms(%b: tensor<2x9x1x4xf32>, %s: tensor<2x9x3xf32>) -> (tensor<2x7xi64>, tensor<2xi64>) {
  %i, %n = nn.nms %b, %s thresholds [0.1, 0.1] max_n 7 agnostic 0 : (tensor<2x9x1x4xf32>, tensor<2x9x3xf32>) -> (tensor<2x7xi64>, tensor<2xi64>)
  func.return %i, %n : tensor<2x7xi64>, tensor<2xi64>
}

// -----

// On a GPU a program sorts a row of 32-bit keys.
// CHECK-LABEL: func.func @sort_on_gpu
// CHECK:       linalg_ext.sort_runs {{.*}} : tensor<2x4096xi32, #dev.on<"cuda">> into {{.*}} run 4096 first 4096 -> tensor<2x4096xi64, #dev.on<"cuda">>
// CHECK:       tensor.extract %x
func.func @sort_on_gpu(%x: tensor<2x4096xf32, #dev.on<"cuda">>) -> (tensor<2x4096xf32, #dev.on<"cuda">>, tensor<2x4096xi64, #dev.on<"cuda">>) {
  %v, %i = nn.sort %x descending 0 : (tensor<2x4096xf32, #dev.on<"cuda">>) -> (tensor<2x4096xf32, #dev.on<"cuda">>, tensor<2x4096xi64, #dev.on<"cuda">>)
  func.return %v, %i : tensor<2x4096xf32, #dev.on<"cuda">>, tensor<2x4096xi64, #dev.on<"cuda">>
}

// CHECK-LABEL: func.func @kth_value_on_gpu
// CHECK:       linalg_ext.sort_runs {{.*}} : tensor<2x3xi32, #dev.on<"cuda">> into {{.*}} : tensor<2x3xi64, #dev.on<"cuda">> run 3 first 3
// CHECK:       arith.maxsi
// CHECK:       tensor.extract
// CHECK:       tensor.extract %x
func.func @kth_value_on_gpu(%x: tensor<2x3xf32, #dev.on<"cuda">>, %k: tensor<2x1xi64, #dev.on<"cuda">>) -> tensor<2x1xf32, #dev.on<"cuda">> {
  %v, %i = nn.kth_value %x at %k : (tensor<2x3xf32, #dev.on<"cuda">>, tensor<2x1xi64, #dev.on<"cuda">>) -> (tensor<2x1xf32, #dev.on<"cuda">>, tensor<2x1xi64, #dev.on<"cuda">>)
  func.return %v : tensor<2x1xf32, #dev.on<"cuda">>
}

// Longer rows: runs are sorted, and four of them are merged at a time; the last merge leaves
// no elements. The order of the ranks is that of the whole row.
// CHECK-LABEL: func.func @long_rows_on_gpu
// CHECK:       linalg_ext.sort_runs %x : tensor<2x3000xi64, #dev.on<"cuda">> into {{.*}} run 256 first 256
// CHECK:       linalg_ext.merge_runs {{.*}} run 256 ways 4 first 1024
// CHECK:       linalg_ext.merge_runs {{.*}} into {{.*}} : tensor<2x3000xi64, #dev.on<"cuda">> run 1024 ways 4 first 3000 -> tensor<2x3000xi64, #dev.on<"cuda">>
// CHECK:       tensor.extract
// CHECK:       tensor.extract %x
func.func @long_rows_on_gpu(%x: tensor<2x3000xi64, #dev.on<"cuda">>, %k: tensor<2x1xi64, #dev.on<"cuda">>) -> tensor<2x1xi64, #dev.on<"cuda">> {
  %v, %i = nn.kth_value %x at %k : (tensor<2x3000xi64, #dev.on<"cuda">>, tensor<2x1xi64, #dev.on<"cuda">>) -> (tensor<2x1xi64, #dev.on<"cuda">>, tensor<2x1xi64, #dev.on<"cuda">>)
  func.return %v : tensor<2x1xi64, #dev.on<"cuda">>
}

// Few first elements: those of all runs are sorted again.
// CHECK-LABEL: func.func @first_on_gpu
// CHECK:       linalg_ext.sort_runs {{.*}} run 1024 first 10
// CHECK:       linalg_ext.sort_runs {{.*}} : tensor<2x490xi32, #dev.on<"cuda">> of {{.*}} into {{.*}} : tensor<2x10xi64, #dev.on<"cuda">> run 1024 first 10
// CHECK-NOT:   linalg_ext
func.func @first_on_gpu(%x: tensor<2x50000xf32, #dev.on<"cuda">>) -> tensor<2x10xf32, #dev.on<"cuda">> {
  %v, %i = nn.sort %x descending 0 : (tensor<2x50000xf32, #dev.on<"cuda">>) -> (tensor<2x50000xf32, #dev.on<"cuda">>, tensor<2x50000xi64, #dev.on<"cuda">>)
  %r = nn.slice %v from [0, 0] size [2, 10] step [1, 1] : (tensor<2x50000xf32, #dev.on<"cuda">>) -> tensor<2x10xf32, #dev.on<"cuda">>
  func.return %r : tensor<2x10xf32, #dev.on<"cuda">>
}

// CHECK-LABEL: func.func @scatter_on_gpu
// CHECK-NOT:   linalg_ext.scatter
// CHECK:       iterator_types = ["parallel", "reduction"]
func.func @scatter_on_gpu(%x: tensor<9xf32, #dev.on<"cuda">>, %u: tensor<2xf32, #dev.on<"cuda">>, %i: tensor<2xi64, #dev.on<"cuda">>) -> tensor<9xf32, #dev.on<"cuda">> {
  %r = nn.scatter %u into %x at %i axis 0 mode "set" : (tensor<2xf32, #dev.on<"cuda">>, tensor<9xf32, #dev.on<"cuda">>, tensor<2xi64, #dev.on<"cuda">>) -> tensor<9xf32, #dev.on<"cuda">>
  func.return %r : tensor<9xf32, #dev.on<"cuda">>
}

// Many updates are sorted, with their axis last; indices out of range come after all others.
// CHECK-LABEL: func.func @sorted_scatter_on_gpu
// CHECK:         arith.cmpi ult
// CHECK:       %[[P:.*]], %[[I:.*]] = linalg_ext.sort_runs {{.*}} : tensor<1x99xi32, #dev.on<"cuda">> into {{.*}} run 99 first 99
// CHECK:       linalg_ext.scatter_sorted %u, %x at %[[I]], %[[P]] into %{{.*}} axis 0 {
// CHECK:         arith.addf
func.func @sorted_scatter_on_gpu(%x: tensor<9x4xf32, #dev.on<"cuda">>, %u: tensor<99x4xf32, #dev.on<"cuda">>, %i: tensor<99x1xi64, #dev.on<"cuda">>) -> tensor<9x4xf32, #dev.on<"cuda">> {
  %r = nn.scatter %u into %x at %i axis 0 mode "add" : (tensor<99x4xf32, #dev.on<"cuda">>, tensor<9x4xf32, #dev.on<"cuda">>, tensor<99x1xi64, #dev.on<"cuda">>) -> tensor<9x4xf32, #dev.on<"cuda">>
  func.return %r : tensor<9x4xf32, #dev.on<"cuda">>
}

// Integers may be added in any order.
// CHECK-LABEL: func.func @unordered_scatter_on_gpu
// CHECK-NOT:   linalg_ext.sort_runs
// CHECK:       linalg_ext.scatter %u at %i into %x axis 0 {
func.func @unordered_scatter_on_gpu(%x: tensor<9x4xi32, #dev.on<"cuda">>, %u: tensor<99x4xi32, #dev.on<"cuda">>, %i: tensor<99x1xi64, #dev.on<"cuda">>) -> tensor<9x4xi32, #dev.on<"cuda">> {
  %r = nn.scatter %u into %x at %i axis 0 mode "add" : (tensor<99x4xi32, #dev.on<"cuda">>, tensor<9x4xi32, #dev.on<"cuda">>, tensor<99x1xi64, #dev.on<"cuda">>) -> tensor<9x4xi32, #dev.on<"cuda">>
  func.return %r : tensor<9x4xi32, #dev.on<"cuda">>
}
