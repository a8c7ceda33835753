// RUN: devproc-opt %s -p insert-syncs --split-input-file | filecheck %s

// In front of the first reader on the host; not for a copy to the device.

!host = tensor<4xf32, #dev.on<"cpu">>
!cuda = tensor<4xf32, #dev.on<"cuda">>

func.func @main(%x: !host) -> (!host, !host) {
  %y = dev.copy %x : !host to !cuda
  %a = nn.exp %y {dev.place = #dev.place<"cuda", "">} : (!cuda) -> !cuda
  %b = dev.copy %a : !cuda to !host
  %c = nn.relu %x {dev.place = #dev.place<"cpu", "">} : (!host) -> !host
  %d = nn.add %c, %b {dev.place = #dev.place<"cpu", "">} : (!host, !host) -> !host
  func.return %d, %b : !host, !host
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:  %y = dev.copy
// CHECK-NEXT:  %a = nn.exp
// CHECK-NEXT:  %b = dev.copy
// CHECK-NEXT:  %c = nn.relu
// CHECK-NEXT:  dev.sync "cuda"
// CHECK-NEXT:  %d = nn.add
// CHECK-NEXT:  func.return
