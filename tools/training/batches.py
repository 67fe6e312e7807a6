"""Batches of clips: scenes from a pool that is steadily renewed, an ask for each, and the true field."""
import random

import torch

import settings as S
import vocabulary
from asks import draw_ask, draw_one_of
from draws import Draws
from model import pack
from motion import fields, holds, mattes
from scenes import draw_scenes


def scaled(field):
    return field / torch.tensor(S.FIELD_SCALE, device=field.device).view(1, -1, 1, 1, 1)


def unscaled(field):
    return field * torch.tensor(S.FIELD_SCALE, device=field.device).view(1, -1, 1, 1, 1)


def mirrored(scene):
    return {k: v.flip(3) if v.dim() == 4 else v for k, v in scene.items()}


def given(scene, asks, matte):
    """What the model is shown of a clip, everything given; training hides parts of it."""
    n, device = len(asks), matte.device
    one = torch.ones(n, device=device)
    return dict(picture=scene["picture"], matte=matte, log2_aspect=scene["log2_aspect"],
                ids=torch.tensor([vocabulary.encode(a.text) for a in asks], device=device),
                matte_given=torch.tensor([float(bool(a.matte)) for a in asks], device=device),
                picture_given=one, text_given=one)


class Batches:
    """Deterministic by seed; `state` and `restore` make a resumed run draw what the uninterrupted one would have."""

    def __init__(self, seed, photos=None, device="cpu", pool=768, renew=0.25, stage=2, homework=(), share=0.5):
        """homework: (target, verb, weight) that a share of the clips ask for, where the scene holds the target."""
        self.homework, self.share = homework, share
        self.draws, self.rng, self.photos = Draws(seed, device), random.Random(seed), photos
        self.pool_size, self.renew, self.stage = pool, renew, stage
        self.pool, self.at = None, 0

    def fill(self):
        self.pool = draw_scenes(self.draws, self.pool_size, self.photos)

    def renew_some(self, n):
        if self.pool is None:
            self.fill()
        fresh = draw_scenes(self.draws, n, self.photos)
        rows = (torch.arange(n) + self.at) % self.pool_size
        for name in self.pool:
            self.pool[name][rows] = fresh[name]
        self.at = (self.at + n) % self.pool_size

    def draw(self, n):
        """-> (packed clean field [n, 8, 8, 8, 16], what is given, the asks, the scenes)"""
        self.renew_some(max(1, int(n * self.renew)))
        rows = self.draws.integers(0, self.pool_size, n)
        scene = {k: v[rows] for k, v in self.pool.items()}
        if self.rng.random() < 0.5:
            scene = mirrored(scene)
        asks = [self.ask(names) for names in holds(scene)]
        matte = mattes(scene, asks, self.draws)
        field = scaled(fields(scene, asks, matte, self.draws))
        return pack(field), given(scene, asks, matte), asks, scene

    def ask(self, names):
        """names: what the scene holds."""
        if self.homework and self.rng.random() < self.share:
            return draw_one_of(self.rng, names, self.homework) or draw_ask(self.rng, names, self.stage)
        return draw_ask(self.rng, names, self.stage)

    def state(self):
        return dict(draws=self.draws.state(), rng=self.rng.getstate(), pool=self.pool, at=self.at)

    def restore(self, state):
        self.draws.restore(state["draws"])
        self.rng.setstate(state["rng"])
        self.pool, self.at = state["pool"], state["at"]
