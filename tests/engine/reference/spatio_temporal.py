"""The blocks of Stable Video Diffusion that also look along time, in the reference's own order of axes."""
import torch
from blocks import Attention, FeedForward, Resnet, TimeEmbedding, TransformerBlock, sinusoid
from torch import nn
from torch.nn import functional as F


class TemporalResnet(nn.Module):
    def __init__(self, channels, time, eps):
        super().__init__()
        conv = lambda: nn.Conv3d(channels, channels, (3, 1, 1), padding=(1, 0, 0))
        self.norm1 = nn.GroupNorm(32, channels, eps=eps)
        self.conv1 = conv()
        if time:
            self.time_emb_proj = nn.Linear(time, channels)
        self.norm2 = nn.GroupNorm(32, channels, eps=eps)
        self.conv2 = conv()

    def forward(self, x, time=None):
        h = self.conv1(F.silu(self.norm1(x)))
        if time is not None:
            h = h + self.time_emb_proj(F.silu(time))[:, :, :, None, None].permute(0, 2, 1, 3, 4)
        return x + self.conv2(F.silu(self.norm2(h)))


class Mixer(nn.Module):
    def __init__(self, swapped=False):
        super().__init__()
        self.swapped = swapped
        self.mix_factor = nn.Parameter(torch.zeros(1))

    def forward(self, spatial, temporal):
        amount = torch.sigmoid(self.mix_factor)
        amount = 1 - amount if self.swapped else amount
        return amount * spatial + (1 - amount) * temporal


class SpatioTemporalResnet(nn.Module):
    def __init__(self, channels, out, time, eps, temporal_eps=None, swapped=False):
        super().__init__()
        self.spatial_res_block = Resnet(channels, out, time, eps)
        self.temporal_res_block = TemporalResnet(out, time, temporal_eps or eps)
        self.time_mixer = Mixer(swapped)

    def forward(self, x, frames, time=None):
        x = self.spatial_res_block(x, time)
        clips = x.shape[0] // frames
        video = x.reshape(clips, frames, *x.shape[1:]).permute(0, 2, 1, 3, 4)
        by_frame = None if time is None else time.reshape(clips, frames, -1)
        mixed = self.time_mixer(video, self.temporal_res_block(video, by_frame))
        return mixed.permute(0, 2, 1, 3, 4).reshape(x.shape)


class TemporalBlock(nn.Module):
    def __init__(self, channels, heads, context):
        super().__init__()
        self.norm_in = nn.LayerNorm(channels)
        self.ff_in = FeedForward(channels)
        self.norm1 = nn.LayerNorm(channels)
        self.attn1 = Attention(channels, heads)
        self.norm2 = nn.LayerNorm(channels)
        self.attn2 = Attention(channels, heads, context)
        self.norm3 = nn.LayerNorm(channels)
        self.ff = FeedForward(channels)

    def forward(self, x, frames, context):
        batch, tokens, channels = x.shape
        x = x.reshape(batch // frames, frames, tokens, channels).permute(0, 2, 1, 3).reshape(-1, frames, channels)
        x = self.ff_in(self.norm_in(x)) + x
        x = self.attn1(self.norm1(x)) + x
        x = self.attn2(self.norm2(x), context) + x
        x = self.ff(self.norm3(x)) + x
        return x.reshape(batch // frames, tokens, frames, channels).permute(0, 2, 1, 3).reshape(batch, tokens, channels)


class SpatioTemporalTransformer(nn.Module):
    def __init__(self, channels, heads, context, layers):
        super().__init__()
        self.norm = nn.GroupNorm(32, channels, eps=1e-6)
        self.proj_in = nn.Linear(channels, channels)
        self.transformer_blocks = nn.ModuleList([TransformerBlock(channels, heads, context) for _ in range(layers)])
        self.temporal_transformer_blocks = nn.ModuleList([TemporalBlock(channels, heads, context) for _ in range(layers)])
        self.time_pos_embed = TimeEmbedding(channels, 4 * channels, channels)
        self.time_mixer = Mixer()
        self.proj_out = nn.Linear(channels, channels)

    def forward(self, x, frames, context):
        """context: [clips * frames, tokens, d], the same for every frame of a clip."""
        batch, channels, height, width = x.shape
        clips = batch // frames
        first = context.reshape(clips, frames, *context.shape[1:])[:, 0]
        for_pixels = first[:, None].expand(clips, height * width, *first.shape[1:]).reshape(-1, *first.shape[1:])
        h = self.proj_in(self.norm(x).flatten(2).transpose(1, 2))
        numbers = torch.arange(frames).repeat(clips)
        numbered = self.time_pos_embed(sinusoid(numbers, channels))[:, None]
        for spatial, temporal in zip(self.transformer_blocks, self.temporal_transformer_blocks):
            h = spatial(h, context)
            h = self.time_mixer(h, temporal(h + numbered, frames, for_pixels))
        return self.proj_out(h).transpose(1, 2).reshape(x.shape) + x
