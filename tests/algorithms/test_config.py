"""Configurations: defaults of the papers, ranges, errors that help, the ablation's variants."""

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

import de2ls
from de2ls.algorithms import (
    algorithm_names,
    algorithm_title,
    get_algorithm,
    resolve_config,
)
from de2ls.algorithms.config import table
from de2ls.algorithms.de2ls import DE2LSConfig
from de2ls.algorithms.rdex import RDExConfig

RDEX_DEFAULTS = {
    "n0": None,
    "n0_per_dim": 10.0,
    "n_min": 4,
    "h": 5,
    "mcr": 1.0,
    "mf": 0.3,
    "learning_rate": 0.5,
    "sr": 0.5,
    "sr_exponent": 1.0 / 3.0,
    "f_sigma": 0.05,
    "cr_sigma": 0.1,
    "p_base": 0.3,
    "pressure": 7.0,
    "eps_factor": 0.8,
    "eps_cutoff": 0.8,
    "eb_start": 0.9,
    "eb_rate": 0.7,
    "p_eb": 0.17,
    "p_eb_slope": 0.5,
    "eb_gamma": 0.1,
    "eb_f": 0.4,
    "eb_cr": 0.9,
    "perturb_rate": 0.2,
    "perturb_scale": 0.1,
    "bound_mix": 0.5,
    "box": "repair",
}
LOCAL_SEARCH_DEFAULTS = {
    "ls_sr": 0.85,
    "ls_fsr": 0.95,
    "ls_br": 0.005,
    "ls_mc": 2,
    "ls_sg": 8,
    "ls_isr": 0.015,
    "ls_min_rate": 1e-8,
    "ls_delta": 1e-4,
}


def test_defaults_are_the_papers() -> None:
    assert resolve_config("rdex") == RDEX_DEFAULTS
    assert resolve_config("de2ls") == RDEX_DEFAULTS | LOCAL_SEARCH_DEFAULTS


def test_a_configuration_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        DE2LSConfig().ls_sr = 0.9  # type: ignore[misc]


def test_overrides_leave_the_rest() -> None:
    config = resolve_config("de2ls", {"ls_sr": 0.9, "n0": 50})
    assert config == RDEX_DEFAULTS | LOCAL_SEARCH_DEFAULTS | {"ls_sr": 0.9, "n0": 50}
    assert resolve_config("de2ls", DE2LSConfig(ls_sr=0.9, n0=50)) == config


def test_numbers_of_numpy_become_plain_ones() -> None:
    config = DE2LSConfig(n0=np.int32(40), ls_sr=np.float32(0.5), ls_mc=np.int64(1))
    plain = json.loads(json.dumps(config.as_dict()))
    assert (plain["n0"], plain["ls_sr"], plain["ls_mc"]) == (40, 0.5, 1)
    assert DE2LSConfig(ls_br=1).ls_br == 1.0


@pytest.mark.parametrize(
    ("field", "value", "error", "message"),
    [
        ("ls_sr", 1.5, ValueError, "ls_sr must"),
        ("ls_sr", -0.1, ValueError, "from 0 to 1, got -0.1"),
        ("ls_sr", float("nan"), ValueError, "ls_sr must be a finite number"),
        ("ls_delta", float("inf"), ValueError, "ls_delta must"),
        ("ls_sr", "0.5", TypeError, "ls_sr must be a finite number"),
        ("ls_sr", None, TypeError, "ls_sr must be a finite number"),
        ("ls_sr", True, TypeError, "ls_sr must be a finite number"),
        ("ls_mc", 2.0, TypeError, "ls_mc must"),
        ("ls_mc", -1, ValueError, "ls_mc must"),
        ("ls_mc", True, TypeError, "ls_mc must be an integer"),
        ("n0", 3, ValueError, "n0 must be an integer of at least 4, got 3"),
        ("n0", 10.5, TypeError, "n0 must be an integer of at least 4, got 10.5"),
        ("n_min", 3, ValueError, "n_min must"),
        ("h", 0, ValueError, "h must"),
        ("pressure", 0.0, ValueError, "pressure must"),
        ("box", "repairs", ValueError, r"box must be one of repair, published.*did you mean 'rep"),
        ("box", 1, ValueError, "box must"),
    ],
)
def test_values_out_of_range_or_type(
    field: str, value: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        DE2LSConfig.make({field: value})


def test_an_unknown_field_is_an_error_that_suggests_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"no field 'ls_sg2' \(did you mean 'ls_sg'\?\)"):
        DE2LSConfig.make({"ls_sg2": 1})
    with pytest.raises(ValueError, match=r"no field 'LS_SR'.*RDExConfig has n0, "):
        RDExConfig.make({"LS_SR": 0.8})


@pytest.mark.parametrize("given", [["ls_sr"], "ls_sr", 3, DE2LSConfig(), object()])
def test_what_is_no_configuration_of_the_algorithm(given: Any) -> None:
    """Also DE-2LS's: RDEx would ignore its local search, and the record would not say so."""
    with pytest.raises(TypeError, match="config must"):
        RDExConfig.make(given)


@pytest.mark.parametrize("low", [True, False])
def test_every_bound_of_a_range_is_allowed(low: bool) -> None:
    """With all parameters at their lowest, or highest, the record can be made all the same."""
    fields = {
        field.name: field.metadata["low" if low else "high"]
        for field in dataclasses.fields(DE2LSConfig)
    }
    extreme = {name: value for name, value in fields.items() if value is not None}
    config = DE2LSConfig.make(extreme)
    record = config.as_record()
    for name, value in extreme.items():
        assert record[0][name] == value


def test_options_become_their_index_in_the_record() -> None:
    assert DE2LSConfig().as_record()[0]["box"] == 0
    assert DE2LSConfig(box="published").as_record()[0]["box"] == 1
    assert DE2LSConfig().as_record()[0]["n0"] == -1  # depends on D


@pytest.mark.parametrize(
    ("dim", "budget", "config", "n0"),
    [
        (30, 600_000, {}, 300),
        (2, 40_000, {}, 20),
        (30, 600, {}, 300),
        (30, 599, {}, 299),  # half of the budget is left to the search
        (30, 8, {}, 4),
        (2, 9, {}, 4),
        (30, 600_000, {"n0": 37}, 37),
        (30, 37, {"n0": 37}, 37),
        (30, 600_000, {"n0_per_dim": 1.5}, 45),
        (2, 600, {"n0_per_dim": 0.1}, 4),
        (2, 30, {"n_min": 25}, 25),
    ],
)
def test_initial_size(dim: int, budget: int, config: dict[str, Any], n0: int) -> None:
    assert RDExConfig.make(config).initial_size(dim, budget) == n0


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"n0": 38}, "n0 must be at most max_evals=37, got 38"),
        ({"n0": 10, "n_min": 20}, "n0 must be at least n_min=20, got 10"),
        ({"n_min": 38}, "n_min must"),
    ],
)
def test_initial_size_that_does_not_fit(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RDExConfig.make(config).initial_size(5, 37)


def test_table_names_every_field() -> None:
    rows = {name: (default, span, meaning) for name, default, span, meaning in table(DE2LSConfig)}
    assert list(rows) == list(RDEX_DEFAULTS | LOCAL_SEARCH_DEFAULTS)
    assert rows["ls_sr"][:2] == (0.85, "[0, 1]")
    assert rows["ls_mc"][:2] == (2, "[0, ]")
    assert rows["box"][:2] == ("repair", "repair or published")
    assert all(meaning for _, _, meaning in rows.values())


def test_names_of_algorithms() -> None:
    assert {"de2ls", "rdex"} <= set(de2ls.algorithm_names())
    assert get_algorithm("de2ls").title == "DE-2LS"
    with pytest.raises(ValueError, match=r"algorithm must be one of .*did you mean 'de2ls'\?"):
        get_algorithm("dels2")


# --- the ablation study ---------------------------------------------------------------------------

CHANGES: dict[str, dict[str, float]] = {
    "DE-2LS": {},
    "DE-2LS-BR01": {"ls_br": 0.01},
    "DE-2LS-BR015": {"ls_br": 0.015},
    "DE-2LS-SR80": {"ls_sr": 0.80},
    "DE-2LS-SR90": {"ls_sr": 0.90},
    "DE-2LS-SR80SG12": {"ls_sr": 0.80, "ls_sg": 12},
    "DE-2LS-MC1": {"ls_mc": 1},
    "DE-2LS-BR005MC3": {"ls_br": 0.005, "ls_mc": 3},
    "DE-2LS-ISR012": {"ls_isr": 0.012},
    "DE-2LS-ISR020": {"ls_isr": 0.020},
    "RDEx": {"ls_mc": 0},
}


def test_ablation_variants_are_the_papers() -> None:
    variants = de2ls.ablation_variants()
    assert list(variants) == list(CHANGES)
    final = resolve_config("de2ls")
    for name, changes in CHANGES.items():
        assert variants[name].as_dict() == final | changes


@pytest.mark.parametrize("name", algorithm_names())
def test_the_title_known_without_loading_is_the_algorithms_own(name: str) -> None:
    assert algorithm_title(name) == get_algorithm(name).title
