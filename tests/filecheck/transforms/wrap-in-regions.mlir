// RUN: devproc-opt %s -p wrap-in-regions --split-input-file | filecheck %s

// Neighbours of one device; a copy, a sync and an op of another device end a region.

!host = tensor<4xf32, #dev.on<"cpu">>
!cuda = tensor<4xf32, #dev.on<"cuda">>

func.func @main(%x: !host) -> !host {
  %a = nn.exp %x {dev.place = #dev.place<"cpu", "">} : (!host) -> !host
  %b = nn.relu %a {dev.place = #dev.place<"cpu", "">} : (!host) -> !host
  %c = dev.copy %b : !host to !cuda
  %d = nn.add %a, %b {dev.place = #dev.place<"cpu", "">} : (!host, !host) -> !host
  %e = nn.exp %c {dev.place = #dev.place<"cuda", "">} : (!cuda) -> !cuda
  %f = dev.copy %e : !cuda to !host
  dev.sync "cuda"
  %g = nn.add %d, %f {dev.place = #dev.place<"cpu", "">} : (!host, !host) -> !host
  func.return %g : !host
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:  %a, %b = dev.region "cpu"(%x)
// CHECK-NEXT:  ^bb0(%x_1: tensor<4xf32, #dev.on<"cpu">>):
// CHECK-NEXT:    %a_1 = nn.exp %x_1
// CHECK-NEXT:    %b_1 = nn.relu %a_1
// CHECK-NEXT:    dev.yield %a_1, %b_1
// CHECK:       %c = dev.copy %b
// CHECK-NEXT:  %d = dev.region "cpu"(%a, %b)
// CHECK:         nn.add
// CHECK:       %e = dev.region "cuda"(%c)
// CHECK:         nn.exp
// CHECK:       %f = dev.copy %e
// CHECK-NEXT:  dev.sync "cuda"
// CHECK-NEXT:  %g = dev.region "cpu"(%d, %f)
// CHECK:         nn.add
// CHECK:       func.return %g
