"""Three styles, as what they make of a true picture, and how each is measured; LoRA that learns them; a control network for edges."""
import torch
from torch import nn
from torch.nn import functional as F

import diffusion
import stock
from autoencoder import as_input
from drawing import velocity_loss
from learning import Learner, Pace, train

RANK, RATE, REACH_RATE, CONTROL_RATE, CELL = 8, 2e-3, 4e-3, 5e-4, 8
SEPIA_FLOOR = 0.01  # a hundredth off is as good as none
EDGE_LEVEL = 0.25  # of the gradient of the brightness, black to white over two pixels being 2


def brightness(pictures):
    return 0.299 * pictures[:, :1] + 0.587 * pictures[:, 1:2] + 0.114 * pictures[:, 2:]


def gradient(pictures):
    grey = F.pad(brightness(pictures), (1, 1, 1, 1), mode="replicate")
    across = grey[:, :, 1:-1, 2:] - grey[:, :, 1:-1, :-2]
    down = grey[:, :, 2:, 1:-1] - grey[:, :, :-2, 1:-1]
    return (across.square() + down.square() + 1e-12).sqrt()


def edges(pictures):
    """[n, 3, h, w] in 0..1 -> white lines on black, the same in three channels."""
    return (gradient(pictures) > EDGE_LEVEL).float().expand(-1, 3, -1, -1)


def sketch(pictures):
    """Pencil on paper: dark where the brightness changes, and a little of the tone."""
    tone = 0.80 + 0.18 * brightness(pictures)
    return (tone - 1.4 * gradient(pictures)).clamp(0.05, 1).expand(-1, 3, -1, -1)


def sepia(pictures):
    return brightness(pictures) * torch.tensor((1.0, 0.80, 0.54), device=pictures.device).view(1, 3, 1, 1)


def mosaic(pictures):
    """Tiles of 8 x 8 pixels, with joints."""
    tiles = F.interpolate(F.avg_pool2d(pictures, CELL), scale_factor=CELL, mode="nearest")
    line = torch.arange(pictures.shape[-1], device=pictures.device) % CELL == 0
    joint = (line.view(1, 1, 1, -1) | line.view(1, 1, -1, 1)).float()
    return tiles * (1 - 0.55 * joint)


STYLES = dict(sketch=sketch, sepia=sepia, mosaic=mosaic)


def measure(name, pictures):
    """[n] of pictures in 0..1: more of the style is more. None of them depends on how bright a picture is."""
    if name == "sketch":  # paper: bright, without colour
        colour = pictures.amax(1) - pictures.amin(1)
        return pictures.mean((1, 2, 3)) - colour.mean((1, 2))
    if name == "sepia":  # red over green over blue in one proportion everywhere
        off = (pictures - sepia(pictures) * (1 / 0.8299)).abs().mean((1, 2, 3))  # sepia has 0.83 of the brightness
        # A share that cannot fall below zero, where true pictures in this style are: so its logarithm.
        return -(off / pictures.mean((1, 2, 3)) + SEPIA_FLOOR).log()
    line = torch.arange(pictures.shape[-1], device=pictures.device) % CELL == 0
    joint = line.view(1, -1) | line.view(-1, 1)  # joints are darker than tiles
    grey = brightness(pictures)[:, 0]
    return 1 - grey[:, joint].mean(1) / grey[:, ~joint].mean(1)


class Reach(nn.Module):
    """Latents of styled pictures to latents that the decoder makes these pictures of. The autoencoder has learnt on plain pictures, so
    what it keeps of a style is less than what its decoder can draw: sepia comes back with a third of its colour."""

    def __init__(self, width=48):
        super().__init__()
        self.into, self.out = nn.Conv2d(stock.LATENTS, width, 3, padding=1), nn.Conv2d(width, stock.LATENTS, 3, padding=1)
        nn.init.zeros_(self.out.weight), nn.init.zeros_(self.out.bias)

    def forward(self, latents):
        return latents + self.out(F.silu(self.into(latents)))


def reach(vae, latents, device, kind, batch, seconds):
    """`latents` of styled pictures, with these pictures, changed in place to what the decoder draws them from."""
    for p in vae.parameters():
        p.requires_grad_(False)
    bridge = Reach().to(device, kind)

    def loss(clean, ids, pictures):
        error = vae.decode(bridge(clean)).float() - as_input(pictures, torch.float32)
        return (error.abs() + 2 * error.square()).mean()

    train(Learner(bridge, loss, Pace(REACH_RATE, seconds=seconds), ema=0.95, decay=0.0), lambda: latents.draw(batch), "reach")
    with torch.no_grad():
        for part in latents.values.split(256):
            part.copy_(bridge(part))
    return bridge


HALVES = (("A", "down"), ("B", "up"))  # in files and here


class LowRank(nn.Module):
    """A layer and what is added to it: up(down(x)); up begins at zero."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer
        if isinstance(layer, nn.Conv2d):
            self.down = nn.Conv2d(layer.in_channels, RANK, layer.kernel_size, layer.stride, layer.padding, bias=False)
            self.up = nn.Conv2d(RANK, layer.out_channels, 1, bias=False)
        else:
            self.down, self.up = nn.Linear(layer.in_features, RANK, bias=False), nn.Linear(RANK, layer.out_features, bias=False)
        nn.init.zeros_(self.up.weight)
        self.to(next(layer.parameters()))

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))


def adapt(unet):
    """All linear layers and convolutions of attention and of residual blocks. -> {name: LowRank}"""
    for p in unet.parameters():
        p.requires_grad_(False)
    added = {}
    for name, layer in list(unet.named_modules()):
        inside = ".attentions." in name or ".resnets." in name
        if inside and isinstance(layer, (nn.Linear, nn.Conv2d)) and "time_emb" not in name:
            parent = unet.get_submodule(name.rsplit(".", 1)[0])
            last = name.rsplit(".", 1)[1]
            added[name] = LowRank(layer)
            setattr(parent, last, added[name]) if not last.isdigit() else parent.__setitem__(int(last), added[name])
    return added


def learn_style(name, net, latents, device, kind, batch, seconds, rate=RATE, begin=None):
    """`net` is changed in place: its UNet carries the LoRA, from `begin` on, tensors of a file, if there are any. -> tensors of the file."""
    added = adapt(net.unet)
    for layer, low in added.items() if begin else ():
        for half, part in HALVES:
            getattr(low, part).weight.data.copy_(begin[f"unet.{layer}.lora_{half}.weight"])
    for p in net.text.parameters():
        p.requires_grad_(False)
    table = diffusion.levels(device)
    loss = lambda clean, ids: velocity_loss(lambda x, t: net(x.to(kind), t, ids), clean, table)
    train(Learner(net, loss, Pace(rate, seconds=seconds), ema=0.99, decay=0.0), lambda: latents.draw(batch), name)
    return {f"unet.{layer}.lora_{half}.weight": getattr(low, part).weight
            for layer, low in added.items() for half, part in HALVES}


def start_control(unet):
    """A copy of the way down and of the middle; what it says begins at zero."""
    control = stock.Control(stock.CONTROL)
    shared = {k: v for k, v in unet.state_dict().items() if k in control.state_dict()}
    control.load_state_dict(shared, strict=False)
    for layer in [*control.controlnet_down_blocks, control.controlnet_mid_block, control.controlnet_cond_embedding.conv_out]:
        nn.init.zeros_(layer.weight), nn.init.zeros_(layer.bias)
    return control.to(next(unet.parameters()))


def with_control(unet, control, pictures):
    """unet(x, t, context) that follows `pictures` [n, 3, side, side]; twice as many x are both halves of guidance."""
    def run(x, t, context):
        shown = pictures if len(pictures) == len(x) else torch.cat([pictures, pictures])
        skips, middle = control(x, t, context, shown.to(x.dtype))
        return unet(x, t, context, added=(skips, middle))
    return run


def learn_control(net, latents, device, kind, batch, seconds):
    for p in net.parameters():
        p.requires_grad_(False)
    control = start_control(net.unet)
    table = diffusion.levels(device)

    def loss(clean, ids, pictures):
        run = with_control(net.unet, control, edges(pictures.float() / 255))
        with torch.no_grad():
            context = net.text(ids)
        return velocity_loss(lambda x, t: run(x.to(kind), t, context), clean, table)

    train(Learner(control, loss, Pace(CONTROL_RATE, seconds=seconds), ema=0.995), lambda: latents.draw(batch, empty=0.3), "edges")
    return control


def agreement(given, wanted, reach=1):
    """F1 of edges [n, 1, h, w], a pixel off allowed: precision and recall over all pixels of all pictures."""
    near = lambda e: F.max_pool2d(e, 2 * reach + 1, 1, reach)
    precision = (given * near(wanted)).sum() / given.sum().clamp(min=1)
    recall = (wanted * near(given)).sum() / wanted.sum().clamp(min=1)
    return (2 * precision * recall / (precision + recall).clamp(min=1e-6)).item()
