// RUN: devproc-opt %s -p place-weights --split-input-file | filecheck %s

// A weight and a constant are there twice instead of being copied; an input is copied.

!host = tensor<4xf32, #dev.on<"cpu">>
!cuda = tensor<4xf32, #dev.on<"cuda">>

func.func @main(%x: !host) -> !host {
  %w = nn.weight @w hash "0" : !cuda
  %v = dev.copy %w : !cuda to !host
  %k = nn.constant dense<2.0> : tensor<4xf32> : !host
  %l = dev.copy %k : !host to !cuda
  %y = dev.copy %x : !host to !cuda
  %a = nn.add %y, %w {dev.place = #dev.place<"cuda", "">} : (!cuda, !cuda) -> !cuda
  %b = nn.add %a, %l {dev.place = #dev.place<"cuda", "">} : (!cuda, !cuda) -> !cuda
  %c = dev.copy %b : !cuda to !host
  %d = nn.add %c, %v {dev.place = #dev.place<"cpu", "">} : (!host, !host) -> !host
  %e = nn.add %d, %k {dev.place = #dev.place<"cpu", "">} : (!host, !host) -> !host
  func.return %e : !host
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:  %w = nn.weight @w hash "0" : tensor<4xf32, #dev.on<"cuda">>
// CHECK-NEXT:  %w_1 = nn.weight @w hash "0" : tensor<4xf32, #dev.on<"cpu">>
// CHECK-NEXT:  %k = nn.constant dense<2.000000e+00> : tensor<4xf32> : tensor<4xf32, #dev.on<"cpu">>
// CHECK-NEXT:  %k_1 = nn.constant dense<2.000000e+00> : tensor<4xf32> : tensor<4xf32, #dev.on<"cuda">>
// CHECK-NEXT:  %y = dev.copy %x
// CHECK-NEXT:  %a = nn.add %y, %w
// CHECK-NEXT:  %b = nn.add %a, %k_1
