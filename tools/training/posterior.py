"""What a network is to answer where the noise is strong: the mean of all that may be under it, not the one clip that happens to be.

Where a motion is being decided the clip itself is a poor lesson: nearly all of it is chance that no network could know.
So more true fields are drawn for the same scene and words, and the lesson is the mean of them and the clip, each
weighed by how well it explains the noisy field (Xu, Tong and Jaakkola, "Stable Target Field for Reduced Variance Score
Estimation in Diffusion Models", arXiv:2302.00670). Any of them could have been the one that was given the noise, so this is
the clip's expectation given them all: the best answer stays the same for any number of draws, only the chance goes.

What the whole picture does is the same for every scene. Of it there are thousands of draws, kept from step to step and
renewed a few at a time.
"""
import zlib

import torch

import settings as S
from batches import scaled
from cases import rows
from diffusion import levels
from draws import Draws
from model import pack
from motion import fields

ALONE = ("sway", "wave", "wave_x", "wave_y", "pulse", "drift_left", "drift_right")  # of the whole picture: no scene changes them
KEPT_BELOW, FRESH_BELOW = -4.0, -6.5  # log-SNRs; above, hardly any of so many draws explains the noisy field as well as the clip


def true_fields(scene, asks, matte, draws):
    return pack(scaled(fields(scene, asks, matte, draws)))


def stands_alone(ask):
    return not ask.matte and len(ask.parts) == 1 and ask.parts[0].target == "whole" and ask.parts[0].verb in ALONE


class Candidates:
    """Fields [m, 8, 8, 8, 16] that are equally likely before the noisy one is seen."""

    def __init__(self, found):
        self.flat = found.flatten(1)
        self.energy = self.flat.pow(2).sum(1)

    def put(self, index, found):
        self.flat[index] = found.flatten(1)
        self.energy[index] = self.flat[index].pow(2).sum(1)

    def mean_with(self, clean, noisy, log_snr):
        """clean, noisy [8, 8, 8, 16], log_snr [1] -> the posterior mean of the candidates and the clean field."""
        alpha, sigma = (float(v) for v in levels(log_snr))
        score = lambda match, energy: (alpha * match - 0.5 * alpha**2 * energy) / sigma**2
        z, x = noisy.flatten(), clean.flatten()
        own = score(x @ z, x @ x).view(1)
        weight = torch.softmax(torch.cat([own, score(self.flat @ z, self.energy)]), 0)
        counts = (weight[1:] > 1e-6).nonzero()[:, 0]
        return (weight[0] * x + weight[1:][counts] @ self.flat[counts]).view(clean.shape)


class Kept:
    """The draws of one ask: generation g lies where g - COUNT/EACH lay. All of it follows from the seed and how often it was used."""

    COUNT, EACH = 4096, 16

    def __init__(self, seed, ask, blank, used=0):
        """blank: a scene of one row, of which nothing matters."""
        self.seed, self.ask, self.blank, self.used = seed, ask, blank, used
        turns = self.COUNT // self.EACH
        order = sorted(range(used, used + turns), key=lambda g: g % turns)
        self.candidates = Candidates(torch.cat([self._generation(g) for g in order]))

    def _generation(self, g):
        blank, n = self.blank, self.EACH
        draws = Draws(zlib.crc32(f"{self.seed} {self.ask.parts} {g}".encode()), blank["picture"].device)
        matte = torch.zeros(n, 1, S.PICTURE, S.PICTURE, device=draws.device)
        return true_fields(rows(blank, [0] * n), [self.ask] * n, matte, draws)

    def use(self):
        turns, g = self.COUNT // self.EACH, self.used
        at = g % turns * self.EACH
        self.candidates.put(slice(at, at + self.EACH), self._generation(g + turns))
        self.used += 1
        return self.candidates


class Posterior:
    """What each clip of a batch is to teach. `state` and `restore` make a resumed run keep and draw what the uninterrupted one would have."""

    def __init__(self, seed, draws, fresh=48):
        """fresh: draws for a clip whose scene counts."""
        self.seed, self.draws, self.fresh, self.kept, self.used = seed, draws, fresh, {}, {}

    def _kept(self, ask, scene):
        key = ask.parts[0]
        if key not in self.kept:
            self.kept[key] = Kept(self.seed, ask, rows(scene, [0]), self.used.get(key, 0))
        return self.kept[key].use()

    def _fresh(self, index, scene, asks, matte):
        """-> Candidates of each of the clips `index`."""
        each = [i for i in index for _ in range(self.fresh)]
        drawn = true_fields(rows(scene, each), [asks[i] for i in each], matte[each], self.draws)
        return [Candidates(part) for part in drawn.split(self.fresh)]

    @torch.no_grad()
    def lesson(self, clean, noisy, log_snr, scene, asks, shown):
        """Packed fields [n, 8, 8, 8, 16] -> what to answer, likewise. The clip itself where its prompt is hidden, or the noise weak."""
        told = (shown["text_given"] > 0).tolist()
        under = lambda bound, alone: [i for i, s in enumerate(log_snr.tolist())
                                      if told[i] and s < bound and stands_alone(asks[i]) == alone]
        answer, others = clean.clone(), under(FRESH_BELOW, False)
        found = {i: self._kept(asks[i], scene) for i in under(KEPT_BELOW, True)}
        if others:
            found.update(zip(others, self._fresh(others, scene, asks, shown["matte"])))
        for i, candidates in found.items():
            answer[i] = candidates.mean_with(clean[i], noisy[i], log_snr[i:i + 1])
        return answer

    def state(self):
        return {**self.used, **{key: kept.used for key, kept in self.kept.items()}}

    def restore(self, state):
        self.kept, self.used = {}, state
