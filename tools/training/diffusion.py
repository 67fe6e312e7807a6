"""Noise levels, the loss, and DPM-Solver++(2M) in steps uniform in log-SNR (Lu et al., arXiv:2211.01095), with fresh noise
at every step or without.
"""
import torch

import settings as S
from batches import unscaled
from draws import Draws
from model import unpack


def levels(log_snr):
    """-> alpha, sigma, shaped to multiply packed fields."""
    view = lambda v: v.float().view(-1, 1, 1, 1, 1)
    return view(torch.sigmoid(log_snr).sqrt()), view(torch.sigmoid(-log_snr).sqrt())


def noised(clean, log_snr, noise):
    alpha, sigma = levels(log_snr)
    return alpha * clean + sigma * noise


def stratified_log_snr(draws, n):
    """Uniform over the range, one in each n-th of it."""
    first, last = S.LOG_SNR
    return first + (last - first) * (draws.permutation(n) + draws.uniform(0, 1, n)) / n


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


class Guided:
    """The model's answer with guidance: none + image (picture - none) + text (both - picture); passes of weight 0 are left out."""

    def __init__(self, model, given, image=1.0, text=1.0):
        weights = {(0, 0): 1 - image, (1, 0): image - text, (1, 1): text}
        self.passes = []
        for (picture, prompt), weight in weights.items():
            if abs(weight) > 1e-6:
                shown = dict(given)
                shown["picture_given"] = given["picture_given"] * picture
                shown["matte_given"] = given["matte_given"] * picture
                shown["text_given"] = given["text_given"] * prompt
                self.passes.append((weight, model.condition(shown)))
        self.model = model

    def __call__(self, z, log_snr):
        return sum(weight * self.model.denoise(z, log_snr, c) for weight, c in self.passes)


@torch.no_grad()
def sample(model, given, noise, steps=8, image=1.0, text=1.0, fresh=None):
    """noise [n, 8, 8, 8, 16] -> field [n, 16, 2, 16, 16] in widths and heights. `steps` evaluations of the network. With
    fresh, the Draws of every step's noise, the stochastic equation is solved (SDE-DPM-Solver++(2M), the paper's appendix)."""
    answer = Guided(model, given, image, text)
    grid = torch.linspace(*S.LOG_SNR, steps, device=noise.device)
    z, before, span_before = noise, None, None
    for i in range(steps):
        clean = answer(z, grid[i].expand(len(z)))
        if i == steps - 1:
            return unscaled(unpack(clean))
        span = (grid[i + 1] - grid[i]) / 2
        estimate = clean if before is None else clean + 0.5 * span / span_before * (clean - before)
        _, sigma = levels(grid[i:i + 1])
        alpha_next, sigma_next = levels(grid[i + 1:i + 2])
        if fresh is None:
            z = sigma_next / sigma * z - alpha_next * torch.expm1(-span) * estimate
        else:
            stir = sigma_next * torch.sqrt(-torch.expm1(-2 * span)) * fresh.normal(*z.shape)
            z = sigma_next / sigma * torch.exp(-span) * z - alpha_next * torch.expm1(-2 * span) * estimate + stir
        before, span_before = clean, span


def sample_in_chunks(model, given, noise, chunk=64, seed=None, **options):
    """seed: of the fresh noise at every step; None for none of it."""
    parts = []
    for i in range(0, len(noise), chunk):
        piece = {k: v[i:i + chunk] for k, v in given.items()}
        fresh = None if seed is None else Draws(1000 * seed + i, noise.device)
        parts.append(sample(model, piece, noise[i:i + chunk], fresh=fresh, **options))
    return torch.cat(parts)
