"""Packages whose public names are imported on first use, so that importing the package itself is fast."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

from .errors import plain_install_for


def lazy_names(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for a package: `modules` maps each public name to the module that defines it.

    A module is named relative to the package. A name that maps to itself is the module itself.
    """

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            with plain_install_for(f"{package}.{name}"):
                module = import_module(f"{package}.{modules[name]}")
        except AttributeError as error:  # a fault of the module, not a name that is missing here
            raise ImportError(f"cannot import {package}.{modules[name]}: {error}") from error
        value = module if modules[name] == name else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        own = vars(sys.modules[package])
        return sorted({*(name for name in own if name.startswith("__")), *own.get("__all__", ()), *modules})

    return load, names
