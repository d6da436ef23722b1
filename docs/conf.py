"""Sphinx configuration: MyST pages, the furo theme, API pages from docstrings. Builds with warnings as errors."""

from __future__ import annotations

from importlib.metadata import version as installed

project = "acp_client"
author = "The acp_client developers"
copyright = "the acp_client developers"
release = version = installed("acp-client-sdk")

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "examples"]
source_suffix = {".md": "markdown"}

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "show-inheritance": True}
maximum_signature_line_length = 100
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = "acp_client"
html_show_copyright = False
html_static_path: list[str] = []

# The two façades have names in common; a plain name in a docstring means that of its own module.
suppress_warnings = ["ref.python"]
