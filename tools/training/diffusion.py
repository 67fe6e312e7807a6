"""Noise levels, the loss, and DPM-Solver++(2M) in steps uniform in log-SNR (Lu et al., arXiv:2211.01095), with fresh noise
at every step or without.
"""
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Sampler:
    """How noise becomes a field; what a model directory says in its scheduler (export.py)."""

    steps: int = 8            # levels that the network looks at
    image: float = 1.0        # guidance, at levels from guide_first to guide_last alone (Kynkaanniemi et al., arXiv:2404.07724)
    text: float = 1.0
    guide_first: float = S.LOG_SNR[0]
    guide_last: float = S.LOG_SNR[1]
    fresh_noise: bool = False  # the stochastic equation (SDE-DPM-Solver++(2M), the appendix of its paper)
    s_noise: float = 1.0      # deviation of the noise at levels up to s_noise_last: S_noise of Karras et al., arXiv:2206.00364
    s_noise_mean: float = 1.0  # and of what all cells of a frame have in common of it, as a multiple of what it is in white noise
    s_noise_last: float = S.LOG_SNR[1]

    def louder(self, noise, log_snr):
        """Standard normal noise [n, 8, 8, 8, 16], as it is added at that level."""
        if float(log_snr) > self.s_noise_last or self.s_noise == self.s_noise_mean == 1.0:
            return noise
        cells = noise.view(*noise.shape[:4], S.PATCH, S.PATCH, S.PATCH, 2)
        common = cells.mean((2, 3, 5, 6), keepdim=True)
        return (self.s_noise * cells + (self.s_noise_mean - self.s_noise) * common).view(noise.shape)

    def weights(self, log_snr):
        """Of the answers given nothing, the picture, and picture and prompt, [n, 1, 1, 1, 1] each: they sum to 1."""
        inside = ((log_snr >= self.guide_first) & (log_snr <= self.guide_last)).float().view(-1, 1, 1, 1, 1)
        image, text = 1 + (self.image - 1) * inside, 1 + (self.text - 1) * inside
        return 1 - image, image - text, text


class Guided:
    """The model's answer with guidance: none + image (picture - none) + text (both - picture); passes that count for nothing are left out."""

    GIVEN = ((0, 0), (1, 0), (1, 1))  # picture, prompt

    def __init__(self, model, given, how=Sampler()):
        self.model, self.given, self.how, self.conditions = model, given, how, {}

    def condition(self, picture, prompt):
        if (picture, prompt) not in self.conditions:
            shown = dict(self.given)
            shown["picture_given"] = self.given["picture_given"] * picture
            shown["matte_given"] = self.given["matte_given"] * picture
            shown["text_given"] = self.given["text_given"] * prompt
            self.conditions[picture, prompt] = self.model.condition(shown)
        return self.conditions[picture, prompt]

    def __call__(self, z, log_snr):
        passes = [(w, g) for w, g in zip(self.how.weights(log_snr), self.GIVEN) if float(w.abs().max()) > 1e-6]
        return sum(w * self.model.denoise(z, log_snr, self.condition(*g)) for w, g in passes)


@torch.no_grad()
def sample(model, given, noise, how=Sampler(), fresh=None):
    """noise [n, 8, 8, 8, 16] -> field [n, 16, 2, 16, 16] in widths and heights. fresh: the Draws of every step's noise, for
    a sampler that wants it."""
    answer = Guided(model, given, how)
    grid = torch.linspace(*S.LOG_SNR, how.steps, device=noise.device)
    z, before, span_before = how.louder(noise, grid[0]), None, None
    for i in range(how.steps):
        clean = answer(z, grid[i].expand(len(z)))
        if i == how.steps - 1:
            return unscaled(unpack(clean))
        span = (grid[i + 1] - grid[i]) / 2
        estimate = clean if before is None else clean + 0.5 * span / span_before * (clean - before)
        _, sigma = levels(grid[i:i + 1])
        alpha_next, sigma_next = levels(grid[i + 1:i + 2])
        if not how.fresh_noise:
            z = sigma_next / sigma * z - alpha_next * torch.expm1(-span) * estimate
        else:
            stir = sigma_next * torch.sqrt(-torch.expm1(-2 * span)) * how.louder(fresh.normal(*z.shape), grid[i + 1])
            z = sigma_next / sigma * torch.exp(-span) * z - alpha_next * torch.expm1(-2 * span) * estimate + stir
        before, span_before = clean, span


def sample_in_chunks(model, given, noise, how=Sampler(), seed=31, chunk=64):
    """seed: of the fresh noise, if the sampler wants it."""
    parts = []
    for i in range(0, len(noise), chunk):
        piece = {k: v[i:i + chunk] for k, v in given.items()}
        parts.append(sample(model, piece, noise[i:i + chunk], how, Draws(1000 * seed + i, noise.device)))
    return torch.cat(parts)
