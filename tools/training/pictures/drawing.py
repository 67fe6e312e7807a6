"""Text encoder and UNet: trained together on latents, sampled, and the student that needs one pass a step and a quarter of the steps."""
import copy

import numpy as np
import torch
from torch.nn import functional as F

import diffusion
import painter
import stock
import words
from autoencoder import as_input
from judge import as_bytes
from learning import Learner, Pace, train

RATE, STUDENT_RATE, EMPTY_SHARE = 1e-3, 2e-4, 0.12
TEACHER_STEPS, STUDENT_STEPS, GUIDANCE = 32, 8, 3.0


class Latents:
    """Painted pictures as what the autoencoder makes of them; every use says them in another sentence."""

    def __init__(self, vae, seed, n, device, kind, styled=None, chunk=512, keep_pictures=False):
        self.rng, self.sentences = np.random.default_rng(seed), words.Sentences()
        self.scenes = words.draw_scenes(self.rng, n)
        self.values = torch.empty(n, stock.LATENTS, stock.GRID, stock.GRID, dtype=kind, device=device)
        self.pictures = torch.empty(n, 3, stock.SIDE, stock.SIDE, dtype=torch.uint8, device=device) if keep_pictures else None
        paint = painter.Painter(self.rng, stock.SIDE, device)
        with torch.no_grad():
            for at in range(0, n, chunk):
                pictures, _ = paint(self.scenes[at:at + chunk])
                if styled:
                    pictures = styled(pictures)
                small = max(1, len(pictures) // 2)
                for k in range(0, len(pictures), small):
                    self.values[at + k:at + k + small] = vae.encode((2 * pictures[k:k + small] - 1).to(kind))[:, :stock.LATENTS]
                if keep_pictures:
                    self.pictures[at:at + chunk] = (pictures * 255 + 0.5).byte()
        # Sentences are made once, several for each picture.
        self.ways = 4
        texts = [words.sentence(self.rng, scene) for scene in self.scenes for _ in range(self.ways)]
        self.ids = self.sentences(texts).view(n, self.ways, words.POSITIONS).to(device)
        self.none = self.sentences([""]).to(device)

    def draw(self, n, empty=EMPTY_SHARE):
        chosen = torch.randint(len(self.values), (n,), device=self.values.device)
        way = torch.randint(self.ways, (n,), device=self.values.device)
        ids = self.ids[chosen, way]
        silent = torch.rand(n, 1, device=ids.device) < empty
        found = dict(clean=self.values[chosen], ids=torch.where(silent, self.none, ids))
        if self.pictures is not None:
            found["pictures"] = self.pictures[chosen]
        return found


def velocity_loss(predict, clean, table):
    """`predict(x, t)`. Times are stratified over the batch."""
    a, s = table
    clean = clean.float()
    t = diffusion.stratified_times(len(clean), clean.device)
    noise = torch.randn_like(clean)
    x = diffusion.column(a[t]) * clean + diffusion.column(s[t]) * noise
    wanted = diffusion.column(a[t]) * noise - diffusion.column(s[t]) * clean
    return F.mse_loss(predict(x, t).float(), wanted)


def learn(latents, device, kind, batch, seconds):
    net = stock.Painter(latents.sentences).to(device, kind)
    table = diffusion.levels(device)
    loss = lambda clean, ids: velocity_loss(lambda x, t: net(x.to(kind), t, ids), clean, table)
    train(Learner(net, loss, Pace(RATE, seconds=seconds)), lambda: latents.draw(batch), "drawing")
    return net


def distil(teacher, latents, device, kind, batch, seconds):
    """One step of the student is four guided steps of the teacher, from the student's own levels (Salimans and Ho). The text
    encoder stays: the student differs in its UNet alone."""
    table = diffusion.levels(device)
    a, s = table
    student = copy.deepcopy(teacher)
    for p in [*teacher.parameters(), *student.text.parameters()]:
        p.requires_grad_(False)
    fine, ratio = diffusion.trailing(TEACHER_STEPS), TEACHER_STEPS // STUDENT_STEPS
    grid = torch.tensor([*fine, -1], device=device)  # -1: clean
    a_of = lambda t: torch.where(t < 0, torch.ones_like(t, dtype=torch.float32), a[t.clamp(min=0)])
    s_of = lambda t: torch.where(t < 0, torch.zeros_like(t, dtype=torch.float32), s[t.clamp(min=0)])

    def loss(clean, ids):
        clean = clean.float()
        at = ratio * torch.randint(STUDENT_STEPS, (len(clean),), device=device)
        begin = grid[at]
        x0 = diffusion.column(a[begin]) * clean + diffusion.column(s[begin]) * torch.randn_like(clean)
        with torch.no_grad():
            context, empty = teacher.text(ids), teacher.text(latents.none)
            x = x0
            for k in range(ratio):
                t, to = grid[at + k], grid[at + k + 1]
                v = diffusion.guided(teacher.unet, x.to(kind), t, context, empty, GUIDANCE)
                c = diffusion.column
                where, noise = c(a_of(t)) * x - c(s_of(t)) * v, c(s_of(t)) * x + c(a_of(t)) * v
                x = c(a_of(to)) * where + c(s_of(to)) * noise
            # The clean latents that one step of DDIM needs to come to the same x.
            end = grid[at + ratio]
            a0, s0, a1, s1 = (diffusion.column(v) for v in (a[begin], s[begin], a_of(end), s_of(end)))
            wanted = (x - s1 / s0 * x0) / (a1 - s1 / s0 * a0)
        v = student.unet(x0.to(kind), begin, context).float()
        weight = (a0 * a0 / (s0 * s0) + 1).clamp(max=5.0)
        return (weight * (a0 * x0 - s0 * v - wanted).square()).mean()

    train(Learner(student, loss, Pace(STUDENT_RATE, seconds=seconds), ema=0.995), lambda: latents.draw(batch, empty=0.0), "student")
    return student


@torch.no_grad()
def draw(net, vae, ids, none, kind, steps, guidance, table, walk=diffusion.ddim, unet=None, seed=1, chunk=128):
    """Sentences to pictures in bytes."""
    made = []
    generator = torch.Generator(device=ids.device).manual_seed(seed)
    for at in range(0, len(ids), chunk):
        part = ids[at:at + chunk]
        x = torch.randn(len(part), stock.LATENTS, stock.GRID, stock.GRID, device=ids.device, generator=generator)
        if at == 0:
            context_of_none = net.text(none)
        x = walk(unet(at, part) if unet else net.unet, x, net.text(part), context_of_none, steps, guidance, table)
        made.append(as_bytes(vae.decode(x.to(kind))))
    return torch.cat(made)
