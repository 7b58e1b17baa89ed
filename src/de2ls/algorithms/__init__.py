"""Algorithms: one module each, with its configuration and its generation; here by name.

A module is loaded when its algorithm is used: the list of names needs no compiled code.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from de2ls.algorithms.algorithm import Algorithm
    from de2ls.algorithms.config import Config

__all__ = ["ablation_variants", "algorithm_names", "get_algorithm", "resolve_config"]

_MODULES = {
    "chorus": "chorus",
    "de2ls": "de2ls",
    "rdex": "rdex",
    "cl-srde": "cl_srde",
    "ude3": "ude",
    "ude4": "ude",
    "rde26": "rde26",
    "rdex-cask": "rdex_cask",
    "de-rand-1-bin": "de_rand_1_bin",
    "jso": "lineage.jso",
    "dish": "lineage.jso",
    "lshade44": "lineage.lshade44",
    "lshade44-iepsilon": "lineage.lshade44",
    "nl-shade-rsp": "lineage.nl_shade_rsp",
    "l-srtde": "lineage.l_srtde",
    "lshade-spacma": "lineage.lshade_spacma",
    "ea4eig": "lineage.ea4eig",
    "imode": "lineage.imode",
    "ebo-cmar": "lineage.ebo_cmar",
    "mlshade-rl": "lineage.mlshade_rl",
    "ude": "lineage.ude",
}


def algorithm_names() -> list[str]:
    """Return the names of all algorithms."""
    return list(_MODULES)


def get_algorithm(name: "str | Algorithm") -> "Algorithm":
    """Return an algorithm.

    Parameters
    ----------
    name : str or Algorithm
        A name (`algorithm_names`), an algorithm itself, a Python file that defines one
        (``my_es.py``, or ``my_es.py:my-es`` where it defines several), or ``package.module:my_es``.
    """
    if isinstance(name, str) and name in _MODULES:
        found: Algorithm = import_module(f"de2ls.algorithms.{_MODULES[name]}").ALGORITHMS[name]
        return found
    from de2ls.algorithms.brought import find

    return find(name, algorithm_names())


def resolve_config(
    name: "str | Algorithm", overrides: "Mapping[str, Any] | Config | None" = None
) -> dict[str, Any]:
    """Return the full configuration of algorithm `name`, some fields overridden."""
    return get_algorithm(name).config_class.make(overrides).as_dict()


def ablation_variants() -> "dict[str, Config]":
    """Return the paper's ablation variants of DE-2LS: label and configuration."""
    from de2ls.algorithms.de2ls import variants

    return dict(variants())
