"""Integer operators that a model calls: int8 products, TOSA's RESCALE, quantization.

```python
from devproc.quantized import conv2d, quantize, rescale, scale_of

multiplier, shift = scale_of(x_scale * weight_scale / y_scale)
y = rescale(conv2d(quantize(x, [x_scale]), weight, padding=1) + bias, [multiplier], [shift])
```

Called eagerly they compute the reference, on the CPU; `torch.export` records them, and
`devproc.compile` computes the same integers.
"""

from devproc.quantized.conversions import dequantize, quantize, rescale
from devproc.quantized.products import conv2d, linear, matmul
from devproc.quantized.scales import scale_of

__all__ = [
    "conv2d",
    "dequantize",
    "linear",
    "matmul",
    "quantize",
    "rescale",
    "scale_of",
]
