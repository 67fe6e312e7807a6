"""Noise that leans to one direction of travel, for walks with fresh noise: a wave goes one way or the other, and a network that cannot
tell which from faint evidence leaves some waves in between, standing.
"""
import math

import torch

import settings as S
from model import pack, unpack

LENGTHS = (1, 2)  # waves over the picture; over the clip it is one


def travelling():
    """[frames * cells, 8]: orthonormal sines and cosines of time and of the place across the crest, one column each; the first four
    travel to greater places, the others to lesser ones."""
    turn = lambda n: torch.arange(n) * (2 * math.pi / n)
    t, s = turn(S.FRAMES).view(-1, 1), turn(S.GRID).view(1, -1)
    columns = [shape(t - way * k * s) for way in (1, -1) for k in LENGTHS for shape in (torch.sin, torch.cos)]
    return torch.stack([(c / c.norm()).flatten() for c in columns], 1)


class Leaning:
    """Calls give noise whose long waves have 1 + lean times the variance in one direction of travel and 1 - lean times in the other,
    by clip and component. The sign of a component's first number in the first noise is the coin that says which. A component's waves
    travel across it: x along y, y along x. With a matte what moves is not the whole, and the noise stays as it is."""

    def __init__(self, lean, first, matte_given):
        """first: packed noise [n, 8, 8, 8, 16]; matte_given [n] of 0 and 1."""
        self.basis = travelling().to(first.device)
        way = torch.where(unpack(first)[:, 0, :, 0, 0] >= 0, 1.0, -1.0)  # [n, 2]
        gains = (1 + lean * torch.stack([way, -way], 2)).sqrt() - 1
        self.more = (gains * (1 - matte_given.view(-1, 1, 1))).repeat_interleave(4, 2)  # [n, 2, 8]

    def parts(self, field):
        """-> [n, 2, 8]"""
        across = torch.stack([field[:, :, 0].mean(3), field[:, :, 1].mean(2)], 1)  # [n, 2, frames, cells]
        return across.flatten(2) @ self.basis

    def __call__(self, noise):
        field = unpack(noise).clone()
        change = (self.parts(field) * self.more) @ self.basis.T
        change = change.view(-1, 2, S.FRAMES, S.GRID)
        field[:, :, 0] += change[:, 0, :, :, None]
        field[:, :, 1] += change[:, 1, :, None, :]
        return pack(field)
