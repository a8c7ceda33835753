"""Claims of the family `window`: convolutions, pools and images read by a grid."""

from tests.ops.harness import FLOATS, INTEGERS

WHOLE = (*FLOATS, "int64")
"""Of the integers PyTorch convolves and averages int64 alone."""

F = "nn.functional"

CLAIMED = {
    f"{F}.conv1d": WHOLE,
    f"{F}.conv2d": WHOLE,
    f"{F}.conv3d": WHOLE,
    f"{F}.conv_transpose1d": WHOLE,
    f"{F}.conv_transpose2d": WHOLE,
    f"{F}.conv_transpose3d": WHOLE,
    f"{F}.avg_pool1d": WHOLE,
    f"{F}.avg_pool2d": WHOLE,
    f"{F}.avg_pool3d": WHOLE,
    f"{F}.max_pool1d": FLOATS,
    f"{F}.max_pool2d": (*FLOATS, *INTEGERS),
    f"{F}.max_pool3d": (*FLOATS, *INTEGERS),
    f"{F}.max_unpool1d": FLOATS,
    f"{F}.max_unpool2d": FLOATS,
    f"{F}.max_unpool3d": FLOATS,
    f"{F}.adaptive_avg_pool1d": FLOATS,
    f"{F}.adaptive_avg_pool2d": FLOATS,
    f"{F}.adaptive_avg_pool3d": FLOATS,
    f"{F}.adaptive_max_pool1d": FLOATS,
    f"{F}.adaptive_max_pool2d": FLOATS,
    f"{F}.adaptive_max_pool3d": FLOATS,
    f"{F}.interpolate.area": FLOATS,
    f"{F}.grid_sample": FLOATS,
    "grid_sampler_2d": FLOATS,
    "grid_sampler_3d": FLOATS,
}

INTERPRETED = (
    f"{F}.avg_pool2d",
    f"{F}.conv_transpose2d",
    f"{F}.conv3d",
    f"{F}.max_pool3d",
)

COSTLY = (
    f"{F}.conv_transpose2d",
    f"{F}.conv_transpose3d",
    f"{F}.max_pool2d",
    f"{F}.max_pool3d",
    f"{F}.adaptive_max_pool3d",
    f"{F}.grid_sample",
    "grid_sampler_2d",
    "grid_sampler_3d",
)
