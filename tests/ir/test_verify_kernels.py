"""Kernels in memory that are not in their normal form, each wrong in one thing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.dev import KernelAttr
from devproc.driver import make_context, run_stages, stages_between
from devproc.errors import CompileError
from devproc.ir.program.kernel_modules import LOOP
from devproc.ir.verification.verify_kernels import FORMS, verify_kernel_forms
from tests.repository import parse

FILL = "linalg.fill ins(%zero : f32) outs(%y : memref<3x4xf32>)"
PRODUCT = """
    linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]
    } ins(%x, %w : memref<3x5xf32>, memref<4x5xf32>) outs(%y : memref<3x4xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    }"""
EPILOGUE = """
    linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]
    } ins(%y : memref<3x4xf32>) outs(%z : memref<3x4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %e = math.exp %a : f32
      linalg.yield %e : f32
    }"""
SCALAR_LOOP = """
    %step = arith.constant 1 : index
    scf.for %i = %step to %step step %step {
    }"""


def kernel(*parts: str, family: str = "contraction") -> str:
    """A kernel of these ops."""
    body = "\n".join(("%zero = arith.constant 0.0 : f32", *parts, "func.return"))
    return f"""
    func.func private @product(%x: memref<3x5xf32>, %w: memref<4x5xf32>,
        %y: memref<3x4xf32>, %z: memref<3x4xf32>)
        attributes {{dev.kernel = #dev.kernel<"cpu", "{family}", ["nn.linear"]>}} {{
      {body}
    }}"""


WRONG = {
    "order": (kernel(EPILOGUE, FILL, PRODUCT, PRODUCT), "its ops are 'pfrr', expected"),
    "fill": (
        kernel(FILL.replace("%y", "%z"), PRODUCT),
        "a fill is not followed by what writes into the same memory",
    ),
    "products": (
        kernel(
            "%wide = memref.alloca() : memref<3x9xf32>",
            FILL,
            PRODUCT,
            FILL.replace("%y : memref<3x4xf32>", "%wide : memref<3x9xf32>"),
            PRODUCT.replace("%y : memref<3x4xf32>", "%wide : memref<3x9xf32>").replace(
                "%w : memref<3x5xf32>, memref<4x5xf32>",
                "%w9 : memref<3x5xf32>, memref<9x5xf32>",
            ),
        )
        .replace('"cpu"', '"cuda"')
        .replace("%y: memref", "%w9: memref<9x5xf32>, %y: memref"),
        "the second product has other loops than the parallel ones of its anchor",
    ),
    "family": (kernel(FILL, PRODUCT, family="pointwise"), "'fr', expected f.p"),
    "loop": (
        kernel(FILL, PRODUCT, SCALAR_LOOP),
        "'scf.for' is not allowed among its structured ops",
    ),
    "shape": (
        kernel().replace("memref<4x5xf32>", "memref<?x5xf32>"),
        "its arguments need static shapes",
    ),
    "loops": (
        kernel(FILL, PRODUCT.replace("(m, n, k)", "(k, m, n)")).replace(
            '"parallel", "parallel", "reduction"', '"reduction", "parallel", "parallel"'
        ),
        "the parallel loops of a generic do not come first",
    ),
    "window": (
        kernel(
            "%wide = memref.alloca() : memref<3x9xf32>",
            FILL,
            PRODUCT.replace("-> (m, k)", "-> (m, k + n)")
            .replace("ins(%x", "ins(%wide")
            .replace("memref<3x5xf32>", "memref<3x9xf32>"),
        ),
        "a generic reads at an index of several loops",
    ),
    "epilogue": (
        kernel(
            "%wide = memref.alloca() : memref<3x9xf32>",
            FILL,
            PRODUCT,
            EPILOGUE.replace("%y", "%wide")
            .replace("%z", "%wide")
            .replace("memref<3x4xf32>", "memref<3x9xf32>"),
        ),
        "the epilogue has other loops than the parallel ones of its anchor",
    ),
}


def test_the_right_form() -> None:
    verify_kernel_forms(parse(kernel(FILL, PRODUCT, EPILOGUE)))
    added = kernel(FILL, PRODUCT, PRODUCT, EPILOGUE)
    held = kernel(FILL, PRODUCT, EPILOGUE, FILL, PRODUCT, EPILOGUE)
    for text in (added, held):
        verify_kernel_forms(parse(text.replace('"cpu"', '"cuda"')))
    verify_kernel_forms(parse(kernel(FILL, PRODUCT)))
    verify_kernel_forms(parse(kernel(EPILOGUE, family="pointwise")))


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_wrong_forms(text: str, message: str) -> None:
    module = parse(text)
    module.verify()
    with pytest.raises(VerifyException, match="the kernel @product .*" + message):
        verify_kernel_forms(module)


def test_the_stage_that_makes_them_checks_them() -> None:
    (stage,) = stages_between("kernels", "buffers")
    module = parse(kernel(FILL, PRODUCT, family="attention"))
    with pytest.raises(CompileError, match=r"stage 'buffers'.*'fr', expected frpfrpf"):
        run_stages(module, make_context(), [replace(stage, passes=())])


def test_every_family_with_code_has_a_form() -> None:
    assert {*FORMS, LOOP, "region"} == set(KernelAttr.FAMILIES)
