"""Saves the program in the present format: `make saved`, where the format has changed.

The file of a format that no release had is removed. At a release, `RELEASED` gets its format.
"""

from __future__ import annotations

import devproc
from devproc.runtime.bundles.manifest import FORMAT
from tests.saved import FOLDER, PROCESSOR, RELEASED, file_of, pipeline

kept = {file_of(number) for number in RELEASED}
for path in {*FOLDER.glob("*.devproc")} - kept:
    path.unlink()
devproc.compile(pipeline(), cpu=PROCESSOR, threads=2).save(file_of(FORMAT))
