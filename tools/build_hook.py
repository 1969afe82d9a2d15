"""Builds the documentation into the wheel (a hatchling hook); without MkDocs the wheel is built without it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WITHOUT = "LIARS_DICE_WITHOUT_DOCS"
"""A variable of the environment; if it is set, the wheel is built without the documentation."""


class DocumentationHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the pages that `liars-dice docs` opens."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build them before the files of the wheel are collected; not for an editable install."""
        if version != "standard" or os.environ.get(WITHOUT):
            return
        if not all(map(importlib.util.find_spec, ("mkdocs", "material", "mkdocstrings_handlers", "numpy"))):
            self.app.display_warning("MkDocs is not installed: the wheel has no documentation (see `make wheel`).")
            return
        self.folder = tempfile.TemporaryDirectory()
        site = str(Path(self.folder.name, "site"))
        environment = os.environ | {"PYTHONPATH": str(Path(self.root, "src")), "NO_MKDOCS_2_WARNING": "1"}
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", site]
        subprocess.run(command, cwd=self.root, env=environment, check=True)
        build_data["force_include"][site] = "liars_dice/offline_docs"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was built."""
        if hasattr(self, "folder"):
            self.folder.cleanup()
