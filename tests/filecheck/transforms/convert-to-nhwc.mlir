// RUN: devproc-opt %s --split-input-file -p convert-to-nhwc | filecheck %s
// What it means: tests/transforms/test_convert_to_nhwc.py.

// A residual: the image between the convolutions stays as it is; the border of many
// channels is made behind the transpose, that of few before it.
// CHECK-LABEL: @residual
// CHECK-NEXT:    %w = nn.weight
// CHECK-NEXT:    %v = nn.weight
// CHECK-NEXT:    %{{.*}} = nn.pad %x low [0, 0, 1, 1] high [0, 0, 1, 1]
// CHECK-NEXT:    %[[X:.*]] = nn.transpose %{{.*}} by [0, 2, 3, 1] : (tensor<1x3x10x11xf32>) -> tensor<1x10x11x3xf32>
// CHECK-NEXT:    %[[W:.*]] = nn.transpose %w by [2, 3, 1, 0] : (tensor<8x3x3x3xf32>) -> tensor<3x3x3x8xf32>
// CHECK-NEXT:    %[[C:.*]] = nn.conv2d %[[X]], %[[W]] stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 layout "nhwc"
// CHECK-NEXT:    %[[R:.*]] = nn.relu %[[C]] : (tensor<1x8x9x8xf32>) -> tensor<1x8x9x8xf32>
// CHECK-NEXT:    %[[P:.*]] = nn.pad %[[R]] low [0, 1, 1, 0] high [0, 1, 1, 0]
// CHECK-NEXT:    %[[V:.*]] = nn.transpose %v by [2, 3, 1, 0]
// CHECK-NEXT:    %[[D:.*]] = nn.conv2d %[[P]], %[[V]] {{.*}} layout "nhwc"
// CHECK-NEXT:    %[[S:.*]] = nn.add %[[D]], %[[R]]
// CHECK-NEXT:    %[[Y:.*]] = nn.transpose %[[S]] by [0, 3, 1, 2]
// CHECK-NEXT:    func.return %[[Y]]
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @residual(%x: tensor<1x3x8x9xf32>) -> tensor<1x8x8x9xf32> {
    %w = nn.weight @w hash "1f" : tensor<8x3x3x3xf32>
    %v = nn.weight @v hash "2f" : tensor<8x8x3x3xf32>
    %c = nn.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<1x3x8x9xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x8x9xf32>
    %r = nn.relu %c : (tensor<1x8x8x9xf32>) -> tensor<1x8x8x9xf32>
    %d = nn.conv2d %r, %v stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<1x8x8x9xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x8x9xf32>
    %s = nn.add %d, %r : (tensor<1x8x8x9xf32>, tensor<1x8x8x9xf32>) -> tensor<1x8x8x9xf32>
    func.return %s : tensor<1x8x8x9xf32>
  }
}

// -----

// The border of a maximum is -inf. In ceil mode the last window reaches behind the image:
// the border says how far.
// CHECK-LABEL: @pools
// CHECK:         %[[M:.*]] = nn.constant dense<"0x000080FF"> : tensor<f32>
// CHECK-NEXT:    %[[X:.*]] = nn.transpose %x by [0, 2, 3, 1]
// CHECK-NEXT:    %[[P:.*]] = nn.pad %[[X]] with %[[M]] low [0, 1, 0, 0] high [0, 1, 1, 0] : {{.*}} -> tensor<1x8x8x5xf32>
// CHECK-NEXT:    %[[Q:.*]] = nn.max_pool2d %[[P]] kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil 0 layout "nhwc"
// CHECK-NEXT:    %[[S:.*]] = nn.sum_pool2d %[[Q]] {{.*}} layout "nhwc" : (tensor<1x4x4x5xf32>) -> tensor<1x3x3x5xf32>
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @pools(%x: tensor<1x5x6x7xf32>) -> tensor<1x5x3x3xf32> {
    %p = nn.max_pool2d %x kernel [2, 2] stride [2, 2] padding [1, 0] dilation [1, 1] ceil 1 : (tensor<1x5x6x7xf32>) -> tensor<1x5x4x4xf32>
    %q = nn.sum_pool2d %p kernel [2, 2] stride [1, 1] padding [0, 0] dilation [1, 1] ceil 0 : (tensor<1x5x4x4xf32>) -> tensor<1x5x3x3xf32>
    func.return %q : tensor<1x5x3x3xf32>
  }
}

// -----

// Along one axis, in the new order of axes; an operand of fewer dimensions is an image
// only where it meets one.
// CHECK-LABEL: @axes
// CHECK:         %[[C:.*]] = nn.conv2d
// CHECK-NEXT:    %[[N:.*]] = nn.concat %[[C]], %[[C]] axis 3
// CHECK-NEXT:    %[[L:.*]] = nn.slice %[[N]] from [0, 1, 0, 2] size [1, 3, 5, 4] step [1, 1, 1, 1]
// CHECK-NEXT:    %[[R:.*]] = nn.reduce_sum %[[L]] axes [1, 2] keep 0 : (tensor<1x3x5x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT:    %[[B:.*]] = nn.reshape %s to [1, 4, 1, 1]
// CHECK-NEXT:    %[[T:.*]] = nn.transpose %[[B]] by [0, 2, 3, 1]
// CHECK-NEXT:    %[[M:.*]] = nn.mul %[[L]], %[[T]]
// CHECK:         nn.reduce_sum %s axes [0] keep 0 : (tensor<4x1x1xf32>) -> tensor<1x1xf32>
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @axes(%x: tensor<1x3x4x5xf32>, %w: tensor<3x3x1x1xf32>, %s: tensor<4x1x1xf32>) -> (tensor<1x4xf32>, tensor<1x4x3x5xf32>, tensor<1x1xf32>) {
    %c = nn.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<1x3x4x5xf32>, tensor<3x3x1x1xf32>) -> tensor<1x3x4x5xf32>
    %n = nn.concat %c, %c axis 1 : (tensor<1x3x4x5xf32>, tensor<1x3x4x5xf32>) -> tensor<1x6x4x5xf32>
    %l = nn.slice %n from [0, 2, 1, 0] size [1, 4, 3, 5] step [1, 1, 1, 1] : (tensor<1x6x4x5xf32>) -> tensor<1x4x3x5xf32>
    %r = nn.reduce_sum %l axes [2, 3] keep 0 : (tensor<1x4x3x5xf32>) -> tensor<1x4xf32>
    %m = nn.mul %l, %s : (tensor<1x4x3x5xf32>, tensor<4x1x1xf32>) -> tensor<1x4x3x5xf32>
    %t = nn.reduce_sum %s axes [0] keep 0 : (tensor<4x1x1xf32>) -> tensor<1x1xf32>
    func.return %r, %m, %t : tensor<1x4xf32>, tensor<1x4x3x5xf32>, tensor<1x1xf32>
  }
}

// -----

// An image as tokens, and tokens as an image.
// CHECK-LABEL: @tokens
// CHECK:         %[[C:.*]] = nn.conv2d
// CHECK-NEXT:    %[[T:.*]] = nn.reshape %[[C]] to [1, 20, 6]
// CHECK-NEXT:    %[[U:.*]] = nn.transpose %[[T]] by [0, 2, 1] : (tensor<1x20x6xf32>) -> tensor<1x6x20xf32>
// CHECK-NEXT:    %[[V:.*]] = nn.transpose %[[U]] by [0, 2, 1] : (tensor<1x6x20xf32>) -> tensor<1x20x6xf32>
// CHECK-NEXT:    %[[E:.*]] = nn.exp %[[V]]
// CHECK-NEXT:    %{{.*}} = nn.transpose %[[E]] by [0, 2, 1]
// CHECK-NEXT:    %[[I:.*]] = nn.reshape %[[E]] to [1, 4, 5, 6]
// CHECK:         nn.conv2d %[[I]], %{{.*}} layout "nhwc"
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @tokens(%x: tensor<1x3x4x5xf32>, %w: tensor<6x3x1x1xf32>, %v: tensor<2x6x1x1xf32>) -> tensor<1x2x4x5xf32> {
    %c = nn.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<1x3x4x5xf32>, tensor<6x3x1x1xf32>) -> tensor<1x6x4x5xf32>
    %f = nn.reshape %c to [1, 6, 20] : (tensor<1x6x4x5xf32>) -> tensor<1x6x20xf32>
    %t = nn.transpose %f by [0, 2, 1] : (tensor<1x6x20xf32>) -> tensor<1x20x6xf32>
    %e = nn.exp %t : (tensor<1x20x6xf32>) -> tensor<1x20x6xf32>
    %u = nn.transpose %e by [0, 2, 1] : (tensor<1x20x6xf32>) -> tensor<1x6x20xf32>
    %i = nn.reshape %u to [1, 6, 4, 5] : (tensor<1x6x20xf32>) -> tensor<1x6x4x5xf32>
    %d = nn.conv2d %i, %v stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<1x6x4x5xf32>, tensor<2x6x1x1xf32>) -> tensor<1x2x4x5xf32>
    func.return %d : tensor<1x2x4x5xf32>
  }
}

// -----

// What windows alone read gets its border, and is cut, behind the transpose; what has
// channels last before it is read as it is.
// CHECK-LABEL: @read_by_windows
// CHECK-NEXT:    %[[X:.*]] = nn.transpose %x by [0, 2, 3, 1] : (tensor<1x8x6x7xf32>) -> tensor<1x6x7x8xf32>
// CHECK-NEXT:    %[[P:.*]] = nn.pad %[[X]] low [0, 0, 0, 0] high [0, 1, 1, 0]
// CHECK-NEXT:    %[[S:.*]] = nn.slice %[[P]] from [0, 1, 0, 0] size [1, 6, 8, 8] step [1, 1, 1, 1]
// CHECK:         %[[C:.*]] = nn.conv2d %[[S]], %{{.*}} layout "nhwc"
// CHECK:         %[[L:.*]] = nn.reshape %{{.*}} to [1, 12, 8, 6]
// CHECK:         %[[R:.*]] = nn.relu %[[L]] : (tensor<1x12x8x6xf32>) -> tensor<1x12x8x6xf32>
// CHECK:         nn.conv2d %[[R]], %{{.*}} layout "nhwc"
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @read_by_windows(%x: tensor<1x8x6x7xf32>, %w: tensor<12x8x1x1xf32>, %v: tensor<2x6x1x1xf32>) -> tensor<1x2x12x8xf32> {
    %p = nn.pad %x low [0, 0, 0, 0] high [0, 0, 1, 1] : (tensor<1x8x6x7xf32>) -> tensor<1x8x7x8xf32>
    %s = nn.slice %p from [0, 0, 1, 0] size [1, 8, 6, 8] step [1, 1, 1, 1] : (tensor<1x8x7x8xf32>) -> tensor<1x8x6x8xf32>
    %c = nn.conv2d %s, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<1x8x6x8xf32>, tensor<12x8x1x1xf32>) -> tensor<1x12x6x8xf32>
    %t = nn.transpose %c by [0, 2, 3, 1] : (tensor<1x12x6x8xf32>) -> tensor<1x6x8x12xf32>
    %l = nn.reshape %t to [1, 12, 8, 6] : (tensor<1x6x8x12xf32>) -> tensor<1x12x8x6xf32>
    %f = nn.transpose %l by [0, 3, 1, 2] : (tensor<1x12x8x6xf32>) -> tensor<1x6x12x8xf32>
    %r = nn.relu %f : (tensor<1x6x12x8xf32>) -> tensor<1x6x12x8xf32>
    %d = nn.conv2d %r, %v stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<1x6x12x8xf32>, tensor<2x6x1x1xf32>) -> tensor<1x2x12x8xf32>
    func.return %d : tensor<1x2x12x8xf32>
  }
}

// -----

// A GPU masks the padding. Pixels of three channels get a fourth, of zeros, where they are
// transposed; the filters of a depthwise convolution have no such channel.
// CHECK-LABEL: @mixed
// CHECK-NEXT:    %[[P:.*]] = nn.pad %x low [0, 0, 0, 0] high [0, 1, 0, 0] : (tensor<1x3x4x5xf32>) -> tensor<1x4x4x5xf32>
// CHECK-NEXT:    %[[X:.*]] = nn.transpose %[[P]] by [0, 2, 3, 1] : (tensor<1x4x4x5xf32>) -> tensor<1x4x5x4xf32>
// CHECK-NEXT:    %[[W:.*]] = nn.pad %w low [0, 0, 0, 0] high [0, 1, 0, 0] : (tensor<3x3x3x3xf32>) -> tensor<3x4x3x3xf32>
// CHECK-NEXT:    %[[F:.*]] = nn.transpose %[[W]] by [2, 3, 1, 0]
// CHECK-NEXT:    %[[C:.*]] = nn.conv2d %[[X]], %[[F]] stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 layout "nhwc" : (tensor<1x4x5x4xf32>, tensor<3x3x4x3xf32>) -> tensor<1x4x5x3xf32>
// CHECK-NEXT:    %[[M:.*]] = nn.max_pool2d %[[C]] kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] ceil 1 layout "nhwc" : (tensor<1x4x5x3xf32>) -> tensor<1x3x3x3xf32>
// CHECK-NEXT:    %[[V:.*]] = nn.transpose %v by [2, 3, 1, 0] : (tensor<3x1x3x3xf32>) -> tensor<3x3x1x3xf32>
// CHECK-NEXT:    nn.conv2d %[[M]], %[[V]] stride [1, 1] padding [1, 1] dilation [1, 1] groups 3 layout "nhwc"
builtin.module attributes {devproc.target = #dev.target<"cpu+cuda", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>, cuda = #triton.options<arch = "sm_90", interpret = 0>>} {
  func.func @mixed(%x: tensor<1x3x4x5xf32>, %w: tensor<3x3x3x3xf32>, %v: tensor<3x1x3x3xf32>) -> tensor<1x3x3x3xf32> {
    %c = nn.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<1x3x4x5xf32>, tensor<3x3x3x3xf32>) -> tensor<1x3x4x5xf32>
    %m = nn.max_pool2d %c kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] ceil 1 : (tensor<1x3x4x5xf32>) -> tensor<1x3x3x3xf32>
    %d = nn.conv2d %m, %v stride [1, 1] padding [1, 1] dilation [1, 1] groups 3 : (tensor<1x3x3x3xf32>, tensor<3x1x3x3xf32>) -> tensor<1x3x3x3xf32>
    func.return %d : tensor<1x3x3x3xf32>
  }
}

// -----

// A convolution of one pixel, as in squeeze and excitation, is a linear layer.
// CHECK-LABEL: @one_pixel
// CHECK-DAG:     %[[X:.*]] = nn.transpose %x by [0, 2, 3, 1]
// CHECK-DAG:     %[[W:.*]] = nn.reshape %w to [6, 20]
// CHECK:         nn.linear %[[X]], %[[W]] bias %b : (tensor<3x1x1x20xf32>, tensor<6x20xf32>, tensor<6xf32>) -> tensor<3x1x1x6xf32>
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512>>} {
  func.func @one_pixel(%x: tensor<3x20x1x1xf32>) -> tensor<3x6x1x1xf32> {
    %w = nn.weight @w hash "1f" : tensor<6x20x1x1xf32>
    %b = nn.weight @b hash "2f" : tensor<6xf32>
    %c = nn.conv2d %x, %w bias %b stride [2, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<3x20x1x1xf32>, tensor<6x20x1x1xf32>, tensor<6xf32>) -> tensor<3x6x1x1xf32>
    func.return %c : tensor<3x6x1x1xf32>
  }
}
