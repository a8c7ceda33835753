"""Pixels, and the library they follow: `marimo edit notebooks/course/05_pixels.py`."""

import marimo

__generated_with = "0.25.2"
app = marimo.App()

with app.setup:
    import math

    import cv2
    import marimo as mo
    import numpy as np
    import torch
    from exercise import check, code, picture, show, solution, term
    from PIL import Image

    import devproc

    MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    # Lesson 5: Pixels, and the library they follow

    *30 minutes. You need lesson 4.*

    A model is trained on images that some library resized. If the deployed program resizes them
    in another way, no error is raised; the labels just get worse. So a {term("step")} of DevProc names
    the library that it follows ({term("like")}), and promises how near it comes.

    Afterwards you can compare images safely, reproduce OpenCV's nearest pixel
    to the bit, and write a pipeline that equals a given training code.
    """)


@app.function
def apart(a: np.ndarray, b: np.ndarray) -> tuple[int, int]:
    """How many elements of two uint8 images differ, and the largest difference.

    Raises ValueError for different shapes.
    """
    gap = np.abs(a - b)
    return int((gap > 0).sum()), int(gap.max())


@app.cell
def _():
    _image = np.random.default_rng(0).integers(0, 256, (9, 9), dtype=np.uint8)
    _floats = torch.from_numpy(_image).float()[None, None]
    _resized = {
        "Pillow": np.asarray(
            Image.fromarray(_image).resize((4, 4), Image.Resampling.BILINEAR)
        ),
        "OpenCV": cv2.resize(_image, (4, 4), interpolation=cv2.INTER_LINEAR),
        "PyTorch": torch.nn.functional.interpolate(_floats, (4, 4), mode="bilinear")
        .round()
        .byte()[0, 0]
        .numpy(),
    }
    _rows = "".join(
        f"| {name} | "
        + " | ".join(map(str, image[0]))
        + f" | {apart(_resized['Pillow'], image)} |\n    "
        for name, image in _resized.items()
    )
    mo.md(f"""
    ## One word, three meanings

    A 9 by 9 image becomes 4 by 4, three times with the mode "bilinear". This is the first row of
    each result, and what `apart` says about the whole image beside Pillow's:

    | | | | | | differ, by up to |
    |---|---|---|---|---|---|
    {_rows}
    Pillow averages all pixels that a new one covers. OpenCV and PyTorch mix the four around one
    place.

    **Exercise 1.** But is the last column right? `apart` is above. Try it on two pixels, 3 and 5,
    in both orders, before you trust it.
    """)


@app.cell(hide_code=True)
def _():
    def trial_apart():
        def pixels(*values):
            return np.array(values, np.uint8)

        for a, b, right in (
            (pixels(5, 7), pixels(3, 7), (1, 2)),
            (pixels(3, 7), pixels(5, 7), (1, 2)),
            (pixels(0, 255), pixels(255, 0), (2, 255)),
            (pixels(9, 1, 4), pixels(9, 1, 4), (0, 0)),
        ):
            found = tuple(apart(a, b))
            if found != right:
                return (
                    f"between {a.tolist()} and {b.tolist()}, {right[0]} differ by up to"
                    f" {right[1]}; it says {found}. What is 3 - 5 in uint8? And 255 in int8?"
                )
        try:
            apart(pixels(1, 2, 3)[None], pixels(1, 2, 3)[:, None])
        except ValueError:
            return None
        return "a row and a column of 3 pixels are compared as 9, since NumPy broadcasts them."

    mo.vstack([check("Exercise 1", trial_apart), solution(__file__, "apart")])


@app.cell(hide_code=True)
def _():
    def resized(n, m, like):
        """Where each of m pixels comes from, when n are resized to m: the image is 0 .. n - 1."""
        pipe = devproc.pipeline("ramp")
        ramp = pipe.input("ramp", "uint8", (1, n))
        pipe.output("places", pipe.resize(ramp, (1, m), like=like, mode="nearest"))
        program = devproc.compile(pipe, threads=1, cache=False)
        return program, program(ramp=np.arange(n, dtype=np.uint8)[None])["places"][
            0
        ].tolist()

    def draw(n, places, left, title):
        """Both rows of pixels, with a line from each new one to its source."""
        parts = [f'<text x="{left}" y="14">{title}</text>']
        wide = 20 * n / len(places)
        for i in range(n):
            parts.append(
                f'<rect x="{left + 20 * i}" y="24" width="18" height="18" stroke="currentColor"'
                f' fill-opacity="{0.6 if i in places else 0}"/>'
            )
        for i, place in enumerate(places):
            x = left + wide * i
            parts.append(
                f'<rect x="{x}" y="86" width="{wide - 2}" height="18" fill-opacity="0.6"/>'
                f'<path d="M{left + 20 * place + 9} 42L{x + wide / 2 - 1} 86" stroke="currentColor"/>'
            )
        return "".join(parts)

    _programs = {like: resized(9, 4, like) for like in ("opencv", "pillow")}
    _body = "".join(
        draw(9, places, 210 * i, like)
        for i, (like, (_, places)) in enumerate(_programs.items())
    )
    mo.vstack(
        [
            mo.md("""
            ## Where a pixel comes from

            Even the simplest mode, "nearest", has several meanings. If the pixels of an image
            are 0, 1, 2, ..., the result of resizing tells where each one comes from. Here 9
            pixels become 4, by two programs that differ in `like=` alone:
            """),
            picture(
                400,
                108,
                _body,
                "The source of each pixel, as OpenCV and as Pillow choose it",
            ),
            show(_programs["opencv"][0].ir("program")),
        ]
    )
    return (resized,)


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    Pillow reads the pixel at the middle of the new one. OpenCV reads at its left edge. Its code
    takes the factor of the sizes, `m / n`, and from there on computes with the inverse of that,
    in float64; the compiler's own is
    {code("devproc/dialects/nn/resampling/opencv_filters.py", "opencv_windows")}.

    **Exercise 2.** `place(i, n, m)` is the index of the pixel that OpenCV copies to pixel `i` when
    `n` pixels become `m`. The check compares all sizes up to 70 with `cv2.resize`; nothing less
    than {term("bit-exact")} passes.
    """)


@app.function
def place(i: int, n: int, m: int) -> int:
    """The source of pixel i of m, of n pixels."""
    return min(math.floor((i + 0.5) * n / m), n - 1)


@app.cell(hide_code=True)
def _():
    def trial_place():
        for n in range(1, 71):
            ramp = np.arange(n, dtype=np.uint8)[None]
            for m in range(1, 71):
                right = cv2.resize(ramp, (m, 1), interpolation=cv2.INTER_NEAREST)[
                    0
                ].tolist()
                found = [place(i, n, m) for i in range(m)]
                if found != right:
                    i = next(i for i in range(m) if found[i] != right[i])
                    why = "Start from the left edge of a pixel, not from its middle."
                    if i and i * n % m == 0:
                        why = (
                            f"On paper, {i} * {n} / {m} is a whole number. In float64 it depends"
                            " on which numbers you divide first, and OpenCV starts from m / n."
                        )
                    return (
                        f"of {n} pixels resized to {m}, pixel {i} is number {right[i]};"
                        f" you say {found[i]}. {why}"
                    )

    mo.vstack([check("Exercise 2", trial_place), solution(__file__, "place")])


@app.cell
def _():
    def training(frame):
        """What the model was trained on: a camera's BGR frame to 1 x 3 x 14 x 20 floats."""
        rgb = cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)
        small = cv2.resize(rgb, (20, 14), interpolation=cv2.INTER_AREA)
        x = (small.astype(np.float32) / 255 - np.float32(MEAN)) / np.float32(STD)
        return x.transpose(2, 0, 1)[None]

    mo.md("""
    ## The same as in training

    `training`, in this cell, is what a model was trained with. **Exercise 3.** `build(pipe, image)` adds
    the same steps to a pipeline and returns the last value: `pipe.color(x, "BGR->RGB")`,
    `pipe.resize(x, (height, width), like=..., mode=...)` with the mode "bilinear", "area" or
    "nearest", `pipe.normalize(x, mean=MEAN, std=STD)`, `pipe.layout(x, "HWC->NCHW")`.
    """)
    return (training,)


@app.function
def build(pipe, image):
    """The steps of `training`, on a uint8 image in BGR."""
    x = pipe.resize(image, (20, 14), mode="bilinear")
    x = pipe.normalize(x, mean=MEAN, std=STD)
    return pipe.layout(x, "HWC->NCHW")


@app.cell(hide_code=True)
def _(training):
    promises = []

    def trial_build():
        pipe = devproc.pipeline("deployed")
        image = pipe.input("image", "uint8", (37, 51, 3))
        pipe.output("x", build(pipe, image))
        program = devproc.compile(pipe, threads=1, cache=False)
        frame = np.random.default_rng(0).integers(0, 256, (37, 51, 3), dtype=np.uint8)
        found, wanted = program(image=frame)["x"], training(frame)
        if found.shape != wanted.shape:
            return f"the result is {found.shape}, not {wanted.shape}: which size comes first?"
        if found.dtype != np.float32 or np.abs(found).max() > 10:
            return "the values are not normalised."
        swapped = training(frame[:, :, ::-1])
        if np.abs(found - swapped).max() < np.abs(found - wanted).max():
            return "blue and red are exchanged: the frame of a camera is BGR."
        error = np.abs(found - wanted).max()
        if error > 2e-6:
            grey = 255 * error * min(STD)
            return (
                f"values are off by up to {error:.3f}, that is some {max(grey, 1):.0f} of 255"
                " levels: which library resized, in which mode?"
            )
        promises.extend(program.exactness)

    def shown():
        rows = (f"- `{p.step}`: {p.promise} `{p.reference}`" for p in promises)
        return mo.md("\n".join(rows))

    mo.vstack([check("Exercise 3", trial_build, shown), solution(__file__, "build")])


@app.cell(hide_code=True)
def _():
    mo.md(f"""
    `program.exactness` lists what each step promises. These rows come from one table
    ({code("devproc/exactness/geometry.py", "BOUNDS")}), and the tests compare each with its
    library; `docs/exactness.md` says what they found.

    ## What to take along

    - The name of a mode says little. The library, and its version, are part of the meaning.
    - Compare integers in a wider type, and shapes before values.
    - To be equal in every bit, do the same operations in the same order and precision.
    """)


if __name__ == "__main__":
    app.run()
