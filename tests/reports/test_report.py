import pytest

from de2ls.cli import main
from de2ls.reports import write_report
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
    assert out == f"{folder / 'index.html'}: 36 trials\n"
    assert err.splitlines() == ["warning: only 4 trials per cell: these intervals are too narrow"]
    kinds = {path.suffix for path in folder.rglob("*") if path.is_file()}
    assert kinds == {".html", ".md", ".tex", ".csv", ".png", ".pdf"}
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
    with pytest.raises(ValueError, match="rdex has no trial on C04"):
        write_report(path, tmp_path / "report")
    assert not (tmp_path / "report").exists()
