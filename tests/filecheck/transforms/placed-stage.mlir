// RUN: devproc-opt %s --from-stage tensor --to-stage placed --split-input-file | filecheck %s

// One island; the weight stands outside and comes in as an argument; constants inside.

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = nn.weight @w hash "0" : tensor<4xf32>
  %c = nn.constant dense<2.0> : tensor<f32> : tensor<f32>
  %a = nn.mul %x, %w {dev.place = #dev.place<"cpu", "">} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = nn.mul %a, %c {dev.place = #dev.place<"cpu", "">} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:  %w = nn.weight @w hash "0" : tensor<4xf32, #dev.on<"cpu">>
// CHECK-NEXT:  %b = dev.region "cpu"(%x, %w)
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:    %c = nn.constant dense<2.000000e+00> : tensor<f32> : tensor<f32, #dev.on<"cpu">>
// CHECK-NEXT:    %{{.*}} = nn.mul
// CHECK-NEXT:    %{{.*}} = nn.mul
// CHECK-NEXT:    dev.yield
// CHECK-NOT:   dev.copy
// CHECK-NOT:   dev.sync
// CHECK:       func.return

// -----

// A constant with different elements needs memory: it is prepared like a weight.

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = nn.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %b = nn.mul %x, %c {dev.place = #dev.place<"cpu", "">} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %b : tensor<2xf32>
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %c = nn.weight @prepare.0 hash "{{[0-9a-f]+}}" : tensor<2xf32, #dev.on<"cpu">>
// CHECK-NEXT: %b = dev.region "cpu"(%x, %c)
// CHECK:      func.func private @prepare() -> tensor<2xf32> {
// CHECK-NEXT:   %{{.*}} = nn.constant dense<[1.000000e+00, 2.000000e+00]>

// -----

// %a is read twice on the GPU, %b twice on the host: one copy each, and one sync, which
// stands right before the first read. Ops without a common path share an island.

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = nn.exp %x {dev.place = #dev.place<"cpu", "">} : (tensor<4xf32>) -> tensor<4xf32>
  %b = nn.add %a, %a {dev.place = #dev.place<"cuda", "">} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %u = nn.relu %x {dev.place = #dev.place<"cpu", "">} : (tensor<4xf32>) -> tensor<4xf32>
  %c = nn.mul %a, %b {dev.place = #dev.place<"cuda", "">} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = nn.mul %b, %u {dev.place = #dev.place<"cpu", "">} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e = nn.mul %b, %c {dev.place = #dev.place<"cpu", "">} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %d, %e : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:  %a, %u = dev.region "cpu"(%x)
// CHECK:       %a_{{.*}} = dev.copy %a : tensor<4xf32, #dev.on<"cpu">> to tensor<4xf32, #dev.on<"cuda">>
// CHECK-NEXT:  %b, %c = dev.region "cuda"(%a_{{.*}})
// CHECK:       %b_{{.*}} = dev.copy %b : tensor<4xf32, #dev.on<"cuda">> to tensor<4xf32, #dev.on<"cpu">>
// CHECK-NEXT:  %c_{{.*}} = dev.copy %c : tensor<4xf32, #dev.on<"cuda">> to tensor<4xf32, #dev.on<"cpu">>
// CHECK-NEXT:  dev.sync "cuda"
// CHECK-NEXT:  %d, %e = dev.region "cpu"(%b_{{.*}}, %u, %c_{{.*}})
// CHECK:       func.return %d, %e

// -----

// The same weight on two devices is loaded twice, not copied.

func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %w = nn.weight @w hash "0" : tensor<4xf32>
  %a = nn.mul %x, %w {dev.place = #dev.place<"cpu", "">} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = nn.add %x, %w {dev.place = #dev.place<"cuda", "">} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %w = nn.weight @w hash "0" : tensor<4xf32, #dev.on<"cpu">>
// CHECK-NEXT: %w_1 = nn.weight @w hash "0" : tensor<4xf32, #dev.on<"cuda">>
// CHECK-NEXT: %x_1 = dev.copy %x
// CHECK-NEXT: %a = dev.region "cpu"

// -----

// What a loop holds goes with it: all values inside lie on its device.

func.func @main(%x: tensor<3x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %e = nn.loop steps 3 reverse 0 over (%x : tensor<3x4xf32>) carry (%h : tensor<4xf32>) with ()
      -> (tensor<4xf32>) stack () {
  ^bb0(%now: tensor<4xf32>, %before: tensor<4xf32>):
    %s = nn.add %now, %before : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    nn.yield carry (%s : tensor<4xf32>) stack ()
  } {dev.place = #dev.place<"cuda", "the only device">}
  func.return %e : tensor<4xf32>
}

// CHECK:       dev.region "cuda"
// CHECK:         nn.loop steps 3 reverse 0
// CHECK-NEXT:    ^bb0(%now: tensor<4xf32, #dev.on<"cuda">>, %before: tensor<4xf32, #dev.on<"cuda">>):
// CHECK-NEXT:      %s = nn.add %now, %before : (tensor<4xf32, #dev.on<"cuda">>, tensor<4xf32, #dev.on<"cuda">>) -> tensor<4xf32, #dev.on<"cuda">>
// CHECK-NEXT:      nn.yield carry(%s : tensor<4xf32, #dev.on<"cuda">>) stack()
