// RUN: devproc-opt %s -p outline-kernels --split-input-file | filecheck %s

// A sum of products with its epilogue is one kernel, named after its ops and the place
// of its anchor. The reshape is a view in the host program. Constants go along.

#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<2x4xf32, #dev.on<"cpu">>) -> tensor<6xf32, #dev.on<"cpu">> {
  %w = nn.weight @w hash "0" : tensor<3x4xf32, #dev.on<"cpu">>
  %r = dev.region "cpu" (%x, %w) : (tensor<2x4xf32, #dev.on<"cpu">>, tensor<3x4xf32, #dev.on<"cpu">>) -> (tensor<6xf32, #dev.on<"cpu">>) {
  ^bb0(%a: tensor<2x4xf32, #dev.on<"cpu">>, %v: tensor<3x4xf32, #dev.on<"cpu">>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<2x3xf32, #dev.on<"cpu">>
    %fill = linalg.fill {kernel.group = 7 : i64} ins(%zero : f32) outs(%empty : tensor<2x3xf32, #dev.on<"cpu">>) -> tensor<2x3xf32, #dev.on<"cpu">>
    %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %v : tensor<2x4xf32, #dev.on<"cpu">>, tensor<3x4xf32, #dev.on<"cpu">>) outs(%fill : tensor<2x3xf32, #dev.on<"cpu">>)
      attrs = {kernel.group = 7 : i64, kernel.family = "contraction", kernel.sources = ["nn.linear"]} {
    ^bb1(%f: f32, %g: f32, %acc: f32):
      %m = arith.mulf %f, %g : f32
      %s = arith.addf %acc, %m : f32
      linalg.yield %s : f32
    } -> tensor<2x3xf32, #dev.on<"cpu">> loc("model.fc1"("m.py":3:0))
    %e = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<2x3xf32, #dev.on<"cpu">>) outs(%empty : tensor<2x3xf32, #dev.on<"cpu">>)
      attrs = {kernel.group = 7 : i64, kernel.sources = ["nn.relu"]} {
    ^bb2(%h: f32, %o: f32):
      %max = arith.maximumf %h, %zero : f32
      linalg.yield %max : f32
    } -> tensor<2x3xf32, #dev.on<"cpu">> loc("model.act"("m.py":4:0))
    %y = plan.view %e : tensor<2x3xf32, #dev.on<"cpu">> -> tensor<6xf32, #dev.on<"cpu">>
    dev.yield %y : tensor<6xf32, #dev.on<"cpu">>
  }
  func.return %r : tensor<6xf32, #dev.on<"cpu">>
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:  nn.weight @w
// CHECK-NEXT:  %e = dev.launch @linear_relu_model_fc1(%x, %w)
// CHECK-NEXT:  %y = plan.view %e
// CHECK-NEXT:  func.return %y
// CHECK:       func.func private @linear_relu_model_fc1(%x: {{.*}}, %w: {{.*}}) -> tensor<2x3xf32, #dev.on<"cpu">>
// CHECK-SAME:    {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear", "nn.relu"]>}
// CHECK-NEXT:    arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    tensor.empty
// CHECK-NEXT:    linalg.fill
// CHECK-NEXT:    linalg.generic
// CHECK-NOT:     kernel.group
// CHECK:         linalg.generic
// CHECK:         func.return

// -----

// Groups may stand in any order, and an op alone is a kernel of its own: here group 1
// starts before group 0 but needs its result.

#map = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">> {
  %r = dev.region "cpu" (%x) : (tensor<4xf32, #dev.on<"cpu">>) -> (tensor<4xf32, #dev.on<"cpu">>) {
  ^bb0(%a: tensor<4xf32, #dev.on<"cpu">>):
    %empty = tensor.empty() : tensor<4xf32, #dev.on<"cpu">>
    %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32, #dev.on<"cpu">>) outs(%empty : tensor<4xf32, #dev.on<"cpu">>)
      attrs = {kernel.group = 1 : i64, kernel.family = "pointwise", kernel.sources = ["nn.exp"]} {
    ^bb1(%f: f32, %o: f32):
      %e = math.exp %f : f32
      linalg.yield %e : f32
    } -> tensor<4xf32, #dev.on<"cpu">>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32, #dev.on<"cpu">>) outs(%empty : tensor<4xf32, #dev.on<"cpu">>)
      attrs = {kernel.group = 0 : i64, kernel.family = "pointwise", kernel.sources = ["nn.relu"]} {
    ^bb2(%f: f32, %o: f32):
      linalg.yield %f : f32
    } -> tensor<4xf32, #dev.on<"cpu">>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%0, %1 : tensor<4xf32, #dev.on<"cpu">>, tensor<4xf32, #dev.on<"cpu">>) outs(%empty : tensor<4xf32, #dev.on<"cpu">>)
      attrs = {kernel.group = 1 : i64, kernel.sources = ["nn.add"]} {
    ^bb3(%f: f32, %g: f32, %o: f32):
      %s = arith.addf %f, %g : f32
      linalg.yield %s : f32
    } -> tensor<4xf32, #dev.on<"cpu">>
    dev.yield %2 : tensor<4xf32, #dev.on<"cpu">>
  }
  func.return %r : tensor<4xf32, #dev.on<"cpu">>
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:  [[R:%.+]] = dev.launch @relu(%x)
// CHECK-NEXT:  [[S:%.+]] = dev.launch @exp_add(%x, [[R]])
// CHECK-NEXT:  func.return [[S]]

// -----

// A loop stays a loop, around the launches of what its body holds. The number that it
// starts from gets a kernel of its own.

!h = tensor<4xf32, #dev.on<"cpu">>
!x = tensor<3x4xf32, #dev.on<"cpu">>
func.func @main(%x: !x) -> !h {
  %r = dev.region "cpu" (%x) : (!x) -> !h {
  ^bb0(%y: !x):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : !h
    %start = linalg.fill ins(%zero : f32) outs(%e : !h) -> !h
    %end = nn.loop steps 3 reverse 0 over (%y : !x) carry (%start : !h) with () -> (!h) stack () {
    ^bb1(%now: !h, %before: !h):
      %f = tensor.empty() : !h
      %sum = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%now, %before : !h, !h) outs(%f : !h)
        attrs = {kernel.group = 0 : i64, kernel.family = "pointwise", kernel.sources = ["nn.add"]} {
      ^bb2(%a: f32, %b: f32, %o: f32):
        %s = arith.addf %a, %b : f32
        linalg.yield %s : f32
      } -> !h
      nn.yield carry (%sum : !h) stack ()
    }
    dev.yield %end : !h
  }
  func.return %r : !h
}

// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %start = dev.launch @pointwise()
// CHECK-NEXT:    %end = nn.loop steps 3 reverse 0 over(%x : {{.*}}) carry(%start : {{.*}}) with() ->
// CHECK-NEXT:    ^bb0(%now: {{.*}}, %before: {{.*}}):
// CHECK-NEXT:      %sum = dev.launch @add(%now, %before)
// CHECK-NEXT:      nn.yield carry(%sum : {{.*}}) stack()
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %end
// CHECK:       func.func private @add(
