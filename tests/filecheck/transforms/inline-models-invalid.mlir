// RUN: not devproc-opt %s -p inline-models 2>&1 | filecheck %s

// CHECK: model @net is declared without a body (model at app.py:7): only an imported model can run
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = pipe.model @net(%x) : (tensor<2xf32>) -> tensor<2xf32> loc("model"("app.py":7:0))
  func.return %0 : tensor<2xf32>
}
func.func private @net(tensor<2xf32>) -> tensor<2xf32>
