"""The index of the course: `make course`, then this file."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    from pathlib import Path

    import marimo as mo


@app.cell
def _():
    page = (Path(__file__).parent / "README.md").read_text()
    # In marimo's workspace a notebook is opened by its name.
    mo.md(page.replace("](", "](?file="))
    return


if __name__ == "__main__":
    app.run()
