"""The index of the course, with links that open the lessons: `make course`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    import re
    from pathlib import Path

    import marimo as mo


@app.cell(hide_code=True)
def _():
    folder = Path(__file__).resolve().parent
    page = (folder / "README.md").read_text()
    # marimo opens a notebook of this name.
    page = re.sub(r"\]\((\d\d_\w+\.py)\)", rf"](?file={folder}/\1)", page)
    mo.md(page.replace("[glossary](../../docs/glossary.md)", "glossary below"))
    return


@app.cell(hide_code=True)
def _():
    glossary = Path(__file__).parent.parent.parent / "docs" / "glossary.md"
    mo.md(glossary.read_text() if glossary.exists() else "")
    return


if __name__ == "__main__":
    app.run()
