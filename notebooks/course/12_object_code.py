"""From text to a function that runs: `marimo edit notebooks/course/12_object_code.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    import ctypes
    import re

    import marimo as mo
    import numpy as np
    import torch
    from exercise import check, code, picture, show, solution, term

    import devproc
    from devproc.targets.cpu.jit import assembly, compile_object
    from devproc.targets.cpu.machine.cpu_target import CPUTarget
    from devproc.targets.cpu.native_library import NativeLibrary
    from devproc.targets.cpu.object_file import ObjectFile


@app.cell(hide_code=True)
def _():
    total = """
    define double @total(ptr %x, i64 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i64 [ 0, %entry ], [ %next, %loop ]
      %sum = phi double [ 0.0, %entry ], [ %more, %loop ]
      %x_at = getelementptr double, ptr %x, i64 %i
      %x_i = load double, ptr %x_at
      %more = fadd double %sum, %x_i
      %next = add i64 %i, 1
      %again = icmp ult i64 %next, %n
      br i1 %again, label %loop, label %done
    done:
      ret double %more
    }
    """
    mo.md(f"""
    # Lesson 12: From text to a function that runs

    *30 minutes. You need lesson 11; a little C helps.*

    The earlier lessons ended with loops and vectors. Here they become a function that the
    processor runs. After this lesson you can write a loop in LLVM {term("IR")}, say what
    {term("linking")} changes in the bytes that LLVM produces, and call a compiled
    {term("segment")} from Python with nothing in between.

    ## 1. A loop in LLVM IR

    LLVM IR is in {term("SSA")} form, like the IR of the lessons before, but close to a
    machine. There are no loops, only {term("basic block")}s. A value that changes from one
    iteration to the next is a `phi`: it says which value to take, depending on the block
    that control comes from. This function adds up `n` numbers:

    {show(total, "llvm")}
    """)
    return (total,)


@app.cell
def _(total):
    def load(ir: str, name: str):
        """A function of some IR, `double name(ptr ..., i64)`, and what keeps it loaded."""
        library = NativeLibrary([compile_object(ir)])
        pointers = ir.partition(f"@{name}(")[2].partition(")")[0].count("ptr")
        types = [ctypes.c_void_p] * pointers + [ctypes.c_int64]
        function_type = ctypes.CFUNCTYPE(ctypes.c_double, *types)
        return function_type(library.address(name)), library

    numbers = np.arange(1.0, 11)
    function, _library = load(total, "total")
    mo.md(f"""
    {code("devproc/targets/cpu/jit.py", "compile_object")} parses and verifies the text, and
    LLVM turns it into {term("object code")}. `ctypes` then calls the function by its
    address: the sum of 1 to 10 is {function(numbers.ctypes.data, 10):.0f}.

    **Exercise 1.** Write `dot`, the inner product of `x` and `y`. The body below still adds
    up `x` alone. Mind the empty product: for `n = 0` the result is 0, and nothing is read.
    """)
    return (load,)


@app.cell
def _():
    dot = """
    define double @dot(ptr %x, ptr %y, i64 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i64 [ 0, %entry ], [ %next, %loop ]
      %sum = phi double [ 0.0, %entry ], [ %more, %loop ]
      %x_at = getelementptr double, ptr %x, i64 %i
      %x_i = load double, ptr %x_at
      %more = fadd double %sum, %x_i
      %next = add i64 %i, 1
      %again = icmp ult i64 %next, %n
      br i1 %again, label %loop, label %done
    done:
      ret double %more
    }
    """
    return (dot,)


@app.cell(hide_code=True)
def _(dot, load):
    def trial_dot():
        function, _library = load(dot, "dot")
        # Eight numbers for seven, in case the loop runs too far.
        x, y = np.random.default_rng(0).normal(size=(2, 8))
        for n in (1, 7, 2):
            found = function(x.ctypes.data, y.ctypes.data, n)
            if np.isclose(found, x[:n].sum()):
                return "the result is the sum of `x`: load `y` as well, and multiply."
            if np.isclose(found, x[: n + 1] @ y[: n + 1]):
                return f"for n = {n} it adds {n + 1} products, one too many."
            if not np.isclose(found, wanted := x[:n] @ y[:n]):
                return f"for n = {n} the result is {found:.3f}, not {wanted:.3f}."
        if found := function(x.ctypes.data, y.ctypes.data, 0):
            why = "the loop runs once before its condition is tested"
            return f"for n = 0 the result is {found:.3f}: {why}."
        return None

    mo.vstack([check("Exercise 1", trial_dot), solution(__file__, "dot")])


@app.cell
def _():
    # The same processor on every machine, so that the bytes are the same.
    X86 = CPUTarget.get("x86-64-v3")
    sigmoid = """
    declare float @expf(float)
    define float @sigmoid(float %x) {
      %minus = fneg float %x
      %e = call float @expf(float %minus)
      %below = fadd float %e, 1.0
      %y = fdiv float 1.0, %below
      ret float %y
    }
    """
    compiled = ObjectFile.read(compile_object(sigmoid, X86))
    machine = re.findall(r"^\t[a-z].*", assembly(sigmoid, X86), re.M)
    mo.md(f"""
    ## 2. Object code has gaps

    The next function calls another one, `expf` of the C library, and uses two constants, a
    sign bit and 1.0, which are not part of the instructions. LLVM IR, and assembly for x86-64:

    {show(sigmoid, "llvm")}
    {show(chr(10).join(machine), "asm")}
    """)
    return (compiled,)


@app.cell(hide_code=True)
def _(compiled):
    references = list(compiled.references())
    content = compiled.content(compiled.sections[references[0].section])
    gaps = {r.offset + i for r in references for i in range(4)}
    body = ""
    for number, byte in enumerate(content):
        left, top = 24 * (number % 16), 30 * (number // 16)
        shade = 0.3 if number in gaps else 0.05
        body += f'<rect x="{left}" y="{top}" width="24" height="26" fill-opacity="{shade}" />'
        body += f'<text x="{left + 4}" y="{top + 18}">{byte:02x}</text>'
    for row, r in enumerate(references):
        name = compiled.name(compiled.symbols[r.symbol])
        text = f"bytes {r.offset} to {r.offset + 3}: {name}, addend {r.addend}"
        body += f'<text x="0" y="{22 * row + 112}">{text}</text>'
    mo.md(f"""
    And the same as bytes. Each shaded group of four is a {term("relocation")}: it is zero
    until the address is known. The object file lists them, with the symbol that each one
    needs ({code("devproc/targets/cpu/object_file.py", "ObjectFile.references")}).

    {picture(390, 165, body, "The bytes of sigmoid; three groups of four are relocations")}

    A linker places code and constants in memory; then it knows all addresses. The processor
    takes the four bytes as a signed distance and adds it to the address **of the next
    instruction**. Here that one begins right after them; the *addend* accounts for it.

    **Exercise 2.** Write `distance`: what the linker stores at the address `place` for a
    symbol at the address `symbol`.
    """)
    return (references,)


@app.cell
def _():
    def distance(symbol: int, addend: int, place: int) -> int:
        return symbol  # your code

    return (distance,)


@app.cell(hide_code=True)
def _(compiled, distance, references):
    def trial_distance():
        for r in references:
            # Code at 0x40000, constants above it, and `expf` far below.
            symbol, here = compiled.symbols[r.symbol], 0x40000 + r.offset
            target = 0x50000 + symbol.value if symbol.section else 0x1000
            name, found = compiled.name(symbol), distance(target, r.addend, here)
            reached = here + 4 + found
            if found == target:
                return (
                    f"{name}: that is its address, and the processor adds a distance."
                )
            if reached == target + 4:
                return f"{name}: this ends 4 bytes too far. What is not used yet?"
            if found in (here - target, here - target + 4):
                return f"{name}: the distance to a higher address is positive."
            if reached != target:
                return f"{name} is at {target:#x}; the processor reaches {reached:#x}."
        return None

    mo.vstack([check("Exercise 2", trial_distance), solution(__file__, "distance")])


@app.cell
def _():
    class Weighted(torch.nn.Module):
        def forward(self, x, y):
            return torch.softmax(x, -1) * y

    model, x, y = Weighted().eval(), torch.randn(6, 37), torch.randn(6, 37)
    program = devproc.compile(torch.export.export(model, (x, y)), threads=1)
    llvm_ir = program.ir("llvm-ir")
    entry = re.search(r"define void @segment_0_entry.*?\n}", llvm_ir, re.S)[0]
    launch = re.search(r"plan\.launch.*?\)(?= {)", program.ir("host"))[0]
    mo.md(f"""
    That is most of a linker: {code("devproc/targets/cpu/object_linker.py", "LinkedObject")}
    does it in this process for every program, and makes the memory executable.

    ## 3. Calling a compiled program

    This line of the {term("host program")} runs all of `softmax(x) * y`:

    {show(launch)}

    Operands are inputs, results are outputs, both in memory of the caller. They reach the
    native entry as one table of pointers, operands first (in C, `void **table`):

    {show(entry, "llvm")}

    **Exercise 3.** Write `call`: it makes the table for some arrays and calls the function
    at `address` with it. `array.ctypes.data` is the address of the first element of an
    array, and `(ctypes.c_void_p * 2)(a, b)` is a C array of two pointers. In earnest this is
    {code("devproc/targets/cpu/native_library.py", "NativeLibrary.function")}.
    """)
    return llvm_ir, model, x, y


@app.cell
def _():
    def call(address: int, arrays: list) -> None:
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)
        # your code

    return (call,)


@app.cell(hide_code=True)
def _(call, llvm_ir, model, x, y):
    def trial_call():
        arrays = [x.numpy(), y.numpy(), np.zeros((6, 37), np.float32)]
        addresses, seen = [array.ctypes.data for array in arrays], []

        # First a function that only looks: a wrong table would end the whole process.
        @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        def spy(table):
            found = (ctypes.c_uint64 * 3).from_address(table) if table else ()
            seen.append((table, list(found)))

        call(ctypes.cast(spy, ctypes.c_void_p).value, arrays)
        if not seen:
            return "the function is not called."
        table, found = seen[0]
        if table in addresses:
            return "the function gets the address of an array, not that of the table."
        if found != addresses:
            if sorted(found) == sorted(addresses):
                return "the table has the pointers in another order than `arrays`."
            wrong = next(i for i in range(3) if found[i : i + 1] != [addresses[i]])
            return f"entry {wrong} of the table is not the address of arrays[{wrong}]."
        library = NativeLibrary([compile_object(llvm_ir)])
        call(library.address("segment_0_entry"), arrays)
        error = np.abs(arrays[2] - model(x.double(), y.double()).numpy()).max()
        return None if error < 1e-6 else f"the result is off by {error:.1e}."

    mo.vstack([check("Exercise 3", trial_call), solution(__file__, "call")])


if __name__ == "__main__":
    app.run()
