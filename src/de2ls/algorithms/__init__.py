"""Algorithms: one module each, with its configuration and its generation; here by name.

A module is loaded when its algorithm is used: the list of names needs no compiled code.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from de2ls.algorithms.algorithm import Algorithm
    from de2ls.algorithms.config import Config

__all__ = [
    "ablation_variants",
    "algorithm_names",
    "algorithm_title",
    "get_algorithm",
    "resolve_config",
]

_LISTED = {  # name: module and title
    "chorus": ("chorus", "CHORUS"),
    "de2ls": ("de2ls", "DE-2LS"),
    "rdex": ("rdex", "RDEx"),
    "cl-srde": ("cl_srde", "CL-SRDE"),
    "ude3": ("ude", "UDE-III"),
    "ude4": ("ude", "UDE-IV"),
    "rde26": ("rde26", "RDE26"),
    "rdex-cask": ("rdex_cask", "RDEx-CASK"),
    "de-rand-1-bin": ("de_rand_1_bin", "DE/rand/1/bin"),
    "jso": ("lineage.jso", "jSO"),
    "dish": ("lineage.jso", "DISH"),
    "lshade44": ("lineage.lshade44", "LSHADE44"),
    "lshade44-iepsilon": ("lineage.lshade44", "LSHADE44-IEpsilon"),
    "nl-shade-rsp": ("lineage.nl_shade_rsp", "NL-SHADE-RSP"),
    "l-srtde": ("lineage.l_srtde", "L-SRTDE"),
    "lshade-spacma": ("lineage.lshade_spacma", "LSHADE-SPACMA"),
    "ea4eig": ("lineage.ea4eig", "EA4eig"),
    "imode": ("lineage.imode", "IMODE"),
    "ebo-cmar": ("lineage.ebo_cmar", "EBOwithCMAR"),
    "mlshade-rl": ("lineage.mlshade_rl", "mLSHADE-RL"),
    "ude": ("lineage.ude", "UDE"),
}


def algorithm_names() -> list[str]:
    """Return the names of all algorithms."""
    return list(_LISTED)


def algorithm_title(name: str) -> str:
    """Return what tables call an algorithm, without loading it; an unknown name is its own."""
    return _LISTED[name][1] if name in _LISTED else name


def get_algorithm(name: "str | Algorithm") -> "Algorithm":
    """Return an algorithm.

    Parameters
    ----------
    name : str or Algorithm
        A name (`algorithm_names`), an algorithm itself, a Python file that defines one
        (``my_es.py``, or ``my_es.py:my-es`` where it defines several), or ``package.module:my_es``.
    """
    if isinstance(name, str) and name in _LISTED:
        found: Algorithm = import_module(f"de2ls.algorithms.{_LISTED[name][0]}").ALGORITHMS[name]
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
