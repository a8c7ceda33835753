// RUN: not devproc-opt %s -p choose-schedules 2>&1 | filecheck %s

// What no algorithm takes is an error, with the reason of each that was asked.
// CHECK: kernel 'unwritten' (unknown source) fits no schedule of the device 'cuda': 'linalg.generic':
// CHECK-SAME: block_tile: a kernel of family 'pointwise' is no product;
// CHECK-SAME: block_vector: a kernel of family 'pointwise' is no product;
// CHECK-SAME: block_rows: a kernel of family 'pointwise' has no rows that are reduced;
// CHECK-SAME: blocks: a temporary of type memref<4xf32> is read before written.
// CHECK-SAME: Place it on the CPU
func.func private @unwritten(%y: memref<4xf32>) attributes {dev.kernel = #dev.kernel<"cuda", "pointwise", ["nn.exp"]>} {
  %t = memref.alloca() : memref<4xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  func.return
}
