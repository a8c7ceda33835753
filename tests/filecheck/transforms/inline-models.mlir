// RUN: devproc-opt %s -p inline-models --print-debuginfo | filecheck %s

// The model is called twice: both calls get a copy of its body, with its locations.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:[^ ]*]]: tensor<2x3xf32>{{.*}}, %[[B:[^ ]*]]: tensor<2x3xf32>
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK-NEXT: %[[W0:.*]] = nn.weight @net.w hash "1f" : tensor<3xf32> loc("net.fc"("m.py":3:0))
  // CHECK-NEXT: %[[M0:.*]] = nn.mul %[[A]], %[[W0]] {{.*}} loc("net.fc"("m.py":4:0))
  // CHECK-NEXT: %[[R0:.*]] = nn.relu %[[M0]]
  %0, %1 = pipe.model @net(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK-NEXT: %[[W1:.*]] = nn.weight @net.w
  // CHECK-NEXT: %[[M1:.*]] = nn.mul %[[R0]], %[[W1]]
  // CHECK-NEXT: %[[R1:.*]] = nn.relu %[[M1]]
  %2, %3 = pipe.model @net(%0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  // A model may return its input.
  // CHECK-NEXT: func.return %[[R0]], %[[R1]], %[[B]]
  %4 = pipe.model @identity(%b) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0, %2, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-NOT: @net(
// CHECK-NOT: @identity
func.func private @net(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %w = nn.weight @"net.w" hash "1f" : tensor<3xf32> loc("net.fc"("m.py":3:0))
  %m = nn.mul %x, %w : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32> loc("net.fc"("m.py":4:0))
  %r = nn.relu %m : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %r, %m : tensor<2x3xf32>, tensor<2x3xf32>
}

func.func private @identity(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  func.return %x : tensor<2x3xf32>
}
