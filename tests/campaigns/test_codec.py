import dataclasses
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from de2ls.campaigns import codec
from de2ls.problems.key import ProblemKey

from .support import make_record

BIT_PATTERNS = hnp.arrays(
    np.uint64,
    st.tuples(st.integers(0, 40), st.integers(1, 4)),
    elements=st.integers(0, 2**64 - 1) | st.sampled_from([0, 0x7FF8000000000000, 0x8000 << 48]),
)


@given(BIT_PATTERNS)
def test_any_bits_survive_including_nan_payloads_and_signed_zeros(bits):
    table = bits.view(np.float64)
    back = codec.decode_table(codec.encode_table(table))
    assert back.shape == table.shape
    assert back.view(np.uint64).tobytes() == bits.tobytes()


def older_bytes(table, level=3):
    """Pack a table as schemas 1 to 4 did: each column has its marks, then its changes."""
    rows, columns = table.shape
    marks, changes = [], []
    for column in table.T:
        patterns = column.copy().view(np.int64)
        steps = np.diff(patterns, prepend=np.int64(0))
        marks.append(np.packbits(steps != 0).tobytes())
        changes.append(steps[steps != 0].view(np.uint8).reshape(-1, 8).T.tobytes())
    content = b"".join(marks + changes)
    return struct.pack("<II", rows, columns) + zlib.compress(content, level)


@given(BIT_PATTERNS, st.sampled_from([3, 9]))
def test_tables_of_older_schemas_are_read_bit_by_bit(bits, level):
    table = bits.view(np.float64)
    back = codec.decode_table(older_bytes(table, level))
    assert back.shape == table.shape
    assert back.view(np.uint64).tobytes() == bits.tobytes()


@given(hnp.arrays(np.uint64, st.integers(0, 40)))
def test_any_vector_survives(bits):
    vector = bits.view(np.float64)
    assert codec.decode_vector(codec.encode_vector(vector)).tobytes() == vector.tobytes()


def test_a_step_curve_shrinks_to_its_changes():
    rows = 2001
    curve = np.empty((rows, 3))
    curve[:, 0] = np.maximum(300.0, 300.0 * np.arange(rows))
    curve[:, 1] = np.repeat(np.random.default_rng(1).random(21), 100)[:rows]  # 21 values in all
    curve[:, 2] = 0.0
    # 21 values of 8 bytes, 2001 marks per column, and the regular grid
    assert len(codec.encode_table(curve)) < 21 * 8 + 250 + 300
    assert np.array_equal(codec.decode_table(codec.encode_table(curve)), curve)


def test_a_table_without_columns_is_refused():
    with pytest.raises(ValueError, match=r"at least one column, got shape \(5, 0\)"):
        codec.encode_table(np.empty((5, 0)))


@given(st.binary(max_size=60))
def test_damaged_bytes_raise_a_value_error(data):
    with pytest.raises(ValueError):  # noqa: PT011 -- zlib's or NumPy's words
        codec.decode_table(data)


@pytest.mark.parametrize("encode", [codec.encode_table, older_bytes])
def test_a_cut_table_is_refused(encode):
    data = encode(np.random.default_rng(1).random((50, 3)))
    for end in range(len(data)):
        with pytest.raises(ValueError, match=r"damaged|reshape|array"):
            codec.decode_table(data[:end])


def test_bytes_after_a_table_and_a_mark_of_no_schema_are_refused():
    data = codec.encode_table(np.random.default_rng(1).random((50, 3)))
    with pytest.raises(ValueError, match="reshape"):
        codec.decode_table(data + b"x")
    with pytest.raises(ValueError, match="it is marked 3"):
        codec.decode_table(data[:8] + b"\3" + data[9:])


def test_noise_takes_no_more_than_its_bytes():
    """Six of a random number's eight bytes are kept as they are, where zlib would gain nothing."""
    noise = np.random.default_rng(1).random((2000, 3))
    noise[:, 0] = 1.0
    plain = codec.encode_table(noise)
    assert len(plain) < len(older_bytes(noise))
    assert np.array_equal(codec.decode_table(plain), noise)
    regular = np.arange(6000.0).reshape(2000, 3)  # zlib takes all of it
    assert len(codec.encode_table(regular)) < 2000


def test_too_few_changes_are_refused_also_where_one_could_stand_for_all():
    marks, one_change = bytes([0b11000000]), bytes(8)
    data = struct.pack("<II", 2, 1) + zlib.compress(marks + one_change)
    with pytest.raises(ValueError, match="reshape"):
        codec.decode_table(data)


@pytest.mark.parametrize(
    "other",
    [
        [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]],  # the same first column
        [[1.0, 5.0], [2.0, 6.0], [4.0, 7.0]],  # other numbers
        [[1.0, 5.0], [1.0, 6.0], [3.0, 7.0]],  # changes at other rows
        [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [3.0, 8.0]],  # the same marks and one row more
        [[1.0], [2.0], [3.0]],
    ],
)
def test_a_first_column_is_that_of_its_own_table(other):
    first = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    tables = [first, np.array(other), first]
    encoded = [codec.encode_table(table) for table in tables]
    for table, data in zip(tables, encoded, strict=True):
        assert np.array_equal(codec.decode_table(data), table)


def test_a_decoded_table_may_be_written_to():
    table = np.array([[1.0, 5.0], [2.0, 6.0]])
    data = codec.encode_table(table)
    codec.decode_table(data)[:] = 0.0
    assert np.array_equal(codec.decode_table(data), table)


def test_equal_mappings_have_one_text():
    assert codec.to_json({"b": np.float64(0.5), "a": np.int64(3)}) == '{"a": 3, "b": 0.5}'
    assert codec.to_json({"a": 1, "b": 2}) == codec.to_json({"b": 2, "a": 1})
    with pytest.raises(TypeError, match="cannot be written as JSON"):
        codec.to_json({"a": object()})


CHANGES = {
    "algorithm": "rdex",
    "config": {"ls_mc": 4},
    "problem": ProblemKey("", "other", 3),
    "seed": 5,
    "max_evals": 91,
    "n_evals": 89,
    "curve": np.zeros((3, 3)),
    "x": np.array([0.1, 0.0, 5e-324]),  # +0 instead of -0
    "f": np.nextafter(7.25, 8.0),
    "g": np.array([-1.0, 0.0]),
    "h": np.array([0.0]),
    "violation": 5e-324,
    "feasible": False,
    "stop": "target",
    "trace": None,
    "counters": {"ls_calls": 2, "ls_evaluations": 20, "ls_improved": 1, "ls_gain": 0.25},
    "n_invalid": 5,
    "n_outside": 1,
}
CIRCUMSTANCES = {
    "label": "other",
    "run": 2,
    "version": "0.2.0",
    "environment": {"cpu": "other"},
    "wall_time": 0.8,
}


def test_every_field_of_a_record_is_covered_here():
    names = {field.name for field in dataclasses.fields(make_record()) if field.init}
    names |= {"label", "problem", "run"}
    assert names - {"key"} == CHANGES.keys() | CIRCUMSTANCES.keys()


@pytest.mark.parametrize("name", CHANGES)
def test_fingerprint_and_checksum_see_every_result(name):
    before, after = make_record(), make_record(**{name: CHANGES[name]})
    assert codec.fingerprint(before) != codec.fingerprint(after)
    assert codec.checksum(before) != codec.checksum(after)


@pytest.mark.parametrize("name", CIRCUMSTANCES)
def test_only_the_checksum_sees_circumstances(name):
    before, after = make_record(), make_record(**{name: CIRCUMSTANCES[name]})
    assert codec.fingerprint(before) == codec.fingerprint(after)
    assert codec.checksum(before) != codec.checksum(after)


def test_any_counter_is_seen():
    before, after = (make_record(counters={"restarts": count}) for count in (3, 4))
    assert codec.fingerprint(before) != codec.fingerprint(after)
