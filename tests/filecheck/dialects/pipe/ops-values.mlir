// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// CHECK: func.func @arithmetic
func.func @arithmetic(%x: tensor<2x3xf32, #pipe.axes<"HW">>, %y: tensor<3xf32>) {
  // CHECK-NEXT: %a = pipe.add %x, %y : (tensor<2x3xf32, #pipe.axes<"HW">>, tensor<3xf32>) -> tensor<2x3xf32, #pipe.axes<"HW">>
  %a = pipe.add %x, %y : (tensor<2x3xf32, #pipe.axes<"HW">>, tensor<3xf32>) -> tensor<2x3xf32, #pipe.axes<"HW">>
  // CHECK-NEXT: %b = pipe.subtract %x, %y :
  %b = pipe.subtract %x, %y : (tensor<2x3xf32, #pipe.axes<"HW">>, tensor<3xf32>) -> tensor<2x3xf32, #pipe.axes<"HW">>
  // CHECK-NEXT: %c = pipe.multiply %y, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %c = pipe.multiply %y, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK-NEXT: %d = pipe.divide %y, %y :
  %d = pipe.divide %y, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK-NEXT: %e = pipe.minimum %y, %y :
  %e = pipe.minimum %y, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK-NEXT: %f = pipe.maximum %y, %y :
  %f = pipe.maximum %y, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK-NEXT: %g = pipe.equal %x, %y : (tensor<2x3xf32, #pipe.axes<"HW">>, tensor<3xf32>) -> tensor<2x3xi1, #pipe.axes<"HW">>
  %g = pipe.equal %x, %y : (tensor<2x3xf32, #pipe.axes<"HW">>, tensor<3xf32>) -> tensor<2x3xi1, #pipe.axes<"HW">>
  // CHECK-NEXT: %h = pipe.less %y, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %h = pipe.less %y, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  // CHECK-NEXT: %i = pipe.less_equal %y, %y :
  %i = pipe.less_equal %y, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  // CHECK-NEXT: %j = pipe.logical_and %g, %h : (tensor<2x3xi1, #pipe.axes<"HW">>, tensor<3xi1>) -> tensor<2x3xi1, #pipe.axes<"HW">>
  %j = pipe.logical_and %g, %h : (tensor<2x3xi1, #pipe.axes<"HW">>, tensor<3xi1>) -> tensor<2x3xi1, #pipe.axes<"HW">>
  // CHECK-NEXT: %k = pipe.logical_or %h, %i :
  %k = pipe.logical_or %h, %i : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  // CHECK-NEXT: %l = pipe.logical_not %h : (tensor<3xi1>) -> tensor<3xi1>
  %l = pipe.logical_not %h : (tensor<3xi1>) -> tensor<3xi1>
  // CHECK-NEXT: %m = pipe.where %h, %x, %y : (tensor<3xi1>, tensor<2x3xf32, #pipe.axes<"HW">>, tensor<3xf32>) -> tensor<2x3xf32, #pipe.axes<"HW">>
  %m = pipe.where %h, %x, %y : (tensor<3xi1>, tensor<2x3xf32, #pipe.axes<"HW">>, tensor<3xf32>) -> tensor<2x3xf32, #pipe.axes<"HW">>
  func.return
}

// CHECK: func.func @parts
func.func @parts(%x: tensor<4x5x3xui8, #pipe.axes<"HWC">>) {
  // CHECK-NEXT: %a = pipe.slice %x axis 1 from 4 size 2 step -2 : (tensor<4x5x3xui8, #pipe.axes<"HWC">>) -> tensor<4x2x3xui8, #pipe.axes<"HWC">>
  %a = pipe.slice %x axis 1 from 4 size 2 step -2 : (tensor<4x5x3xui8, #pipe.axes<"HWC">>) -> tensor<4x2x3xui8, #pipe.axes<"HWC">>
  // CHECK-NEXT: %b = pipe.concat %x, %a axis 1 :
  %b = pipe.concat %x, %a axis 1 : (tensor<4x5x3xui8, #pipe.axes<"HWC">>, tensor<4x2x3xui8, #pipe.axes<"HWC">>) -> tensor<4x7x3xui8, #pipe.axes<"HWC">>
  // CHECK-NEXT: %c = pipe.stack %x, %x axis -1 : i64 :
  %c = pipe.stack %x, %x axis -1 : i64 : (tensor<4x5x3xui8, #pipe.axes<"HWC">>, tensor<4x5x3xui8, #pipe.axes<"HWC">>) -> tensor<4x5x3x2xui8>
  // CHECK-NEXT: %d = pipe.transpose %x by [2, 0, 1] :
  %d = pipe.transpose %x by [2, 0, 1] : (tensor<4x5x3xui8, #pipe.axes<"HWC">>) -> tensor<3x4x5xui8, #pipe.axes<"CHW">>
  // CHECK-NEXT: %e = pipe.reshape %x to [20, 3] layout "HW" :
  %e = pipe.reshape %x to [20, 3] layout "HW" : (tensor<4x5x3xui8, #pipe.axes<"HWC">>) -> tensor<20x3xui8, #pipe.axes<"HW">>
  func.return
}
