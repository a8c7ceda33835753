// RUN: devproc-opt %s -p name-constants --split-input-file | filecheck %s

// Elements that differ need memory; one number, however often, stays in the code.

func.func @main() -> (tensor<2xf32>, tensor<2xf32>, tensor<0xf32>) {
  %a = nn.constant dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %b = nn.constant dense<1.0> : tensor<2xf32> : tensor<2xf32>
  %c = nn.constant dense<> : tensor<0xf32> : tensor<0xf32>
  func.return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<0xf32>
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:  %a = nn.weight @prepare.0 hash "{{[0-9a-f]+}}" : tensor<2xf32>
// CHECK-NEXT:  %b = nn.constant dense<1.000000e+00>
// CHECK-NEXT:  %c = nn.constant
// CHECK-NEXT:  func.return %a, %b, %c
// CHECK:       func.func private @prepare() -> tensor<2xf32> {
// CHECK-NEXT:    %a = nn.constant dense<[1.000000e+00, 2.000000e+00]>
