import pytest

from de2ls.cli import main
from de2ls.reports import write_report
from de2ls.reports.folder import renew
from de2ls.reports.tables import write_texts
from tests.reports.support import HOSTILE, make_store


def call(*arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return ended.value.code or 0, captured.out, captured.err


def test_the_command_writes_page_tables_and_figures(store, tmp_path, capsys):
    folder = tmp_path / "new" / "report"
    code, out, err = call("report", store, "-o", folder, "--title", "Mine & <yours>", capsys=capsys)
    assert code == 0
    group = "cec2017, D = 5, definition report, instance 1"
    assert out == f"{folder / 'index.html'}: {group}: 36 trials\n"
    assert err.splitlines() == ["warning: only 4 trials per cell: these intervals are too narrow"]
    kinds = {path.suffix for path in folder.rglob("*") if path.is_file()}
    assert kinds == {".html", ".md", ".tex", ".csv", ".png", ".pdf", ".svg", ".txt"}
    markdown = (folder / "report.md").read_text(encoding="utf-8")
    assert markdown.startswith("# Mine & \\<yours\\>\n")
    for line in markdown.splitlines():
        if line.startswith("!["):
            assert (folder / line.split("(")[1].rstrip(")")).is_file()
    assert HOSTILE not in markdown
    assert "Mine &amp; &lt;yours&gt;" in (folder / "index.html").read_text(encoding="utf-8")


def test_bad_input_is_refused_in_one_line(store, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    code, _, err = call("report", store, "-o", tmp_path / "file", capsys=capsys)
    assert (code, err) == (
        1,
        f"error: {tmp_path / 'file'} is a file: name a folder for the report\n",
    )
    code, _, err = call("report", tmp_path / "none.db", capsys=capsys)
    assert (code, err) == (3, f"error: there is no store at {tmp_path / 'none.db'}\n")
    code, _, err = call("report", store, "--algorithms", "de3ls", "-o", tmp_path, capsys=capsys)
    assert code == 1
    assert err.startswith("error: ")


def test_nothing_is_written_when_trials_do_not_belong_together(tmp_path):
    path = make_store(tmp_path / "a.db", numbers=(1,))
    from de2ls.campaigns import Store
    from tests.reports.support import SERIES, fill

    with Store.open(path) as store:
        fill(store, {"de2ls": SERIES["de2ls"]}, numbers=(4,))
    with pytest.raises(ValueError, match=r"rdex, .* has no trial on C04"):
        write_report(path, tmp_path / "report")
    assert not (tmp_path / "report").exists()


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_later_report_leaves_nothing_of_the_earlier_one_and_all_of_others(store, tmp_path):
    folder, fresh = tmp_path / "report", tmp_path / "fresh"
    write_report(store, folder)
    (folder / "figures" / "mine.png").write_bytes(b"mine")
    (folder / "notes.md").write_text("mine")
    before = files(folder)
    assert {"figures/critical-difference.pdf", "tables/variants.tex"} <= before
    two = {"labels": ["de2ls", "rdex"]}  # too few for a critical difference and for variants
    write_report(store, folder, two)
    write_report(store, fresh, two)
    assert files(folder) == files(fresh) | {"figures/mine.png", "notes.md"}
    assert (folder / "report-files.txt").read_text() == (fresh / "report-files.txt").read_text()
    listed = (fresh / "report-files.txt").read_text().splitlines()[1:]
    assert set(listed) == files(fresh) - {"report-files.txt"}


@pytest.mark.parametrize("title", ["my own list", None])
def test_a_listing_removes_only_what_a_report_can_have_written(tmp_path, title):
    folder = tmp_path / "report"
    renew(tmp_path / "report", write_texts(folder, {"old.csv": ""}))
    ours = (folder / "report-files.txt").read_text().splitlines()[0]
    outside = tmp_path / "outside.csv"
    outside.write_text("")
    names = ["../outside.csv", str(outside), "gone.csv", "old.csv"]
    (folder / "report-files.txt").write_text("\n".join([title or ours, *names]))
    renew(folder, write_texts(folder, {"new.csv": ""}))
    assert outside.exists()
    assert (folder / "old.csv").exists() == (title is not None)
    assert (folder / "report-files.txt").read_text().splitlines() == [ours, "new.csv"]


def test_each_group_has_a_folder_and_the_page_has_all(tmp_path, capsys):
    from de2ls.campaigns import Store
    from tests.reports.support import SERIES, fill

    path = make_store(tmp_path / "a.db", numbers=(1,))
    with Store.open(path) as store:
        fill(store, SERIES, numbers=(1, 4), dim=10)
    folder = tmp_path / "report"
    code, out, _ = call("report", path, "-o", folder, "--bootstrap", 0, capsys=capsys)
    assert code == 0
    assert [line.split(": ")[1] for line in out.splitlines()] == [
        f"cec2017, D = {dim}, definition report, instance 1" for dim in (5, 10)
    ]
    for place in (
        "cec2017-D-5-definition-report-instance-1",
        "cec2017-D-10-definition-report-instance-1",
    ):
        assert (folder / place / "tables" / "totals.csv").is_file()
        assert (folder / place / "figures" / "totals.png").is_file()
    markdown = (folder / "report.md").read_text(encoding="utf-8")
    assert markdown.count("\n## cec2017, D = ") == 2
    for line in markdown.splitlines():
        if line.startswith("!["):
            assert (folder / line.split("(")[1].rstrip(")")).is_file()
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert page.count("<option value=") >= 2
    assert 'id="table-totals-2"' in page
