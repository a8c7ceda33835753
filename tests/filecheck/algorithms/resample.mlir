// RUN: devproc-opt %s -p 'choose-schedules{algorithms=resample},expand-schedules' | filecheck %s

builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 2, cpu = #cpu.machine<vector_bits = 512>>} {

// Rows: width and channels as one, four vectors side by side; clipped in registers.
// CHECK-LABEL: @rows
// CHECK:       scf.for
// CHECK:         %[[F:.*]] = memref.load %first
// CHECK:         %[[S:.*]] = arith.index_cast %[[F]] : i32 to index
// CHECK:           scf.for %[[T:[0-9]+]] = {{.*}} iter_args({{.*}}) -> (vector<16xi32>, vector<16xi32>, vector<16xi32>, vector<16xi32>)
// CHECK:             %[[TAP:.*]] = memref.load %taps[%{{.*}}, %[[T]]]
// CHECK:             %[[ROW:.*]] = arith.addi %[[S]], %[[T]] : index
// CHECK:             vector.load {{.*}}%[[ROW]]{{.*}} : memref<1x9x66xi8>, vector<16xi8>
// CHECK:             vector.broadcast %[[TAP]] : i32 to vector<16xi32>
// CHECK:             arith.muli
// CHECK:             arith.addi
// CHECK:           arith.shrsi
// CHECK:           simd.trunci
// CHECK:           vector.store
// CHECK:         vector.maskedload
// CHECK-NOT:   linalg
func.func private @rows(%first: memref<4xi32>, %taps: memref<4x3xi32>, %x: memref<9x22x3xi8>, %s: memref<4x22x3xi32>, %y: memref<4x22x3xi8>) attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.resample"]>} {
  %half = arith.constant 2097152 : i32
  linalg.fill ins(%half : i32) outs(%s : memref<4x22x3xi32>)
  linalg.generic {
    indexing_maps = [affine_map<(o, w, c, t) -> (o)>, affine_map<(o, w, c, t) -> (o, t)>, affine_map<(o, w, c, t) -> (o, w, c)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"]
  } ins(%first, %taps : memref<4xi32>, memref<4x3xi32>) outs(%s : memref<4x22x3xi32>) {
  ^bb0(%start: i32, %tap: i32, %total: i32):
    %i = arith.index_cast %start : i32 to index
    %t = linalg.index 3 : index
    %row = arith.addi %i, %t : index
    %w = linalg.index 1 : index
    %c = linalg.index 2 : index
    %pixel = memref.load %x[%row, %w, %c] : memref<9x22x3xi8>
    %wide = arith.extui %pixel : i8 to i32
    %product = arith.muli %wide, %tap : i32
    %sum = arith.addi %total, %product : i32
    linalg.yield %sum : i32
  }
  linalg.generic {
    indexing_maps = [affine_map<(o, w, c) -> (o, w, c)>, affine_map<(o, w, c) -> (o, w, c)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%s : memref<4x22x3xi32>) outs(%y : memref<4x22x3xi8>) {
  ^bb0(%total: i32, %unused: i8):
    %bits = arith.constant 22 : i32
    %whole = arith.shrsi %total, %bits : i32
    %byte = arith.trunci %whole : i32 to i8
    linalg.yield %byte : i8
  }
  func.return
}

// Columns of a list of rows: 16 bytes of each of four rows, then a shuffle for each tap.
// Near the end of the image only what is needed is loaded.
// CHECK-LABEL: @columns
// CHECK:       scf.for
// CHECK:         memref.load %rows
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK-COUNT-4:     vector.load {{.*}}vector<16xi8>
// CHECK:             %[[ALL:.*]] = vector.shuffle {{.*}} : vector<32xi8>, vector<32xi8>
// CHECK:             %[[P:.*]] = vector.shuffle %[[ALL]], %{{.*}} [0, 64, 64, 64, 1, 64, 64, 64, 2, 64, 64, 64, 64, 64, 64, 64, 16,
// CHECK:             %[[WIDE:.*]] = vector.bitcast %[[P]] : vector<64xi8> to vector<16xi32>
// CHECK:             %[[PRODUCTS:.*]] = arith.muli %[[WIDE]], %{{.*}} : vector<16xi32>
// CHECK:             arith.addi %{{.*}}, %[[PRODUCTS]] : vector<16xi32>
// CHECK:             vector.shuffle {{.*}} [3, 64, 64, 64, 4,
// CHECK-COUNT-4:     vector.store {{.*}}vector<4xi32>
// CHECK:           vector.store {{.*}}vector<3xi32>
// CHECK:         } else {
// CHECK:           vector.load {{.*}}vector<6xi8>
// CHECK-NOT:   linalg
func.func private @columns(%first: memref<5xi32>, %taps: memref<5x2xi32>, %rows: memref<8xi32>, %x: memref<9x22x3xi8>, %y: memref<8x5x3xi32>) attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.resample"]>} {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%y : memref<8x5x3xi32>)
  linalg.generic {
    indexing_maps = [affine_map<(r, o, c, t) -> (o)>, affine_map<(r, o, c, t) -> (o, t)>, affine_map<(r, o, c, t) -> (r)>, affine_map<(r, o, c, t) -> (r, o, c)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"]
  } ins(%first, %taps, %rows : memref<5xi32>, memref<5x2xi32>, memref<8xi32>) outs(%y : memref<8x5x3xi32>) {
  ^bb0(%start: i32, %tap: i32, %listed: i32, %total: i32):
    %i = arith.index_cast %start : i32 to index
    %t = linalg.index 3 : index
    %column = arith.addi %i, %t : index
    %c = linalg.index 2 : index
    %row = arith.index_cast %listed : i32 to index
    %pixel = memref.load %x[%row, %column, %c] : memref<9x22x3xi8>
    %wide = arith.extui %pixel : i8 to i32
    %product = arith.muli %wide, %tap : i32
    %sum = arith.addi %total, %product : i32
    linalg.yield %sum : i32
  }
  func.return
}

// Taps of int16 two at a time: the pixels of both are halves of a lane (byte 0 and byte 3),
// the weights alternate, neighbouring products are added up. The third tap is alone.
// CHECK-LABEL: @pairs
// CHECK-COUNT-4: vector.load {{.*}}vector<16xi8>
// CHECK:         %[[P:.*]] = vector.shuffle {{.*}} [0, 64, 3, 64, 1, 64, 4, 64, 2, 64, 5, 64, 64, 64, 64, 64, 16,
// CHECK:         %[[WEIGHTS:.*]] = vector.load %taps{{.*}} : memref<5x3xi16>, vector<2xi16>
// CHECK:         %[[HALVES:.*]] = vector.bitcast {{.*}} : vector<16xi32> to vector<32xi16>
// CHECK:         %[[TAPS:.*]] = vector.shuffle %[[WEIGHTS]], %[[WEIGHTS]] [0, 1, 0, 1,
// CHECK:         %[[A:.*]] = simd.extsi %[[HALVES]] : vector<32xi16> to vector<32xi32>
// CHECK:         %[[B:.*]] = simd.extsi %[[TAPS]] : vector<32xi16> to vector<32xi32>
// CHECK:         %[[PRODUCTS:.*]] = arith.muli %[[A]], %[[B]] : vector<32xi32>
// CHECK:         %[[EVEN:.*]] = vector.shuffle %[[PRODUCTS]], %[[PRODUCTS]] [0, 2, 4,
// CHECK:         %[[ODD:.*]] = vector.shuffle %[[PRODUCTS]], %[[PRODUCTS]] [1, 3, 5,
// CHECK:         %[[BOTH:.*]] = arith.addi %[[EVEN]], %[[ODD]] : vector<16xi32>
// CHECK:         arith.addi %{{.*}}, %[[BOTH]] : vector<16xi32>
// CHECK:         vector.shuffle {{.*}} [6, 64, 64, 64, 7,
// CHECK:         memref.load %taps
// CHECK:         arith.extsi {{.*}} : i16 to i32
// CHECK-NOT:   linalg
func.func private @pairs(%first: memref<5xi32>, %taps: memref<5x3xi16>, %x: memref<8x22x3xi8>, %y: memref<8x5x3xi32>) attributes {dev.kernel = #dev.kernel<"cpu", "gather", ["nn.resample"]>} {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%y : memref<8x5x3xi32>)
  linalg.generic {
    indexing_maps = [affine_map<(r, o, c, t) -> (o)>, affine_map<(r, o, c, t) -> (o, t)>, affine_map<(r, o, c, t) -> (r, o, c)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"]
  } ins(%first, %taps : memref<5xi32>, memref<5x3xi16>) outs(%y : memref<8x5x3xi32>) {
  ^bb0(%start: i32, %tap: i16, %total: i32):
    %i = arith.index_cast %start : i32 to index
    %t = linalg.index 3 : index
    %column = arith.addi %i, %t : index
    %c = linalg.index 2 : index
    %row = linalg.index 0 : index
    %pixel = memref.load %x[%row, %column, %c] : memref<8x22x3xi8>
    %wide = arith.extui %pixel : i8 to i32
    %weight = arith.extsi %tap : i16 to i32
    %product = arith.muli %wide, %weight : i32
    %sum = arith.addi %total, %product : i32
    linalg.yield %sum : i32
  }
  func.return
}
}
