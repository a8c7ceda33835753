"""The devices that come with DevProc: a folder for each, with its backend."""

BACKENDS: dict[str, str] = {
    "cpu": "devproc.targets.cpu.backend:CPU",
    "cuda": "devproc.targets.triton.backend:Triton",
    "host": "devproc.targets.host.backend:Host",
}
"""The name of a device -> its `devproc.backend.Backend`; other packages add theirs with
entry points in the group `devproc.targets`."""
