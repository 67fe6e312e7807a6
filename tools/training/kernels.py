"""Norms and activations that torch 1.13 is slow at in bf16 on a CPU, as a few passes with their own gradients.
Group norm: 17x faster than torch's, layer norm 10x (through float32), silu 2x; together they were half of a training
step. Sums are taken in float32; only what is kept for the gradient is rounded to the input's type.
"""
import torch
from torch.nn import functional as F

GROUPS = 32


def working_type(device):
    """bf16 where products of it are fast: on a GPU, and on a CPU that has instructions for them; elsewhere float32."""
    if torch.device(device).type == "cuda":
        return torch.bfloat16
    try:
        with open("/proc/cpuinfo") as f:
            flags = next((line for line in f if line.startswith("flags")), "").split()
    except OSError:
        flags = ()
    return torch.bfloat16 if {"avx512_bf16", "amx_bf16"} & set(flags) else torch.float32


def _per_channel(x, groups):
    """[n, channels] sums -> the sum over each group, handed back to its channels."""
    n, c = x.shape
    return x.view(n, groups, c // groups).sum(-1, keepdim=True).expand(-1, -1, c // groups).reshape(n, c)


class _GroupNorm(torch.autograd.Function):
    """x [n, positions, c]; statistics over positions and the channels of a group."""

    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        count = x.shape[1] * x.shape[2] // GROUPS
        mean = _per_channel(x.sum(1, dtype=torch.float32), GROUPS) / count
        square = _per_channel((x * x).sum(1, dtype=torch.float32), GROUPS) / count
        scale = (square - mean * mean).clamp(min=0).add(eps).rsqrt()
        factor = scale * weight.float()
        offset = bias.float() - mean * factor
        ctx.save_for_backward(x, mean, scale, weight)
        return torch.addcmul(offset.to(x.dtype)[:, None], x, factor.to(x.dtype)[:, None])

    @staticmethod
    def backward(ctx, grad):
        x, mean, scale, weight = ctx.saved_tensors
        count = x.shape[1] * x.shape[2] // GROUPS
        along = grad.sum(1, dtype=torch.float32)
        with_x = ((grad * x).sum(1, dtype=torch.float32) - mean * along) * scale  # sum of grad * normalised x
        w = weight.float()
        m1, m2 = _per_channel(along * w, GROUPS) / count, _per_channel(with_x * w, GROUPS) / count
        # dx = scale (w grad - m1 - normalised m2), as grad * a + x * b + c
        b = -scale * scale * m2
        c = -scale * m1 - b * mean
        out = torch.addcmul(c.to(x.dtype)[:, None], x, b.to(x.dtype)[:, None])
        out = torch.addcmul(out, grad, (scale * w).to(x.dtype)[:, None])
        return out, with_x.sum(0).to(weight.dtype), along.sum(0).to(weight.dtype), None


class _Silu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        s = torch.sigmoid(x)
        y = x * s
        ctx.save_for_backward(s, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        s, y = ctx.saved_tensors
        return grad * torch.addcmul(s, y, 1 - s)


def group_norm(x, weight, bias, eps):
    """x [n, ..., c], the groups of one row of n."""
    if x.is_cuda:
        shape = x.shape
        return F.group_norm(x.flatten(1, -2).transpose(1, 2), GROUPS, weight, bias, eps).transpose(1, 2).reshape(shape)
    return _GroupNorm.apply(x.reshape(x.shape[0], -1, x.shape[-1]), weight, bias, eps).view(x.shape)


def silu(x):
    return F.silu(x) if x.is_cuda else _Silu.apply(x)


def layer_norm(x, weight, bias):
    if x.dtype == torch.float32 or x.is_cuda:
        return F.layer_norm(x, x.shape[-1:], weight, bias)
    return F.layer_norm(x.float(), x.shape[-1:], weight.float(), bias.float()).to(x.dtype)
