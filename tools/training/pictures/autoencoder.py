"""The autoencoder (AutoencoderKL): first the decoder alone on linear codes of patches, then the encoder alone to give
these codes, then both together. Training both from the start takes far longer.
"""
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import painter
import stock
import words
from learning import Learner, Pace, train

RATE, KL, THING_WEIGHT = 1.5e-3, 2e-4, 4.0
SHARES = (0.20, 0.08, 0.72)  # of the time: decoder, encoder, both


class Bank:
    """Pictures kept as bytes where the networks run, [n, 3, side, side], with where things are."""

    def __init__(self, seed, n, device, held=False, chunk=512):
        rng = np.random.default_rng(seed)
        self.scenes = words.draw_scenes(rng, n, held)
        paint = painter.Painter(rng, stock.SIDE, device)
        self.pictures = torch.empty(n, 3, stock.SIDE, stock.SIDE, dtype=torch.uint8, device=device)
        self.things = torch.empty(n, 1, stock.SIDE, stock.SIDE, dtype=torch.uint8, device=device)
        for at in range(0, n, chunk):
            pictures, things = paint(self.scenes[at:at + chunk])
            self.pictures[at:at + chunk] = (pictures * 255 + 0.5).byte()
            self.things[at:at + chunk] = (things * 255).byte()

    def draw(self, n):
        chosen = torch.randint(len(self.pictures), (n,), device=self.pictures.device)
        return dict(pictures=self.pictures[chosen], things=self.things[chosen])


def as_input(pictures, kind):
    return (pictures.to(torch.float32) / 127.5 - 1).to(kind)


def difference(given, truth, things):
    """L1 and square, things weigh more; and L1 of what neighbours differ by, for outlines."""
    weight = 1 + (THING_WEIGHT - 1) * things.float() / 255
    error = given.float() - truth.float()
    across, down = error.diff(dim=3).abs(), error.diff(dim=2).abs()
    near = (across * weight[..., 1:]).mean() + (down * weight[:, :, 1:]).mean()
    return (weight * (error.abs() + 2 * error * error)).mean() + near


class LinearCodes(nn.Module):
    """Patches of 8 x 8 as their first components, each of deviation one."""

    def __init__(self, pictures):
        super().__init__()
        patches = F.unfold(pictures.float(), stock.FACTOR, stride=stock.FACTOR).transpose(1, 2).flatten(0, 1)
        mean = patches.mean(0)
        centred = patches - mean
        values, vectors = torch.linalg.eigh(centred.T @ centred / len(centred))
        self.basis = (vectors / values.clamp(min=1e-8).sqrt())[:, -stock.LATENTS:].flip(1)
        self.mean = mean

    def forward(self, pictures):
        patches = F.unfold(pictures.float(), stock.FACTOR, stride=stock.FACTOR)
        codes = self.basis.T @ (patches - self.mean[:, None])
        side = pictures.shape[-1] // stock.FACTOR
        return codes.view(len(pictures), stock.LATENTS, side, side)


def decibels(vae, bank, kind, n=256):
    with torch.no_grad():
        pictures = as_input(bank.pictures[:n], kind)
        back = vae.decode(vae.encode(pictures)[:, :stock.LATENTS])
        return (10 * torch.log10(4 / (back.float() - pictures.float()).clamp(-2, 2).square().mean())).item()


def only(net, parts):
    for name, p in net.named_parameters():
        p.requires_grad_(name.split(".")[0] in parts)


def learn(bank, held, device, kind, batch, seconds):
    vae = stock.make_vae().to(device, kind)
    codes = LinearCodes(as_input(bank.pictures[:min(2048, len(bank.pictures))], torch.float32))
    mean_of = lambda moments: moments[:, :stock.LATENTS]

    def decoder(pictures, things):
        x = as_input(pictures, kind)
        return difference(vae.decode(codes(x).to(kind)), x, things)

    def encoder(pictures, things):
        x = as_input(pictures, kind)
        moments = vae.encode(x).float()
        return F.mse_loss(mean_of(moments), codes(x)) + 0.05 * (moments[:, stock.LATENTS:] + 6).square().mean()

    def both(pictures, things):
        x = as_input(pictures, kind)
        mean, log = vae.encode(x).float().chunk(2, 1)
        log = log.clamp(-12, 4)
        z = mean + torch.exp(0.5 * log) * torch.randn_like(mean)
        kl = 0.5 * (mean * mean + log.exp() - 1 - log).mean()
        return difference(vae.decode(z.to(kind)), x, things) + KL * kl

    for (name, loss, parts), share in zip((("decoder", decoder, ("decoder", "post_quant_conv")), ("encoder", encoder, ("encoder", "quant_conv")),
                                           ("autoencoder", both, ("decoder", "post_quant_conv", "encoder", "quant_conv"))), SHARES):
        only(vae, parts)
        learner = Learner(vae, loss, Pace(RATE, seconds=seconds * share), ema=0.995)
        train(learner, lambda: bank.draw(batch), name)
        vae = settle(vae)
        print(f"{name}: {decibels(vae, held, kind):.2f} dB on held-out pictures", flush=True)
    return even_out(vae, bank, kind)


def settle(vae):
    """The same numbers in storage of their own."""
    fresh = stock.make_vae().to(next(vae.parameters()))
    fresh.load_state_dict({k: v.detach().clone() for k, v in vae.state_dict().items()})
    return fresh


@torch.no_grad()
def even_out(vae, bank, kind):
    """Latents of mean zero and deviation one in every channel, put into the 1 x 1 convolutions at either end."""
    means = torch.cat([vae.encode(as_input(bank.pictures[i:i + 256], kind))[:, :stock.LATENTS].float() for i in range(0, min(4096, len(bank.pictures)), 256)])
    mean, deviation = means.mean((0, 2, 3)), means.std((0, 2, 3))
    first, second = vae.quant_conv, vae.post_quant_conv
    c = stock.LATENTS
    weight, bias = first.weight.float().clone(), first.bias.float().clone()
    weight[:c] /= deviation.view(-1, 1, 1, 1)
    bias[:c] = (bias[:c] - mean) / deviation
    bias[c:] -= 2 * deviation.log()
    first.weight.copy_(weight), first.bias.copy_(bias)
    after = second.weight.float().clone()
    second.bias.copy_(second.bias.float() + (after[:, :, 0, 0] @ mean))
    second.weight.copy_(after * deviation.view(1, -1, 1, 1))
    return vae
