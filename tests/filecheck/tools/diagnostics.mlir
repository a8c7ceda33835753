// RUN: devproc-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s
// RUN: not devproc-opt %s 2>&1 | filecheck %s --check-prefix=STOP

// xDSL does not check dominance; devproc-opt does.
// STOP: devproc-opt: unknown device 'tpu' of a value; one of cpu, cuda, host

// CHECK: operand 0 of 'nn.relu' (unknown source) is used before its definition
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %b = nn.relu %a : (tensor<2xf32>) -> tensor<2xf32>
  %a = nn.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %b : tensor<2xf32>
}

// -----

// CHECK: nn.relu does not take a bool operand
func.func @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %a = nn.relu %x : (tensor<2xi1>) -> tensor<2xi1>
  func.return %a : tensor<2xi1>
}

// -----

// CHECK: unknown device 'tpu' of a value; one of cpu, cuda, host
func.func private @main(%x: tensor<2xf32, #dev.on<"tpu">>)
