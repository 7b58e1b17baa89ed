import pytest

from de2ls.cli import main


@pytest.fixture
def called(capfd):
    """The command line, called in this process: arguments to exit code, output and errors."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return call
