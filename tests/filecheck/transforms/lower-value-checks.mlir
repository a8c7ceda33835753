// RUN: devproc-opt %s --check-values -p lower-value-checks --split-input-file | filecheck %s
// RUN: devproc-opt %s -p lower-value-checks --split-input-file | filecheck %s --check-prefix=OFF

// Without the option no check remains, nor what was made for one alone.
// OFF-NOT: nn.check
// OFF-NOT: nn.slice
// OFF:     nn.gather
// OFF-NOT: nn.check
// OFF-NOT: devproc.checks

// The second check is the first one again; the report stands in front of the state.
// CHECK:       of = "aten.index.Tensor", what = "index", lower = -9 : i64, upper = 8 : i64, shape = array<i64: 2, 3>
// CHECK-SAME:  of = "aten.remainder.Tensor", what = "divisor"
// CHECK:       func.func @main
// CHECK-SAME:    -> (tensor<6x4xf32> {dev.name = "y"}, tensor<2x2xi64> {dev.name = "devproc.checks"}, tensor<2xf32> {dev.name = "s", dev.state = "s"})
// CHECK:         [[FLAT:%.*]] = nn.reshape %i to [6]
// CHECK:         nn.constant dense<-9>
// CHECK:         [[LOW:%.*]] = nn.lt [[FLAT]]
// CHECK:         nn.constant dense<8>
// CHECK:         [[HIGH:%.*]] = nn.lt {{.*}}, [[FLAT]]
// CHECK:         nn.or [[LOW]], [[HIGH]]
// CHECK:         [[PLACE:%.*]] = nn.argmax
// CHECK:         [[VALUE:%.*]] = nn.gather [[FLAT]] at [[PLACE]] axes [0]
// CHECK:         nn.concat [[PLACE]], [[VALUE]] axis 0
// CHECK-NOT:     nn.check
// CHECK:         [[WIDE:%.*]] = nn.cast %d to i64
// CHECK:         nn.eq [[WIDE]]
// CHECK:         [[REPORT:%.*]] = nn.concat {{.*}} axis 0 : (tensor<1x2xi64>, tensor<1x2xi64>) -> tensor<2x2xi64>
// CHECK:         func.return {{%.*}}, [[REPORT]], %s
func.func @main(
  %x: tensor<9x4xf32>, %i: tensor<2x3xi64>, %d: tensor<5xui8>, %s: tensor<2xf32> {dev.name = "s", dev.state = "s"}
) -> (tensor<6x4xf32> {dev.name = "y"}, tensor<2xf32> {dev.name = "s", dev.state = "s"}) {
  nn.check_range %i from -9 to 8 what "index" of "aten.index.Tensor" : tensor<2x3xi64>
  %line = nn.reshape %i to [6, 1] : (tensor<2x3xi64>) -> tensor<6x1xi64>
  %y = nn.gather %x at %line axes [0] : (tensor<9x4xf32>, tensor<6x1xi64>) -> tensor<6x4xf32>
  nn.check_range %i from -9 to 8 what "index" of "aten._unsafe_index.Tensor" : tensor<2x3xi64>
  nn.check_divisor %d of "aten.remainder.Tensor" : tensor<5xui8>
  func.return %y, %s : tensor<6x4xf32>, tensor<2xf32>
}

// -----

func.func @main(%o: tensor<4xi64>, %x: tensor<9x4xf32>, %i: tensor<6x1xi64>) -> tensor<6x4xf32> {
  %first = nn.slice %o from [0] size [1] step [1] : (tensor<4xi64>) -> tensor<1xi64>
  nn.check_range %first from 0 to 0 what "first offset" of "aten.embedding_bag.padding_idx" : tensor<1xi64>
  %y = nn.gather %x at %i axes [0] : (tensor<9x4xf32>, tensor<6x1xi64>) -> tensor<6x4xf32>
  func.return %y : tensor<6x4xf32>
}
