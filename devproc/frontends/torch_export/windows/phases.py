"""Where the taps of a transposed convolution's results lie, along one dimension.

With stride s, result p is the sum over the taps k and pixels i with
p + padding = s * i + dilation * k. So the results s * q + p of one p are a convolution with
some of the taps, which are the same for all q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import gcd


@dataclass(frozen=True)
class Phase:
    """The results s * q + p for neighbours p that have as many taps, which meet the same
    pixels: they can be channels of one convolution.
    """

    places: int
    """How many p there are."""
    first: int
    """The first tap of the first p. The next p's is the tap behind it."""
    taps: int
    step: int
    """From one tap to the next of the same p."""
    dilation: int
    """How many pixels these two are apart."""
    shift: int
    """The pixel that the first tap meets, minus q."""

    @property
    def start(self) -> int:
        """The first pixel that is met, minus q."""
        return self.shift - self.dilation * (self.taps - 1)

    def apart(self) -> list[Phase]:
        """Each p by itself."""
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
        behind = last.first + last.places if taps else 0
        if found and phase == replace(last, places=1, first=behind):
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
    """Results that are computed before the first that is wanted."""
    wanted: int
    """Results that are wanted."""

    @property
    def count(self) -> int:
        """How many q there are."""
        return -(-(self.cut + self.wanted) // self.stride)

    @property
    def border(self) -> tuple[int, int]:
        """Zeros that the taps meet before and behind the image."""
        phases = [phase for phase in self.phases if phase.taps]
        before = [0, *(-phase.start for phase in phases)]
        behind = [0, *(phase.shift + self.count - self.size for phase in phases)]
        return max(before), max(behind)

    def is_inside(self, phase: Phase) -> bool:
        """Whether the taps of a phase meet only pixels of the image."""
        return phase.start >= 0 and phase.shift + self.count <= self.size

    @classmethod
    def together(
        cls, size: int, wanted: int, window: Sequence[int], padding: int
    ) -> Dimension:
        """As few phases as possible: of all results, where those of the wanted ones alone
        are more."""
        exact = cls.exact(size, wanted, window, padding)
        phases = phases_of(window, 0)
        if len(phases) >= len(exact.phases):
            return exact
        return replace(exact, phases=phases, cut=padding)

    @classmethod
    def exact(
        cls, size: int, wanted: int, window: Sequence[int], padding: int
    ) -> Dimension:
        """The phases of the results that are wanted."""
        return cls(size, window[1], phases_of(window, padding), 0, wanted)

    @classmethod
    def apart(
        cls, size: int, wanted: int, window: Sequence[int], padding: int
    ) -> Dimension:
        """The same, each p by itself."""
        exact = cls.exact(size, wanted, window, padding)
        phases = [each for phase in exact.phases for each in phase.apart()]
        return replace(exact, phases=phases)
