"""The pages of the algorithms agree with the code."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import de2ls
from de2ls.algorithms import de_rand_1_bin

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "algorithms").glob("*.md"))
WALKTHROUGH = ROOT / "docs" / "adding-an-algorithm.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"


def script(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


parameters = script(ROOT / "docs" / "algorithms" / "parameters.py")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tables_of_parameters_are_up_to_date(page: Path) -> None:
    text = page.read_text()
    assert parameters.filled(text) == text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_has_its_parts(page: Path) -> None:
    if page.stem == "lineage":  # the overview of a family
        return
    headings = re.findall(r"^## (.*)$", page.read_text(), re.MULTILINE)
    assert {"Idea", "Symbols", "Parameters", "Cost"} <= set(headings)
    if page.stem == "chorus":  # by batches, and of our own
        assert {"The archive", "The scheduler", "The arms"} <= set(headings)
        return
    assert any("generation" in heading for heading in headings)
    assert "Where we differ from the published program, and why" in headings


def test_every_algorithm_has_its_table() -> None:
    places = {place[2] for page in PAGES for place in parameters.PLACE.finditer(page.read_text())}
    assert places == set(de2ls.algorithm_names()) - {"de-rand-1-bin"}


def test_a_table_shows_what_differs() -> None:
    lines = parameters.parameter_table("cl-srde").splitlines()
    assert lines[2:] == [
        "| `n0_per_dim` | 20 | ≥ 0.1 | initial population size per dimension |",
        "| `eb_start` | 2 | [0, 2] | progress p from which EB steps are made; 2: never |",
        "| `perturb_rate` | 0 | [0, 1] | probability that a trial is perturbed |",
    ]


def test_the_walkthrough_shows_the_module() -> None:
    source = Path(de_rand_1_bin.__file__).read_text()
    blocks = re.findall(r"```python\n(.*?)```", WALKTHROUGH.read_text(), re.DOTALL)
    assert len(blocks) == 8  # two of the generator
    for block in blocks[2:]:
        assert block in source


@pytest.mark.parametrize("page", [*PAGES, WALKTHROUGH, CONTRIBUTING], ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text()):
        file = page if not target else (page.parent / target)
        assert file.is_file(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text(), re.MULTILINE)
            assert anchor in [slug(heading) for heading in headings], anchor


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_the_evolution_strategy_of_the_walkthrough_runs() -> None:
    """The page shows the example's own text, and its first lines of use run."""
    first, use = re.findall(r"```python\n(.*?)```", WALKTHROUGH.read_text(), flags=re.DOTALL)[:2]
    example = (ROOT / "examples" / "evolution_strategy.py").read_text()
    assert first.strip() in re.sub(r"  # noqa.*", "", example)
    assert len(first.strip().splitlines()) <= 25
    names: dict[str, object] = {"de2ls": de2ls, "np": np}
    exec(first + use, names)
    record, result = names["record"], names["result"]
    assert isinstance(record, de2ls.TrialRecord)
    assert record.n_evals == 5000
    assert getattr(result, "nfev") == 2000  # noqa: B009 -- a name of the page


def test_the_family_tree_is_up_to_date_and_names_every_algorithm() -> None:
    tree = script(ROOT / "docs" / "algorithms" / "family_tree.py")
    assert tree.FILE.read_text() == tree.drawing()
    assert all(parent in tree.TREE for _, _, parents, _ in tree.TREE.values() for parent in parents)
    assert tree.TREE["CL-SRDE"][2] == ("L-SRTDE",)  # of the same year, and its frame
    overview = (ROOT / "docs" / "algorithms" / "lineage.md").read_text()
    names = re.findall(r"^\| `([\w-]+)` \|", overview, re.MULTILINE)
    assert set(names) <= set(de2ls.algorithm_names())
    assert len(set(names)) >= 12
