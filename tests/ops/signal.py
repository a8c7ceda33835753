"""Claims of the family `signal`: complex numbers and Fourier transforms."""

from tests.ops.harness import ALL, COMPLEX

FLOATS = ("float32", "float64")

TRANSFORMS = (
    *("fft", "fft2", "fftn", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn"),
    *("ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2"),
    "rfftn",
)

CLAIMED = {
    **dict.fromkeys((f"fft.{name}" for name in TRANSFORMS), (*FLOATS, *COMPLEX)),
    **dict.fromkeys(("stft", "istft"), (*FLOATS, *COMPLEX)),
    **dict.fromkeys(("complex", "polar", "view_as_complex"), FLOATS),
    **dict.fromkeys(("imag", "view_as_real"), COMPLEX),
    **dict.fromkeys(("conj", "conj_physical", "resolve_conj"), (*ALL, *COMPLEX)),
    "cfloat": FLOATS,
    "cdouble": FLOATS,
}

INTERPRETED = ("fft.rfft2", "fft.irfft", "polar")
