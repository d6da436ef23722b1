"""Runs a notebook headless and saves it in its place, as a batch job would: nobody is there to be asked.

python -m integration.hosts.run_notebook NOTEBOOK KERNEL_FOLDER [OPTIONS AS JSON]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main(notebook: Path, kernels: str, options: str = "{}") -> None:
    """Run it with the kernel named "tested" that is described in `kernels`."""
    import nbformat
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

    document = nbformat.read(notebook, as_version=4)
    manager = AsyncKernelManager(kernel_name="tested", kernel_spec_manager=KernelSpecManager(kernel_dirs=[kernels]))
    folder = {"metadata": {"path": str(notebook.parent)}}
    NotebookClient(document, km=manager, resources=folder, **json.loads(options)).execute()
    nbformat.write(document, notebook)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
