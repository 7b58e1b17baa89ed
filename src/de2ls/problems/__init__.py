"""Problems: bounds, objective, constraints, tolerances, and how violation is measured."""

from de2ls.problems.key import ProblemKey
from de2ls.problems.problem import CompiledKernel, Evaluation, Problem
from de2ls.problems.variables import choices
from de2ls.problems.wrap import problem

__all__ = ["CompiledKernel", "Evaluation", "Problem", "ProblemKey", "choices", "problem"]
