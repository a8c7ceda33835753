// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// CHECK-LABEL: func.func @case0
func.func @case0() {
  // CHECK-NEXT: %w = nn.window_function "hann" size 400 periodic 1 : tensor<400xf64>
  %w = nn.window_function "hann" size 400 periodic 1 : tensor<400xf64>
  func.return
}

// CHECK-LABEL: func.func @case1
func.func @case1() {
  // CHECK-NEXT: %c = nn.dft_basis "cos" size 400 : tensor<400x201xf64>
  %c = nn.dft_basis "cos" size 400 : tensor<400x201xf64>
  func.return
}

// CHECK-LABEL: func.func @case2
func.func @case2() {
  // CHECK-NEXT: %s = nn.dft_basis "sin" size 5 : tensor<5x3xf64>
  %s = nn.dft_basis "sin" size 5 : tensor<5x3xf64>
  func.return
}

// CHECK-LABEL: func.func @case3
func.func @case3() {
  // CHECK-NEXT: %d = nn.dct_basis 13 size 80 : tensor<13x80xf64>
  %d = nn.dct_basis 13 size 80 : tensor<13x80xf64>
  func.return
}

// CHECK-LABEL: func.func @case4
func.func @case4() {
  // CHECK-NEXT: %m = nn.mel_filters 80 bins 201 sample_rate 16000 range [0.0, 8000.0] like "whisper" : tensor<80x201xf64>
  %m = nn.mel_filters 80 bins 201 sample_rate 16000 range [0.0, 8000.0] like "whisper" : tensor<80x201xf64>
  func.return
}

// CHECK-LABEL: func.func @case5
func.func @case5() {
  // CHECK-NEXT: %k = nn.sinc_filters from 3 to 2 : tensor<23x2xf64>
  %k = nn.sinc_filters from 3 to 2 : tensor<23x2xf64>
  func.return
}
