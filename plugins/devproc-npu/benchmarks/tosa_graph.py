"""Graphs of TOSA as text, their files, and their results on the reference model."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from environment import Environment
from numpy.typing import NDArray

ELEMENTS = {"int8": "i8", "int32": "i32"}


def tensor(shape: tuple[int, ...], element: str) -> str:
    """The type of a tensor."""
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


class Graph:
    """The text of a graph being written; each method adds an operator, and returns the name
    of its result."""

    def __init__(self) -> None:
        self.inputs: list[str] = []
        self.lines: list[str] = []
        self.types: dict[str, str] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}

    def input(self, shape: tuple[int, ...]) -> str:
        """An argument of int8."""
        name = f"%arg{len(self.inputs)}"
        self.inputs.append(f"{name}: {tensor(shape, 'i8')}")
        self._known(name, shape, "i8")
        return name

    def constant(self, value: NDArray[Any]) -> str:
        """A constant of int8 or int32."""
        data = np.ascontiguousarray(value)
        kind = tensor(data.shape, ELEMENTS[data.dtype.name])
        # One hexadecimal element would be a splat.
        text = f'"0x{data.tobytes().hex()}"' if data.size > 1 else str(data.item())
        return self._add(
            f'"tosa.const"() <{{values = dense<{text}> : {kind}}}> : () -> {kind}',
            data.shape,
            ELEMENTS[data.dtype.name],
        )

    def conv2d(
        self,
        x: str,
        weight: NDArray[np.int8],
        bias: NDArray[np.int32],
        stride: int,
        padding: list[int],
    ) -> str:
        """A convolution; image and weight have their channels last. Padding: top, bottom,
        left, right; the windows must end at the border."""
        n, height, width, _ = self.shapes[x]
        columns, *kernel, _ = weight.shape
        size = [
            (s + sum(p) - k) // stride + 1
            for s, k, p in zip(
                (height, width), kernel, (padding[:2], padding[2:]), strict=True
            )
        ]
        return self._call(
            "conv2d",
            [x, self.constant(weight), self.constant(bias), *self._zeros(2)],
            f"acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: {text(padding)}>,"
            f" stride = array<i64: {text([stride] * 2)}>",
            (n, size[0], size[1], columns),
        )

    def matmul(self, a: str, b: str) -> str:
        """A batch of products."""
        n, m, _ = self.shapes[a]
        shape = (n, m, self.shapes[b][2])
        return self._call("matmul", [a, b, *self._zeros(2)], "", shape)

    def rescale(
        self, x: str, multiplier: NDArray[np.int32], shift: NDArray[np.int8], to: str
    ) -> str:
        """RESCALE with SINGLE_ROUND, by channel if there are several multipliers."""
        element = self.types[x].split("x")[-1][:-1]
        zeros = [np.zeros(1, np.int8 if e == "i8" else np.int32) for e in (element, to)]
        operands = [self.constant(v) for v in (multiplier, shift, *zeros)]
        attributes = (
            "input_unsigned = false, output_unsigned = false, scale32 = true,"
            f" per_channel = {str(len(multiplier) > 1).lower()},"
            " rounding_mode = SINGLE_ROUND"
        )
        return self._call("rescale", [x, *operands], attributes, self.shapes[x], to)

    def add(self, a: str, b: str) -> str:
        """The sum of two tensors of int32."""
        return self._call("add", [a, b], "", self.shapes[a])

    def clamp(self, x: str, low: int, high: int) -> str:
        """Values in a range."""
        attributes = f"min_val = {low} : i8, max_val = {high} : i8"
        return self._call("clamp", [x], attributes, self.shapes[x], "i8")

    def file(self, environment: Environment, result: str, folder: Path) -> Path:
        """The graph as a flatbuffer."""
        head = f"func.func @main({', '.join(self.inputs)}) -> {self.types[result]} {{"
        end = f"return {result} : {self.types[result]}\n}}"
        source, file = folder / "graph.mlir", folder / "graph.tosa"
        source.write_text("\n".join([head, *self.lines, end]) + "\n")
        passes = (
            "--tosa-attach-target=specification_version=1.0",
            f"--tosa-serialize=tosa-flatbuffer-filename={file}",
        )
        environment.run("tosa-opt", source, *passes, "-o", "/dev/null", cwd=folder)
        return file

    def results(
        self, environment: Environment, result: str, inputs: list[NDArray[np.int8]]
    ) -> NDArray[np.int8]:
        """What the reference model computes from inputs."""
        with TemporaryDirectory() as name:
            folder = Path(name)
            self.file(environment, result, folder)
            for number, value in enumerate(inputs):
                np.save(folder / f"{number}.npy", value)
            numbers = range(len(inputs))
            environment.run(
                "tosa_reference_model",
                "--tosa_file=graph.tosa",
                f"--ifm_name={','.join(f'TosaInput_{i}' for i in numbers)}",
                f"--ifm_file={','.join(f'{i}.npy' for i in numbers)}",
                "--ofm_name=TosaOutput_0",
                "--ofm_file=out.npy",
                "--flatbuffer_dir=.",
                "--output_dir=.",
                cwd=folder,
            )
            return np.load(folder / "out.npy")

    def _zeros(self, count: int) -> list[str]:
        """Zero points of int8."""
        return [self.constant(np.zeros(1, np.int8)) for _ in range(count)]

    def _call(
        self,
        operator: str,
        operands: list[str],
        attributes: str,
        shape: tuple[int, ...],
        element: str = "i32",
    ) -> str:
        types = ", ".join(self.types[o] for o in operands)
        result = tensor(shape, element)
        text = (
            f"tosa.{operator} {', '.join(operands)} {{{attributes}}}"
            f" : ({types}) -> {result}"
        )
        return self._add(text, shape, element)

    def _add(self, text: str, shape: tuple[int, ...], element: str) -> str:
        name = f"%{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        self._known(name, shape, element)
        return name

    def _known(self, name: str, shape: tuple[int, ...], element: str) -> None:
        self.shapes[name], self.types[name] = shape, tensor(shape, element)


def text(numbers: list[int]) -> str:
    """Numbers with commas between them."""
    return ", ".join(map(str, numbers))
