// RUN: devproc-opt %s -p repeat-segments --split-input-file | filecheck %s

// The loop takes the operands of the launch: states as they are, outputs for all calls.

!flag = memref<i1, #dev.on<"cpu">>
!count = memref<1xi64, #dev.on<"cpu">>
!row = memref<2x3xf32, #dev.on<"cpu">>
module attributes {devproc.repeat = {at_most = 9 : i64, until = "ended"},
    devproc.target = #dev.target<"cpu", precision = "default", threads = 1>} {
  func.func @main(%s: !count {dev.name = "s", dev.state = "s", dev.in_place, dev.role = "state"},
      %x: !row {dev.name = "x", dev.role = "output"}, %e: !flag {dev.name = "ended", dev.role = "output"}) {
    %arena = plan.arena "cpu" : memref<64xi8, #dev.on<"cpu">>
    %a = plan.buffer %arena id 0 offset 0 bytes 24 live 0 to 0 : memref<64xi8, #dev.on<"cpu">> -> !row
    plan.launch @segment_0(%s) -> (%a, %e, %x) : (!count) -> (!row, !flag, !row)
    func.return
  }
  func.func private @segment_0(%s: !count, %a: !row {llvm.align = 64 : i64}, %e: !flag, %x: !row) {
    func.return
  }
}

// CHECK:      func.func private @segment_0_repeat(%s: memref<1xi64, #dev.on<"cpu">>, %a: memref<2x3xf32, #dev.on<"cpu">> {llvm.align = 64 : i64}, %e: memref<9xi1, #dev.on<"cpu">>, %x: memref<9x2x3xf32, #dev.on<"cpu">>, %control: memref<3xi64, #dev.on<"cpu">>) {
// CHECK:        scf.while ([[I:%.+]] = {{.+}}) : (index) -> index {
// CHECK-NEXT:     [[E:%.+]] = plan.slice %e[[[I]]] : memref<9xi1, #dev.on<"cpu">> -> memref<i1, #dev.on<"cpu">>
// CHECK-NEXT:     [[X:%.+]] = plan.slice %x[[[I]]] : memref<9x2x3xf32, #dev.on<"cpu">> -> memref<2x3xf32, #dev.on<"cpu">>
// CHECK-NEXT:     func.call @segment_0(%s, %a, [[E]], [[X]])
// CHECK:          plan.follow %control
// CHECK-NEXT:     memref.load [[E]][]
// CHECK:          scf.condition

// -----

// The runtime repeats the calls of a program with a state in two places.

!flag = memref<1xi1, #dev.on<"cpu">>
!count = memref<1xi64, #dev.on<"cpu">>
module attributes {devproc.repeat = {at_most = 9 : i64, until = "ended"},
    devproc.target = #dev.target<"cpu", precision = "default", threads = 1>} {
  func.func @main(%s: !count {dev.name = "s", dev.state = "s", dev.two_places = "it is an output", dev.role = "input"},
      %e: !flag {dev.name = "ended", dev.role = "output"}, %t: !count {dev.name = "s", dev.state = "s", dev.role = "output"}) {
    plan.launch @segment_0(%s) -> (%e, %t) : (!count) -> (!flag, !count)
    func.return
  }
  func.func private @segment_0(%s: !count, %e: !flag, %t: !count) {
    func.return
  }
}

// CHECK:     dev.two_places = "it is an output"
// CHECK-NOT: scf.while

// -----

// Nor those with several steps of the host, here a region of PyTorch.

!flag = memref<1xi1, #dev.on<"cpu">>
!count = memref<1xi64, #dev.on<"cpu">>
module attributes {devproc.repeat = {at_most = 9 : i64, until = "ended"},
    devproc.target = #dev.target<"cpu", precision = "default", threads = 1>} {
  func.func @main(%s: !count {dev.name = "s", dev.state = "s", dev.in_place, dev.role = "state"},
      %e: !flag {dev.name = "ended", dev.role = "output"}) {
    plan.launch @segment_0() -> (%s) : () -> (!count)
    plan.launch @segment_1(%s) -> (%e) : (!count) -> (!flag)
    func.return
  }
  func.func private @segment_0(%s: !count) {
    func.return
  }
  func.func private @segment_1(%s: !count, %e: !flag) {
    func.return
  }
}

// CHECK:     func.func private @segment_1(
// CHECK-NOT: scf.while
