"""Rewrites: `marimo edit notebooks/course/06_rewrites.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    import math

    import marimo as mo
    from emitter import Emitter
    from exercise import check, code, graph, show, solution, term
    from interpreter import error_and_bound, main, main_block, nodes, run
    from xdsl.pattern_rewriter import PatternRewriteWalker, RewritePattern
    from xdsl.traits import Pure

    from devproc.dialects.nn.constant import ConstantOp
    from devproc.dialects.nn.contraction import LinearOp
    from devproc.dialects.nn.normalization import BatchNormOp
    from devproc.dialects.nn.pointwise import AddOp, DivOp, MulOp, SubOp


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    # Lesson 6: Rewrites

    *35 minutes. You need lessons 0 to 2.*

    An optimiser is a set of small rules, each a {term("rewrite pattern")}: where the program
    looks like this, put that in its place. A rule promises that the results stay the same. You
    write three rules here, and each time decide what "the same" means: every bit, or a difference
    within a {term("bound")}.

    Afterwards you can write a rule, say for which inputs it is exact, and test that.

    To see that nothing changed, we run a program before and after. `run(module, values)`, in
    `interpreter.py`, computes each {term("op")} from its definition and rounds to float32, or
    with `dtype="d"` to float64. In the compiler, PyTorch does this:
    {code("devproc/reference/run/interpreter.py", "evaluate")}.

    ## x + 0 is x, is it not?

    Floating-point numbers have two zeros, `0.0` and `-0.0` ({term("signed zero")}). They compare
    equal, but `1 / 0.0` is infinity and `1 / -0.0` is minus infinity. In Python,
    `math.copysign(1.0, c)` is 1.0 or -1.0 and tells them apart.

    `DropNeutral`, below, looks at arithmetic with a constant on the right. Where `neutral`
    agrees, the left operand takes the place of the result. The compiler has the same rule:
    {code("devproc/dialects/nn_canonicalization/pointwise.py", "DropNeutralElement")}.

    **Exercise 1.** `neutral(name, c)` says whether `x` may replace `x + c`, `x - c`, `x * c` or
    `x / c` for *every* float `x`, bit for bit. Its body is the first that comes to mind.
    """)


@app.function
def neutral(name: str, c: float) -> bool:
    """Whether the op `name` (nn.add, nn.sub, nn.mul, nn.div) of x and c is always x."""
    return c == 1.0 if name in ("nn.mul", "nn.div") else c == 0.0


@app.class_definition
class DropNeutral(RewritePattern):
    """`x op c` becomes `x` where `neutral` says so."""

    def match_and_rewrite(self, op, rewriter):
        if isinstance(op, AddOp | SubOp | MulOp | DivOp):
            if isinstance(op.rhs.owner, ConstantOp):
                (c,) = op.rhs.owner.value.get_values()
                if neutral(op.name, c):
                    rewriter.replace(op, [], [op.lhs])


@app.cell(hide_code=True)
def _():
    def trial_neutral():
        xs, missed = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan], None
        for op, sign in zip((AddOp, SubOp, MulOp, DivOp), "+-*/", strict=True):
            for c in (0.0, -0.0, 1.0, -1.0, 2.0):
                body = f"""%c = nn.constant dense<{c}> : tensor<f32> : tensor<f32>
                    %r = {op.name} %x, %c : (tensor<7xf32>, tensor<f32>) -> tensor<7xf32>"""
                module = main(body, x="7")
                before = run(module, {"x": xs})
                PatternRewriteWalker(DropNeutral()).rewrite_module(module)
                for x, b, a in zip(xs, before, run(module, {"x": xs}), strict=True):
                    if str(a) != str(b):
                        return f"x {sign} {c} became x, but for x = {x} it is {b}, not {a}."
                if len(main_block(module)) > 2 and str(before) == str(xs):
                    missed = f"x {sign} {c} is x for every x, and is still computed."
        return missed

    mo.vstack([check("Exercise 1", trial_neutral), solution(__file__, "neutral")])


@app.cell
def _():
    _text = mo.md(f"""
    A rule that is right for real numbers can be wrong for floats. Zeros, infinities and NaN
    belong in every test.

    ## One spelling for one meaning

    `DropNeutral` looks to the right only. Rather than writing each rule twice, a compiler first
    brings programs into a {term("canonical form")}: of several spellings that mean the same, one
    is chosen. Here the constant of a sum or a product goes to the right.
    """)

    class ConstantRight(RewritePattern):
        """`c + x` becomes `x + c`, and so for products. Not `c - x`."""

        def match_and_rewrite(self, op, rewriter):
            if isinstance(op, AddOp | MulOp) and isinstance(op.lhs.owner, ConstantOp):
                if not isinstance(op.rhs.owner, ConstantOp):
                    rewriter.replace(op, type(op).build_op([op.rhs, op.lhs]))

    _t = "tensor<4xf32>"
    _body = f"""%a = nn.constant dense<2.0> : {_t} : {_t}
        %b = nn.constant dense<3.0> : {_t} : {_t}
        %c = nn.constant dense<2.0> : {_t} : {_t}
        %p = nn.mul %a, %x : ({_t}, {_t}) -> {_t}
        %q = nn.mul %x, %c : ({_t}, {_t}) -> {_t}
        %s = nn.sub %p, %b : ({_t}, {_t}) -> {_t}
        %t = nn.sub %b, %q : ({_t}, {_t}) -> {_t}
        %r = nn.div %s, %t : ({_t}, {_t}) -> {_t}"""
    program = main(_body, x="4")
    PatternRewriteWalker(ConstantRight()).rewrite_module(program)
    mo.vstack([_text, show(str(program))])
    return (program,)


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    ## Computing equal things once

    The two products are spelled alike now, but their constants are two ops. Common subexpression
    elimination ({term("CSE")}) walks over the program and remembers each op under a key. Where it
    meets a key again, it uses the earlier result. So the constants become one op, then the
    products have the same operands and become one as well.

    **Exercise 2.** `key(op)` returns something hashable that is equal for two ops exactly if they
    compute the same. An op has a `name`, `operands`, and `properties`: a dict, which holds the
    `value` of a constant. Its `location` is the line where it was written.
    """)


@app.function
def key(op):
    """Equal for two ops exactly if they have the same result."""
    return op.name, tuple(op.operands)


@app.function
def eliminate(module):
    """A copy of a module in which each key is computed once."""
    module, seen = module.clone(), {}
    for op in main_block(module):
        # Others, such as run-time checks, must not be dropped.
        if op.has_trait(Pure):
            first = seen.setdefault(key(op), op)
            if first is not op:
                op.results[0].replace_all_uses_with(first.results[0])
                op.detach()
                op.erase()
    return module


@app.cell(hide_code=True)
def _(program):
    def trial_key():
        after = eliminate(program)
        left = [op.name for op in main_block(after)]
        if left.count("nn.constant") < 2:
            return "2.0 and 3.0 became one constant: the number is one of its `properties`."
        if left.count("nn.sub") < 2:
            return "the two differences became one, but their operands differ in order."
        if left.count("nn.constant") > 2:
            return "2.0 is still there twice: the key differs for equal ops."
        if left.count("nn.mul") > 1:
            return "the same product of the same operands is still computed twice."
        values = {"x": [1.0, 2.0, -3.0, 0.25]}
        if run(after, values) != run(program, values):
            return "the results of the program are not what they were."

    drawn = [graph(nodes(m), "A program") for m in (program, eliminate(program))]
    verdict = check("Exercise 2", trial_key)
    mo.vstack(
        [
            mo.hstack(drawn, wrap=True, justify="start", gap=2),
            verdict,
            solution(__file__, "key"),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    The picture shows the program as it is and after elimination. With a right key, eight boxes become six, and
    one product feeds both differences. No bit changed, since nothing is computed in another way.
    The {term("stage")} `tensor` runs such rules ({code("devproc/stages.py", "COMMON")}).

    ## A rule that changes bits

    Batch normalisation scales and shifts each output of the layer before it; in inference, by
    constants:

    $$y = \\frac{{(Wx + b) - m}}{{\\sqrt{{v + \\epsilon}}}} \\cdot g + h$$

    They can be multiplied into $W$ and $b$, once, at compile time. Products then round
    differently, so the last bits change. This is why
    {code("devproc/transforms/tensor/fold_batch_norm.py", "FoldBatchNormPass")} does nothing with
    `precision="strict"`, and why the check compares with float64.

    **Exercise 3.** `folded(norm, layer, e)` returns weight and bias of a layer that does both, or
    None where both must stay. `norm` has `weight` ($g$), `bias` ($h$), `mean`, `variance`, and
    the number `norm.epsilon.value.data`. `layer` has `weight` (a *row* for each output), `bias`
    and `result`; `result.has_one_use()` tells whether only the batch norm reads it. `e` makes
    ops: `e.add(a, b)`, `e.sub`, `e.mul`, `e.div`, `e.sqrt(a)`, `e.constant(number)`, and
    `e.column(a)`, which makes `n` numbers a matrix of `n` rows.
    """)


@app.function
def folded(norm, layer, e):
    """(weight, bias) of one layer that computes `norm(layer(x))`, or None."""
    scale = e.div(norm.weight, e.sqrt(norm.variance))
    return e.mul(layer.weight, scale), layer.bias


@app.class_definition
class FoldBatchNorm(RewritePattern):
    """The batch norm of a linear layer becomes one layer."""

    def match_and_rewrite(self, op, rewriter):
        if isinstance(op, BatchNormOp) and isinstance(op.operand.owner, LinearOp):
            layer = op.operand.owner
            if made := folded(op, layer, Emitter(rewriter)):
                rewriter.replace(op, LinearOp.build_op([layer.input, *made]))
                if layer.result.first_use is None:
                    rewriter.erase(layer)


@app.cell(hide_code=True)
def _():
    _m, _v = "tensor<4x4xf32>", "tensor<4xf32>"

    def network(last):
        """A layer, its batch norm and one more op, before and after the rule."""
        body = f"""%l = nn.linear %x, %w bias %b : ({_m}, {_m}, {_v}) -> {_m}
            %n = nn.batch_norm %l weight %g : {_v} bias %h : {_v} mean %m : {_v}
                variance %v : {_v} epsilon 1.0e-3 : f64 : ({_m}) -> {_m}
            %r = {last} : ({_m}, {_m}) -> {_m}"""
        before = main(body, x="4x4", w="4x4", **dict.fromkeys("bghmv", "4"))
        after = before.clone()
        PatternRewriteWalker(FoldBatchNorm()).rewrite_module(after)
        return before, after

    def trial_folded():
        before, after = network("nn.add %n, %n")
        if any(isinstance(op, BatchNormOp) for op in main_block(after)):
            return "the batch norm is still there."
        some = [math.sin(1.7 * i * i) for i in range(16)]
        given = {"x": some, "w": some[::-1], "g": [1.0] * 4}
        given |= dict.fromkeys("bhmv", [0.0] * 4)
        for hint, changed in (
            ("if the variance is 0: `epsilon` keeps the root above 0", {}),
            ("if variances differ: the scale of an output belongs to its row", {"v": [4, 0.1, 1, 0.5]}),
            ("if the layer has a bias: it is scaled as well", {"b": some[:4]}),
            ("if the mean is not 0", {"m": some[4:8]}),
            ("if the batch norm has a bias: nothing scales it", {"h": some[2:6]}),
            ("if the batch norm has a weight", {"g": some[8:12]}),
        ):  # fmt: skip
            given |= changed
            error, bound = error_and_bound(before, after, given)
            if not error <= bound:
                return f"the result is off by {error:.1e} {hint}. The bound is {bound:.1e}."
        _, shared = network("nn.add %n, %l")
        if sum(isinstance(op, LinearOp) for op in main_block(shared)) > 1:
            return "a layer with another reader stays, so its work is done twice."

    _answer = solution(__file__, "folded"), show(str(network("nn.add %n, %n")[1]))
    _text = mo.md("""
    ## What to take along

    - A rule is right if it is right for every input, zeros and infinities included.
    - One spelling for one meaning keeps rules short, and lets equal things be found.
    - A rule that rounds differently needs a bound, and a way to turn it off.

    The ops of your rule depend on constants alone, so they move to the function `@prepare`, which
    runs once, at compile time. In lesson 7 a rule of yours joins the compiler.
    """)
    mo.vstack([check("Exercise 3", trial_folded), *_answer, _text])


if __name__ == "__main__":
    app.run()
