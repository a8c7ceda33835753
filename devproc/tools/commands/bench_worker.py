"""A process of `devproc bench`: `python -m devproc.tools.commands.bench_worker JSON`."""

from devproc.tools.bench.worker import main
from devproc.tools.commands.common.source import read_path

if __name__ == "__main__":
    main(read_path)
