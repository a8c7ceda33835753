// RUN: devproc-opt %s --to-stage program | devproc-opt | filecheck %s
// RUN: not devproc-opt %s --to-stage nowhere 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not devproc-opt %s --from-stage host --to-stage program -p no-such-pass 2>&1 | filecheck %s --check-prefix=PASS

// UNKNOWN: argument --to-stage: invalid choice: 'nowhere'
// PASS: no-such-pass

// CHECK:      func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-NEXT:   %a = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %a : tensor<2xf32>
}
