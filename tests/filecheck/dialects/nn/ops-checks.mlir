// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @checks(%a0: tensor<2x1xi64>, %a1: tensor<3xui8>) {
  nn.check_range %a0 from -9 to 8 what "index" of "aten.index.Tensor" : tensor<2x1xi64>
  // CHECK: nn.check_range %a0 from -9 to 8 what "index" of "aten.index.Tensor" : tensor<2x1xi64>
  // GENERIC: "nn.check_range"(%a0) <{lower = -9 : i64, upper = 8 : i64, what = "index", of = "aten.index.Tensor"}> : (tensor<2x1xi64>) -> ()

  nn.check_range %a0 from 0 to -1 what "index" of "aten.gather.default" : tensor<2x1xi64>
  // CHECK: nn.check_range %a0 from 0 to -1 what "index" of "aten.gather.default" : tensor<2x1xi64>

  nn.check_divisor %a1 of "aten.remainder.Tensor" : tensor<3xui8>
  // CHECK: nn.check_divisor %a1 of "aten.remainder.Tensor" : tensor<3xui8>
  // GENERIC: "nn.check_divisor"(%a1) <{of = "aten.remainder.Tensor"}> : (tensor<3xui8>) -> ()
  func.return
}
