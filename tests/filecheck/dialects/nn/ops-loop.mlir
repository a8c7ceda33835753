// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @loops(%x: tensor<3x2x8xf32>, %start: tensor<2x8xf32>, %w: tensor<8x8xf32>) {
  // CHECK: %end, %all = nn.loop steps 3 reverse 0 over(%x : tensor<3x2x8xf32>) carry(%start : tensor<2x8xf32>) with(%w : tensor<8x8xf32>) -> (tensor<2x8xf32>) stack(tensor<3x2x8xf32>) {
  // CHECK-NEXT: ^bb0(%now: tensor<2x8xf32>, %h: tensor<2x8xf32>, %v: tensor<8x8xf32>):
  // GENERIC: "nn.loop"(%x, %start, %w) <{steps = 3 : i64, reverse = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1>, resultSegmentSizes = array<i32: 1, 1>}>
  %end, %all = nn.loop steps 3 reverse 0 over (%x : tensor<3x2x8xf32>)
      carry (%start : tensor<2x8xf32>) with (%w : tensor<8x8xf32>)
      -> (tensor<2x8xf32>) stack (tensor<3x2x8xf32>) {
  ^bb0(%now: tensor<2x8xf32>, %h: tensor<2x8xf32>, %v: tensor<8x8xf32>):
    %p = nn.linear %h, %v : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
    %n = nn.add %now, %p : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
    // CHECK: nn.yield carry(%n : tensor<2x8xf32>) stack(%n : tensor<2x8xf32>)
    nn.yield carry (%n : tensor<2x8xf32>) stack (%n : tensor<2x8xf32>)
  }
  // CHECK: %last = nn.loop steps 0 reverse 1 over() carry(%start : tensor<2x8xf32>) with() -> (tensor<2x8xf32>) stack() {
  %last = nn.loop steps 0 reverse 1 over () carry (%start : tensor<2x8xf32>) with ()
      -> (tensor<2x8xf32>) stack () {
  ^bb0(%h: tensor<2x8xf32>):
    // CHECK: nn.yield carry(%h{{.*}} : tensor<2x8xf32>) stack()
    nn.yield carry (%h : tensor<2x8xf32>) stack ()
  }
  func.return
}
