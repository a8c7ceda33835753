// RUN: devproc-opt %s -p drop-syncs --split-input-file | filecheck %s

// %q is queued before the first sync: the second one waits for nothing. The third waits
// for %r. The last but one could, too, but what it newly waits for is read later.

!host = tensor<4xf32, #dev.on<"cpu">>
!cuda = tensor<4xf32, #dev.on<"cuda">>

func.func @main(%x: !cuda, %y: !cuda) -> !host {
  %p = dev.copy %x : !cuda to !host
  %q = dev.copy %y : !cuda to !host
  dev.sync "cuda"
  %a = nn.exp %p {dev.place = #dev.place<"cpu", "">} : (!host) -> !host
  dev.sync "cuda"
  %b = nn.add %a, %q {dev.place = #dev.place<"cpu", "">} : (!host, !host) -> !host
  %r = dev.copy %x : !cuda to !host
  dev.sync "cuda"
  %c = nn.add %b, %q {dev.place = #dev.place<"cpu", "">} : (!host, !host) -> !host
  dev.sync "cuda"
  %d = nn.add %c, %r {dev.place = #dev.place<"cpu", "">} : (!host, !host) -> !host
  func.return %d : !host
}

// CHECK-LABEL: func.func @main
// CHECK:       %q = dev.copy
// CHECK-NEXT:  dev.sync "cuda"
// CHECK-NEXT:  %a = nn.exp %p
// CHECK-NEXT:  %b = nn.add %a, %q
// CHECK-NEXT:  %r = dev.copy %x
// CHECK-NEXT:  %c = nn.add %b, %q
// CHECK-NEXT:  dev.sync "cuda"
// CHECK-NEXT:  %d = nn.add %c, %r
// CHECK-NEXT:  func.return %d
