"""A bug, from a wrong label to its cause: `marimo edit notebooks/course/15_capstone.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    import math
    import re

    import marimo as mo
    import torch
    from exercise import check, code, hint_of, picture, show, solution, term
    from extract import extract
    from suspect import NAME, install

    import devproc
    from devproc import driver
    from devproc.reference.run.interpreter import evaluate
    from devproc.reference.run.preparation import prepared
    from devproc.runtime.execution.host_reader import find_function
    from devproc.source import read_source


@app.cell
def _():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(64, 32), torch.nn.Linear(32, 32)
            self.norm, self.head = torch.nn.LayerNorm(32), torch.nn.Linear(32, 10)
            self.gain = torch.nn.Parameter(torch.randn(2, 32))

        def forward(self, x):
            x = (x / 255 - 0.5) / 0.25
            h = self.norm(torch.relu(self.first(x)) * self.gain[0])
            h = h + torch.relu(self.second(h)) * self.gain[1]
            return torch.softmax(self.head(h), -1)

    torch.manual_seed(1)
    model, x = Net().eval(), torch.randint(0, 256, (1, 64)).float()
    exported = torch.export.export(model, (x,))
    right = devproc.compile(exported, threads=1)(x)
    with install():
        found = devproc.compile(exported, threads=1, cache=False)(x)
        checked = devproc.verify(exported, inputs={"x": x}, exported=exported)
    agreeing = sum(op.local.tolerable for op in checked.ops)
    mo.md(f"""
    # Lesson 15: A bug, from a wrong label to its cause

    *45 minutes. You need lessons 4 and 7.*

    Yesterday this model gave the label {int(right.argmax())}, as it does in PyTorch. Today it is
    {int(found.argmax())}: a package has been installed that brings a {term("pass")} of its own.
    After this lesson you can find the pass that changed a result, reduce a program to the few
    {term("op")}s that show it, and report it so that someone can mend it.

    ## 1. An op, or a pass?

    `devproc.verify` compares each op of the compiled program with its
    {term("reference")}: {agreeing} of {len(checked.ops)} agree, so their code is right. With
    `exported=` it also runs the model that the program was made of, and says:

    > {checked.summary()}

    The program was changed before any code was made, by a pass.
    """)
    return exported, model, x


@app.cell
def _(exported, model, x):
    with install():
        source = read_source(exported)
        stages, snapshots = list(driver.stages_between(None, "tensor")), []
        passes = [name for stage in stages for name in stage.passes]
        keep = {name: lambda m: snapshots.append(m.clone()) for name in passes}
        driver.StageRun(source.module, before=keep).run(stages)
        snapshots.append(source.module)

    def moved(k: int) -> bool:
        """Whether the result is wrong after the first k passes."""
        main, weights = find_function(snapshots[k], "main"), source.weights
        (found,) = evaluate(main, [x], prepared(snapshots[k], weights))
        return not torch.allclose(found, model(x), atol=1e-5)

    mo.md(f"""
    ## 2. Which pass?

    Every stage is {term("IR")} that can be evaluated. {code("devproc/driver.py", "StageRun")} calls an
    observer before each pass; here it keeps a copy of the program. `moved(k)` evaluates the
    one after the first k of {len(passes)} passes with the references. After none of them the
    result is right, after all of them it is wrong. Half of the passes can be
    excluded with each evaluation: that is *bisection*, as in `git bisect`. (`devproc verify
    --passes` evaluates the program after each one, and says by how much results differ.)

    **Exercise 1.** Write `first_bad(n, moved)`: the smallest k for which `moved(k)` is true.
    `moved(0)` is false and `moved(n)` true, and once true it stays true. The function below
    is right, but asks too often.
    """)
    return moved, passes, snapshots, source


@app.cell
def _():
    def first_bad(n: int, moved) -> int:
        return next(k for k in range(1, n + 1) if moved(k))

    return (first_bad,)


@app.cell(hide_code=True)
def _(first_bad, moved, passes):
    asked = {}

    def trial_first_bad():
        for n, bad in [*((13, k) for k in range(1, 14)), (1, 1), (1000, 517)]:
            calls, enough = [], max(1, math.ceil(math.log2(n)))
            found = first_bad(n, lambda k: calls.append(k) or k >= bad)
            if found != bad:
                return f"of {n} passes, number {bad} is the first bad one, not {found}."
            if len(calls) > enough:
                return f"of {n} passes it asked for {len(calls)}; {enough} are enough."
        found = first_bad(len(passes), lambda k: asked.setdefault(k, moved(k)))
        return (
            None if passes[found - 1] == NAME else "it is another pass in this program."
        )

    hint_1 = hint_of(trial_first_bad)
    body, shades = "", {"": 0, "right": 0.1, "wrong": 0.4}
    for k, name in enumerate(passes, 1):
        y, mark = 24 * k, {True: "wrong", False: "right"}.get(asked.get(k), "")
        body += f'<rect x="1" y="{y - 23}" width="190" height="20" fill-opacity="{shades[mark]}" stroke="currentColor" />'
        body += f'<text x="8" y="{y - 8}">{name}</text><text x="200" y="{y - 8}">{mark}</text>'
    image = picture(260, 24 * len(passes) + 4, body, "Results after some of the passes")
    mo.vstack(
        [check("Exercise 1", lambda: hint_1), solution(__file__, "first_bad"), image]
    )


@app.cell
def _(passes, snapshots, source):
    context = driver.make_context()

    def changes(module) -> bool:
        """Whether the pass changes a result of a module, for random arguments."""
        generator = torch.Generator().manual_seed(0)
        after, main = module.clone(), find_function(module, "main")
        driver.run_pass(NAME, after, context, "tensor")
        shapes = [argument.type.get_shape() for argument in main.body.block.args]
        inputs = [torch.randn(shape, generator=generator) for shape in shapes]
        both = main, find_function(after, "main")
        results = [evaluate(function, inputs, source.weights) for function in both]
        return not all(map(torch.allclose, *results))

    *graph, _ = find_function(snapshots[passes.index(NAME)], "main").body.block.ops
    mo.md(f"""
    ## 3. Which ops?

    Before that pass the program has {len(graph)} ops. Nobody reads a report with all of them.
    {code("notebooks/course/extract.py", "extract")} makes a program of some of them: a value that is missing becomes an
    argument, one that is not used becomes a result. So any list of ops, in order, is a valid
    program, and `wrong(ops)` runs the pass on it and says whether a result changes.

    **Exercise 2.** Write `reduce(ops, wrong)`: a part of the list, in its order, that is still
    wrong, and would not be if any single op were taken away. Taking one op away may make it
    possible to take away another one that was needed before.
    """)
    return changes, graph


@app.cell
def _():
    def reduce(ops: list, wrong) -> list:
        return ops  # your code

    return (reduce,)


@app.cell(hide_code=True)
def _(changes, graph, reduce):
    reduced = []

    def trial_reduce():
        for what, wrong in (
            ("2 and 5", lambda ops: {2, 5} <= {*ops}),
            (
                "2, 5, and with 6 also 4",
                lambda ops: {2, 5, 4 if 6 in ops else 5} <= {*ops},
            ),
        ):
            kept = list(reduce(list(range(8)), wrong))
            if not wrong(kept):
                return f"of 8 ops, {what} are needed; with {kept} nothing is wrong any more."
            if kept != sorted(kept):
                return f"{kept} is not in the order of the list."
            for op in kept:
                if wrong([other for other in kept if other != op]):
                    return f"of 8 ops, {what} are needed; {kept} is still wrong without {op}."
        with install():
            reduced[:] = reduce(graph, lambda ops: changes(extract(ops)))

    hint_2 = hint_of(trial_reduce)
    smallest = driver.module_text(extract(reduced), locations=False) if reduced else ""
    mo.vstack(
        [
            check("Exercise 2", lambda: hint_2),
            solution(__file__, "reduce"),
            show(smallest),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md("""
    For a pass that fails with an error, `devproc-opt --shrink` and a test case reducer such as
    shrinkray do the same with text (`docs/contributing.md`).

    ## 4. The report

    Whoever reads a report has to see the fault in a minute, without your model. The template
    is `.github/ISSUE_TEMPLATE/wrong_result.md`.

    **Exercise 3.** Fill in `report`. The program is IR with at most five ops, which parses
    by itself: that of exercise 2, or a smaller one. Compute the two results by hand for one
    input of your choice. The class of the pass is in `suspect.py`; now you may look at it.
    """)


@app.cell
def _():
    report = """
    ## What happens

    ## What should happen

    ## Where

    ## Program

    ```mlir
    ```

    ## Command

    ## Version
    """
    return (report,)


@app.cell(hide_code=True)
def _(changes, report):
    def trial_report():
        parts = re.split(r"^\s*## (.+)$", report, flags=re.M)
        sections = {name: text.strip() for name, text in zip(parts[1::2], parts[2::2])}
        program = re.search(r"```mlir\n(.*?)```", sections.pop("Program", ""), re.S)
        if program is None or not program[1].strip():
            return "the section “Program” needs IR in a block that starts with ```mlir."
        module = driver.parse_module(program[1])
        if (count := len(find_function(module, "main").body.block.ops) - 1) > 5:
            return f"the program has {count} ops; five are enough."
        with install():
            is_changed = changes(module)
        if not is_changed:
            return (
                "the pass does not change a result of the program: is it what is wrong?"
            )
        wanted = {
            "What happens": (r"\d", "give the result that is wrong, as a number"),
            "What should happen": (r"\d", "give the right result, as a number"),
            "Where": (NAME, "name the pass"),
            "Command": (
                rf"devproc-opt.*-p {NAME}",
                "a line with devproc-opt and -p shows it",
            ),
            "Version": (
                re.escape(devproc.__version__),
                "`devproc --version` prints it",
            ),
        }
        for name, (pattern, hint) in wanted.items():
            if not re.search(pattern, sections.get(name, "")):
                return f"the section “{name}”: {hint}."
        return None

    mo.vstack([check("Exercise 3", trial_report), solution(__file__, "report")])


@app.cell(hide_code=True)
def _():
    mo.md("""
    That is the end of the course: you have an op, a pass and a device, and you know how to find
    out when one of them is wrong. `docs/contributing.md` says what a change to DevProc needs.
    """)


if __name__ == "__main__":
    app.run()
