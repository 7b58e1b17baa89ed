"""The text of a result file: its numbers as a matrix, and which way the samples run."""

import re

import numpy as np
from numpy.typing import NDArray

from de2ls._checks import FloatArray
from de2ls.competition.rules import ROWS

MAX_LINE = 2**20  # letters; a line of 2001 numbers has about 50,000

_FOREIGN = re.compile(r"[^0-9+\-.eEnNaAiIfFtTyYdD() \t\r\n]")
_NAN = re.compile(r"[+-]?nan\(\w*\)", re.I)  # as some C libraries print it


class FileFormatError(ValueError):
    """A result file that cannot be read; the message names file and row."""

    def __init__(self, file: str, row: int, why: str) -> None:
        self.file, self.row = file, row
        super().__init__(f"{file}, row {row}: {why}")


def read_matrix(data: bytes, file: str, first: int = 1) -> FloatArray:
    """Return the numbers of a text as a matrix, or refuse it with the row at fault.

    Parameters
    ----------
    data : bytes
        The text.
    file : str
        Its name.
    first : int
        Number of its first line within the file.
    """
    before = first - 1
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("ascii")
    except UnicodeDecodeError as error:
        row = before + len(data[: error.end].splitlines())
        raise FileFormatError(file, row, "not a text of numbers") from None
    foreign = _FOREIGN.search(text)
    if foreign:
        row = before + len(text[: foreign.end()].splitlines())
        raise FileFormatError(file, row, f"{foreign[0]!r} does not belong in a number")
    rows: list[FloatArray] = []
    for i, line in enumerate(text.rstrip().splitlines(), start=first):
        if len(line) > MAX_LINE:
            raise FileFormatError(file, i, f"{len(line)} letters, at most {MAX_LINE} are read")
        rows.append(_numbers(line.split(), file, i))
        if len(rows[-1]) != len(rows[0]):
            raise FileFormatError(
                file, i, f"{len(rows[-1])} numbers, row {first} has {len(rows[0])}"
            )
    if not rows:
        raise FileFormatError(file, first, "the file is empty")
    return np.array(rows)


def _numbers(tokens: list[str], file: str, row: int) -> FloatArray:
    try:
        numbers = np.array(list(map(float, tokens)))
    except ValueError:
        numbers = np.array([_number(token, file, row) for token in tokens])
    for j in np.flatnonzero(np.isinf(numbers)):
        if "n" not in tokens[j].lower():  # 1e999, not inf
            raise FileFormatError(file, row, f"{tokens[j][:40]!r} exceeds all floats")
    return numbers


def _number(token: str, file: str, row: int) -> float:
    if _NAN.fullmatch(token):
        return float("nan")
    try:
        return float(token)
    except ValueError:
        raise FileFormatError(file, row, f"{token[:40]!r} is not a number") from None


def is_transposed(matrix: FloatArray, file: str) -> bool:
    """Whether the columns are the samples.

    With an odd number of lines or columns beside the samples, one of them counts evaluations.
    Known numbers of samples decide first, then a line or column that counts up, then the parity,
    then the longer side.
    """
    rows, columns = matrix.shape
    usual = (ROWS, ROWS - 1)
    if (rows in usual) != (columns in usual):
        return columns in usual
    upright = columns % 2 == 0 or counts_up(matrix[:, 0])
    across = rows % 2 == 0 or counts_up(matrix[0])
    counted_upright = columns % 2 == 1 and upright
    counted_across = rows % 2 == 1 and across
    if counted_upright != counted_across:
        return counted_across
    if upright != across:
        return across
    if not upright or rows == columns:
        raise FileFormatError(
            file, 1, f"{rows} rows and {columns} columns: cannot tell the samples from the runs"
        )
    return bool(columns > rows)


def counts_up(column: FloatArray) -> bool:
    """Whether numbers look like evaluations at the samples, few damaged ones apart."""
    wrong = int(_drops(column).sum())
    falls = float(column[-1]) < float(column[0])  # a first NaN does not
    return wrong <= len(column) // 20 and not falls


def _drops(column: FloatArray) -> NDArray[np.bool_]:
    """Return where numbers are no counts or fall; a first NaN is an unknown N0."""
    wrong: NDArray[np.bool_] = ~(column == np.floor(column)) | (column < 1) | ~np.isfinite(column)
    wrong[0] &= not np.isnan(column[0])
    wrong[1:] |= column[1:] < column[:-1]
    return wrong


def first_drop(column: FloatArray) -> int:
    """Return the position of the first number that is no count or falls."""
    return int(_drops(column).argmax())
