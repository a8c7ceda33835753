// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

func.func @nms(%b: tensor<2x9x1x4xf32>, %own: tensor<2x9x3x4xf32>, %s: tensor<2x9x3xf32>, %c: tensor<2x9x3xi64>) {
  // CHECK: %i, %n = nn.nms %b, %s thresholds [0.5, 0.05] max_n 7 agnostic 1 : (tensor<2x9x1x4xf32>, tensor<2x9x3xf32>) -> (tensor<2x7xi64>, tensor<2xi64>)
  // GENERIC: "nn.nms"(%b, %s) <{thresholds = array<f64: 5.000000e-01, 5.000000e-02>, max_n = 7 : i64, agnostic = 1 : i64}>
  %i, %n = nn.nms %b, %s thresholds [0.5, 0.05] max_n 7 agnostic 1 : (tensor<2x9x1x4xf32>, tensor<2x9x3xf32>) -> (tensor<2x7xi64>, tensor<2xi64>)
  // CHECK-NEXT: %i2, %n2 = nn.nms %b, %s thresholds [0.5, 0.05] max_n 7 agnostic 1 iom 1 : i64 :
  %i2, %n2 = nn.nms %b, %s thresholds [0.5, 0.05] max_n 7 agnostic 1 iom 1 : i64 : (tensor<2x9x1x4xf32>, tensor<2x9x3xf32>) -> (tensor<2x7xi64>, tensor<2xi64>)
  // CHECK-NEXT: %j, %m = nn.nms %own, %s classes %c thresholds [1.0, -1.0e+30] max_n 1 agnostic 0 : (tensor<2x9x3x4xf32>, tensor<2x9x3xf32>, tensor<2x9x3xi64>) -> (tensor<2x1xi64>, tensor<2xi64>)
  %j, %m = nn.nms %own, %s classes %c thresholds [1.0, -1.0e+30] max_n 1 agnostic 0 : (tensor<2x9x3x4xf32>, tensor<2x9x3xf32>, tensor<2x9x3xi64>) -> (tensor<2x1xi64>, tensor<2xi64>)
  func.return
}
