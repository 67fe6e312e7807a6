"""A classifier of pictures, trained apart on true ones: says each attribute of the scene. It measures, it never teaches."""
import torch
from torch import nn
from torch.nn import functional as F

import stock
import words
from autoencoder import as_input
from learning import Learner, Pace, train

RATE, WIDTHS, FEATURES = 1.5e-3, (32, 64, 128, 192), 512


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        layers, before = [], 3
        for width in WIDTHS:
            layers += [nn.Conv2d(before, width, 3, stride=2, padding=1), nn.GroupNorm(8, width), nn.SiLU(),
                       nn.Conv2d(width, width, 3, padding=1), nn.GroupNorm(8, width), nn.SiLU()]
            before = width
        self.body = nn.Sequential(*layers)
        side = stock.SIDE >> len(WIDTHS)
        self.narrow = nn.Conv2d(before, 48, 1)  # no pooling: places count
        self.hidden = nn.Linear(48 * side * side, FEATURES)
        self.heads = nn.ModuleList([nn.Linear(FEATURES, len(words.VALUES[a])) for a in words.ATTRIBUTES])

    def forward(self, x):
        x = F.silu(self.hidden(F.silu(self.narrow(self.body(x))).flatten(1)))
        return [head(x) for head in self.heads]


def spoiled(x):
    """A third as it is, a third blurred, all with some noise: what generated pictures may look like."""
    blurred = F.avg_pool2d(F.pad(x, (1, 1, 1, 1), mode="replicate"), 3, 1)
    how_much = (torch.rand(len(x), 1, 1, 1, device=x.device) * 1.5 - 0.5).clamp(0, 1).to(x.dtype)
    noise = torch.randn_like(x) * 0.06 * torch.rand(len(x), 1, 1, 1, device=x.device).to(x.dtype)
    return torch.lerp(x, blurred, how_much) + noise


def learn(bank, device, kind, batch, seconds, vae=None):
    """Half of the pictures come through the autoencoder, if there is one."""
    judge = Judge().to(device, kind)
    scenes = torch.from_numpy(bank.scenes).long().to(device)

    def loss(pictures, answers):
        said = judge(spoiled(as_input(pictures, kind)))
        return sum(F.cross_entropy(s.float(), answers[:, i], label_smoothing=0.02) for i, s in enumerate(said))

    through = None
    if vae is not None:
        with torch.no_grad():
            through = torch.cat([as_bytes(vae.decode(vae.encode(as_input(bank.pictures[i:i + 256], kind))[:, :stock.LATENTS]))
                                 for i in range(0, len(bank.pictures), 256)])

    def draw():
        chosen = torch.randint(len(scenes), (batch,), device=device)
        pictures = bank.pictures[chosen]
        if through is not None:
            pictures[::2] = through[chosen[::2]]
        return dict(pictures=pictures, answers=scenes[chosen])

    train(Learner(judge, loss, Pace(RATE, seconds=seconds), ema=0.998, decay=0.05), draw, "judge")
    return judge


def as_bytes(x):
    return ((x.float().clamp(-1, 1) + 1) * 127.5 + 0.5).byte()


@torch.no_grad()
def right(judge, pictures, scenes, kind):
    """pictures in bytes. -> [n, attributes], whether the judge reads what was asked for."""
    truth = torch.from_numpy(scenes).long().to(pictures.device)
    rows = []
    for at in range(0, len(pictures), 256):
        said = judge(as_input(pictures[at:at + 256], kind))
        rows.append(torch.stack([s.argmax(1) == truth[at:at + 256, i] for i, s in enumerate(said)], 1))
    return torch.cat(rows)


def table(name, correct):
    each = correct.float().mean(0).tolist()
    print(f"{name:28s} " + " ".join(f"{a} {v:.3f}" for a, v in zip(words.ATTRIBUTES, each)) + f" | all {correct.all(1).float().mean().item():.3f}", flush=True)
    return dict(zip(words.ATTRIBUTES, each), all=correct.all(1).float().mean().item())
