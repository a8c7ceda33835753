// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// CHECK: func.func @geometry
func.func @geometry(%x: tensor<5x7x3xui8, #pipe.axes<"HWC">>) {
  // CHECK-NEXT: %a = pipe.crop %x from [1, 2] size [3, 4] : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<3x4x3xui8, #pipe.axes<"HWC">>
  %a = pipe.crop %x from [1, 2] size [3, 4] : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<3x4x3xui8, #pipe.axes<"HWC">>
  // CHECK-NEXT: %b = pipe.center_crop %x size [3, 9] :
  %b = pipe.center_crop %x size [3, 9] : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<3x9x3xui8, #pipe.axes<"HWC">>
  // CHECK-NEXT: %c = pipe.pad %x by [1, 0, 1, 2] mode "constant" value 1.140000e+02 : f64 :
  %c = pipe.pad %x by [1, 0, 1, 2] mode "constant" value 114.0 : f64 : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<7x9x3xui8, #pipe.axes<"HWC">>
  // CHECK-NEXT: %d = pipe.letterbox %x to [8, 8] value 1.140000e+02 : f64 mode "bilinear" like "pillow" :
  %d = pipe.letterbox %x to [8, 8] value 114.0 : f64 mode "bilinear" like "pillow" : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<8x8x3xui8, #pipe.axes<"HWC">>
  // CHECK-NEXT: %e = pipe.flip %x direction "horizontal" :
  %e = pipe.flip %x direction "horizontal" : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<5x7x3xui8, #pipe.axes<"HWC">>
  // CHECK-NEXT: %f = pipe.rotate %x turns -1 :
  %f = pipe.rotate %x turns -1 : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<7x5x3xui8, #pipe.axes<"HWC">>
  // CHECK-NEXT: %g = pipe.affine %x by [1.0, 0.5, 0.0, 0.0, 1.0, 2.0] to [4, 6] mode "bilinear" like "opencv" border "edge" value 0.000000e+00 : f64 :
  %g = pipe.affine %x by [1.0, 0.5, 0.0, 0.0, 1.0, 2.0] to [4, 6] mode "bilinear" like "opencv" border "edge" value 0.0 : f64 : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<4x6x3xui8, #pipe.axes<"HWC">>
  func.return
}

// CHECK: func.func @places
func.func @places(%x: tensor<1x3x5x7xf32, #pipe.axes<"NCHW">>, %g: tensor<1x2x4x2xf32>, %b: tensor<9x4xf32>) {
  // CHECK-NEXT: %a = pipe.grid_sample %x at %g mode "bilinear" padding "zeros" align_corners 0 :
  %a = pipe.grid_sample %x at %g mode "bilinear" padding "zeros" align_corners 0 : (tensor<1x3x5x7xf32, #pipe.axes<"NCHW">>, tensor<1x2x4x2xf32>) -> tensor<1x3x2x4xf32, #pipe.axes<"NCHW">>
  // CHECK-NEXT: %c = pipe.crop_and_resize %x at %b to [4, 6] samples 2 like "torchvision" :
  %c = pipe.crop_and_resize %x at %b to [4, 6] samples 2 like "torchvision" : (tensor<1x3x5x7xf32, #pipe.axes<"NCHW">>, tensor<9x4xf32>) -> tensor<9x3x4x6xf32, #pipe.axes<"NCHW">>
  func.return
}

// CHECK: func.func @pixels
func.func @pixels(%x: tensor<5x7x3xui8, #pipe.axes<"HWC">>, %w: tensor<4xui16>, %n: tensor<6x4xui8, #pipe.axes<"HW">>, %q: tensor<9x4xf32>) {
  // CHECK-NEXT: %a = pipe.color %x from "RGB" to "GRAY" like "opencv" : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<5x7x1xui8, #pipe.axes<"HWC">>
  %a = pipe.color %x from "RGB" to "GRAY" like "opencv" : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<5x7x1xui8, #pipe.axes<"HWC">>
  // CHECK-NEXT: %z = pipe.crop_and_resize %x at %q to [4, 6] samples 1 like "pytorch" :
  %z = pipe.crop_and_resize %x at %q to [4, 6] samples 1 like "pytorch" : (tensor<5x7x3xui8, #pipe.axes<"HWC">>, tensor<9x4xf32>) -> tensor<9x4x6x3xf32, #pipe.axes<"NHWC">>
  // CHECK-NEXT: %b = pipe.yuv %n from "NV12" to "RGB" matrix "bt601" range "limited" like "opencv" :
  %b = pipe.yuv %n from "NV12" to "RGB" matrix "bt601" range "limited" like "opencv" : (tensor<6x4xui8, #pipe.axes<"HW">>) -> tensor<4x4x3xui8, #pipe.axes<"HWC">>
  // CHECK-NEXT: %c = pipe.scale %x factor [0.5] offset [-1.0] :
  %c = pipe.scale %x factor [0.5] offset [-1.0] : (tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<5x7x3xf32, #pipe.axes<"HWC">>
  // CHECK-NEXT: %d = pipe.clamp %w from 1.000000e+00 : f64 to 6.000000e+04 : f64 : (tensor<4xui16>) -> tensor<4xui16>
  %d = pipe.clamp %w from 1.0 : f64 to 60000.0 : f64 : (tensor<4xui16>) -> tensor<4xui16>
  // CHECK-NEXT: %e = pipe.gamma %w by 2.200000e+00 : f64 gain 1.000000e+00 : f64 :
  %e = pipe.gamma %w by 2.2 : f64 gain 1.0 : f64 : (tensor<4xui16>) -> tensor<4xui16>
  // CHECK-NEXT: %f = pipe.cast %c to ui16 rounding "half_up" saturate :
  %f = pipe.cast %c to ui16 rounding "half_up" saturate : (tensor<5x7x3xf32, #pipe.axes<"HWC">>) -> tensor<5x7x3xui16, #pipe.axes<"HWC">>
  // CHECK-NEXT: %g = pipe.stack %x, %x :
  %g = pipe.stack %x, %x : (tensor<5x7x3xui8, #pipe.axes<"HWC">>, tensor<5x7x3xui8, #pipe.axes<"HWC">>) -> tensor<2x5x7x3xui8, #pipe.axes<"NHWC">>
  // CHECK-NEXT: %h = pipe.select %g axis 0 index -1 :
  %h = pipe.select %g axis 0 index -1 : (tensor<2x5x7x3xui8, #pipe.axes<"NHWC">>) -> tensor<5x7x3xui8, #pipe.axes<"HWC">>
  func.return
}
