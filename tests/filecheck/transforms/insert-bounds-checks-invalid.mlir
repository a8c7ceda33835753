// RUN: not devproc-opt %s --check-bounds -p insert-bounds-checks 2>&1 | filecheck %s

// CHECK: insert-bounds-checks: 'memref.load' (unknown source) uses a 'memref.subview', whose place in its memory is not known; index the memory itself, or compile without check_bounds
func.func private @view(%x: memref<8xf32>, %i: index) attributes {
    dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.relu"]>} {
  %v = memref.subview %x[2][4][1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  %a = memref.load %v[%i] : memref<4xf32, strided<[1], offset: 2>>
  func.return
}
