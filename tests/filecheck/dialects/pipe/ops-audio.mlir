// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// CHECK-LABEL: func.func @case0
func.func @case0(%x: tensor<9xi16>) {
  // CHECK-NEXT: %r = pipe.frame %x size 4 hop 2 : (tensor<9xi16>) -> tensor<3x4xf32>
  %r = pipe.frame %x size 4 hop 2 : (tensor<9xi16>) -> tensor<3x4xf32>
  func.return
}

// CHECK-LABEL: func.func @case1
func.func @case1(%x: tensor<3x4xf32>) {
  // CHECK-NEXT: %r = pipe.window %x kind "hamming" periodic 0 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = pipe.window %x kind "hamming" periodic 0 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return
}

// CHECK-LABEL: func.func @case2
func.func @case2(%x: tensor<2x20xf32>) {
  // CHECK-NEXT: %r = pipe.normalize_peak %x to 1.000000e+00 : f64 : (tensor<2x20xf32>) -> tensor<2x20xf32>
  %r = pipe.normalize_peak %x to 1.000000e+00 : f64 : (tensor<2x20xf32>) -> tensor<2x20xf32>
  func.return
}

// CHECK-LABEL: func.func @case3
func.func @case3(%x: tensor<2x20xf32>) {
  // CHECK-NEXT: %r = pipe.normalize_rms %x to 1.000000e-01 : f64 : (tensor<2x20xf32>) -> tensor<2x20xf32>
  %r = pipe.normalize_rms %x to 1.000000e-01 : f64 : (tensor<2x20xf32>) -> tensor<2x20xf32>
  func.return
}

// CHECK-LABEL: func.func @case4
func.func @case4(%x: tensor<2x20xf32>) {
  // CHECK-NEXT: %r = pipe.resample_audio %x from 48000 to 32000 like "torchaudio" : (tensor<2x20xf32>) -> tensor<2x14xf32>
  %r = pipe.resample_audio %x from 48000 to 32000 like "torchaudio" : (tensor<2x20xf32>) -> tensor<2x14xf32>
  func.return
}

// CHECK-LABEL: func.func @case5
func.func @case5(%x: tensor<2x9x5xf32>) {
  // CHECK-NEXT: %r0, %r1 = pipe.ctc_greedy %x blank 0 : (tensor<2x9x5xf32>) -> (tensor<2x9xi64, #pipe.bounded<1>>, tensor<2xi64>)
  %r0, %r1 = pipe.ctc_greedy %x blank 0 : (tensor<2x9x5xf32>) -> (tensor<2x9xi64, #pipe.bounded<1>>, tensor<2xi64>)
  func.return
}

// CHECK-LABEL: func.func @case6
func.func @case6(%x: tensor<2x20xf32>) {
  // CHECK-NEXT: %r = pipe.stft %x n_fft 8 hop 4 window "hann" win_length 8 center 1 pad "reflect" : (tensor<2x20xf32>) -> tensor<2x5x6x2xf32>
  %r = pipe.stft %x n_fft 8 hop 4 window "hann" win_length 8 center 1 pad "reflect" : (tensor<2x20xf32>) -> tensor<2x5x6x2xf32>
  func.return
}

// CHECK-LABEL: func.func @case7
func.func @case7(%x: tensor<2x5x6x2xf32>) {
  // CHECK-NEXT: %r = pipe.istft %x n_fft 8 hop 4 window "hann" win_length 8 center 1 length 20 : (tensor<2x5x6x2xf32>) -> tensor<2x20xf32>
  %r = pipe.istft %x n_fft 8 hop 4 window "hann" win_length 8 center 1 length 20 : (tensor<2x5x6x2xf32>) -> tensor<2x20xf32>
  func.return
}

// CHECK-LABEL: func.func @case8
func.func @case8(%x: tensor<5x6x2xf32>) {
  // CHECK-NEXT: %r = pipe.magnitude %x : (tensor<5x6x2xf32>) -> tensor<5x6xf32>
  %r = pipe.magnitude %x : (tensor<5x6x2xf32>) -> tensor<5x6xf32>
  func.return
}

// CHECK-LABEL: func.func @case9
func.func @case9(%x: tensor<5x6x2xf32>) {
  // CHECK-NEXT: %r = pipe.power %x : (tensor<5x6x2xf32>) -> tensor<5x6xf32>
  %r = pipe.power %x : (tensor<5x6x2xf32>) -> tensor<5x6xf32>
  func.return
}

// CHECK-LABEL: func.func @case10
func.func @case10(%x: tensor<9x6xf32>) {
  // CHECK-NEXT: %r = pipe.mel %x n_mels 3 sample_rate 16000 range [0.0, 8000.0] like "librosa" : (tensor<9x6xf32>) -> tensor<3x6xf32>
  %r = pipe.mel %x n_mels 3 sample_rate 16000 range [0.0, 8000.0] like "librosa" : (tensor<9x6xf32>) -> tensor<3x6xf32>
  func.return
}

// CHECK-LABEL: func.func @case11
func.func @case11(%x: tensor<2x20xf32>) {
  // CHECK-NEXT: %r = pipe.log_mel %x n_fft 8 hop 4 n_mels 3 sample_rate 16000 range [0.0, 8000.0] length 20 top_db [80.0] like "librosa" : (tensor<2x20xf32>) -> tensor<2x3x6xf32>
  %r = pipe.log_mel %x n_fft 8 hop 4 n_mels 3 sample_rate 16000 range [0.0, 8000.0] length 20 top_db [80.0] like "librosa" : (tensor<2x20xf32>) -> tensor<2x3x6xf32>
  func.return
}

// CHECK-LABEL: func.func @case12
func.func @case12(%x: tensor<2x20xf32>) {
  // CHECK-NEXT: %r = pipe.log_mel %x n_fft 8 hop 4 n_mels 3 sample_rate 16000 range [20.0, 7600.0] length 40 top_db [] like "whisper" : (tensor<2x20xf32>) -> tensor<2x3x10xf32>
  %r = pipe.log_mel %x n_fft 8 hop 4 n_mels 3 sample_rate 16000 range [20.0, 7600.0] length 40 top_db [] like "whisper" : (tensor<2x20xf32>) -> tensor<2x3x10xf32>
  func.return
}

// CHECK-LABEL: func.func @case13
func.func @case13(%x: tensor<3x6xf32>) {
  // CHECK-NEXT: %r = pipe.mfcc %x 2 : (tensor<3x6xf32>) -> tensor<2x6xf32>
  %r = pipe.mfcc %x 2 : (tensor<3x6xf32>) -> tensor<2x6xf32>
  func.return
}
