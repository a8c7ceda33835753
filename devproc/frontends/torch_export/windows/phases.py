"""The phases of a transposed convolution along one dimension.

With stride s, result p is the sum over the taps k and pixels i with
p + padding = s * i + dilation * k. So the results s * q + p for one p are a convolution with
a subset of the taps, which is the same for all q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import gcd


@dataclass(frozen=True)
class Phase:
    """The results s * q + p for consecutive p with equally many taps on the same pixels:
    they can be channels of one convolution.
    """

    places: int
    """The number of values of p."""
    first: int
    """The first tap of the first p; that of the next p is the following tap."""
    taps: int
    step: int
    """The distance between taps of the same p."""
    dilation: int
    """The distance between the pixels of these taps."""
    shift: int
    """The pixel that the first tap reads, minus q."""

    @property
    def start(self) -> int:
        """The first pixel that is read, minus q."""
        return self.shift - self.dilation * (self.taps - 1)

    def apart(self) -> list[Phase]:
        """One phase for each p."""
        firsts = range(self.first, self.first + self.places)
        return [replace(self, places=1, first=first) for first in firsts]


def phases_of(window: Sequence[int], padding: int) -> list[Phase]:
    """The phases of a dimension, in the order of their results; a window is kernel, stride
    and dilation."""
    kernel, stride, dilation = window
    common = gcd(stride, dilation)
    found: list[Phase] = []
    for place in range(padding, padding + stride):
        taps = [k for k in range(kernel) if (place - dilation * k) % stride == 0]
        first = taps[0] if taps else 0
        shift = (place - dilation * first) // stride if taps else 0
        phase = Phase(1, first, len(taps), stride // common, dilation // common, shift)
        last = found[-1] if found else phase
        following = last.first + last.places if taps else 0
        if found and phase == replace(last, places=1, first=following):
            found[-1] = replace(last, places=last.places + 1)
        else:
            found.append(phase)
    return found


@dataclass(frozen=True)
class Dimension:
    """One dimension of a transposed convolution."""

    size: int
    """Pixels."""
    stride: int
    phases: Sequence[Phase]
    cut: int
    """Results that are computed before the first one that is needed."""
    wanted: int
    """Results that are needed."""

    @property
    def count(self) -> int:
        """The number of values of q."""
        return -(-(self.cut + self.wanted) // self.stride)

    @property
    def padding(self) -> tuple[int, int]:
        """Zeros that the taps read before and after the image."""
        phases = [phase for phase in self.phases if phase.taps]
        before = [0, *(-phase.start for phase in phases)]
        after = [0, *(phase.shift + self.count - self.size for phase in phases)]
        return max(before), max(after)

    def is_inside(self, phase: Phase) -> bool:
        """Whether the taps of a phase read only pixels of the image."""
        return phase.start >= 0 and phase.shift + self.count <= self.size

    @classmethod
    def together(
        cls, size: int, wanted: int, window: Sequence[int], padding: int
    ) -> Dimension:
        """As few phases as possible: those of all results, if the needed results alone
        have more."""
        exact = cls.exact(size, wanted, window, padding)
        phases = phases_of(window, 0)
        if len(phases) >= len(exact.phases):
            return exact
        return replace(exact, phases=phases, cut=padding)

    @classmethod
    def exact(
        cls, size: int, wanted: int, window: Sequence[int], padding: int
    ) -> Dimension:
        """The phases of the needed results."""
        return cls(size, window[1], phases_of(window, padding), 0, wanted)

    @classmethod
    def apart(
        cls, size: int, wanted: int, window: Sequence[int], padding: int
    ) -> Dimension:
        """The phases of the needed results, one for each p."""
        exact = cls.exact(size, wanted, window, padding)
        phases = [each for phase in exact.phases for each in phase.apart()]
        return replace(exact, phases=phases)
