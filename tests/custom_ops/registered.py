"""What `DEVPROC_EXTENSIONS` names: importing it registers the dialect `lab`."""

from tests.custom_ops import lab

lab.register()
