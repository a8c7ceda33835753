"""Windows over each channel as register tiles: pixels of a line by vectors of channels.

out[n, y, x, c] += image[n, y + p, x + q, c] * filters[p, q, c], a depthwise convolution
with channels last. There is no sum over channels, so a tap is a multiply-add of whole
vectors; the filters of a tap are loaded once for all pixels of a tile.

    for each n, y, for each 4 pixels, for each 2 vectors of channels:  sched.tile
        4 x 2 sums = 0                                                 sched.start
        for each tap (p, q):
            2 vectors of filters                                       sched.term
            for each pixel: 2 vectors of the image, 2 multiply-adds
        epilogue on the sums, 8 stores                                 sched.finish
"""

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import PixelTileSchedule
from devproc.targets.cpu.algorithms.pixel_tile.plan import match, plan, refuse

ALGORITHM = Algorithm(
    schedule=PixelTileSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    tiled=True,
    straight_code=("window",),
)
