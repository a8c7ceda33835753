// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/.

// CHECK: nn.loop has -1 steps; expected 0 or more
func.func @main(%x: tensor<3x8xf32>, %s: tensor<8xf32>) {
  %e, %t = nn.loop steps -1 reverse 0 over (%x : tensor<3x8xf32>) carry (%s : tensor<8xf32>) with ()
      -> (tensor<8xf32>) stack (tensor<3x8xf32>) {
  ^bb0(%a: tensor<8xf32>, %h: tensor<8xf32>):
    nn.yield carry (%h : tensor<8xf32>) stack (%a : tensor<8xf32>)
  }
  func.return
}

// -----

// CHECK: a sequence of nn.loop is float32 (3, 8): its first axis must have the 4 steps
func.func @main(%x: tensor<3x8xf32>, %s: tensor<8xf32>) {
  %e, %t = nn.loop steps 4 reverse 0 over (%x : tensor<3x8xf32>) carry (%s : tensor<8xf32>) with ()
      -> (tensor<8xf32>) stack (tensor<3x8xf32>) {
  ^bb0(%a: tensor<8xf32>, %h: tensor<8xf32>):
    nn.yield carry (%h : tensor<8xf32>) stack (%a : tensor<8xf32>)
  }
  func.return
}

// -----

// CHECK: the body of nn.loop must end in nn.yield
func.func @main(%x: tensor<3x8xf32>, %s: tensor<8xf32>) {
  %e, %t = nn.loop steps 3 reverse 0 over (%x : tensor<3x8xf32>) carry (%s : tensor<8xf32>) with ()
      -> (tensor<8xf32>) stack (tensor<3x8xf32>) {
  ^bb0(%a: tensor<8xf32>, %h: tensor<8xf32>):
    dev.yield %h : tensor<8xf32>
  }
  func.return
}
