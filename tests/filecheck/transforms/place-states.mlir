// RUN: devproc-opt %s -p place-states --split-input-file | filecheck %s

// A state that one device reads and writes stays there; an output has a copy of it.

// CHECK-LABEL: func.func @main(%s: tensor<4xf32, #dev.on<"cuda">> {dev.name = "s", dev.state = "s"}) -> (tensor<4xf32, #dev.on<"cpu">> {dev.name = "y"}, tensor<4xf32, #dev.on<"cuda">> {dev.name = "s", dev.state = "s"})
// CHECK-NEXT:    %a = nn.exp %s
// CHECK-NEXT:    %r = dev.copy %a
// CHECK-NEXT:    func.return %r, %a : tensor<4xf32, #dev.on<"cpu">>, tensor<4xf32, #dev.on<"cuda">>
!host = tensor<4xf32, #dev.on<"cpu">>
!cuda = tensor<4xf32, #dev.on<"cuda">>
func.func @main(%s: !host {dev.name = "s", dev.state = "s"})
    -> (!host {dev.name = "y"}, !host {dev.name = "s", dev.state = "s"}) {
  %c = dev.copy %s : !host to !cuda
  %a = nn.exp %c {dev.place = #dev.place<"cuda", "">} : (!cuda) -> !cuda
  %r = dev.copy %a : !cuda to !host
  func.return %r, %r : !host, !host
}

// -----

// The host reads the state, too.

// CHECK-LABEL: func.func @main(%s: tensor<4xf32, #dev.on<"cpu">> {dev.name = "s", dev.state = "s"})
// CHECK-NEXT:    dev.copy %s
!host = tensor<4xf32, #dev.on<"cpu">>
!cuda = tensor<4xf32, #dev.on<"cuda">>
func.func @main(%s: !host {dev.name = "s", dev.state = "s"})
    -> (!host {dev.name = "y"}, !host {dev.name = "s", dev.state = "s"}) {
  %c = dev.copy %s : !host to !cuda
  %a = nn.exp %c {dev.place = #dev.place<"cuda", "">} : (!cuda) -> !cuda
  %r = dev.copy %a : !cuda to !host
  %y = nn.exp %s {dev.place = #dev.place<"cpu", "">} : (!host) -> !host
  func.return %y, %r : !host, !host
}

// -----

// Two states with one new value: neither can be where it is computed.

// CHECK-LABEL: func.func @main(%s: tensor<4xf32, #dev.on<"cpu">> {dev.name = "s", dev.state = "s"}, %t: tensor<4xf32, #dev.on<"cpu">> {dev.name = "t", dev.state = "t"})
!host = tensor<4xf32, #dev.on<"cpu">>
!cuda = tensor<4xf32, #dev.on<"cuda">>
func.func @main(%s: !host {dev.name = "s", dev.state = "s"}, %t: !host {dev.name = "t", dev.state = "t"})
    -> (!host {dev.name = "s", dev.state = "s"}, !host {dev.name = "t", dev.state = "t"}) {
  %c = dev.copy %s : !host to !cuda
  %d = dev.copy %t : !host to !cuda
  %a = nn.add %c, %d {dev.place = #dev.place<"cuda", "">} : (!cuda, !cuda) -> !cuda
  %r = dev.copy %a : !cuda to !host
  func.return %r, %r : !host, !host
}

// -----

// The new values are exchanged: each state takes part in the other.

// CHECK-LABEL: func.func @main(%s: tensor<4xf32, #dev.on<"cuda">> {dev.name = "s", dev.state = "s"}, %t: tensor<4xf32, #dev.on<"cuda">> {dev.name = "t", dev.state = "t"})
// CHECK-NEXT:    %a = nn.add %s, %t
// CHECK-NEXT:    %b = nn.exp %s
// CHECK-NEXT:    func.return %a, %b
!host = tensor<4xf32, #dev.on<"cpu">>
!cuda = tensor<4xf32, #dev.on<"cuda">>
func.func @main(%s: !host {dev.name = "s", dev.state = "s"}, %t: !host {dev.name = "t", dev.state = "t"})
    -> (!host {dev.name = "s", dev.state = "s"}, !host {dev.name = "t", dev.state = "t"}) {
  %c = dev.copy %s : !host to !cuda
  %d = dev.copy %t : !host to !cuda
  %a = nn.add %c, %d {dev.place = #dev.place<"cuda", "">} : (!cuda, !cuda) -> !cuda
  %b = nn.exp %c {dev.place = #dev.place<"cuda", "">} : (!cuda) -> !cuda
  %r = dev.copy %a : !cuda to !host
  %q = dev.copy %b : !cuda to !host
  func.return %r, %q : !host, !host
}

// -----

// Entries that share states: one only writes `s`, and only reads `t`. Both are on the device.

// CHECK-LABEL: func.func @main(%x: tensor<4xf32, #dev.on<"cpu">> {dev.name = "x"}, %s: tensor<4xf32, #dev.on<"cuda">> {dev.name = "s", dev.state = "s"}, %t: tensor<4xf32, #dev.on<"cuda">> {dev.name = "t", dev.state = "t"})
// CHECK-NEXT:    %c = dev.copy %x
// CHECK-NEXT:    %a = nn.add %c, %t
// CHECK-NEXT:    func.return %a, %t : tensor<4xf32, #dev.on<"cuda">>, tensor<4xf32, #dev.on<"cuda">>
!host = tensor<4xf32, #dev.on<"cpu">>
!cuda = tensor<4xf32, #dev.on<"cuda">>
func.func @main(%x: !host {dev.name = "x"}, %s: !host {dev.name = "s", dev.state = "s"}, %t: !host {dev.name = "t", dev.state = "t"})
    -> (!host {dev.name = "s", dev.state = "s"}, !host {dev.name = "t", dev.state = "t"}) {
  %c = dev.copy %x : !host to !cuda
  %d = dev.copy %t : !host to !cuda
  %a = nn.add %c, %d {dev.place = #dev.place<"cuda", "">} : (!cuda, !cuda) -> !cuda
  %r = dev.copy %a : !cuda to !host
  func.return %r, %t : !host, !host
}
