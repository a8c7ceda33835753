// RUN: devproc-opt %s -p outline-regions | filecheck %s
// RUN: devproc-opt %s -p outline-regions,convert-nn-to-linalg,fuse-pointwise,outline-kernels,bufferize,plan-memory,outline-segments | filecheck %s --check-prefix=HOST

// Each host region becomes a function that keeps its values, constants included; regions
// of other devices stay. Down to the host stage PyTorch's launch cuts the native segments.

// CHECK:      func.func @main
// CHECK-NEXT:   %a = dev.region "cpu"
// CHECK:        %b, %c = dev.launch @host_0(%a)
// CHECK-NEXT:   %d = dev.region "cpu"
// CHECK:        %e = dev.launch @host_1(%d, %c)
// CHECK-NEXT:   func.return %e
// CHECK:      func.func private @host_0(%h: tensor<3xui8, #dev.on<"cpu">>) -> (tensor<3xui8, #dev.on<"cpu">>, tensor<2xcomplex<f32>, #dev.on<"cpu">>) attributes {dev.kernel = #dev.kernel<"host", "region", ["mine.two.default"]>} {
// CHECK-NEXT:   %k = nn.constant dense<7> : tensor<ui8>
// CHECK-NEXT:   %i, %j = dev.host_call "mine.two.default"(%h, %k)
// CHECK-NEXT:   func.return %i, %j
// CHECK:      func.func private @host_1

// HOST: %[[C:.*]] = plan.buffer {{.*}} -> memref<2xcomplex<f32>, #dev.on<"cpu">>
// HOST: plan.launch @segment_0(%x) -> (%[[A:.*]]) {plan.step = 0 : i64}
// HOST: plan.launch @host_0(%[[A]]) -> (%[[B:.*]], %[[C]]) {plan.step = 1 : i64} : (memref<3xi8,
// HOST: plan.launch @segment_1(%[[B]]) -> ({{.*}}) {plan.step = 2 : i64}
// HOST: plan.launch @host_1({{.*}}, %[[C]]) -> ({{.*}}) {plan.step = 3 : i64}
// HOST: func.func private @host_0(%h: tensor<3xui8, #dev.on<"cpu">>)

func.func @main(%x: tensor<3xui8, #dev.on<"cpu">>) -> tensor<3xui8, #dev.on<"cpu">> {
  %a = dev.region "cpu" (%x) : (tensor<3xui8, #dev.on<"cpu">>) -> tensor<3xui8, #dev.on<"cpu">> {
  ^bb0(%f: tensor<3xui8, #dev.on<"cpu">>):
    %g = nn.add %f, %f : (tensor<3xui8, #dev.on<"cpu">>, tensor<3xui8, #dev.on<"cpu">>) -> tensor<3xui8, #dev.on<"cpu">>
    dev.yield %g : tensor<3xui8, #dev.on<"cpu">>
  }
  %b, %c = dev.region "host" (%a) : (tensor<3xui8, #dev.on<"cpu">>) -> (tensor<3xui8, #dev.on<"cpu">>, tensor<2xcomplex<f32>, #dev.on<"cpu">>) {
  ^bb0(%h: tensor<3xui8, #dev.on<"cpu">>):
    %k = nn.constant dense<7> : tensor<ui8> : tensor<ui8, #dev.on<"cpu">>
    %i, %j = dev.host_call "mine.two.default" (%h, %k) args [#dev.operand<0>, #dev.operand<1>] kwargs {} why "" : (tensor<3xui8, #dev.on<"cpu">>, tensor<ui8, #dev.on<"cpu">>) -> (tensor<3xui8, #dev.on<"cpu">>, tensor<2xcomplex<f32>, #dev.on<"cpu">>)
    dev.yield %i, %j : tensor<3xui8, #dev.on<"cpu">>, tensor<2xcomplex<f32>, #dev.on<"cpu">>
  }
  %d = dev.region "cpu" (%b) : (tensor<3xui8, #dev.on<"cpu">>) -> tensor<3xui8, #dev.on<"cpu">> {
  ^bb0(%l: tensor<3xui8, #dev.on<"cpu">>):
    %m = nn.add %l, %l : (tensor<3xui8, #dev.on<"cpu">>, tensor<3xui8, #dev.on<"cpu">>) -> tensor<3xui8, #dev.on<"cpu">>
    dev.yield %m : tensor<3xui8, #dev.on<"cpu">>
  }
  %e = dev.region "host" (%d, %c) : (tensor<3xui8, #dev.on<"cpu">>, tensor<2xcomplex<f32>, #dev.on<"cpu">>) -> tensor<3xui8, #dev.on<"cpu">> {
  ^bb0(%n: tensor<3xui8, #dev.on<"cpu">>, %o: tensor<2xcomplex<f32>, #dev.on<"cpu">>):
    %p = dev.host_call "mine.one.default" (%n, %o) args [#dev.operand<0>, #dev.operand<1>] kwargs {} why "" : (tensor<3xui8, #dev.on<"cpu">>, tensor<2xcomplex<f32>, #dev.on<"cpu">>) -> tensor<3xui8, #dev.on<"cpu">>
    dev.yield %p : tensor<3xui8, #dev.on<"cpu">>
  }
  func.return %e : tensor<3xui8, #dev.on<"cpu">>
}
