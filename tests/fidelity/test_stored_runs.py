"""The stored runs of the lineage: present code makes them again, and the pages say what they say.

A run repeats to the last digit on one type of processor with one set of library versions.
Elsewhere rounding may lead it to another end.
"""

import re

import pytest

from tests.fidelity import constrained, minion, outside, weighted
from tests.fidelity.lineage import BY_LABEL, COMPARISONS, FOLDER, Comparison, final_error, read

PAGE = FOLDER.parents[2] / "fidelity.md"


def informative(comparison: Comparison) -> int:
    """Return a cheap function on which the stored runs end at different errors."""
    return 3 if comparison.label == "imode-cec2020-D10" else 10


def printed(*values: float) -> tuple[str, ...]:
    """Return values as the files have them."""
    return tuple(f"{value:.8e}" for value in values)


@pytest.mark.fidelity
@pytest.mark.parametrize("comparison", COMPARISONS, ids=lambda comparison: comparison.label)
def test_the_first_run_of_a_comparison_again(comparison: Comparison) -> None:
    number = informative(comparison)
    kept = read(FOLDER / f"{comparison.label}.csv", comparison.dim)[number]
    assert len(set(printed(*kept))) > 1
    assert printed(final_error(comparison, number, 0)) == printed(kept[0])


@pytest.mark.fidelity
def test_the_first_run_outside_the_box_again() -> None:
    kept = read(FOLDER / "ea4eig-outside-cec2022-D10.csv", 10)[6]
    found = outside.final_error(BY_LABEL["ea4eig-cec2022-D10"], 6, 0)
    assert printed(found) == printed(kept[0])


@pytest.mark.fidelity
@pytest.mark.parametrize("name", constrained.NAMES)
def test_the_first_constrained_run_again(name: str) -> None:
    rows = constrained.stored(constrained.file_of(name, 10))
    kept = constrained.samples(rows)["C20"].runs
    assert len(set(kept)) > 5
    assert printed(*constrained.final(name, 20, 10, 0)) == printed(*kept[0])


@pytest.mark.fidelity
@pytest.mark.parametrize("label", minion.SAMPLES)
def test_the_first_run_of_the_other_writers_program_again(label: str) -> None:
    sample = minion.SAMPLES[label]
    number = sample.functions[0]
    kept = read(FOLDER / f"{label}.csv", sample.comparison.dim)[number]
    assert len(kept) == sample.runs
    assert printed(minion.final_error(sample, number, 0)) == printed(kept[0])


@pytest.mark.fidelity
def test_the_first_run_with_weights_again() -> None:
    kept = read(weighted.FILE, weighted.COMPARISON.dim)[15]
    assert printed(weighted.final_error(15, 0)) == printed(kept[0])


@pytest.mark.parametrize("name", constrained.NAMES)
def test_the_constrained_table_says_what_the_files_say(name: str) -> None:
    row = rf"^\| `{name}` .*\| (\d+) \| \d+ \| \d+ \| \d+ \|.*$"
    found = {int(each[1]): each[0] for each in re.finditer(row, PAGE.read_text(), re.M)}
    assert 10 in found
    for dim, text in found.items():
        assert text.replace(" (reconstructed)", "") == constrained.table_row(name, dim)
