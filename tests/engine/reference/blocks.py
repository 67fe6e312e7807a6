"""The blocks that the reference networks share, written from the layer grammar with the names of the checkpoints."""
import math

import torch
from torch import nn
from torch.nn import functional as F


def sinusoid(t, channels):
    """Cosines first, period up to 10000. In double precision, or a thousand radians lose four digits."""
    half = channels // 2
    frequency = torch.exp(-math.log(10000.0) * torch.arange(half, dtype=torch.float64) / half)
    angle = t.double()[:, None] * frequency[None]
    return torch.cat([angle.cos(), angle.sin()], dim=-1).to(t.dtype if t.is_floating_point() else torch.float32)


class TimeEmbedding(nn.Module):
    def __init__(self, channels, hidden, out=None):
        super().__init__()
        self.linear_1 = nn.Linear(channels, hidden)
        self.linear_2 = nn.Linear(hidden, out or hidden)

    def forward(self, x):
        return self.linear_2(F.silu(self.linear_1(x)))


class Resnet(nn.Module):
    def __init__(self, channels, out, time, eps, groups=32):
        super().__init__()
        self.norm1 = nn.GroupNorm(groups, channels, eps=eps)
        self.conv1 = nn.Conv2d(channels, out, 3, padding=1)
        if time:
            self.time_emb_proj = nn.Linear(time, out)
        self.norm2 = nn.GroupNorm(groups, out, eps=eps)
        self.conv2 = nn.Conv2d(out, out, 3, padding=1)
        if channels != out:
            self.conv_shortcut = nn.Conv2d(channels, out, 1)

    def forward(self, x, time=None):
        h = self.conv1(F.silu(self.norm1(x)))
        if time is not None:
            h = h + self.time_emb_proj(F.silu(time))[:, :, None, None]
        h = self.conv2(F.silu(self.norm2(h)))
        return (self.conv_shortcut(x) if hasattr(self, "conv_shortcut") else x) + h


class Attention(nn.Module):
    def __init__(self, channels, heads, context=None, bias=False):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(channels, channels, bias=bias)
        self.to_k = nn.Linear(context or channels, channels, bias=bias)
        self.to_v = nn.Linear(context or channels, channels, bias=bias)
        self.to_out = nn.ModuleList([nn.Linear(channels, channels)])

    def forward(self, x, context=None):
        context = x if context is None else context
        split = lambda t: t.reshape(t.shape[0], t.shape[1], self.heads, -1).transpose(1, 2)
        q, k, v = split(self.to_q(x)), split(self.to_k(context)), split(self.to_v(context))
        weights = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).softmax(-1)
        return self.to_out[0]((weights @ v).transpose(1, 2).reshape(x.shape))


class Geglu(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.proj = nn.Linear(channels, 8 * channels)

    def forward(self, x):
        value, gate = self.proj(x).chunk(2, dim=-1)
        return value * F.gelu(gate)


class FeedForward(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.net = nn.ModuleList([Geglu(channels), nn.Identity(), nn.Linear(4 * channels, channels)])

    def forward(self, x):
        return self.net[2](self.net[0](x))


class TransformerBlock(nn.Module):
    def __init__(self, channels, heads, context):
        super().__init__()
        self.norm1 = nn.LayerNorm(channels)
        self.attn1 = Attention(channels, heads)
        self.norm2 = nn.LayerNorm(channels)
        self.attn2 = Attention(channels, heads, context)
        self.norm3 = nn.LayerNorm(channels)
        self.ff = FeedForward(channels)

    def forward(self, x, context):
        x = self.attn1(self.norm1(x)) + x
        x = self.attn2(self.norm2(x), context) + x
        return self.ff(self.norm3(x)) + x


class PixelAttention(Attention):
    """The attention of VAEs: one head over all pixels, biases everywhere, its own norm and residual."""

    def __init__(self, channels, eps=1e-6, groups=32):
        super().__init__(channels, 1, bias=True)
        self.group_norm = nn.GroupNorm(groups, channels, eps=eps)

    def forward(self, x):
        tokens = self.group_norm(x).flatten(2).transpose(1, 2)
        return super().forward(tokens).transpose(1, 2).reshape(x.shape) + x


class Down(nn.Module):
    """Halves a picture. The encoder of a VAE pads at the right and the bottom only."""

    def __init__(self, channels, one_sided=False):
        super().__init__()
        self.one_sided = one_sided
        self.conv = nn.Conv2d(channels, channels, 3, stride=2, padding=0 if one_sided else 1)

    def forward(self, x):
        return self.conv(F.pad(x, (0, 1, 0, 1)) if self.one_sided else x)


class Up(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x, size=None):
        """To `size`, the height and width of what comes next, or to twice its own."""
        size = size or [2 * side for side in x.shape[2:]]
        return self.conv(F.interpolate(x, size=size, mode="nearest"))
