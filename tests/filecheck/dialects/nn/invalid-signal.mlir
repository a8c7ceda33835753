// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/signal.py.

// CHECK: unknown window 'hanning'; one of hann, hamming
func.func @main() {
  %w = nn.window_function "hanning" size 4 periodic 1 : tensor<4xf64>
  func.return
}

// -----

// CHECK: must be float64 (4, 3), got float64 (4, 4)
func.func @main() {
  %c = nn.dft_basis "cos" size 4 : tensor<4x4xf64>
  func.return
}

// -----

// CHECK: 5 coefficients of 4 values
func.func @main() {
  %d = nn.dct_basis 5 size 4 : tensor<5x4xf64>
  func.return
}

// -----

// CHECK: the highest frequency 8.5 Hz is above half the sample rate 16 Hz
func.func @main() {
  %m = nn.mel_filters 2 bins 5 sample_rate 16 range [0.0, 8.5] like "whisper" : tensor<2x5xf64>
  func.return
}

// -----

// CHECK: 4 and 2 have a common factor
func.func @main() {
  %k = nn.sinc_filters from 4 to 2 : tensor<30x2xf64>
  func.return
}
