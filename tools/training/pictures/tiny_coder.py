"""A tiny autoencoder (AutoencoderTiny) that stands in for the autoencoder, at a third of its work: what the student draws with.
Trains it and puts it into the student's directory, in the place of the link to its teacher's.

    python3 tiny_coder.py ../../../engine/weights/scenes --seconds 3600

The decoder learns what the autoencoder's decoder makes of latents: of plain pictures, of styled ones, and of both with some
noise, since what a UNet draws is no picture's latents to the last bit. The encoder learns the mean of the latents.
"""
import argparse
import time

import numpy as np
import torch
from torch.nn import functional as F

import everything
import painter
import stock
import styles
import words
from autoencoder import as_input, difference
from judge import as_bytes
from learning import Learner, Pace, train

RATE, NOISE, STYLED, ENCODERS_SHARE = 2e-3, 0.2, 0.3, 0.25


class Answers:
    """Latents, with noise and without, and what the autoencoder makes of them, kept as bytes."""

    def __init__(self, vae, seed, n, device, kind, chunk=32):
        rng = np.random.default_rng(seed)
        generator = torch.Generator().manual_seed(seed)
        paint, scenes = painter.Painter(rng, stock.SIDE, device), words.draw_scenes(rng, n)
        side = dict(size=(n, 3, stock.SIDE, stock.SIDE), dtype=torch.uint8, device=device)
        self.pictures, self.answers, self.things = torch.empty(**side), torch.empty(**side), torch.empty(n, 1, stock.SIDE, stock.SIDE, dtype=torch.uint8, device=device)
        self.means = torch.empty(n, stock.LATENTS, stock.GRID, stock.GRID, device=device)
        self.latents = torch.empty_like(self.means)
        ways = list(styles.STYLES.values())
        with torch.no_grad():
            for at in range(0, n, chunk):
                part = slice(at, min(n, at + chunk))
                pictures, things = paint(scenes[part])
                for i in range(len(pictures)):
                    if rng.random() < STYLED:
                        pictures[i:i + 1] = ways[rng.integers(len(ways))](pictures[i:i + 1])
                mean = vae.encode((2 * pictures - 1).to(kind))[:, :stock.LATENTS].float()
                strength = NOISE * torch.rand(len(mean), 1, 1, 1, generator=generator).square()
                latents = mean + strength.to(device) * torch.randn(mean.shape, generator=generator).to(device)
                self.means[part], self.latents[part] = mean, latents
                self.pictures[part] = (pictures * 255 + 0.5).byte()
                self.things[part] = (things * 255).byte()
                self.answers[part] = as_bytes(vae.decode(latents.to(kind)))

    def draw(self, n, names):
        chosen = torch.randint(len(self.means), (n,), device=self.means.device)
        return {name: getattr(self, name)[chosen] for name in names}


def decibels(tiny, held, kind):
    """Of what the decoder draws against what the autoencoder draws, and of the whole against the pictures."""
    against = lambda drawn, truth: 10 * np.log10(4 / (drawn.float() - truth.float()).square().mean().item())
    with torch.no_grad():
        drawn = tiny.decoder(held.latents.to(kind)).clamp(-1, 1)
        whole = tiny.decoder(tiny.encoder(as_input(held.pictures, kind))).clamp(-1, 1)
    return against(drawn, as_input(held.answers, kind)), against(whole, as_input(held.pictures, kind))


def settle(tiny):
    """The same numbers in storage of their own."""
    fresh = stock.make_tiny().to(next(tiny.parameters()))
    fresh.load_state_dict({k: v.detach().clone() for k, v in tiny.state_dict().items()})
    return fresh


def learn(tiny, answers, held, kind, batch, rate, seconds):

    def decoder(latents, answers, things):
        return difference(tiny.decoder(latents.to(kind)), as_input(answers, kind), things)

    def encoder(pictures, means):
        return F.mse_loss(tiny.encoder(as_input(pictures, kind)).float(), means)

    for name, loss, inputs, share in (("decoder", decoder, ("latents", "answers", "things"), 1 - ENCODERS_SHARE),
                                      ("encoder", encoder, ("pictures", "means"), ENCODERS_SHARE)):
        for p in tiny.parameters():
            p.requires_grad_(False)
        for p in getattr(tiny, name).parameters():
            p.requires_grad_(True)
        learner = Learner(tiny, loss, Pace(rate, seconds=seconds * share), ema=0.99)
        train(learner, lambda: answers.draw(batch, inputs), name, report=60)
        tiny = settle(tiny)
        print("{}: {:.2f} dB of the autoencoder's own pictures, {:.2f} dB there and back".format(name, *decibels(tiny, held, kind)), flush=True)
    return tiny


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("scenes", help="the directory with the teacher, whose autoencoder is followed")
    options.add_argument("--seconds", type=float, default=3600)
    options.add_argument("--pictures", type=int, default=2500)
    options.add_argument("--batch", type=int, default=8)
    options.add_argument("--rate", type=float, default=RATE)
    options.add_argument("--seed", type=int, default=31, help="of the pictures")
    options.add_argument("--again", action="store_true", help="goes on from what the student has")
    given = options.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    vae = everything.load(stock.make_vae(), f"{given.scenes}/teacher/vae/diffusion_pytorch_model.safetensors", device, kind)
    begun = time.time()
    answers, held = Answers(vae, given.seed, given.pictures, device, kind), Answers(vae, 32, 64, device, kind)
    print(f"{given.pictures} pictures and what the autoencoder makes of them in {time.time() - begun:.0f} s", flush=True)
    tiny = stock.make_tiny()
    if given.again:
        tiny.load_state_dict(stock.read_safetensors(f"{given.scenes}/student/vae/diffusion_pytorch_model.safetensors"))
    tiny = tiny.to(device, kind).to(memory_format=torch.channels_last)
    tiny = learn(tiny, answers, held, kind, given.batch, given.rate, given.seconds)
    stock.use_tiny(f"{given.scenes}/student", tiny.state_dict())


if __name__ == "__main__":
    main()
