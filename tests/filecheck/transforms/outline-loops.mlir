// RUN: devproc-opt %s -p outline-loops --split-input-file | filecheck %s

// A packed weight leaves the body; an invariant that nothing reads is gone, and so is the
// weight that it was. A value that is given twice has two arguments.

!h = tensor<4xf32, #dev.on<"cpu">>
!x = tensor<3x4xf32, #dev.on<"cpu">>
func.func @main(%x: !x, %h: !h) -> (!h, !x) {
  %old = nn.weight @old hash "0" : !h
  %c, %d, %all = nn.loop steps 3 reverse 1 over (%x : !x) carry (%h, %h : !h, !h) with (%old : !h)
      -> (!h, !h) stack (!x) {
  ^bb0(%now: !h, %a: !h, %b: !h, %unread: !h):
    %w = nn.weight @new hash "1" : !h
    %n = dev.launch @k(%a, %w) : (!h, !h) -> !h
    nn.yield carry (%n, %b : !h, !h) stack (%n : !h)
  }
  func.return %c, %all : !h, !x
}
func.func private @k(!h, !h) -> !h

// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %w = nn.weight @new hash "1"
// CHECK-NEXT:    %c, %d, %all = dev.launch @loop(%x, %h, %h, %w)
// CHECK-NEXT:    func.return %c, %all
// CHECK:       func.func private @loop(%x: {{.*}}, %h: {{.*}}, %h_1: {{.*}}, %w: {{.*}} attributes {dev.kernel = #dev.kernel<"cpu", "loop", ["nn.loop"]>} {
// CHECK-NEXT:    nn.loop steps 3 reverse 1 over(%x : {{.*}}) carry(%h, %h_1 : {{.*}}) with(%w : {{.*}}) ->
// CHECK-NEXT:    ^bb0(%now: {{.*}}, %a: {{.*}}, %b: {{.*}}, %w_1: {{.*}}):
// CHECK-NEXT:      %n = dev.launch @k(%a, %w_1)
// CHECK-NEXT:      nn.yield carry(%n, %b : {{.*}}) stack(%n : {{.*}})

// -----

// A loop in a loop becomes a launch in its body. Names that are taken get a number.

!h = tensor<4xf32, #dev.on<"cpu">>
func.func @main(%h: !h) -> !h {
  %r = nn.loop steps 2 reverse 0 over () carry (%h : !h) with () -> (!h) stack () {
  ^bb0(%a: !h):
    %s = nn.loop steps 3 reverse 0 over () carry (%a : !h) with () -> (!h) stack () {
    ^bb1(%b: !h):
      %c = dev.launch @k(%b) : (!h) -> !h
      nn.yield carry (%c : !h) stack ()
    }
    nn.yield carry (%s : !h) stack ()
  }
  func.return %r : !h
}
func.func private @k(!h) -> !h

// CHECK:       %r = dev.launch @loop_1(%h)
// CHECK:       func.func private @loop(%a:
// CHECK-NEXT:    nn.loop steps 3
// CHECK:       func.func private @loop_1(%h:
// CHECK-NEXT:    nn.loop steps 2
// CHECK-NEXT:    ^bb0(%a:
// CHECK-NEXT:      %s = dev.launch @loop(%a)
