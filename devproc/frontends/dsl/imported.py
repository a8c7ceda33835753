"""Steps from objects that the user already has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self, cast

from devproc.frontends.dsl.building.builder import StepBuilder
from devproc.frontends.dsl.values.value import Value

if TYPE_CHECKING:
    from devproc.frontends.dsl.pipeline import Pipeline


class ImportedSteps(StepBuilder):
    """Steps from objects that the user already has."""

    def torchvision(self, x: Value, transforms: object) -> Value:
        """The steps of torchvision's transforms, of its first or second version.

        A uint8 image `(height, width, 3)`, or gray `(height, width)`, represents a Pillow
        image; tensors that the transforms make are `(channels, height, width)`. With a leading axis
        N, the images of a batch are transformed independently. Random transforms and Python
        functions are refused. Where the first version resizes uint8 tensors, pixels whose
        exact value is a half may differ by one, as between PyTorch's own builds.
        """
        from devproc.frontends.processors.torchvision import add_transforms

        self.ssa("torchvision", x)
        return add_transforms(cast("Pipeline", self), x, transforms)

    def hf_processor(self, x: Value, processor: object) -> Value:
        """The steps of a Hugging Face image processor, or Whisper's feature extractor.

        A uint8 RGB image `(height, width, 3)` becomes `pixel_values`
        `(1, 3, height, width)`, float32, a batch of them `(n, 3, height, width)`. Gray images
        stay gray unless the processor has `do_convert_rgb`. A wave `(time)` becomes
        `input_features`.
        """
        from devproc.frontends.processors.hugging_face import add_processor

        self.ssa("hf_processor", x)
        return add_processor(cast("Pipeline", self), x, processor)

    @classmethod
    def from_torchvision(
        cls, transforms: object, shape: Sequence[int], name: str = "image"
    ) -> tuple[Self, Value]:
        """A pipeline with a uint8 input `name` of this shape, and the result of the
        transforms.
        """
        pipe = cls("from_torchvision")
        image = cast("Pipeline", pipe).input(name, "uint8", shape)
        return pipe, pipe.torchvision(image, transforms)

    @classmethod
    def from_hf_processor(
        cls,
        processor: object,
        shape: Sequence[int],
        dtype: object = "uint8",
        name: str = "image",
    ) -> tuple[Self, Value]:
        """A pipeline with an input `name` of this shape and dtype, and the result of the
        processor.
        """
        pipe = cls("from_hf_processor")
        given = cast("Pipeline", pipe).input(name, dtype, shape)
        return pipe, pipe.hf_processor(given, processor)
