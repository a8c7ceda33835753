"""Meaning, and how wrong a result may be: `marimo edit notebooks/course/04_meaning.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    import math

    import marimo as mo
    import numpy as np
    import torch
    from exercise import check, code, picture, solution, term
    from scalar_formula import lowering_of
    from xdsl.dialects.builtin import TensorType
    from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
    from xdsl.traits import Pure

    import devproc
    from devproc.dialects.nn.base import NNOp


@app.cell(hide_code=True)
def _():
    def dot(a, b):
        """The sum of the products, one after the other, each step rounded to float32."""
        return np.cumsum(a * b, dtype=np.float32)[-1]

    _rng = np.random.default_rng(0)
    _a, _b = _rng.normal(size=(2, 1000)).astype(np.float32)
    _exact = float(_a.astype(float) @ _b.astype(float))
    mo.md(f"""
    # Lesson 4: Meaning, and how wrong a result may be

    *35 minutes. You need lessons 2 and 3.*

    A compiled program rarely gives PyTorch's result in every bit. So what is a correct
    result, and what is a bug? Here you work out how far a result may be off, find a bug with
    `devproc.verify` that random inputs do not show, and mend it.

    ## Meaning

    Each {term("op")} has a {term("reference")}: a PyTorch function that says what it means.
    All of them stand in one table, {code("devproc/reference/run/interpreter.py", "REFERENCE")}.
    Whatever the compiler makes of an op, down to machine code, is compared with it.

    ## Two right answers

    Floats round after each operation, so (a + b) + c and a + (b + c) may differ. Here is one
    sum of 1000 products, in float64, from front to back, and from back to front:

    | float64 | forwards | backwards |
    |---|---|---|
    | {_exact:.7f} | {dot(_a, _b):.7f} | {dot(_a[::-1], _b[::-1]):.7f} |

    A compiler chooses the order in which the machine is fastest. Both results are right; the
    distance has to be small, but small next to what? One operation is off by at most half a
    {term("ULP")}, that is $2^{{-24}}$ of its result. A sum of $n$ products takes $2n$
    operations, and no intermediate result is larger than $\\sum |a_i b_i|$.

    **Exercise 1.** `allowed(a, b)` is the {term("tolerance")} for a sum of products of float32:
    how far it may be from the exact one, whatever the order. It accepts each honest sum, and
    still notices that a single term is missing.
    """)
    return (dot,)


@app.function
def allowed(a: np.ndarray, b: np.ndarray) -> float:
    """How far a float32 sum of the products a * b may be from the exact one."""
    return 1e-5 * abs(float(a.astype(float) @ b.astype(float)))


@app.cell(hide_code=True)
def _(dot):
    def trial_allowed():
        rng = np.random.default_rng(1)
        a, b = rng.normal(size=(2, 100)).astype(np.float32)
        cases = {
            "the terms cancel": (np.r_[a, a], np.r_[b, -b * np.float32(1 + 1e-6)]),
            "all numbers are large": (a * 1000, b * 1000),
            "the sum is long": (np.full(100_000, 0.1, np.float32), np.ones(100_000, np.float32)),
        }  # fmt: skip
        for what, (x, y) in cases.items():
            error = abs(float(dot(x, y)) - float(x.astype(float) @ y.astype(float)))
            if not allowed(x, y) >= error:
                terms = np.abs(x * y).sum()
                return (
                    f"{what}: an honest sum is off by {error:.1e}, you allow"
                    f" {allowed(x, y):.1e}. Its {len(x)} terms add up to {terms:.1e}, without signs."
                )
        for scale in (1, 1e-6):
            x, y = a * np.float32(scale), b
            missing = float(np.median(np.abs(x * y)))
            if allowed(x, y) > missing:
                return (
                    f"a missing term of {missing:.1e} is within the {allowed(x, y):.1e} that"
                    f" you allow; the terms add up to {np.abs(x * y).sum():.1e}."
                )

    mo.vstack([check("Exercise 1", trial_allowed), solution(__file__, "allowed")])


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    The compiler does the same: an op that sums is `SUMMED`, with a tolerance relative to its
    terms; one that only moves numbers is `EXACT`
    ({code("devproc/op_rules/base/tolerances.py", "Tolerance")},
    {code("devproc/verification.py", "difference")}).

    ## A bug report

    A colleague added an {term("operator")}, softplus: log(1 + exp(x)). It has a reference and a
    {term("lowering")}, and passes its test on random inputs. A user reports NaN.
    """)


@app.cell
def _():
    @torch.library.custom_op("course::softplus", mutates_args=())
    def softplus(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.softplus(x)

    softplus.register_fake(torch.empty_like)

    @irdl_op_definition
    class SoftplusOp(NNOp):
        """log(1 + exp(x)), element by element."""

        name = "course.softplus"
        operand = operand_def(TensorType)
        result = result_def(TensorType)
        assembly_format = "$operand attr-dict `:` functional-type(operands, results)"
        traits = traits_def(Pure())

        @classmethod
        def infer(cls, operands, properties):
            return operands

    class Shares(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.head = torch.nn.Linear(8, 3)

        def forward(self, x):
            y = softplus(x)
            return self.head(y / y.sum(-1, keepdim=True))

    class Softplus(torch.nn.Module):
        def forward(self, x):
            return softplus(x)

    def register(formula):
        """From now on softplus is computed by `formula`."""
        devproc.register_op(
            "course::softplus",
            op=SoftplusOp,
            reference=lambda op, x: (torch.nn.functional.softplus(x),),
            lowering=lowering_of(formula),
            replace=True,
        )

    torch.manual_seed(0)
    model = Shares().eval()
    exported = torch.export.export(model, (torch.zeros(4, 8),))
    alone = torch.export.export(Softplus(), (torch.zeros(4, 8),))
    return alone, exported, register


@app.cell
def _(exported, register):
    def colleague(x):
        return (1 + x.exp()).log()

    register(colleague)
    _passes = devproc.verify(exported, inputs={"x": torch.randn(4, 8)}, threads=1)

    mo.md(f"""
    `devproc.verify` runs the compiled program and compares each op twice. The **local** error is
    that of the op alone: its reference gets the operands that it got. The **accumulated** one is
    the distance from a run of references only. An op that is right, but reads a wrong number, has
    the second and not the first.

    > {_passes.summary()}

    **Exercise 2.** `sample` is the input of the model: finite float32 numbers, 4 by 8. Choose
    one for which `verify` does not pass.
    """)
    return (colleague,)


@app.cell
def _():
    sample = torch.linspace(-3, 3, 32).reshape(4, 8)
    return (sample,)


@app.cell(hide_code=True)
def _(colleague, exported, register, sample):
    def draw(rows):
        """The local error of each op in units of its tolerance, on a logarithmic scale."""
        parts, bottom = [], 26 * len(rows)
        for i, row in enumerate(rows):
            width = 20 * (math.log10(min(max(row.local.excess, 1e-4), 1e4)) + 4.2)
            fill = 0.3 if row.local.tolerable else 0.9
            parts.append(
                f'<text x="0" y="{26 * i + 16}">{row.name}</text><rect x="160" height="16"'
                f' y="{26 * i + 4}" width="{width}" fill-opacity="{fill}"/>'
            )
        parts.append(f'<path d="M244 0V{bottom}" stroke="currentColor"/>')
        parts.append(f'<text x="244" y="{bottom + 14}">tolerance</text>')
        return picture(400, bottom + 20, "".join(parts), "Local errors by op")

    results = []

    def trial_sample():
        if tuple(sample.shape) != (4, 8) or sample.dtype != torch.float32:
            return (
                f"the model takes 4 by 8 numbers of float32, not {tuple(sample.shape)}."
            )
        if not sample.isfinite().all():
            return "the user's numbers were finite, and so are yours to be."
        register(colleague)
        results.append(devproc.verify(exported, inputs={"x": sample}, threads=1))
        if results[0].passed:
            return (
                f"it passes for numbers from {sample.min():.3g} to {sample.max():.3g}."
                " Follow the intermediate results of the formula: when do they leave float32?"
            )

    def shown():
        (result,) = results
        return mo.vstack(
            [draw((*result.ops, *result.outputs)), mo.md(f"`{result.summary()}`")]
        )

    mo.vstack([check("Exercise 2", trial_sample, shown), solution(__file__, "sample")])


@app.cell(hide_code=True)
def _():
    mo.md("""
    The picture shows the local errors for your sample: the first op with a bar beyond the line is
    the culprit. Those after it divide and multiply what they are given, and are right.

    **Exercise 3.** Mend `mended(x)`. `x` has the methods `x.exp()`, `x.log()`, `x.log1p()` (the
    logarithm of 1 + x, exact where x is tiny), `x.maximum(0.0)`, and Python's `+`, `-`, `*`,
    `abs`. On paper, log(1 + exp(x)) = x + log(1 + exp(-x)): one form for each sign.
    """)


@app.function
def mended(x):
    return (1 + x.exp()).log()


@app.cell(hide_code=True)
def _(alone, register):
    def trial_mended():
        register(mended)
        program = devproc.compile(alone, threads=1, cache=False)
        for number, hint in (
            (0.5, "it has to be softplus also where nothing is extreme."),
            (100.0, "exp(x) does not fit into float32."),
            (-200.0, "a form that is right for one sign may overflow for the other."),
            (-20.0, "1 + exp(x) rounds to 1, and the logarithm of 1 is 0."),
            (math.nan, "NaN has to stay NaN: it says that something went wrong."),
        ):
            x = torch.full((4, 8), number)
            found, exact = program(x), torch.nn.functional.softplus(x.double())
            if not torch.allclose(found.double(), exact, 1e-6, 1e-40, equal_nan=True):
                return f"x = {number} gives {found[0, 0]:.3g}, not {exact[0, 0]:.3g}: {hint}"

    mo.vstack([check("Exercise 3", trial_mended), solution(__file__, "mended")])


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    ## What to take along

    - A result is right if it is as near to the exact one as honest rounding allows; that is
      measured by the terms, not by the result.
    - Look at the first op whose *local* error is too large. The ops after it work with wrong numbers.
    - Random inputs show little. Test large, small and cancelling numbers, NaN and infinity.

    `devproc verify model.pt2` prints the same table for a model of yours. Whole models are
    compared with float64, where the error may be twice that of PyTorch:
    {code("devproc/accuracy.py", "largest_error")}.
    """)


if __name__ == "__main__":
    app.run()
