"""Problems are chosen by number, range, name, label or file."""

import pytest

from de2ls.problems.key import ProblemKey
from de2ls.problems.selection import chosen

KEYS = [
    ProblemKey("cec2006", 1, 13),
    ProblemKey("cec2006", 2, 20),
    ProblemKey.make("own1.py", "own1", 5, digest="0" * 16),
    ProblemKey.make("own2.py", "own2", 5, digest="1" * 16),
]


@pytest.mark.parametrize(
    ("problems", "found"),
    [
        ("1", [0]),
        ("G1-G2", [0, 1]),
        ("own1", [2]),
        ("own2.py", [3]),
        ("somewhere/own1.py,G2", [1, 2]),
        ("own3.py", []),
        (None, [0, 1, 2, 3]),
    ],
)
def test_what_users_call_problems(problems, found):
    assert chosen(KEYS, problems=problems) == [KEYS[i] for i in found]
