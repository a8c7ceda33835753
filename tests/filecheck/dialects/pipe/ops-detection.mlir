// RUN: devproc-opt %s | devproc-opt | filecheck %s
// RUN: devproc-opt %s --print-op-generic | devproc-opt | filecheck %s

// A bounded value and its count; an encoding may have a layout, too.
// CHECK: func.func @main(%given: tensor<3x2x8x8xui8, #pipe.bounded<1, "NCHW">>,
func.func @main(%given: tensor<3x2x8x8xui8, #pipe.bounded<1, "NCHW">>, %s: tensor<2x9xf32>, %box: tensor<9x4xf32>, %chance: tensor<9x3xf32>, %label: tensor<9xi64>, %one: tensor<9xf32>, %map: tensor<1x67x4x4xf32>, %small: tensor<1x67x2x2xf32>, %five: tensor<1x6x2x2xf32>, %logit: tensor<1x9x4xf32>, %dfl: tensor<1x12x9xf32>, %class: tensor<4x5xi64, #pipe.axes<"HW">>, %color: tensor<21x3xui8>, %heat: tensor<1x17x8x6xf32>) {
  // CHECK-NEXT: %s1 = pipe.sigmoid %s : (tensor<2x9xf32>) -> tensor<2x9xf32>
  %s1 = pipe.sigmoid %s : (tensor<2x9xf32>) -> tensor<2x9xf32>
  // CHECK-NEXT: %v, %vi = pipe.top_k %s k 3 axis -1 : (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  %v, %vi = pipe.top_k %s k 3 axis -1 : (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  // CHECK-NEXT: %b1 = pipe.convert_boxes %box from "cxcywh" to "xyxy" : (tensor<9x4xf32>) -> tensor<9x4xf32>
  %b1 = pipe.convert_boxes %box from "cxcywh" to "xyxy" : (tensor<9x4xf32>) -> tensor<9x4xf32>
  // CHECK-NEXT: %b2 = pipe.scale_boxes %box by [2.0, 1.5] from [0.0, -8.0] : (tensor<9x4xf32>) -> tensor<9x4xf32>
  %b2 = pipe.scale_boxes %box by [2.0, 1.5] from [0.0, -8.0] : (tensor<9x4xf32>) -> tensor<9x4xf32>
  // CHECK-NEXT: %b3 = pipe.clip_boxes %box to [480.0, 640.0] : (tensor<9x4xf32>) -> tensor<9x4xf32>
  %b3 = pipe.clip_boxes %box to [480.0, 640.0] : (tensor<9x4xf32>) -> tensor<9x4xf32>
  // CHECK-NEXT: %b4 = pipe.decode_boxes %box, %b1 weights [10.0, 10.0, 5.0, 5.0] clip [4.135] : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  %b4 = pipe.decode_boxes %box, %b1 weights [10.0, 10.0, 5.0, 5.0] clip [4.135] : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  // CHECK-NEXT: %b5 = pipe.decode_dfl %dfl bins 3 axis 1 : (tensor<1x12x9xf32>) -> tensor<1x4x9xf32>
  %b5 = pipe.decode_dfl %dfl bins 3 axis 1 : (tensor<1x12x9xf32>) -> tensor<1x4x9xf32>
  // CHECK-NEXT: %k, %ks, %kc, %kr, %kn = pipe.nms %box, %chance thresholds [0.5, 0.05] max_n 10 agnostic 1 multi_label 0 : (tensor<9x4xf32>, tensor<9x3xf32>) -> (tensor<10x4xf32, #pipe.bounded<0>>, tensor<10xf32, #pipe.bounded<0>>, tensor<10xi64, #pipe.bounded<0>>, tensor<10xi64, #pipe.bounded<0>>, tensor<i64>)
  %k, %ks, %kc, %kr, %kn = pipe.nms %box, %chance thresholds [0.5, 0.05] max_n 10 agnostic 1 multi_label 0 : (tensor<9x4xf32>, tensor<9x3xf32>) -> (tensor<10x4xf32, #pipe.bounded<0>>, tensor<10xf32, #pipe.bounded<0>>, tensor<10xi64, #pipe.bounded<0>>, tensor<10xi64, #pipe.bounded<0>>, tensor<i64>)
  // CHECK-NEXT: %m, %ms, %mc, %mr, %mn = pipe.nms %box, %chance thresholds [0.5, 0.05] max_n 10 agnostic 1 multi_label 0 iom 1 : i64 :
  %m, %ms, %mc, %mr, %mn = pipe.nms %box, %chance thresholds [0.5, 0.05] max_n 10 agnostic 1 multi_label 0 iom 1 : i64 : (tensor<9x4xf32>, tensor<9x3xf32>) -> (tensor<10x4xf32, #pipe.bounded<0>>, tensor<10xf32, #pipe.bounded<0>>, tensor<10xi64, #pipe.bounded<0>>, tensor<10xi64, #pipe.bounded<0>>, tensor<i64>)
  // CHECK-NEXT: %l, %ls, %lc, %lr, %ln = pipe.nms %box, %one classes %label thresholds [0.5, -1.0] max_n 10 agnostic 0 multi_label 1 : (tensor<9x4xf32>, tensor<9xf32>, tensor<9xi64>) -> (tensor<10x4xf32, #pipe.bounded<0>>, tensor<10xf32, #pipe.bounded<0>>, tensor<10xi64, #pipe.bounded<0>>, tensor<10xi64, #pipe.bounded<0>>, tensor<i64>)
  %l, %ls, %lc, %lr, %ln = pipe.nms %box, %one classes %label thresholds [0.5, -1.0] max_n 10 agnostic 0 multi_label 1 : (tensor<9x4xf32>, tensor<9xf32>, tensor<9xi64>) -> (tensor<10x4xf32, #pipe.bounded<0>>, tensor<10xf32, #pipe.bounded<0>>, tensor<10xi64, #pipe.bounded<0>>, tensor<10xi64, #pipe.bounded<0>>, tensor<i64>)
  // CHECK-NEXT: %c1 = pipe.convert_boxes %k from "xyxy" to "xywh" count %kn : (tensor<10x4xf32, #pipe.bounded<0>>, tensor<i64>) -> tensor<10x4xf32, #pipe.bounded<0>>
  %c1 = pipe.convert_boxes %k from "xyxy" to "xywh" count %kn : (tensor<10x4xf32, #pipe.bounded<0>>, tensor<i64>) -> tensor<10x4xf32, #pipe.bounded<0>>
  // CHECK-NEXT: %c2 = pipe.scale_boxes %k by [2.0, 2.0] from [1.0, 1.0] count %kn : (tensor<10x4xf32, #pipe.bounded<0>>, tensor<i64>) -> tensor<10x4xf32, #pipe.bounded<0>>
  %c2 = pipe.scale_boxes %k by [2.0, 2.0] from [1.0, 1.0] count %kn : (tensor<10x4xf32, #pipe.bounded<0>>, tensor<i64>) -> tensor<10x4xf32, #pipe.bounded<0>>
  // CHECK-NEXT: %c3 = pipe.clip_boxes %c2 to [48.0, 64.0] count %kn : (tensor<10x4xf32, #pipe.bounded<0>>, tensor<i64>) -> tensor<10x4xf32, #pipe.bounded<0>>
  %c3 = pipe.clip_boxes %c2 to [48.0, 64.0] count %kn : (tensor<10x4xf32, #pipe.bounded<0>>, tensor<i64>) -> tensor<10x4xf32, #pipe.bounded<0>>
  // CHECK-NEXT: %c4 = pipe.take_rows %chance at %kr count %kn : (tensor<9x3xf32>, tensor<10xi64, #pipe.bounded<0>>, tensor<i64>) -> tensor<10x3xf32, #pipe.bounded<0>>
  %c4 = pipe.take_rows %chance at %kr count %kn : (tensor<9x3xf32>, tensor<10xi64, #pipe.bounded<0>>, tensor<i64>) -> tensor<10x3xf32, #pipe.bounded<0>>
  // CHECK-NEXT: %c5 = pipe.fill_padding %c4 with [-1.5] count %kn : (tensor<10x3xf32, #pipe.bounded<0>>, tensor<i64>) -> tensor<10x3xf32>
  %c5 = pipe.fill_padding %c4 with [-1.5] count %kn : (tensor<10x3xf32, #pipe.bounded<0>>, tensor<i64>) -> tensor<10x3xf32>
  // CHECK-NEXT: %y, %ys = pipe.decode_yolo %map, %small version "v8" strides [8, 16] bins 16 anchors [] : (tensor<1x67x4x4xf32>, tensor<1x67x2x2xf32>) -> (tensor<1x20x4xf32>, tensor<1x20x3xf32>)
  %y, %ys = pipe.decode_yolo %map, %small version "v8" strides [8, 16] bins 16 anchors [] : (tensor<1x67x4x4xf32>, tensor<1x67x2x2xf32>) -> (tensor<1x20x4xf32>, tensor<1x20x3xf32>)
  // CHECK-NEXT: %z, %zs = pipe.decode_yolo %five version "v5" strides [8] bins 16 anchors [10.0, 13.0] : (tensor<1x6x2x2xf32>) -> (tensor<1x4x4xf32>, tensor<1x4x1xf32>)
  %z, %zs = pipe.decode_yolo %five version "v5" strides [8] bins 16 anchors [10.0, 13.0] : (tensor<1x6x2x2xf32>) -> (tensor<1x4x4xf32>, tensor<1x4x1xf32>)
  // CHECK-NEXT: %d, %ds, %dc, %dn = pipe.decode_detr %logit, %logit threshold [0.5] size [480.0, 640.0] : (tensor<1x9x4xf32>, tensor<1x9x4xf32>) -> (tensor<1x9x4xf32, #pipe.bounded<1>>, tensor<1x9xf32, #pipe.bounded<1>>, tensor<1x9xi64, #pipe.bounded<1>>, tensor<1xi64>)
  %d, %ds, %dc, %dn = pipe.decode_detr %logit, %logit threshold [0.5] size [480.0, 640.0] : (tensor<1x9x4xf32>, tensor<1x9x4xf32>) -> (tensor<1x9x4xf32, #pipe.bounded<1>>, tensor<1x9xf32, #pipe.bounded<1>>, tensor<1x9xi64, #pipe.bounded<1>>, tensor<1xi64>)
  // CHECK-NEXT: %m1 = pipe.threshold %s above [0.5] : (tensor<2x9xf32>) -> tensor<2x9xi1>
  %m1 = pipe.threshold %s above [0.5] : (tensor<2x9xf32>) -> tensor<2x9xi1>
  // CHECK-NEXT: %m2 = pipe.palette %class colors %color : (tensor<4x5xi64, #pipe.axes<"HW">>, tensor<21x3xui8>) -> tensor<4x5x3xui8, #pipe.axes<"HWC">>
  %m2 = pipe.palette %class colors %color : (tensor<4x5xi64, #pipe.axes<"HW">>, tensor<21x3xui8>) -> tensor<4x5x3xui8, #pipe.axes<"HWC">>
  // CHECK-NEXT: %m3, %m4 = pipe.decode_keypoints %heat : (tensor<1x17x8x6xf32>) -> (tensor<1x17x2xf32>, tensor<1x17xf32>)
  %m3, %m4 = pipe.decode_keypoints %heat : (tensor<1x17x8x6xf32>) -> (tensor<1x17x2xf32>, tensor<1x17xf32>)
  func.return
}
