"""The notebook runs from its first to its last cell and shows what it promises."""

from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient", reason="needs nbclient and ipykernel")
nbformat = pytest.importorskip("nbformat")

NOTEBOOK = Path(__file__).parents[2] / "examples" / "pressure_vessel.ipynb"


@pytest.mark.filterwarnings("ignore")  # of Jupyter's own packages
def test_the_pressure_vessel():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    data = [out["data"] for out in outputs if "data" in out]
    html = " ".join(part["text/html"] for part in data if "text/html" in part)
    assert "<progress value='1.000'" in html
    assert "feasible</span>" in html
    assert any("image/png" in part for part in data)
    text = " ".join(out["text"] for out in outputs if out.output_type == "stream")
    assert "cost 6059.71 dollars, feasible: True" in text  # the best known cost
    assert "shell's wall active: True, heads' wall active: False, volume active: True" in text
    assert "shell 13/16 in:   6059.71 dollars" in text
