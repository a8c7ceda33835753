"""Rewrite the pipeline story: `python -m tests.update_pipeline_story`.

Each file of `tests/filecheck/pipeline/` is `NN-<stage>.mlir`: a head of comments, written
by hand (its RUN line runs the next stage, its CHECK lines say what to look at), then the
program as it stands after that stage. This keeps the heads and renews the programs.
"""

from __future__ import annotations

from pathlib import Path

from devproc.driver import make_context, module_text, parse_module, run_stages
from devproc.stages import STAGES

STORY = Path(__file__).parent / "filecheck" / "pipeline"


def split(path: Path) -> tuple[str, str]:
    """The head of comments and the program of a file of the story."""
    lines = path.read_text().splitlines(keepends=True)
    count = next((i for i, s in enumerate(lines) if s.strip()[:2] not in ("", "//")), 0)
    return "".join(lines[:count]), "".join(lines[count:])


def files() -> list[Path]:
    """The story in order: one file for each stage."""
    return [STORY / f"{i:02d}-{stage.name}.mlir" for i, stage in enumerate(STAGES)]


def program_after(index: int, text: str) -> str:
    """The text after stage `index`, from the text before it."""
    context = make_context()
    module = parse_module(text, context)
    run_stages(module, context, [STAGES[index]])
    return module_text(module, locations=False)


def main() -> None:
    """Renew every program but the first."""
    _, text = split(files()[0])
    text = program_after(0, text)
    for index, path in enumerate(files()):
        if index:
            text = program_after(index, text)
        following = STAGES[min(index + 1, len(STAGES) - 1)].name
        head = f"// RUN: devproc-opt %s --from-stage {STAGES[index].name}"
        head += f" --to-stage {following} | filecheck %s\n\n// CHECK: @main\n\n"
        if path.exists():
            head, _ = split(path)
        path.write_text(head + text)


if __name__ == "__main__":
    main()
