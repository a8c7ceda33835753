// RUN: devproc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// The whole list: tests/malformed/audio.py.

// CHECK: 3 samples are shorter than one frame of 4 samples
func.func @main(%x: tensor<3xf32>) {
  %r = pipe.frame %x size 4 hop 2 : (tensor<3xf32>) -> tensor<0x4xf32>
  func.return
}

// -----

// CHECK: 4 samples are too few to be mirrored by 4; a wave must be longer than half a frame
func.func @main(%x: tensor<4xf32>) {
  %r = pipe.stft %x n_fft 8 hop 4 window "hann" win_length 8 center 1 pad "reflect" : (tensor<4xf32>) -> tensor<5x2x2xf32>
  func.return
}

// -----

// CHECK: blank 5 is none of the 5 classes
func.func @main(%x: tensor<2x9x5xf32>) {
  %t, %n = pipe.ctc_greedy %x blank 5 : (tensor<2x9x5xf32>) -> (tensor<2x9xi64, #pipe.bounded<1>>, tensor<2xi64>)
  func.return
}
