"""Ten thousand damaged files: each is read as it stands, or refused with file and row."""

import io
import math
import re
import zipfile
from random import Random

import numpy as np
import pytest

from de2ls.competition import FileFormatError, read_file, read_results

from .test_files import matrix_of, proper_evaluations, proper_values, text_of

WORDS = (
    *("nan", "-inf", "1e999", "1,5", "--", "0x1F", "1_0", "1e", "NaN5", "1.5.2", "5e-9", "-1.0"),
    *("1e-400", "", "12D+03", "１２", "#", "infinity", "nan(ind)", "+-3", "1e308", "\x0b7", "\x1c"),
)


def flip_bit(data, random):
    i = random.randrange(len(data))
    return data[:i] + bytes([data[i] ^ 1 << random.randrange(8)]) + data[i + 1 :]


def cut_bytes(data, random):
    i = random.randrange(len(data))
    return data[:i] + data[i + random.randrange(1, 40) :]


def insert_bytes(data, random):
    i = random.randrange(len(data))
    return data[:i] + random.randbytes(random.randrange(1, 6)) + data[i:]


def truncate(data, random):
    return data[: random.randrange(len(data))]


def repeat_part(data, random):
    i, j = sorted(random.randrange(len(data)) for _ in range(2))
    return data[:j] + data[i:]


def on_lines(change):
    def damage(data, random):
        lines = data.split(b"\n")
        i, j = random.randrange(len(lines)), random.randrange(len(lines))
        change(lines, i, j, random)
        return b"\n".join(lines)

    return damage


def drop_line(lines, i, _j, _random):
    del lines[i]


def double_line(lines, i, j, _random):
    lines.insert(j, lines[i])


def swap_lines(lines, i, j, _random):
    lines[i], lines[j] = lines[j], lines[i]


def blank_line(lines, i, _j, random):
    lines.insert(i, random.choice([b"", b"   ", b"\r", b"\t"]))


def end_differently(lines, i, _j, random):
    lines[i] += random.choice([b"\r", b" ", b"\t", b"\r\r", b" 1"])


def change_token(lines, i, _j, random):
    tokens = lines[i].split()
    if tokens:
        tokens[random.randrange(len(tokens))] = random.choice(WORDS).encode()
        lines[i] = b" ".join(tokens)


def move_token(lines, i, j, random):
    tokens = lines[i].split()
    if tokens:
        token = tokens.pop(random.randrange(len(tokens)))
        lines[i] = b" ".join(tokens)
        lines[j] += b" " + token


def change_sign(lines, i, _j, random):
    tokens = lines[i].split()
    if tokens:
        k = random.randrange(len(tokens))
        tokens[k] = b"-" + tokens[k]
        lines[i] = b" ".join(tokens)


DAMAGES = [
    *(flip_bit, cut_bytes, insert_bytes, truncate, repeat_part),
    *map(on_lines, (drop_line, double_line, swap_lines, blank_line, end_differently)),
    *map(on_lines, (change_token, move_token, change_sign)),
    lambda data, _random: data.decode("latin-1").encode("utf-16"),
    lambda data, _random: data.replace(b"\n", b"\r"),
    lambda data, _random: data + b"\n" + data,
    lambda data, random: random.randbytes(len(data)),
    lambda data, _random: data.replace(b" ", b","),
    lambda data, _random: data.replace(b" ", b""),
]


def sound_files():
    """Return small files in every layout."""
    texts = []
    for runs, samples in ((1, 12), (3, 41), (5, 40)):
        values, counts = proper_values(runs, samples, runs), proper_evaluations(samples)
        for matrix in (matrix_of(values), matrix_of(values, counts)):
            texts += [text_of(matrix), text_of(matrix.T, "\t", "\r\n")]
    return texts


def plain_matrix(data):
    """Return the numbers of a text, read as simply as can be."""
    lines = data.removeprefix(b"\xef\xbb\xbf").decode("ascii").rstrip().splitlines()
    return [
        [math.nan if re.fullmatch(r"(?i)[+-]?nan.*", t) else float(t) for t in line.split()]
        for line in lines
    ]


def contradicts(values):
    """Whether some value of some run breaks a rule, sample by sample."""
    for run in values.tolist():
        best, lowest = math.inf, math.inf
        for E, C in run:
            feasible = C <= 1e-8
            if math.isnan(C) or C < 0 or 0 < C < 1e-8 or lowest < C or math.isinf(E):
                return True
            if math.isnan(E) == feasible or (feasible and (best < E or 0 < abs(E) < 1e-8)):
                return True
            lowest = min(lowest, C)
            best = min(best, E) if feasible else best
    return False


def attempt(read, path):
    """Return what was read, or the refusal; any other exception is a failure."""
    try:
        return read(path), None
    except FileFormatError as error:
        return None, error


def read_or_refuse(path):
    """Return True if read and False if refused; check what the reader owes either way."""
    data = path.read_bytes()
    file, refusal = attempt(read_file, path)
    if refusal is not None:
        assert re.match(rf"{re.escape(path.name)}, row [1-9]\d*: \S", str(refusal))
        # A row that is named is one of the file, the empty file's first included.
        assert refusal.row <= max(1, len(data.splitlines()))
        return False
    matrix = matrix_of(file.values, file.evaluations)
    matrix = matrix.T if file.layout.transposed else matrix
    np.testing.assert_array_equal(matrix, np.array(plain_matrix(data)))  # nothing is repaired
    assert bool(file.contradictions) or not contradicts(file.values)
    assert all(1 <= finding.row <= len(matrix) for finding in file.contradictions)
    return True


@pytest.mark.timeout(600)  # a reader that hangs must not stop the suite
@pytest.mark.parametrize("count", [1000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_damaged_files_are_read_or_refused(tmp_path, count):
    random = Random(count)
    sound = sound_files()
    outcomes = []
    for i in range(count):
        data = random.choice(sound)
        for _ in range(random.randrange(1, 4)):
            data = random.choice(DAMAGES)(data, random) or b"\n"
        path = tmp_path / f"damaged{i % 50}_CEC26_CSOP_F{i % 28 + 1}.txt"
        path.write_bytes(data)
        outcomes.append(read_or_refuse(path))
    share = sum(outcomes) / len(outcomes)
    assert 0.1 < share < 0.9  # the damages neither spare nor destroy everything


def test_sound_files_pass_the_same_examination(tmp_path):
    for i, data in enumerate(sound_files(), start=1):
        path = tmp_path / f"sound_F{i}.txt"
        path.write_bytes(data)
        assert read_or_refuse(path)


@pytest.mark.timeout(600)
def test_damaged_zips_are_read_or_refused(tmp_path):
    random = Random(7)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as out:
        for k, data in enumerate(sound_files(), start=1):
            out.writestr(f"runs/x_F{k}.txt", data)
    sound = buffer.getvalue()
    damages = (flip_bit, cut_bytes, insert_bytes, truncate, repeat_part)
    read = 0
    for i in range(300):
        data = random.choice(damages)(sound, random) or b"x"
        path = tmp_path / f"damaged{i}.zip"
        path.write_bytes(data)
        submission, refusal = attempt(read_results, path)
        refused = submission.refused if refusal is None else [refusal]
        assert all(re.search(r"\.(txt|zip), row [1-9]\d*: \S", str(error)) for error in refused)
        read += refusal is None
    assert 0 < read < 300
