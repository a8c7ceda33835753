// RUN: devproc-opt %s -p merge-regions --split-input-file | filecheck %s

// Copies of the results follow the region, a sync that a later part needs comes before it.

!host = tensor<4xf32, #dev.on<"cpu">>
!cuda = tensor<4xf32, #dev.on<"cuda">>

func.func @main(%x: !host, %y: !cuda) -> !host {
  %p = dev.copy %y : !cuda to !host
  %a = dev.region "cpu" (%x) : (!host) -> (!host) {
  ^bb0(%u: !host):
    %e = nn.exp %u : (!host) -> !host
    dev.yield %e : !host
  }
  %c = dev.copy %a : !host to !cuda
  dev.sync "cuda"
  %b = dev.region "cpu" (%p, %a) : (!host, !host) -> (!host) {
  ^bb0(%u: !host, %v: !host):
    %e = nn.add %u, %v : (!host, !host) -> !host
    dev.yield %e : !host
  }
  %d = dev.region "cuda" (%c) : (!cuda) -> (!cuda) {
  ^bb0(%u: !cuda):
    %e = nn.exp %u : (!cuda) -> !cuda
    dev.yield %e : !cuda
  }
  %q = dev.copy %d : !cuda to !host
  dev.sync "cuda"
  %e = dev.region "cpu" (%b, %q) : (!host, !host) -> (!host) {
  ^bb0(%u: !host, %v: !host):
    %e = nn.mul %u, %v : (!host, !host) -> !host
    dev.yield %e : !host
  }
  func.return %e : !host
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:  %p = dev.copy %y
// CHECK-NEXT:  dev.sync "cuda"
// CHECK-NEXT:  %{{.*}}, %{{.*}} = dev.region "cpu"(%x, %p)
// CHECK:         nn.exp
// CHECK-NEXT:    nn.add
// CHECK-NEXT:    dev.yield
// CHECK:       %c = dev.copy
// CHECK-NEXT:  dev.region "cuda"(%c)
// CHECK:       %q = dev.copy
// CHECK-NEXT:  dev.sync "cuda"
// CHECK-NEXT:  dev.region "cpu"
// CHECK:         nn.mul
