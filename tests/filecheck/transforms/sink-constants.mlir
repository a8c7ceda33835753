// RUN: devproc-opt %s -p sink-constants --split-input-file | filecheck %s

// Each region has its own; what is an output as well gets a region for itself, before the
// host waits.

!host = tensor<4xf32, #dev.on<"cpu">>
!cuda = tensor<4xf32, #dev.on<"cuda">>

func.func @main(%x: !host, %y: !cuda) -> (!host, !host, !host) {
  %k = nn.constant dense<2.0> : tensor<4xf32> : !host
  %p = dev.copy %y : !cuda to !host
  %a = dev.region "cpu" (%x, %k) : (!host, !host) -> (!host) {
  ^bb0(%u: !host, %v: !host):
    %e = nn.mul %u, %v : (!host, !host) -> !host
    dev.yield %e : !host
  }
  dev.sync "cuda"
  func.return %a, %k, %p : !host, !host, !host
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:  %p = dev.copy %y
// CHECK-NEXT:  %{{.*}} = dev.region "cpu"(%x) :
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:    %k = nn.constant dense<2.000000e+00>
// CHECK-NEXT:    nn.mul %{{.*}}, %k
// CHECK:       %k = dev.region "cpu"() :
// CHECK-NEXT:    %{{.*}} = nn.constant dense<2.000000e+00>
// CHECK-NEXT:    dev.yield
// CHECK:       dev.sync "cuda"
// CHECK-NEXT:  func.return %{{.*}}, %k, %p
