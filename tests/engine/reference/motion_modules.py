"""AnimateDiff (Guo et al., arXiv:2307.04725): a UNet of pictures whose layers are followed by modules that look along time.

Written from the layer grammar of a MotionAdapter, in the reference's own order of axes. A module normalises over the whole
clip, takes every pixel's way through the frames as a sequence, and adds what its blocks make of it: two self-attentions and
a feed-forward layer, with sinusoids of the frames' numbers added behind the norms that attention reads.
"""
import torch
from blocks import Attention, FeedForward
from torch import nn
from unets import SdUNet


def positions(count, channels):
    """[count, channels], sines and cosines in turn."""
    numbers = torch.arange(count, dtype=torch.float64)[:, None]
    frequency = 10000.0 ** (-torch.arange(0, channels, 2, dtype=torch.float64) / channels)
    table = torch.zeros(count, channels, dtype=torch.float64)
    table[:, 0::2] = torch.sin(numbers * frequency)
    table[:, 1::2] = torch.cos(numbers * frequency)
    return table.float()


class MotionBlock(nn.Module):
    def __init__(self, channels, heads, longest):
        super().__init__()
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(channels) for _ in range(3))
        self.attn1, self.attn2 = Attention(channels, heads), Attention(channels, heads)
        self.ff = FeedForward(channels)
        self.register_buffer("table", positions(longest, channels), persistent=False)

    def forward(self, x):
        told = self.table[None, :x.shape[1]].to(x.dtype)
        x = x + self.attn1(self.norm1(x) + told)
        x = x + self.attn2(self.norm2(x) + told)
        return x + self.ff(self.norm3(x))


class MotionModule(nn.Module):
    def __init__(self, channels, heads, groups, depth, longest):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=1e-6)
        self.proj_in = nn.Linear(channels, channels)
        self.transformer_blocks = nn.ModuleList([MotionBlock(channels, heads, longest) for _ in range(depth)])
        self.proj_out = nn.Linear(channels, channels)

    def forward(self, x, frames):
        n, channels, height, width = x.shape
        clip = x.reshape(n // frames, frames, channels, height, width).transpose(1, 2)  # [clips, c, frames, h, w]
        h = self.norm(clip).permute(0, 3, 4, 2, 1).reshape(-1, frames, channels)  # a sequence for each pixel
        h = self.proj_in(h)
        for block in self.transformer_blocks:
            h = block(h)
        h = self.proj_out(h).reshape(n // frames, height, width, frames, channels).permute(0, 3, 4, 1, 2)
        return h.reshape(x.shape) + x


class MotionUNet(SdUNet):
    def __init__(self, config, motion):
        super().__init__(config)
        widths = motion["block_out_channels"]
        module = lambda level, depth: MotionModule(widths[level], motion["motion_num_attention_heads"],
                                                   motion["motion_norm_num_groups"], depth, motion["motion_max_seq_length"])
        depths, layers = motion["motion_transformer_layers_per_block"], motion["motion_layers_per_block"]
        for i in range(len(widths)):
            up = len(widths) - 1 - i
            self.down_blocks[i].motion_modules = nn.ModuleList([module(i, depths[i]) for _ in range(layers)])
            self.up_blocks[i].motion_modules = nn.ModuleList([module(up, depths[up]) for _ in range(layers + 1)])
        if motion["use_motion_mid_block"]:
            middle = module(len(widths) - 1, motion["motion_transformer_layers_per_mid_block"])
            self.mid_block.motion_modules = nn.ModuleList([middle])

    def forward(self, sample, time, context, frames):
        """sample [clips * frames, c, h, w], context [clips, tokens, d]."""
        embedding = self.embedding(sample, time)
        context = context.repeat_interleave(frames, dim=0)
        moved = lambda block, i, x: block.motion_modules[i](x, frames) if hasattr(block, "motion_modules") else x
        return self.run(sample, lambda m, x: m(x, embedding), lambda m, x: m(x, context), moved=moved)
