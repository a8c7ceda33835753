"""3x3 convolutions by Winograd's minimal filtering: 36 products for 16 pixels, not 144.

Lavin and Gray, "Fast algorithms for convolutional neural networks", 2015:

    y = A^T [(G g G^T) * (B^T d B)] A

for a tile d of the image, filters g and m x m pixels y. Each of the (m + 2)^2 points of
the transforms is a matrix product of tiles and channels. Kernels transform filters on
the fly: transformed, they would have four times as many elements.

It pays for stride 1 and many input and output channels, in whole vectors. Its error is
up to four times that of a direct convolution; not with `precision = "strict"`.
"""

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import WinogradSchedule
from devproc.targets.cpu.algorithms.winograd.layout import (
    refuse_layout,
    winograd_layout,
)
from devproc.targets.cpu.algorithms.winograd.plan import match, plan, refuse

ALGORITHM = Algorithm(
    schedule=WinogradSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    layout=winograd_layout,
    refuse_layout=refuse_layout,
    straight_code=("window",),
    exclusive=True,
)
