"""SSA by hand: `marimo edit notebooks/course/01_ssa_by_hand.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    from collections import Counter

    import marimo as mo
    from exercise import check, code, picture, show, solution, term
    from xdsl.dialects import arith, func
    from xdsl.dialects.builtin import FloatAttr, FunctionType, ModuleOp, f32
    from xdsl.interpreter import Interpreter
    from xdsl.interpreters.arith import ArithFunctions
    from xdsl.interpreters.func import FuncFunctions
    from xdsl.ir import Block, Operation, Region, SSAValue
    from xdsl.utils.exceptions import ParseError, VerifyException

    from devproc.driver import module_text, parse_module


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    # Lesson 1: SSA by hand

    *30 minutes. You need lesson 0.*

    Afterwards you can read the text that DevProc prints at every stage, write such text, build
    the same program from Python objects, and walk over it.

    The {term("IR")} of DevProc is that of [xDSL](https://xdsl.dev): MLIR's, in Python. Its only
    unit is the {term("op")}. Ops come in {term("dialect")}s: `arith` for arithmetic on numbers,
    `func` for functions, `nn` for tensors. Take this function:

    ```python
    def step(x, limit):
        x = x + 1
        if x > limit:
            x = limit
        return x
    ```

    The variable `x` has three values one after the other. In {term("SSA")} form each has a name
    of its own, defined once, and is an {term("SSA value")}. The `if` chose between two values; now
    an op does. `arith.select` has three {term("operand")}s: a condition and two values.
    """)
    return


@app.cell(hide_code=True)
def _():
    STEP = """\
    func.func @step(%x: f32, %limit: f32) -> f32 {
      %one = arith.constant 1.0 : f32
      %next = arith.addf %x, %one : f32
      %above = arith.cmpf ogt, %next, %limit : f32
      %result = arith.select %above, %limit, %next : f32
      func.return %result : f32
    }"""
    (module := parse_module(STEP)).verify()
    text = module_text(module)
    assert module_text(parse_module(text)) == text, "it can be parsed again"
    show(STEP)
    return (module,)


@app.cell(hide_code=True)
def _(module):
    def box(text: str, x: int, y: int, height: int) -> str:
        return (
            f'<rect x="{x}" y="{y}" width="{360 - 2 * x}" height="{height}" rx="5" '
            'stroke="currentColor" fill-opacity="0.06" />'
            f'<text x="{x + 8}" y="{y + 17}">{text}</text>'
        )

    def draw(op: Operation, x: int, y: int) -> tuple[str, int]:
        """The boxes of an op and of all within it, and where they end."""
        label = " = ".join([*(f"%{value.name_hint}" for value in op.results), op.name])
        shapes, end = "", y + 26
        for block in [block for region in op.regions for block in region.blocks]:
            arguments = ", ".join(f"%{value.name_hint}" for value in block.args)
            inside, top, end = "", end, end + 26
            for nested in block.ops:
                more, end = draw(nested, x + 20, end)
                inside += more
            shapes += box(f"block ({arguments})", x + 10, top, end - top) + inside
        return box(label, x, y, end + 6 - y) + shapes, end + 10

    svg, bottom = draw(module, 2, 2)
    mo.vstack(
        [
            mo.md(f"""
            ## Ops within ops

            The parser put the function into a {term("module")}. Both are ops: an op may have
            {term("region")}s, a region holds {term("basic block")}s, a block is a list of ops and
            ends in its {term("terminator")}. The arguments of a block are values too, the only
            ones that no op defines. The picture is drawn from the module.
            """),
            picture(362, bottom, svg, "the module as nested boxes of ops and blocks"),
        ]
    )
    return


@app.cell(hide_code=True)
def _():
    def run(module: ModuleOp, *arguments: float) -> float:
        """Interprets the first function of a module."""
        interpreter = Interpreter(module)
        interpreter.register_implementations(ArithFunctions())
        interpreter.register_implementations(FuncFunctions())
        return interpreter.call_op(module.body.block.first_op, arguments)[0]

    mo.md("""
    ## Exercise 1: into SSA

    Write this function as IR. `arith.subf` and `arith.mulf` are written like `arith.addf`.

    ```python
    def area(x, y):
        if x > y:
            x, y = y, x
        y = y - x
        return x * y
    ```
    """)
    return (run,)


@app.cell
def _():
    AREA = """
    func.func @area(%x: f32, %y: f32) -> f32 {
      func.return %x : f32
    }"""  # your code
    return (AREA,)


@app.cell(hide_code=True)
def _(AREA, run):
    def trial_area():
        try:
            (module := parse_module(AREA)).verify()
        except ParseError as error:
            place, *_, reason = str(error).strip().splitlines()
            never = " It is never overwritten: name the new value differently."
            more = never if "already defined" in reason else ""
            return f"line {place.split(':')[1]}: {reason.strip()}.{more}"
        except VerifyException as error:
            return f"it parses, but an op is not valid: {error}."
        for x, y in ((2.0, 5.0), (5.0, 2.0)):
            if (found := run(module, x, y)) != 6.0:
                swap = "x > y, and both x and y get a new value, at the same time"
                why = swap if x > y else "nothing is swapped"
                return (
                    f"`area({x}, {y})` is 6.0, and yours returns {found}. Here {why}."
                )

    mo.vstack([check("Exercise 1", trial_area), solution(__file__, "AREA")])
    return


@app.cell
def _():
    def module_of(block: Block) -> ModuleOp:
        """A module with a function: f32 arguments, this block, one f32 result."""
        signature = FunctionType.from_lists([f32] * len(block.args), [f32])
        module = ModuleOp([func.FuncOp("f", signature, Region(block))])
        module.verify()
        return module

    two = Block(arg_types=[f32, f32])
    total = arith.AddfOp(two.args[0], two.args[1])
    two.add_ops([total, func.ReturnOp(total)])
    return module_of, two


@app.cell(hide_code=True)
def _(module_of, two):
    mo.vstack(
        [
            mo.md(f"""
            ## Building

            Each op is a Python class. Its constructor takes values as operands, and constants
            and types as {term("attribute")}s. The cell above adds two ops to a block, and puts
            the block into a function and that into a module:
            """),
            show(str(module_of(two))),
            mo.md("""
            ## Exercise 2: build a polynomial

            Add ops to `block` that compute `c[0] + c[1] * x + c[2] * x * x + ...` for any number
            of coefficients, and return the value. Use at most one multiplication for each:
            `c[0] + x * (c[1] + x * c[2])` is the same. The loop over the coefficients is Python's
            and runs while you build; there is none in the IR.
            """),
        ]
    )
    return


@app.function
def polynomial(block: Block, x: SSAValue, c: list[float]) -> SSAValue:  # your code
    first = arith.ConstantOp(FloatAttr(c[0], f32))
    block.add_op(first)
    return first.result


@app.cell(hide_code=True)
def _(module_of, polynomial, run):
    def trial_polynomial():
        for c in ([7.0], [1.0, 2.0], [1.0, -2.0, 3.0, 0.5]):
            block = Block(arg_types=[f32])
            value = polynomial(block, block.args[0], c)
            block.add_op(func.ReturnOp(value))
            used = [value.owner for op in block.ops for value in op.operands]
            if loose := [x for x in used if x is not block and x.parent is not block]:
                return f"the result of an `{loose[0].name}` is used; it is not in the block."
            wanted = sum(factor * 2.0**power for power, factor in enumerate(c))
            if (found := run(module_of(block), 2.0)) != wanted:
                return f"for c = {c} and x = 2 it is {wanted}, and yours gives {found}."
            if (n := sum(isinstance(op, arith.MulfOp) for op in block.ops)) > len(c):
                return f"{len(c)} coefficients took {n} multiplications."

    mo.vstack([check("Exercise 2", trial_polynomial), solution(__file__, "polynomial")])
    return


@app.cell(hide_code=True)
def _(module):
    value = next(op for op in module.walk() if isinstance(op, arith.AddfOp)).result
    readers = [f"`{use.operation.name}`" for use in value.uses]
    mo.md(f"""
    ## Walking

    A value knows the op that defines it (`value.owner`) and those that read it (`value.uses`):
    the {term("def-use chain")}. In `@step`, `%{value.name_hint}` is defined by `{value.owner.name}`
    and read by {" and ".join(readers)}. From an op, `op.regions`, `region.blocks` and `block.ops`
    lead inwards, `op.parent_op()` outwards; `op.walk()` visits an op and everything in it.

    ## Exercise 3: count the ops

    Return how often each op occurs in a module, by name (`op.name`), at any depth. Do not count
    the module itself.
    """)
    return


@app.function
def count_ops(module: ModuleOp) -> Counter:  # your code
    return Counter(op.name for op in module.body.block.ops)


@app.cell(hide_code=True)
def _(count_ops):
    LOOP = """\
    func.func @f(%n: index) {
      scf.for %i = %n to %n step %n {
        %twice = arith.addi %i, %i : index
        %thrice = arith.addi %twice, %i : index
      }
      func.return
    }"""

    def trial_count():
        found = count_ops(parse_module(LOOP))
        if found.get("builtin.module"):
            return "the module is counted; count what is in it."
        for name, place in (("func.return", "the function"), ("arith.addi", "a loop")):
            if not found.get(name):
                return f"`{name}` is in {place}, and was not found."
        if found["arith.addi"] != 2:
            return f"`arith.addi` occurs 2 times, not {found['arith.addi']}."
        if missing := sorted({"func.func", "scf.for"} - {*found}):
            return f"`{missing[0]}` is an op, too."

    _verdict = check("Exercise 3", trial_count)
    mo.vstack([show(LOOP), _verdict, solution(__file__, "count_ops")])
    return


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    ## In earnest

    {code("devproc/ir/text/parser.py", "DevProcParser")} and {code("devproc/driver.py", "module_text")} read
    and print every stage of DevProc. The importer of models adds ops to a block as you did:
    {code("devproc/frontends/torch_export/graph/builder.py", "GraphBuilder.emit")}. All ops are in `docs/ir.md`.
    """)
    return


if __name__ == "__main__":
    app.run()
