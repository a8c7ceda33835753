// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @quantized(
  %a0: tensor<2x4x5xi32>,
  %a1: tensor<4x1xi32>,
  %a2: tensor<4x1xi8>,
  %a3: tensor<2x3xi8>,
  %a4: tensor<i32>,
  %a5: tensor<i8>,
  %a6: tensor<2x3xf32>,
  %a7: tensor<f32>,
  %a8: tensor<3xf32>,
  %a9: tensor<3xi32>,
  %a10: tensor<3x64xf32>
) {
  %r0 = nn.rescale %a0, %a1, %a2 zero 0 to i8 zero 3 clamp -128 127 : (tensor<2x4x5xi32>, tensor<4x1xi32>, tensor<4x1xi8>) -> tensor<2x4x5xi8>
  // CHECK: %r0 = nn.rescale %a0, %a1, %a2 zero 0 to i8 zero 3 clamp -128 127 : (tensor<2x4x5xi32>, tensor<4x1xi32>, tensor<4x1xi8>) -> tensor<2x4x5xi8>
  // GENERIC: "nn.rescale"(%a0, %a1, %a2) <{input_zero = 0 : i64, dtype = i8, output_zero = 3 : i64, low = -128 : i64, high = 127 : i64}> : (tensor<2x4x5xi32>, tensor<4x1xi32>, tensor<4x1xi8>) -> tensor<2x4x5xi8>

  %r1 = nn.rescale %a3, %a4, %a5 zero -1 to i32 zero 0 clamp 0 2147483647 : (tensor<2x3xi8>, tensor<i32>, tensor<i8>) -> tensor<2x3xi32>
  // CHECK: %r1 = nn.rescale %a3, %a4, %a5 zero -1 to i32 zero 0 clamp 0 2147483647 : (tensor<2x3xi8>, tensor<i32>, tensor<i8>) -> tensor<2x3xi32>
  // GENERIC: "nn.rescale"(%a3, %a4, %a5) <{input_zero = -1 : i64, dtype = i32, output_zero = 0 : i64, low = 0 : i64, high = 2147483647 : i64}> : (tensor<2x3xi8>, tensor<i32>, tensor<i8>) -> tensor<2x3xi32>

  %r2 = nn.quantize %a6 by %a7 to i8 clamp -127 127 : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi8>
  // CHECK: %r2 = nn.quantize %a6 by %a7 to i8 clamp -127 127 : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi8>
  // GENERIC: "nn.quantize"(%a6, %a7) <{dtype = i8, low = -127 : i64, high = 127 : i64}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi8>

  %r3 = nn.quantize %a6 by %a8 zero %a9 to ui8 clamp 0 255 : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xi32>) -> tensor<2x3xui8>
  // CHECK: %r3 = nn.quantize %a6 by %a8 zero %a9 to ui8 clamp 0 255 : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xi32>) -> tensor<2x3xui8>
  // GENERIC: "nn.quantize"(%a6, %a8, %a9) <{dtype = ui8, low = 0 : i64, high = 255 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xi32>) -> tensor<2x3xui8>

  %r4 = nn.dequantize %a3 by %a7 : (tensor<2x3xi8>, tensor<f32>) -> tensor<2x3xf32>
  // CHECK: %r4 = nn.dequantize %a3 by %a7 : (tensor<2x3xi8>, tensor<f32>) -> tensor<2x3xf32>
  // GENERIC: "nn.dequantize"(%a3, %a7) : (tensor<2x3xi8>, tensor<f32>) -> tensor<2x3xf32>

  %r5 = nn.dequantize %a3 by %a8 zero %a9 : (tensor<2x3xi8>, tensor<3xf32>, tensor<3xi32>) -> tensor<2x3xf32>
  // CHECK: %r5 = nn.dequantize %a3 by %a8 zero %a9 : (tensor<2x3xi8>, tensor<3xf32>, tensor<3xi32>) -> tensor<2x3xf32>
  // GENERIC: "nn.dequantize"(%a3, %a8, %a9) : (tensor<2x3xi8>, tensor<3xf32>, tensor<3xi32>) -> tensor<2x3xf32>

  // The scale may be float16, one for each group of terms.
  %r6, %r7 = nn.quantize_groups %a10 bits 4 group 32 : (tensor<3x64xf32>) -> (tensor<3x2x32xi8>, tensor<3x2x1xf16>)
  // CHECK: %r6, %r7 = nn.quantize_groups %a10 bits 4 group 32 : (tensor<3x64xf32>) -> (tensor<3x2x32xi8>, tensor<3x2x1xf16>)
  // GENERIC: "nn.quantize_groups"(%a10) <{bits = 4 : i64, group = 32 : i64}> : (tensor<3x64xf32>) -> (tensor<3x2x32xi8>, tensor<3x2x1xf16>)

  %r8 = nn.dequantize %r6 by %r7 : (tensor<3x2x32xi8>, tensor<3x2x1xf16>) -> tensor<3x2x32xf32>
  // CHECK: %r8 = nn.dequantize %r6 by %r7 : (tensor<3x2x32xi8>, tensor<3x2x1xf16>) -> tensor<3x2x32xf32>
  // GENERIC: "nn.dequantize"(%r6, %r7) : (tensor<3x2x32xi8>, tensor<3x2x1xf16>) -> tensor<3x2x32xf32>

  %r9, %r10, %r11 = nn.quantize_groups %a10 bits 4 group 32 zero : (tensor<3x64xf32>) -> (tensor<3x2x32xui8>, tensor<3x2x1xf16>, tensor<3x2x1xi32>)
  // CHECK: %r9, %r10, %r11 = nn.quantize_groups %a10 bits 4 group 32 zero : (tensor<3x64xf32>) -> (tensor<3x2x32xui8>, tensor<3x2x1xf16>, tensor<3x2x1xi32>)
  // GENERIC: "nn.quantize_groups"(%a10) <{bits = 4 : i64, group = 32 : i64, zero}> : (tensor<3x64xf32>) -> (tensor<3x2x32xui8>, tensor<3x2x1xf16>, tensor<3x2x1xi32>)
  func.return
}
