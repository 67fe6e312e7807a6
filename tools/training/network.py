"""The denoiser: diffusers' UNetSpatioTemporalConditionModel, small, by its own tensor names.
It computes what tests/engine/reference/unets.py computes (a test holds the two together), in an order that is fast on
a CPU: activations stay [clips * frames, h, w, c], a convolution over time is one over [clips, frames, h * w, c], and
the context is projected to keys and values before it is repeated over frames and pixels.
"""
import math

import torch
from torch import nn
from kernels import GROUPS, group_norm, layer_norm, silu
from torch.nn import functional as F


def sinusoid(t, channels):
    """[n] -> [n, channels] in float32: cosines first, periods up to 10000."""
    half = channels // 2
    frequency = torch.exp(-math.log(10000.0) * torch.arange(half, dtype=torch.float32, device=t.device) / half)
    angle = t.float()[:, None] * frequency[None]
    return torch.cat([angle.cos(), angle.sin()], dim=-1)


def channels_first(x):
    return x.permute(0, 3, 1, 2)


def channels_last(x):
    return x.permute(0, 2, 3, 1)


class GroupNorm(nn.GroupNorm):
    """Over [n, ..., c]."""

    def __init__(self, channels, eps):
        super().__init__(GROUPS, channels, eps=eps)

    def forward(self, x):
        return group_norm(x, self.weight, self.bias, self.eps)


class LayerNorm(nn.LayerNorm):
    def forward(self, x):
        return layer_norm(x, self.weight, self.bias)


class Conv(nn.Conv2d):
    """Over [n, h, w, c]."""

    def __init__(self, channels, out, kernel=3, stride=1):
        super().__init__(channels, out, kernel, stride=stride, padding=kernel // 2)

    def forward(self, x):
        return channels_last(super().forward(channels_first(x)))


class TimeConv(nn.Module):
    """Three frames, over [clips, frames, pixels, c]; stored as the Conv3d that diffusers has."""

    def __init__(self, channels):
        super().__init__()
        stored = nn.Conv3d(channels, channels, (3, 1, 1))
        self.weight, self.bias = stored.weight, stored.bias

    def forward(self, x):
        return channels_last(F.conv2d(channels_first(x), self.weight[..., 0], self.bias, padding=(1, 0)))


class TimeEmbedding(nn.Module):
    def __init__(self, channels, hidden, out=None):
        super().__init__()
        self.linear_1 = nn.Linear(channels, hidden)
        self.linear_2 = nn.Linear(hidden, out or hidden)

    def forward(self, x):
        return self.linear_2(silu(self.linear_1(x.to(self.linear_1.weight.dtype))))


class Resnet(nn.Module):
    def __init__(self, channels, out, time, eps):
        super().__init__()
        self.norm1 = GroupNorm(channels, eps)
        self.conv1 = Conv(channels, out)
        self.time_emb_proj = nn.Linear(time, out)
        self.norm2 = GroupNorm(out, eps)
        self.conv2 = Conv(out, out)
        if channels != out:
            self.conv_shortcut = Conv(channels, out, 1)

    def forward(self, x, time, frames):
        h = self.conv1(silu(self.norm1(x)))
        h = h + self.time_emb_proj(time).repeat_interleave(frames, 0)[:, None, None]
        h = self.conv2(silu(self.norm2(h)))
        return (self.conv_shortcut(x) if hasattr(self, "conv_shortcut") else x) + h


class TemporalResnet(nn.Module):
    def __init__(self, channels, time, eps):
        super().__init__()
        self.norm1 = GroupNorm(channels, eps)
        self.conv1 = TimeConv(channels)
        self.time_emb_proj = nn.Linear(time, channels)
        self.norm2 = GroupNorm(channels, eps)
        self.conv2 = TimeConv(channels)

    def forward(self, x, time):
        h = self.conv1(silu(self.norm1(x))) + self.time_emb_proj(time)[:, None, None]
        return x + self.conv2(silu(self.norm2(h)))


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix_factor = nn.Parameter(torch.zeros(1))

    def forward(self, spatial, temporal):
        return torch.lerp(temporal, spatial, torch.sigmoid(self.mix_factor).expand_as(spatial))


class SpatioTemporalResnet(nn.Module):
    def __init__(self, channels, out, time, eps):
        super().__init__()
        self.spatial_res_block = Resnet(channels, out, time, eps)
        self.temporal_res_block = TemporalResnet(out, time, eps)
        self.time_mixer = Mixer()

    def forward(self, x, time, frames):
        x = self.spatial_res_block(x, time, frames)
        video = x.reshape(-1, frames, x.shape[1] * x.shape[2], x.shape[3])
        return self.time_mixer(video, self.temporal_res_block(video, time)).reshape(x.shape)


class Attention(nn.Module):
    def __init__(self, channels, heads, context=None):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(channels, channels, bias=False)
        self.to_k = nn.Linear(context or channels, channels, bias=False)
        self.to_v = nn.Linear(context or channels, channels, bias=False)
        self.to_out = nn.ModuleList([nn.Linear(channels, channels)])

    def split(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x, context=None):
        """x [n, tokens, c]; a context [m, words, d] serves n / m neighbours in x, which become more queries of one row."""
        rows = x if context is None else x.reshape(context.shape[0], -1, x.shape[-1])
        context = x if context is None else context
        q, k, v = self.split(self.to_q(rows)), self.split(self.to_k(context)), self.split(self.to_v(context))
        weights = (q @ (k * (q.shape[-1] ** -0.5)).transpose(-1, -2)).softmax(-1)
        return self.to_out[0]((weights @ v).transpose(1, 2).reshape(x.shape))


class Geglu(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.proj = nn.Linear(channels, 8 * channels)

    def forward(self, x):
        wide = self.proj.out_features // 2  # two products: torch is slow at a gelu over half of each row
        value = F.linear(x, self.proj.weight[:wide], self.proj.bias[:wide])
        return value * F.gelu(F.linear(x, self.proj.weight[wide:], self.proj.bias[wide:]))


class FeedForward(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.net = nn.ModuleList([Geglu(channels), nn.Identity(), nn.Linear(4 * channels, channels)])

    def forward(self, x):
        return self.net[2](self.net[0](x))


class TransformerBlock(nn.Module):
    """[n, tokens, c], context [clips, words, d]: clips divides n, neighbours share a clip."""

    def __init__(self, channels, heads, context):
        super().__init__()
        self.norm1 = LayerNorm(channels)
        self.attn1 = Attention(channels, heads)
        self.norm2 = LayerNorm(channels)
        self.attn2 = Attention(channels, heads, context)
        self.norm3 = LayerNorm(channels)
        self.ff = FeedForward(channels)

    def forward(self, x, context):
        x = self.attn1(self.norm1(x)) + x
        x = self.attn2(self.norm2(x), context) + x
        return self.ff(self.norm3(x)) + x


class TemporalBlock(TransformerBlock):
    def __init__(self, channels, heads, context):
        super().__init__(channels, heads, context)
        self.norm_in = LayerNorm(channels)
        self.ff_in = FeedForward(channels)

    def forward(self, x, context):
        return super().forward(self.ff_in(self.norm_in(x)) + x, context)


class SpatioTemporalTransformer(nn.Module):
    def __init__(self, channels, heads, context):
        super().__init__()
        self.norm = GroupNorm(channels, 1e-6)
        self.proj_in = nn.Linear(channels, channels)
        self.transformer_blocks = nn.ModuleList([TransformerBlock(channels, heads, context)])
        self.temporal_transformer_blocks = nn.ModuleList([TemporalBlock(channels, heads, context)])
        self.time_pos_embed = TimeEmbedding(channels, 4 * channels, channels)
        self.time_mixer = Mixer()
        self.proj_out = nn.Linear(channels, channels)

    def forward(self, x, frames, context):
        clips, pixels, channels = x.shape[0] // frames, x.shape[1] * x.shape[2], x.shape[3]
        h = self.proj_in(self.norm(x).reshape(-1, pixels, channels))
        h = self.transformer_blocks[0](h, context)
        numbered = self.time_pos_embed(sinusoid(torch.arange(frames, device=x.device), channels))
        along = h.reshape(clips, frames, pixels, channels).transpose(1, 2)
        t = self.temporal_transformer_blocks[0]((along + numbered).reshape(-1, frames, channels), context)
        t = t.reshape(clips, pixels, frames, channels).transpose(1, 2).reshape(h.shape)
        return self.proj_out(self.time_mixer(h, t)).reshape(x.shape) + x


class Down(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = Conv(channels, channels, stride=2)

    def forward(self, x):
        return self.conv(x)


class Up(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = Conv(channels, channels)

    def forward(self, x):
        return self.conv(x.repeat_interleave(2, 1).repeat_interleave(2, 2))


class Block(nn.Module):
    def __init__(self, resnets, attentions, down=None, up=None):
        super().__init__()
        self.resnets = nn.ModuleList(resnets)
        if attentions:
            self.attentions = nn.ModuleList(attentions)
        if down:
            self.downsamplers = nn.ModuleList([down])
        if up:
            self.upsamplers = nn.ModuleList([up])

    def layers(self):
        return zip(self.resnets, getattr(self, "attentions", [None] * len(self.resnets)))


def epsilon(part, attends):
    return 1e-5 if part == "mid" or (part == "down" and not attends) else 1e-6


class SpatioTemporalUNet(nn.Module):
    """UNetSpatioTemporalConditionModel with one layer per block."""

    def __init__(self, settings, in_channels, out_channels):
        super().__init__()
        s, self.width = settings, settings.channels[0]
        time, last, self.added = 4 * self.width, len(settings.channels) - 1, settings.added_channels
        make_resnet = lambda a, b, part, on: SpatioTemporalResnet(a, b, time, epsilon(part, on))
        make_transformer = lambda level: SpatioTemporalTransformer(s.channels[level], s.heads[level], s.text_channels)
        self.conv_in = Conv(in_channels, self.width)
        self.time_embedding = TimeEmbedding(self.width, time)
        self.add_embedding = TimeEmbedding(3 * s.added_channels, time)
        self.down_blocks, self.up_blocks = nn.ModuleList(), nn.ModuleList()
        skips, channels = [self.width], self.width
        for i, (width, on) in enumerate(zip(s.channels, s.attends)):
            self.down_blocks.append(Block([make_resnet(channels, width, "down", on)], [make_transformer(i)] if on else [],
                                          down=Down(width) if i < last else None))
            skips += [width, width] if i < last else [width]
            channels = width
        self.mid_block = Block([make_resnet(channels, channels, "mid", True) for _ in range(2)], [make_transformer(last)])
        for i in range(last, -1, -1):
            width, on, resnets = s.channels[i], s.attends[i], []
            for _ in range(2):
                resnets.append(make_resnet(channels + skips.pop(), width, "up", on))
                channels = width
            self.up_blocks.append(Block(resnets, [make_transformer(i) for _ in range(2)] if on else [],
                                        up=Up(width) if i > 0 else None))
        self.conv_norm_out = GroupNorm(self.width, 1e-5)
        self.conv_out = Conv(self.width, out_channels)

    def embed(self, time, added):
        """-> silu of the time embedding, [clips, 4 * width]."""
        rows = sinusoid(added.flatten(), self.added).reshape(added.shape[0], -1)
        return silu(self.time_embedding(sinusoid(time, self.width)) + self.add_embedding(rows))

    def forward(self, sample, time, added, context):
        """sample [clips, frames, h, w, c], time [clips], added [clips, 3], context [clips, words, d]; out like sample."""
        clips, frames = sample.shape[:2]
        embedded = self.embed(time, added)
        x = self.conv_in(sample.flatten(0, 1))
        skips = [x]
        for block in self.down_blocks:
            for resnet, attention in block.layers():
                x = resnet(x, embedded, frames)
                x = x if attention is None else attention(x, frames, context)
                skips.append(x)
            if hasattr(block, "downsamplers"):
                x = block.downsamplers[0](x)
                skips.append(x)
        x = self.mid_block.resnets[0](x, embedded, frames)
        x = self.mid_block.attentions[0](x, frames, context)
        x = self.mid_block.resnets[1](x, embedded, frames)
        for block in self.up_blocks:
            for resnet, attention in block.layers():
                x = resnet(torch.cat([x, skips.pop()], dim=-1), embedded, frames)
                x = x if attention is None else attention(x, frames, context)
            if hasattr(block, "upsamplers"):
                x = block.upsamplers[0](x)
        x = silu(self.conv_norm_out(x)).float()
        out = channels_last(F.conv2d(channels_first(x), self.conv_out.weight.float(), self.conv_out.bias.float(), padding=1))
        return out.reshape(clips, frames, *out.shape[1:])
