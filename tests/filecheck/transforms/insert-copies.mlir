// RUN: devproc-opt %s -p insert-copies --split-input-file | filecheck %s

// Inputs lie on the host. Readers in another memory share one copy there, right after the op
// that makes the value; for an input, after the weights. A weight lies where it is read
// first.

func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %w = nn.weight @w hash "0" : tensor<4xf32>
  %a = nn.add %y, %x {dev.place = #dev.place<"cuda", "">} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = nn.mul %x, %w {dev.place = #dev.place<"cuda", "">} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c = nn.mul %b, %w {dev.place = #dev.place<"cpu", "">} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = nn.add %a, %c {dev.place = #dev.place<"cpu", "">} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %d : tensor<4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %x: tensor<4xf32, #dev.on<"cpu">>, %y: tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
// CHECK-NEXT:  %w = nn.weight @w hash "0" : tensor<4xf32, #dev.on<"cuda">>
// CHECK-NEXT:  %w_1 = dev.copy %w : tensor<4xf32, #dev.on<"cuda">> to tensor<4xf32, #dev.on<"cpu">>
// CHECK-NEXT:  %x_1 = dev.copy %x : tensor<4xf32, #dev.on<"cpu">> to tensor<4xf32, #dev.on<"cuda">>
// CHECK-NEXT:  %y_1 = dev.copy %y : tensor<4xf32, #dev.on<"cpu">> to tensor<4xf32, #dev.on<"cuda">>
// CHECK-NEXT:  %a = nn.add %y_1, %x_1
// CHECK-NEXT:  %a_1 = dev.copy %a : tensor<4xf32, #dev.on<"cuda">> to tensor<4xf32, #dev.on<"cpu">>
// CHECK-NEXT:  %b = nn.mul %x_1, %w
// CHECK-NEXT:  %b_1 = dev.copy %b : tensor<4xf32, #dev.on<"cuda">> to tensor<4xf32, #dev.on<"cpu">>
// CHECK-NEXT:  %c = nn.mul %b_1, %w_1
// CHECK-NEXT:  %d = nn.add %a_1, %c
// CHECK-NEXT:  func.return %d : tensor<4xf32, #dev.on<"cpu">>
