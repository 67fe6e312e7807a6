"""The motion model: text encoder (CLIP's class), conditioner (picture, matte and prompt to planes), UNet.
What it diffuses is a field [clips, frames, 2, grid, grid]: backward displacements divided by one number per frame
(settings.FIELD_SCALE), packed so that 2 frames x 2 x 2 cells are one token of 16 channels. The network gives the
clean field; README.md has every shape and unit.
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

import settings as S
import vocabulary
from kernels import silu
from network import Conv, LayerNorm, SpatioTemporalUNet


class SelfAttention(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.heads = heads
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            setattr(self, name, nn.Linear(channels, channels))

    def forward(self, x, mask):
        split = lambda t: t.reshape(*t.shape[:2], self.heads, -1).transpose(1, 2)
        q, k, v = split(self.q_proj(x)), split(self.k_proj(x)), split(self.v_proj(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        return self.out_proj(((scores + mask).softmax(-1) @ v).transpose(1, 2).reshape(x.shape))


class Mlp(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(channels, hidden), nn.Linear(hidden, channels)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


class TextLayer(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.layer_norm1, self.layer_norm2 = LayerNorm(s.text_channels), LayerNorm(s.text_channels)
        self.self_attn = SelfAttention(s.text_channels, s.text_heads)
        self.mlp = Mlp(s.text_channels, s.text_hidden)

    def forward(self, x, mask):
        x = x + self.self_attn(self.layer_norm1(x), mask)
        return x + self.mlp(self.layer_norm2(x))


class TextEncoder(nn.Module):
    """CLIPTextModel: causal, so the last position has seen every word and serves as the summary of the prompt."""

    def __init__(self, s):
        super().__init__()
        self.text_model = nn.Module()
        self.text_model.embeddings = nn.Module()
        self.text_model.embeddings.token_embedding = nn.Embedding(vocabulary.SIZE, s.text_channels)
        self.text_model.embeddings.position_embedding = nn.Embedding(S.TOKENS, s.text_channels)
        self.text_model.encoder = nn.Module()
        self.text_model.encoder.layers = nn.ModuleList([TextLayer(s) for _ in range(s.text_layers)])
        self.text_model.final_layer_norm = LayerNorm(s.text_channels)

    def forward(self, ids):
        m = self.text_model
        x = m.embeddings.token_embedding(ids) + m.embeddings.position_embedding.weight
        mask = torch.full((S.TOKENS, S.TOKENS), -math.inf, device=ids.device, dtype=x.dtype).triu(1)
        for layer in m.encoder.layers:
            x = layer(x, mask)
        return m.final_layer_norm(x)


SILU_GAIN = 1.68  # of normal numbers, silu leaves a mean square of 0.355


class Conditioner(nn.Module):
    """Picture and matte through a few convolutions, once per clip; the prompt's summary is added everywhere."""

    INPUTS = 8  # red, green, blue, x, y, matte, matte given, picture given

    def __init__(self, s):
        super().__init__()
        a, b, c = s.picture_channels
        self.convs = nn.ModuleList([Conv(self.INPUTS, a, stride=2), Conv(a, b, stride=2), Conv(b, b), Conv(b, c, stride=2)])
        self.residual = nn.ModuleList([Conv(c, c), Conv(c, c)])
        self.proj_out = nn.Linear(c, s.planes)
        self.text_projection = nn.Linear(s.text_channels, s.planes)
        self.start_awake()

    def start_awake(self):
        """Keeps the variance through every silu. Torch's own start loses a factor of two in each: what tells pictures apart
        reaches the planes at a fortieth of what the prompt says there, and the network learns to do without."""
        for conv in (*self.convs, *self.residual):
            nn.init.normal_(conv.weight, std=SILU_GAIN / math.sqrt(conv.weight[0].numel()))
            nn.init.zeros_(conv.bias)
        nn.init.normal_(self.proj_out.weight, std=0.3 / math.sqrt(self.proj_out.in_features))

    def forward(self, planes, summary):
        """planes [clips, 64, 64, 8], summary [clips, d] -> [clips, 8, 8, planes]."""
        x = planes
        for conv in self.convs:
            x = silu(conv(x))
        x = x + self.residual[1](silu(self.residual[0](x)))
        return self.proj_out(x) + self.text_projection(summary)[:, None, None]


def input_planes(picture, matte, picture_given, matte_given):
    """picture [n, 3, 64, 64] in 0..1, matte [n, 1, 64, 64] in 0..1, flags [n] of 0 or 1 -> [n, 64, 64, 8]."""
    n, side = len(picture), S.PICTURE
    flag = lambda f: f.view(n, 1, 1, 1).float()
    g = (torch.arange(side, device=picture.device) + 0.5) / side * 2 - 1
    x, y = g.view(1, 1, 1, side).expand(n, 1, side, side), g.view(1, 1, side, 1).expand(n, 1, side, side)
    flat = [flag(f).expand(n, 1, side, side) for f in (matte_given, picture_given)]
    rows = [(picture * 2 - 1) * flag(picture_given), x, y, (matte * 2 - 1) * flag(matte_given), *flat]
    return torch.cat(rows, 1).permute(0, 2, 3, 1)


def added_numbers(log2_aspect, picture_given, matte_given):
    """[n] each -> [n, 3], what the UNet takes in the place of fps, motion bucket and noise."""
    return torch.stack([log2_aspect.float(), matte_given.float(), picture_given.float()], 1) * 10


def solver_time(log_snr):
    """1000 at the noisiest level, 0 at the cleanest."""
    first, last = S.LOG_SNR
    return (last - log_snr.float()) * (1000 / (last - first))


def pack(field):
    """[n, 16, 2, 16, 16] -> [n, 8, 8, 8, 16]; channel = ((df * 2 + dy) * 2 + dx) * 2 + component."""
    n, p, f, g = len(field), S.PATCH, S.PACKED_FRAMES, S.PACKED_GRID
    return field.reshape(n, f, p, 2, g, p, g, p).permute(0, 1, 4, 6, 2, 5, 7, 3).reshape(n, f, g, g, S.PACKED_CHANNELS)


def unpack(x):
    n, p, f, g = len(x), S.PATCH, S.PACKED_FRAMES, S.PACKED_GRID
    return x.reshape(n, f, g, g, p, p, p, 2).permute(0, 1, 4, 7, 2, 5, 3, 6).reshape(n, S.FRAMES, 2, S.GRID, S.GRID)


class MotionModel(nn.Module):
    COMPONENTS = ("text_encoder", "conditioner", "unet")

    def __init__(self, settings=S.SMALL):
        super().__init__()
        self.settings = settings
        self.text_encoder = TextEncoder(settings)
        self.conditioner = Conditioner(settings)
        self.unet = SpatioTemporalUNet(settings, S.PACKED_CHANNELS + settings.planes, S.PACKED_CHANNELS)
        self.start_small()

    def start_small(self):
        """The output and the last map of every residual branch start at zero: the network starts as the identity."""
        zero = ("conv2", "to_out.0", "net.2", "proj_out", "conv_out")
        for name, module in self.unet.named_modules():
            if name.endswith(zero):
                nn.init.zeros_(module.weight)
                nn.init.zeros_(module.bias)
        nn.init.normal_(self.text_encoder.text_model.embeddings.token_embedding.weight, std=0.5)
        nn.init.normal_(self.text_encoder.text_model.embeddings.position_embedding.weight, std=0.1)

    def condition(self, given):
        """given: picture, matte, log2_aspect, ids, picture_given, matte_given, text_given -> what every pass needs."""
        dtype = self.conditioner.proj_out.weight.dtype
        context = self.text_encoder(given["ids"] * given["text_given"].long()[:, None])
        flags = given["picture_given"], given["matte_given"]
        planes = self.conditioner(input_planes(given["picture"], given["matte"], *flags).to(dtype), context[:, -1])
        return dict(context=context, planes=planes, added=added_numbers(given["log2_aspect"], *flags))

    def denoise(self, noisy, log_snr, c):
        """noisy packed field [n, 8, 8, 8, 16], log_snr [n] -> the clean packed field."""
        planes = c["planes"][:, None].expand(-1, S.PACKED_FRAMES, -1, -1, -1)
        x = torch.cat([noisy.to(planes.dtype), planes], -1)
        return self.unet(x, solver_time(log_snr), c["added"], c["context"])

    def forward(self, noisy, log_snr, given):
        return self.denoise(noisy, log_snr, self.condition(given))


def channels_last_weights(model):
    """Convolutions read their weights in the order that the CPU's kernels want."""
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            module.weight.data = module.weight.data.contiguous(memory_format=torch.channels_last)
    return model
