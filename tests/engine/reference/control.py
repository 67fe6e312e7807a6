"""A control network beside the UNet of Stable Diffusion (Zhang et al., arXiv:2302.05543), with the names of its checkpoints.

A copy of the UNet's way down and of its middle. A small stack of convolutions brings the picture to the size of the latents,
where it is added behind conv_in; a 1 x 1 convolution of each skip, and of the middle, is what the UNet adds to its own.
"""
import torch
from torch import nn
from torch.nn import functional as F
from unets import SdUNet


class Condition(nn.Module):
    """Widths by level; every second convolution halves the sides."""

    def __init__(self, widths, out, channels=3):
        super().__init__()
        self.conv_in = nn.Conv2d(channels, widths[0], 3, padding=1)
        self.blocks = nn.ModuleList()
        for a, b in zip(widths, widths[1:]):
            self.blocks.append(nn.Conv2d(a, a, 3, padding=1))
            self.blocks.append(nn.Conv2d(a, b, 3, padding=1, stride=2))
        self.conv_out = nn.Conv2d(widths[-1], out, 3, padding=1)

    def forward(self, picture):
        x = F.silu(self.conv_in(picture))
        for block in self.blocks:
            x = F.silu(block(x))
        return self.conv_out(x)


class ControlNet(SdUNet):
    def __init__(self, config):
        both = dict(config, out_channels=config["in_channels"], up_block_types=["UpBlock2D"] * len(config["block_out_channels"]))
        super().__init__(both)
        del self.up_blocks, self.conv_norm_out, self.conv_out  # there is no way up
        widths, layers = config["block_out_channels"], config["layers_per_block"]
        skips = [widths[0]]
        for i, width in enumerate(widths):
            skips += [width] * (layers + (1 if i + 1 < len(widths) else 0))
        self.controlnet_cond_embedding = Condition(config["conditioning_embedding_out_channels"], widths[0])
        self.controlnet_down_blocks = nn.ModuleList([nn.Conv2d(c, c, 1) for c in skips])
        self.controlnet_mid_block = nn.Conv2d(widths[-1], widths[-1], 1)

    def forward(self, sample, time, context, picture, summary=None, sizes=None):
        """picture [1, 3, 8h, 8w], between 0 and 1. What is to be added: a list for the skips, and that of the middle."""
        embedding = self.embedding(sample, time, summary=summary, sizes=sizes)
        x = self.conv_in(sample) + self.controlnet_cond_embedding(picture)
        skips, x = self.half(x, lambda m, x: m(x, embedding), lambda m, x: m(x, context))
        return [conv(skip) for conv, skip in zip(self.controlnet_down_blocks, skips)], self.controlnet_mid_block(x)


class ControlledUNet(nn.Module):
    """Both, as one network; strengths by control."""

    def __init__(self, unet, control):
        super().__init__()
        self.unet, self.control = SdUNet(unet), ControlNet(control)

    def forward(self, sample, time, context, pictures, strengths, summary=None, sizes=None):
        added = None
        for picture, strength in zip(pictures, strengths):
            skips, middle = self.control(sample, time, context, picture, summary, sizes)
            said = [strength * r for r in skips + [middle]]
            added = said if added is None else [a + b for a, b in zip(added, said)]
        return self.unet(sample, time, context, summary=summary, sizes=sizes, added=(added[:-1], added[-1]))
