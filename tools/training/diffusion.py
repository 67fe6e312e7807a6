"""Noise levels, the loss, and DPM-Solver++(2M) in steps uniform in log-SNR (Lu et al., arXiv:2211.01095), with fresh noise
at every step or without.
"""
from dataclasses import dataclass

import torch

import settings as S
from batches import unscaled
from draws import Draws
from leaning import Leaning
from model import unpack


DECIDING = (-8.5, -3.5)  # log-SNRs at which it is settled which of many waves it is


def levels(log_snr):
    """-> alpha, sigma, shaped to multiply packed fields."""
    view = lambda v: v.float().view(-1, 1, 1, 1, 1)
    return view(torch.sigmoid(log_snr).sqrt()), view(torch.sigmoid(-log_snr).sqrt())


def noised(clean, log_snr, noise):
    alpha, sigma = levels(log_snr)
    return alpha * clean + sigma * noise


def stratified_log_snr(draws, n, deciding=0.0):
    """[n], uniform over the range, one in each part of it; a share `deciding` of them over DECIDING alone."""
    few = round(n * deciding)
    even = lambda bounds, m: bounds[0] + (bounds[1] - bounds[0]) * (draws.permutation(m) + draws.uniform(0, 1, m)) / max(m, 1)
    found = torch.cat([even(S.LOG_SNR, n - few), even(DECIDING, few)])
    return found[draws.permutation(n)] if few else found


def velocity_loss(clean_predicted, clean, log_snr, weights=1.0):
    """Mean squared error of v = (alpha z - x) / sigma, its weight capped where SNR + 1 > 5; weights [n] of the clips.
    -> (loss, v error per clip)"""
    error = (clean_predicted.float() - clean).pow(2).mean((1, 2, 3, 4))
    noise_power = torch.sigmoid(-log_snr)
    return (weights * error / noise_power.clamp(min=0.2)).mean(), error.detach() / noise_power


def hidden(given, draws, nothing=0.06, picture_only=0.10):
    """Of some clips the prompt is hidden, of some the picture too: guidance needs to know these states."""
    u = draws.uniform(0, 1, len(given["picture"]))
    shown = dict(given)
    shown["picture_given"] = (u >= nothing).float()
    shown["text_given"] = (u >= nothing + picture_only).float()
    shown["matte_given"] = given["matte_given"] * shown["picture_given"]
    return shown


@dataclass(frozen=True)
class Sampler:
    """How noise becomes a field; what a model directory says in its scheduler (export.py)."""

    steps: int = 8            # levels that the network looks at
    image: float = 1.0        # guidance
    text: float = 1.0
    fresh_noise: bool = False  # the stochastic equation (SDE-DPM-Solver++(2M), the appendix of its paper)
    steady_affine: bool = False  # but for what is affine in place, the camera's moves: they follow the deterministic one
    first_mean_x: float = 1.0  # without a matte: deviation of what all cells of a frame have in common of the first noise, by
    first_mean_y: float = 1.0  # component, as a multiple of what it is in white noise (cf. S_noise of Karras et al., arXiv:2206.00364)
    lean: float = 0.0  # without a matte: of the long waves in the noise, to one direction of travel (leaning.py); 0 to 1

    def first_noise(self, noise, matte_given):
        """Standard normal noise [n, 8, 8, 8, 16], as the walk begins with it; matte_given [n] of 0 and 1."""
        if self.first_mean_x == self.first_mean_y == 1.0:
            return noise
        cells = cells_of(noise)
        more = torch.tensor([self.first_mean_x, self.first_mean_y], device=noise.device) - 1
        whole = 1 - matte_given.view(-1, *[1] * 7)
        return (cells + whole * more * cells.mean((2, 3, 5, 6), keepdim=True)).view(noise.shape)


def cells_of(packed):
    """[n, 8 frames, 8, 8, 16] -> [n, 8, 8, 8, 2 frames, 2, 2, 2 components]"""
    return packed.view(*packed.shape[:4], S.PATCH, S.PATCH, S.PATCH, 2)


def affine_part(packed):
    """Of each frame and component the best a + b x + c y: pans, zooms, turns and shears."""
    cells = cells_of(packed)
    place = torch.linspace(-1, 1, S.GRID, device=packed.device).view(S.PACKED_GRID, S.PATCH)
    ones = torch.ones_like(place)
    part = torch.zeros_like(cells)
    for y, x in ((ones, ones), (ones, place), (place, ones)):  # orthogonal
        shape = torch.einsum("ya,xb->yxab", y, x)
        shape = shape / shape.norm()
        part += torch.einsum("nfdc,yxab->nfyxdabc", torch.einsum("nfyxdabc,yxab->nfdc", cells, shape), shape)
    return part.view(packed.shape)


class Guided:
    """The model's answer with guidance: none + image (picture - none) + text (both - picture); passes of weight 0 are left out."""

    def __init__(self, model, given, how=Sampler()):
        weights = {(0, 0): 1 - how.image, (1, 0): how.image - how.text, (1, 1): how.text}
        self.model, self.passes = model, []
        for (picture, prompt), weight in weights.items():
            if abs(weight) > 1e-6:
                shown = dict(given)
                shown["picture_given"] = given["picture_given"] * picture
                shown["matte_given"] = given["matte_given"] * picture
                shown["text_given"] = given["text_given"] * prompt
                self.passes.append((weight, model.condition(shown)))

    def __call__(self, z, log_snr):
        return sum(weight * self.model.denoise(z, log_snr, c) for weight, c in self.passes)


def solver_step(z, clean, earlier, levels_around, how, fresh):
    """From one level to the next. earlier: the answer of the step before and half its log-SNR's span, or None;
    levels_around: log-SNRs, [1] each; fresh: gives noise like z, called if the sampler wants it. -> z there"""
    here, there = levels_around
    span = (there - here) / 2
    estimate = clean if earlier is None else clean + 0.5 * span / earlier[1] * (clean - earlier[0])
    _, sigma = levels(here)
    alpha_next, sigma_next = levels(there)
    walk = lambda decay, twice: sigma_next / sigma * decay * z - alpha_next * torch.expm1(-twice * span) * estimate
    steady = walk(1, 1)
    if not how.fresh_noise:
        return steady
    stirred = walk(torch.exp(-span), 2) + sigma_next * torch.sqrt(-torch.expm1(-2 * span)) * fresh()
    return stirred + affine_part(steady - stirred) if how.steady_affine else stirred


@torch.no_grad()
def sample(model, given, noise, how=Sampler(), fresh=None):
    """noise [n, 8, 8, 8, 16] -> field [n, 16, 2, 16, 16] in widths and heights. fresh: the Draws of every step's noise, for
    a sampler that wants it."""
    answer = Guided(model, given, how)
    grid = torch.linspace(*S.LOG_SNR, how.steps, device=noise.device)
    leaning = Leaning(how.lean, noise, given["matte_given"])
    z, earlier = leaning(how.first_noise(noise, given["matte_given"])), None
    for i in range(how.steps):
        clean = answer(z, grid[i].expand(len(z)))
        if i == how.steps - 1:
            return unscaled(unpack(clean))
        z = solver_step(z, clean, earlier, (grid[i:i + 1], grid[i + 1:i + 2]), how, lambda: leaning(fresh.normal(*noise.shape)))
        earlier = clean, (grid[i + 1] - grid[i]) / 2


def sample_in_chunks(model, given, noise, how=Sampler(), seed=31, chunk=64):
    """seed: of the fresh noise, if the sampler wants it."""
    parts = []
    for i in range(0, len(noise), chunk):
        piece = {k: v[i:i + chunk] for k, v in given.items()}
        parts.append(sample(model, piece, noise[i:i + chunk], how, Draws(1000 * seed + i, noise.device)))
    return torch.cat(parts)
