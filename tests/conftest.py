"""The official data files are used when they lie beside the repository."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

OFFICIAL = Path(__file__).resolve().parents[2] / "shared" / "cec2017"

settings.register_profile("no-clock", deadline=None)  # a first call compiles
settings.load_profile("no-clock")

if "DE2LS_CEC2017_DATA" not in os.environ and (OFFICIAL / "inputData").is_dir():
    os.environ["DE2LS_CEC2017_DATA"] = str(OFFICIAL / "inputData")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs the official files where there are none."""
    if "DE2LS_CEC2017_DATA" in os.environ:
        return
    skip = pytest.mark.skip(reason="needs the official CEC 2017 files (DE2LS_CEC2017_DATA)")
    for item in items:
        if "official" in item.keywords:
            item.add_marker(skip)
