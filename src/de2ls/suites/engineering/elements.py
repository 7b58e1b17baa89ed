"""A small finite-element solver for pin-jointed trusses in the plane and in space.

Linear elasticity: with the matrix B of the bars' direction cosines, the elongations are B^T u, the
stiffness matrix is K = B diag(E A / L) B^T, the displacements solve K u = F, and the stresses are
E (B^T u) / L.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from de2ls._checks import FloatArray


class Truss:
    """A truss with pinned joints.

    Parameters
    ----------
    joints : array_like, shape (n, 2) or (n, 3)
        Their coordinates.
    bars : sequence of pairs
        The joints that each bar connects, counted from 1 as in drawings.
    supports : sequence of int
        Joints that cannot move, counted from 1.
    modulus : float
        Young's modulus.
    """

    def __init__(
        self,
        joints: Any,
        bars: Sequence[tuple[int, int]],
        supports: Sequence[int],
        modulus: float,
    ) -> None:
        points = np.array(joints, dtype=np.float64)
        ends = np.array(bars) - 1
        spans = points[ends[:, 1]] - points[ends[:, 0]]
        self.lengths = np.linalg.norm(spans, axis=1)
        self.modulus = modulus
        self.shape = points.shape
        directions = spans / self.lengths[:, np.newaxis]
        cosines = np.zeros((*points.shape, len(bars)))
        for k, (start, end) in enumerate(ends):
            cosines[start, :, k] = -directions[k]
            cosines[end, :, k] = directions[k]
        held = np.isin(np.arange(1, len(points) + 1), supports)
        self.free = np.repeat(~held, points.shape[1])  # degrees of freedom
        self.cosines = cosines.reshape(-1, len(bars))[self.free]

    def loads(self, *cases: Mapping[int, Sequence[float]]) -> FloatArray:
        """Return load cases, each the force at some joints, as columns for `solve`."""
        forces = np.zeros((len(cases), *self.shape))
        for case, at in zip(forces, cases, strict=True):
            for joint, force in at.items():
                case[joint - 1] = force
        return forces.reshape(len(cases), -1)[:, self.free].T.copy()

    def stiffness(self, areas: FloatArray) -> FloatArray:
        """Return the stiffness matrix of the free degrees of freedom."""
        matrix: FloatArray = (self.cosines * (self.modulus * areas / self.lengths)) @ self.cosines.T
        return matrix

    def solve(self, areas: FloatArray, loads: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return displacements (free degrees of freedom) and stresses (bars), a row per load case.

        Tension is positive.
        """
        displacements = np.asarray(np.linalg.solve(self.stiffness(areas), loads), np.float64)
        strains = (self.cosines.T @ displacements) / self.lengths[:, np.newaxis]
        return displacements.T, self.modulus * strains.T
