"""Variables: integers, ordered choices and fixed coordinates, in the box and as the design."""

import pickle

import numba
import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint

import de2ls
from de2ls.problems import Problem, problem
from de2ls.problems.variables import Variables, choices

THICKNESSES = [0.0625, 0.125, 0.25, 1.0]


def weighted(x):
    return 1.0 * x[0] + 10.0 * x[1] + 100.0 * x[2] + 1000.0 * x[3]


def mixed(fun=weighted, **kwargs):
    """A continuous coordinate, a fixed one, a choice and an integer."""
    box = [(0.0, 2.0), (0.5, 0.5), choices(THICKNESSES), (1, 3)]
    return problem(fun, box, integrality=[False, False, False, True], **kwargs)


class TestChoices:
    @pytest.mark.parametrize(
        ("values", "error", "message"),
        [
            ([], ValueError, "choices must"),
            ([2, 1], ValueError, "choices must be .* got 1 after 2 at position 1"),
            ([1, 2, 2], ValueError, "choices must be .* got 2 after 2 at position 2"),
            ([1, np.nan], ValueError, r"choices\[1\] must"),
            ([1, np.inf], ValueError, r"choices\[1\] must"),
            (["thin", "thick"], TypeError, r"choices\[0\] must"),
            ([True, 2], TypeError, r"choices\[0\] must"),
            ("12", TypeError, "choices must be"),
            (3, TypeError, "choices must be"),
            (None, TypeError, "choices must be"),
        ],
    )
    def test_bad_values(self, values, error, message):
        with pytest.raises(error, match=message):
            choices(values)

    def test_takes_arrays_and_integers(self):
        assert choices(np.array([1, 3])).values == (1.0, 3.0)
        assert choices(range(3)).values == (0.0, 1.0, 2.0)

    def test_public_name(self):
        assert de2ls.choices is choices


class TestBox:
    def test_fixed_coordinates_are_left_out_and_choices_are_positions(self):
        p = mixed()
        assert p.bounds == [(0, 2), (-0.5, 3.5), (0.5, 3.5)]
        assert p.dim == 3
        assert p.discrete.tolist() == [False, True, True]

    def test_the_box_itself_has_nothing_discrete(self):
        p = problem(weighted, [(0, 1)] * 4)
        x = np.array([0.1, 0.2, 0.3, 0.4])
        assert not p.discrete.any()
        assert p.decode(x) is x
        assert p.round(x) is x

    def test_decode_gives_the_design(self):
        p = mixed()
        assert p.decode(np.array([1.5, 2.2, 1.6])).tolist() == [1.5, 0.5, 0.25, 2.0]
        ends = p.decode(np.array([p.lower, p.upper]))
        assert ends.tolist() == [[0, 0.5, 0.0625, 1], [2, 0.5, 1, 3]]

    def test_round_gives_representatives(self):
        p = mixed()
        X = np.random.default_rng(1).uniform(p.lower, p.upper, (200, 3))
        rounded = p.round(X)
        assert (rounded[:, 0] == X[:, 0]).all()
        assert set(rounded[:, 1]) == {0, 1, 2, 3}
        assert set(rounded[:, 2]) == {1, 2, 3}
        assert (p.round(rounded) == rounded).all()
        assert (p.decode(rounded) == p.decode(X)).all()
        assert not np.may_share_memory(rounded, X)

    def test_every_value_is_equally_likely(self):
        p = problem(lambda x: x[0], [choices([1, 10, 100, 1000]), (0, 1)])
        first = p.decode(np.linspace(p.lower, p.upper, 402)[1:-1])[:, 0]
        assert np.unique(first, return_counts=True)[1].tolist() == [100] * 4

    def test_encode_is_the_inverse(self):
        p = mixed()
        for design in ([1.5, 0.5, 0.25, 2.0], [0.0, 0.5, 0.0625, 1.0], [2.0, 0.5, 1.0, 3.0]):
            assert p.decode(p.encode(design)).tolist() == design

    def test_encode_takes_the_nearest_value(self):
        p = mixed()
        assert p.decode(p.encode([1, 0.5, 0.18, 2.4])).tolist() == [1, 0.5, 0.125, 2]
        assert p.decode(p.encode([1, 0.5, 0.7, 3.4])).tolist() == [1, 0.5, 1.0, 3]

    def test_encode_takes_rows(self):
        designs = [[1.5, 0.5, 0.25, 2.0], [0.0, 0.5, 1.0, 3.0]]
        assert mixed().encode(designs).tolist() == [[1.5, 2.0, 2.0], [0.0, 3.0, 3.0]]
        with pytest.raises(ValueError, match=r"x must lie .* coordinate 3 is 9"):
            mixed().encode([[1.5, 0.5, 0.25, 2.0], [0.0, 0.5, 1.0, 9.0]])
        with pytest.raises(ValueError, match=r"x must be a vector of 4.* ragged"):
            mixed().encode([1.0, [2.0]])

    @pytest.mark.parametrize(
        ("x", "message"),
        [
            ([1, 0.6, 0.25, 2], r"start must lie .* coordinate 1 is 0.6, outside \[0.5, 0.5\]"),
            ([1, 0.5, 2.0, 2], "start must lie .* coordinate 2 is 2"),
            ([1, 0.5, 0.25, 3.7], "start must lie .* coordinate 3 is 3.7"),
            ([1, 0.25, 2], "start must be a vector of 4"),
        ],
    )
    def test_encode_refuses_what_is_outside(self, x, message):
        with pytest.raises(ValueError, match=message):
            mixed().encode(x, "start")

    def test_one_choice_fixes_the_coordinate(self):
        p = problem(lambda x: x[0] + x[1], [choices([2.5]), (0, 1)])
        assert p.bounds == [(0, 1)]
        assert p.evaluate([0.25]).f == 2.75

    def test_bounds_among_the_constraints_narrow_choices(self):
        p = mixed(constraints=Bounds([0, 0, 0.1, 0], [2, 1, 0.9, 9]))
        assert p.decode(np.array([p.lower, p.upper]))[:, 2].tolist() == [0.125, 0.25]

    def test_a_line(self):
        assert problem(lambda x: x[0], [(0, 1)]).evaluate([0.25]).f == 0.25

    def test_own_box_with_a_kernel_encodes_too(self):
        p = Problem("p", [0, 0], [1, 2], 0, 0, function=lambda x, out: None)
        assert p.encode([0.5, 1.5]).tolist() == [0.5, 1.5]
        with pytest.raises(ValueError, match="x must"):
            p.encode([0.5, 2.5])

    def test_pickles(self):
        p = pickle.loads(pickle.dumps(mixed()))
        assert p.decode(np.array([1.5, 2.2, 1.6])).tolist() == [1.5, 0.5, 0.25, 2.0]

    def test_limits_are_checked(self):
        off = np.zeros(2, dtype=np.bool_)
        with pytest.raises(ValueError, match=r"bounds must be finite.* coordinate 1"):
            Variables(np.zeros(2), np.array([1.0, np.inf]), off)


class TestEvaluate:
    point = np.array([1.5, 2.2, 1.6])  # the design 1.5, 0.5, 0.25, 2
    value = 1.5 + 5.0 + 25.0 + 2000.0

    def test_plain(self):
        assert mixed().evaluate(self.point).f == self.value

    def test_vectorised(self):
        p = mixed(vectorized=True)
        assert p.evaluate(self.point).f == self.value
        assert p.evaluate_many([self.point, [0, 0, 1]]).f.tolist() == [self.value, 1011.25]

    def test_compiled(self):
        p = mixed(numba.njit(weighted))
        assert p.kernel is not None
        assert p.evaluate(self.point).f == self.value
        X = np.random.default_rng(2).uniform(p.lower, p.upper, (50, 3))
        assert (p.evaluate_many(X).f == mixed().evaluate_many(X).f).all()

    @pytest.mark.parametrize("fun", [weighted, numba.njit(weighted)])
    def test_linear_constraints_see_the_design(self, fun):
        p = mixed(fun, constraints=LinearConstraint([[1, 1, 1, 1]], -np.inf, 4))
        assert p.evaluate(self.point).g.tolist() == [0.25]

    def test_functions_are_probed_at_a_design(self):
        seen = []

        def inequality(x):
            seen.append(x.tolist())
            return [1.0, 2.0]

        p = mixed(constraints={"type": "ineq", "fun": inequality})
        assert p.n_ineq == 2
        assert seen == [[1.0, 0.5, 0.125, 2.0]]
