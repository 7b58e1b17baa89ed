import math
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from de2ls.competition import (
    FileFormatError,
    read_file,
    read_results,
    write_file,
    write_records,
)
from de2ls.competition.files import parse
from de2ls.competition.rules import corrected
from de2ls.scores import collect, uscore
from de2ls.suites.suite import COMPETITION
from tests.scores.records import field, make_record

NAME = "DE-2LS_CEC26_CSOP_F4.txt"
DIM = 30


def proper_values(runs=25, samples=2001, seed=0):
    """Return values by the rules: feasible from some sample on, descending in steps."""
    rng = np.random.default_rng(seed)
    steps = rng.random((runs, samples)) < 0.05
    level = np.cumsum(steps, axis=1)
    C = np.maximum(0.0, 3.0 - 0.5 * level)
    E = np.where(C == 0.0, 100.0 - level + rng.random((runs, 1)), np.nan)
    return np.stack([E, C], axis=2)


def proper_evaluations(samples=2001):
    return np.maximum(300, np.minimum(10 * DIM * np.arange(samples), 20000 * DIM)).astype(float)


def matrix_of(values, evaluations=None):
    columns = values.transpose(1, 0, 2).reshape(values.shape[1], -1)
    return columns if evaluations is None else np.column_stack([evaluations, columns])


def text_of(matrix, separator=" ", end="\n"):
    lines = [separator.join(map(repr, row)) + end for row in matrix.tolist()]
    return "".join(lines).encode()


def bits(array):
    """Return the array with NaN made comparable, signs of zero included."""
    return np.where(np.isnan(array), np.nan, array).view(np.int64)


def same(a, b):
    return a.shape == b.shape and bool((bits(a) == bits(b)).all())


def rules_of(file):
    return {finding.rule for finding in file.findings}


LAYOUTS = [
    (evaluations, first, transposed, separator, end)
    for evaluations in (True, False)
    for first in (True, False)
    for transposed in (True, False)
    for separator in (" ", "\t", "   ", " \t")
    for end in ("\n", "\r\n")
]


@pytest.mark.parametrize(("evaluations", "first", "transposed", "separator", "end"), LAYOUTS)
def test_every_layout_is_read(evaluations, first, transposed, separator, end):
    values, counts = proper_values(3), proper_evaluations()
    if not first:
        values, counts = values[:, 1:], counts[1:]
    matrix = matrix_of(values, counts if evaluations else None)
    file = parse(text_of(matrix.T if transposed else matrix, separator, end), NAME)
    assert same(file.values, values)
    assert file.layout.transposed == transposed
    assert file.layout.has_evaluations == evaluations
    if evaluations:
        assert (file.evaluations == counts).all()
    findings = " ".join(str(finding) for finding in file.findings)
    assert ("transposed" in findings) == transposed
    assert ("no column of evaluations" in findings) == (not evaluations)
    assert ("2000 samples instead of 2001" in findings) == (not first)
    assert "3 runs instead of 25" in findings
    assert file.contradictions == ()


def test_a_proper_file_has_no_findings():
    file = parse(text_of(matrix_of(proper_values(), proper_evaluations())), NAME)
    assert file.findings == ()
    assert (file.algorithm, file.key.name, file.key.dim) == ("DE-2LS", 4, 0)


@pytest.mark.parametrize("runs", [1, 2, 25])
@pytest.mark.parametrize("samples", [3, 11, 40, 51])
@pytest.mark.parametrize("transposed", [False, True])
def test_short_budgets_are_told_by_their_evaluations(runs, samples, transposed):
    values, counts = proper_values(runs, samples), proper_evaluations(samples)
    counts[0] = 100
    matrix = matrix_of(values, counts)
    file = parse(text_of(matrix.T if transposed else matrix), NAME)
    assert file.layout.transposed == transposed
    assert same(file.values, values)


@pytest.mark.parametrize(
    ("name", "algorithm", "problem", "dim"),
    [
        ("DE-2LS_CEC26_CSOP_F4.txt", "DE-2LS", 4, 0),
        ("CL-SRDE_F21_D30.txt", "CL-SRDE", 21, 30),
        ("a/b/my_algo_F3.txt", "my_algo", 3, 0),
        ("UDE_III_cec24_csop_f28.TXT", "UDE_III", 28, 0),
    ],
)
def test_names(name, algorithm, problem, dim):
    file = parse(text_of(matrix_of(proper_values(1))), name)
    assert (file.algorithm, file.key.name, file.key.dim) == (algorithm, problem, dim)


@pytest.mark.parametrize("name", ["results.txt", "x_F0.txt", "x_F29.txt", "x_F1.dat", "_F1.txt"])
def test_names_that_tell_no_problem_are_refused(name):
    with pytest.raises(FileFormatError, match="the name"):
        parse(text_of(matrix_of(proper_values(1))), name)


def test_odd_numbers_of_c_libraries():
    values = proper_values(1)
    values[0, 0] = np.nan, 5.0
    lines = text_of(matrix_of(values)).decode().split("\n")
    for nan in ("NaN", "nan", "-nan", "-nan(ind)", "NAN"):
        lines[0] = f"{nan} 5.0"
        file = parse("\n".join(lines).encode(), NAME)
        assert same(file.values, values)


@pytest.mark.parametrize(
    ("change", "rule", "quantity", "value"),
    [
        ((10, 0, 55.5), "infeasible objective", "Min_EV", "55.5"),
        ((1990, 0, np.nan), "missing objective", "Min_EV", "NaN"),
        ((1990, 0, np.inf), "infinite objective", "Min_EV", "inf"),
        ((1990, 0, 99.5), "rising objective", "Min_EV", "99.5"),
        ((1990, 0, -5e-9), "small objective", "Min_EV", "-5e-09"),
        ((1990, 1, np.nan), "missing violation", "LCV", "NaN"),
        ((1990, 1, -2.0), "negative violation", "LCV", "-2.0"),
        ((10, 1, 7.25), "rising violation", "LCV", "7.25"),
        ((1990, 1, 5e-9), "small violation", "LCV", "5e-09"),
    ],
)
@pytest.mark.parametrize("transposed", [False, True])
def test_contradictions_are_reported_with_their_row_and_kept(
    change, rule, quantity, value, transposed
):
    values = proper_values(4)
    sample, column, wrong = change
    values[2, sample, column] = wrong
    matrix = matrix_of(values, proper_evaluations())
    file = parse(text_of(matrix.T if transposed else matrix), NAME)
    assert same(file.values, values)  # nothing is repaired
    found = [finding for finding in file.contradictions if finding.rule == rule]
    assert len(found) == 1
    assert found[0].run == 3
    assert found[0].row == (1 + 2 * 2 + column + 1 if transposed else sample + 1)
    assert found[0].text.startswith(quantity)
    assert value in found[0].text
    assert str(found[0]).startswith(f"{NAME}, row {found[0].row}, run 3: ")


def test_evaluations_are_checked():
    values = proper_values(2)
    for sample, wrong in [(0, np.nan), (1000, 299_999.0), (2000, 600_001.0)]:
        counts = proper_evaluations()
        counts[sample] = wrong
        file = parse(text_of(matrix_of(values, counts)), NAME.replace(".txt", "_D30.txt"))
        assert same(file.evaluations, counts)
        assert file.contradictions
        if sample < 2000:
            assert [finding.row for finding in file.contradictions] == [sample + 1]
            assert "FEs are" in file.contradictions[0].text


def test_an_early_end_of_the_budget_is_no_contradiction():
    # T = 605 at D = 2: rows at 20 k, the last at T
    counts = np.array([10.0, *range(20, 601, 20), 605.0])
    file = parse(text_of(matrix_of(proper_values(25, 32), counts)), "x_F1_D2.txt")
    assert rules_of(file) == {"layout"}


def test_corrected_values_follow_the_rules():
    nan = math.nan
    raw = np.array([[[9.0, 5.0], [7.0, 0.0], [8.0, 0.0], [5e-9, 2e-9], [1e-9, 3.0]]])
    expected = [[[nan, 5.0], [7.0, 0.0], [7.0, 0.0], [0.0, 0.0], [0.0, 0.0]]]
    assert same(corrected(raw, COMPETITION), np.array(expected))
    file = parse(text_of(matrix_of(raw, [10.0, 20, 40, 60, 80])), "x_F1_D2.txt")
    assert file.contradictions
    assert file.corrected().contradictions == ()
    assert same(file.corrected().values, np.array(expected))
    assert same(file.values, raw)


@pytest.mark.parametrize("wrong", [np.nan, -1.0])
def test_what_cannot_be_corrected_is_refused(wrong):
    values = proper_values(2)
    values[1, 7, 1] = wrong
    file = parse(text_of(matrix_of(values, proper_evaluations())), NAME)
    with pytest.raises(FileFormatError, match=rf"{NAME}, row 8: LCV"):
        file.corrected()


@pytest.mark.parametrize(
    ("text", "row", "why"),
    [
        ("", 1, "empty"),
        ("\n \n", 1, "empty"),
        ("1 2 3\n4 5\n", 2, "2 numbers, row 1 has 3"),
        ("1 2\n\n3 4\n", 2, "0 numbers"),
        ("1 2\n3 x\n", 2, "'x' does not belong"),
        ("1 2\n3 4e\n", 2, "'4e' is not a number"),
        ("1 2\n3 1.2.3\n", 2, "'1.2.3' is not a number"),
        ("1,2\n3,4\n", 1, "','"),
        ("1 2\n1_0 2\n", 2, "'_'"),
        ("1 2\n3 4\n5 1e999\n", 3, "exceeds all floats"),
        ("FEs Min LCV\n1 2 3\n", 1, "'s'"),
        ("1\n2\n3\n", 1, "one number beside each sample"),
        ("1 2\n3 4\n", 1, "cannot tell the samples from the runs"),
        ("9 2 5\n3 4 5\n4 4 4\n", 1, "cannot tell the samples from the runs"),
        ("1 2\n\x003 4\n5 6\n", 2, "does not belong"),
        ("1 2\n3 é\n", 2, "not a text"),
    ],
)
def test_unreadable_texts_are_refused_with_their_row(text, row, why):
    with pytest.raises(FileFormatError, match=why) as caught:
        parse(text.encode("latin-1"), NAME)
    assert caught.value.row == row
    assert str(caught.value).startswith(f"{NAME}, row {row}: ")


def test_other_encodings():
    text = text_of(matrix_of(proper_values(1)))
    assert same(parse(b"\xef\xbb\xbf" + text, NAME).values, proper_values(1))
    with pytest.raises(FileFormatError, match="row 1"):
        parse(text.decode().encode("utf-16"), NAME)


def test_an_odd_number_of_columns_needs_evaluations():
    matrix = matrix_of(proper_values(3))[:, :5]  # a column was lost
    with pytest.raises(FileFormatError, match=r"5 numbers.*odd"):
        parse(text_of(matrix), NAME)


def test_too_large_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("de2ls.competition.files.MAX_BYTES", 1000)
    path = tmp_path / NAME
    path.write_bytes(text_of(matrix_of(proper_values(1))))
    with pytest.raises(FileFormatError, match="more than 1000 bytes"):
        read_file(path)


def test_folder_and_zip(tmp_path):
    folder = tmp_path / "in"
    values = {k: proper_values(2, seed=k) for k in (1, 2, 10)}
    for k, array in values.items():
        (folder / "sub").mkdir(parents=True, exist_ok=True)
        (folder / "sub" / f"algo_F{k}_D30.txt").write_bytes(text_of(matrix_of(array)))
    (folder / "algo_F3_D30.txt").write_bytes(b"1 2 3\n4 x 6\n")
    (folder / "readme.md").write_text("hello")
    archive = tmp_path / "in.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for path in folder.rglob("*"):
            out.write(path, path.relative_to(folder))
    for source in (folder, archive):
        submission = read_results(source)
        assert [file.key.name for file in submission.files] == [1, 2, 10]
        assert [str(error) for error in submission.refused] == [
            "algo_F3_D30.txt, row 2: 'x' does not belong in a number"
        ]
        assert submission.ignored == ("readme.md",)
        curves = submission.curves()
        assert same(curves["algo"], np.stack([values[k] for k in (1, 2, 10)]))
        assert uscore(curves).total.shape == (3, 1)
        assert [row["problem"] for row in submission.table().to_dicts()] == ["C01", "C02", "C10"]
        assert "refused: algo" in submission.to_markdown().replace("\\", "")
    single = read_results(folder / "sub" / "algo_F1_D30.txt")
    assert len(single.files) == 1
    with pytest.raises(FileFormatError, match="the name"):
        read_results(folder / "readme.md")


def test_the_same_runs_twice_are_refused(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x_F1.txt").write_bytes(text_of(matrix_of(proper_values(1))))
    submission = read_results(tmp_path)
    assert len(submission.files) == 1
    assert "b/x_F1.txt, row 1: the same runs are given by a/x_F1.txt" in str(submission.refused[0])


def submission_of(folder, **samples):
    """Write files of one run, named by keyword, with these numbers of samples; read them."""
    for name, count in samples.items():
        text = text_of(matrix_of(proper_values(1, count), proper_evaluations(count)))
        (folder / f"{name}.txt").write_bytes(text)
    return read_results(folder)


def test_files_of_several_dimensions_are_all_read(tmp_path):
    submission = submission_of(tmp_path, x_F1_D30=12, x_F1_D10=12, x_F2_D10=12)
    assert submission.refused == ()
    assert [(file.key.dim, file.key.name) for file in submission.files] == [
        (10, 1),
        (10, 2),
        (30, 1),
    ]
    with pytest.raises(ValueError, match="files must"):
        submission.curves()


def test_curves_of_different_problems_do_not_mix(tmp_path):
    """As many files of each, so that the arrays alone would not show it."""
    submission = submission_of(tmp_path, x_F1=12, x_F2=12, y_F1=12, y_F3=12)
    with pytest.raises(ValueError, match="x has C01, C02; y has C01, C03"):
        submission.curves()


def test_curves_of_different_length_do_not_fit(tmp_path):
    with pytest.raises(ValueError, match=r"files of x.*runs and samples"):
        submission_of(tmp_path, x_F1=12, x_F2=13).curves()


def test_missing_paths(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_results(tmp_path / "nothing.zip")


FLOATS = st.floats(width=64) | st.sampled_from([-0.0, 5e-324, 1.7976931348623157e308, 0.1 + 0.2])


@settings(max_examples=60, deadline=None)
@given(
    runs=st.integers(1, 4),
    data=st.data(),
)
def test_writing_and_reading_lose_nothing(tmp_path_factory, runs, data):
    values = data.draw(hnp.arrays(np.float64, (runs, 50, 2), elements=FLOATS))
    counts = np.maximum(data.draw(st.integers(1, 60)), 20.0 * np.arange(50))
    path = write_file(tmp_path_factory.mktemp("out"), "my-algo", 7, counts, values)
    assert path.name == "my-algo_CEC26_CSOP_F7.txt"
    file = read_file(path)
    assert same(file.values, values)
    assert same(file.evaluations, counts)
    assert (file.algorithm, file.key.name) == ("my-algo", 7)
    again = write_file(path.parent / "again", file.algorithm, 7, file.evaluations, file.values)
    assert again.read_bytes() == path.read_bytes()


def test_the_written_file_is_the_competitions(tmp_path):
    path = write_file(tmp_path, "x", 1, proper_evaluations(), proper_values())
    lines = path.read_text().split("\n")
    assert len(lines) == 2002
    assert lines[-1] == ""
    assert all(len(line.split()) == 51 for line in lines[:-1])
    assert lines[0].split()[:3] == ["300", "NaN", "3.0"]
    assert lines[2000].split()[0] == "600000"
    assert read_file(path).findings == ()
    assert [p.name for p in tmp_path.iterdir()] == [path.name]  # no partial file is left


def test_records_and_files_are_the_same_trials(tmp_path):
    records = field(("x", "y z"), (1, 12), (3, 1, 2), dim=2)
    paths = write_records(records, tmp_path)
    assert [p.relative_to(tmp_path).as_posix() for p in paths] == [
        "x/x_CEC26_CSOP_F1.txt",
        "x/x_CEC26_CSOP_F12.txt",
        "y z/y z_CEC26_CSOP_F1.txt",
        "y z/y z_CEC26_CSOP_F12.txt",
    ]
    before = collect(records)
    read = [r for file in read_results(tmp_path).files for r in file.records(dim=2)]
    after = collect(read)
    assert after.algorithms == before.algorithms
    assert after.keys == before.keys
    for row, other in zip(before.cells, after.cells, strict=True):
        assert all(same(a, b) for a, b in zip(row, other, strict=True))
    for record in read:
        assert record.stop == "imported"
        assert record.max_evals == 40
        np.testing.assert_array_equal(record.curve[:, 0], [8, 20, 40])


def test_records_of_files_without_evaluations():
    file = parse(text_of(matrix_of(proper_values(2)[:, 1:])), "x_F5_D30.txt")
    records = file.records(definition="cpp2017")
    assert [record.seed for record in records] == [1, 2]
    assert records[0].problem.as_dict() == {
        "suite": "cec2017",
        "number": 5,
        "dim": 30,
        "definition": "cpp2017",
        "instance": 0,
    }
    np.testing.assert_array_equal(records[0].curve[:, 0], 300.0 * np.arange(1, 2001))
    assert records[0].feasible
    assert records[0].label == "x"
    full = parse(text_of(matrix_of(proper_values(2))), "x_F5.txt").records(dim=10, label="y")
    assert np.isnan(full[0].curve[0, 0])  # N0 is not known
    np.testing.assert_array_equal(full[0].curve[1:, 0], 100.0 * np.arange(1, 2001))
    with pytest.raises(ValueError, match="dim must be given"):
        parse(text_of(matrix_of(proper_values(2))), "x_F5.txt").records()
    with pytest.raises(ValueError, match="got 30"):
        parse(text_of(matrix_of(proper_values(2, 30))), "x_F5.txt").records(dim=2)


def test_an_infeasible_objective_makes_no_feasible_record():
    values = proper_values(1)
    values[:, :, 1] = 3.0
    record = parse(text_of(matrix_of(values)), "x_F5_D30.txt").records()[0]
    assert not record.feasible


def test_bad_writing_is_refused(tmp_path):
    counts, values = proper_evaluations(3), proper_values(2, 3)
    for name in ("", "a/b", "..", ".hidden", "a\nb", "a:b"):
        with pytest.raises(ValueError, match="name must"):
            write_file(tmp_path, name, 1, counts, values)
    with pytest.raises(ValueError, match="problem must"):
        write_file(tmp_path, "x", 29, counts, values)
    with pytest.raises(ValueError, match="values must"):
        write_file(tmp_path, "x", 1, counts, values[:, :2])
    mixed = [make_record(seed=1), make_record(seed=2, evaluations=[9, 20, 40])]
    with pytest.raises(ValueError, match=r"other evaluations were recorded by: x on C01 \(run 2\)"):
        write_records(mixed, tmp_path)
    with pytest.raises(ValueError, match="name must"):
        write_records([make_record(label="../x", key={"name": "own"})], tmp_path)
    assert list(tmp_path.iterdir()) == []


KEYS = (
    {"suite": "cec2006", "number": 1, "dim": 13},
    {"suite": "cec2017-bound", "number": 3, "dim": 10},
    {"suite": "cec2022-bound", "number": 3, "dim": 10},
    {"suite": "bbob-constrained", "number": 7, "dim": 5, "instance": 2},
    {"suite": "beams.py", "name": "wide / beam", "dim": 4, "digest": "0123"},
    {"suite": "cec2017", "number": 3, "dim": 10, "definition": "report", "instance": 1},
)


def test_files_of_any_suite_say_whose_runs_they_hold(tmp_path):
    """Small values stay where the suite has no rule about them."""
    values = np.array([[[np.nan, 2.0], [3e-9, 1e-6]], [[np.nan, 1.0], [-4e-9, 0.0]]])
    records = [
        make_record(seed=run, key=key, samples=one, evaluations=[8, 10 * key["dim"]])
        for key in KEYS
        for run, one in enumerate(values if key["suite"] != "cec2017" else 0 * values + 1, start=1)
    ]
    paths = write_records(records, tmp_path)
    assert len(set(paths)) == len(KEYS)
    submission = read_results(tmp_path)
    assert (submission.refused, submission.ignored) == ((), ())
    read = [record for file in submission.files for record in file.records()]
    before = {record.key: record for record in records}
    assert {record.key for record in read} == before.keys()
    for record in read:
        assert same(record.curve, before[record.key].curve)
        assert record.feasible or record.problem.suite == "cec2017"
    findings = {finding.file for finding in submission.findings}
    assert findings == {
        path.relative_to(tmp_path).as_posix() for path in paths if "C03" in path.name
    }
    with pytest.raises(ValueError, match="one group"):
        submission.curves()


@pytest.mark.parametrize(
    ("first", "row"),
    [
        ("#", 1),
        ("# {}", 1),
        ('# {"label": "x", "problem": {"suite": "cec2006", "number": 1}}', 1),  # no dimension
        ('# {"label": 1, "problem": {"suite": "cec2006", "number": 1, "dim": 13}}', 1),
        ('# {"label": "x", "problem": {"suite": "cec2006", "number": 1, "dim": 13}}', 3),
    ],
)
def test_damaged_descriptions_and_rows_below_them(first, row):
    with pytest.raises(FileFormatError) as caught:
        parse(f"{first}\n8 NaN 2\n16 x 1\n".encode(), "any.txt")
    assert (caught.value.file, caught.value.row) == ("any.txt", row)


@pytest.mark.parametrize(("made", "given"), [(10, 30), (30, 10)])
def test_files_of_another_dimension_are_refused(made, given):
    evaluations = np.maximum(100, 10.0 * made * np.arange(2001))
    file = parse(text_of(matrix_of(proper_values(2), evaluations)), "x_F5.txt")
    with pytest.raises(FileFormatError, match=f"x_F5.txt.*{10 * made}.*dim = {given}"):
        file.records(dim=given)
    assert file.records(dim=made)[0].problem.dim == made


@pytest.mark.parametrize(
    ("quantity", "value", "name"), [(0, np.inf, "Min_EV"), (1, -5.0, "LCV"), (1, np.nan, "LCV")]
)
def test_values_that_cannot_be_scored_are_refused(quantity, value, name):
    values = proper_values(2)
    values[1, 7, quantity] = value
    file = parse(text_of(matrix_of(values, proper_evaluations())), NAME)
    with pytest.raises(FileFormatError, match=name) as caught:
        file.records(dim=30)
    assert (caught.value.file, caught.value.row) == (NAME, 8)
    if name == "Min_EV":  # an infinite objective can be left out
        assert np.isfinite(file.corrected().records(dim=30)[1].curve[-1]).all()
    else:
        with pytest.raises(FileFormatError, match=name):
            file.corrected()


def test_a_line_without_end_is_refused():
    with pytest.raises(FileFormatError, match="row 2"):
        parse(b"1 2\n" + b"1 " * 2**20, NAME)
