// RUN: devproc-opt %s -p drop-copies --split-input-file | filecheck %s

// Of copies of one value into one memory the first stays.

!host = tensor<4xf32, #dev.on<"cpu">>
!cuda = tensor<4xf32, #dev.on<"cuda">>

func.func @main(%x: !host, %y: !host) -> !host {
  %a = dev.copy %x : !host to !cuda
  %b = dev.copy %x : !host to !cuda
  %c = dev.copy %y : !host to !cuda
  %d = nn.add %b, %c {dev.place = #dev.place<"cuda", "">} : (!cuda, !cuda) -> !cuda
  %e = nn.add %a, %d {dev.place = #dev.place<"cuda", "">} : (!cuda, !cuda) -> !cuda
  %f = dev.copy %e : !cuda to !host
  func.return %f : !host
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:  %a = dev.copy %x
// CHECK-NEXT:  %c = dev.copy %y
// CHECK-NEXT:  %d = nn.add %a, %c
// CHECK-NEXT:  %e = nn.add %a, %d
// CHECK-NEXT:  %f = dev.copy %e
// CHECK-NEXT:  func.return %f

// -----

// A copy back is the original.

!host = tensor<4xf32, #dev.on<"cpu">>
!cuda = tensor<4xf32, #dev.on<"cuda">>

func.func @main(%x: !host) -> !host {
  %a = dev.copy %x : !host to !cuda
  %b = dev.copy %a : !cuda to !host
  func.return %b : !host
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:  %a = dev.copy %x
// CHECK-NEXT:  func.return %x
