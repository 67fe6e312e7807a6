"""Weights and inputs that every language computes alike: a hash of the tensor's name and the element's number.

FNV-1a (64 bits) of the name gives a seed; splitmix64 of seed + element gives the bits; the upper 24 make a number in
[-1, 1). Matrices and kernels are scaled by sqrt(3 / fan in) so that activations keep their size, norm weights lie around 1,
biases are small. With this no weight needs to be stored for a test of parity.
"""
import numpy as np
import torch

GAMMA = 0x9E3779B97F4A7C15


def fnv1a(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & (2**64 - 1)
    return value


def uniform(name, count):
    """`count` floats in [-1, 1)."""
    with np.errstate(over="ignore"):
        x = np.uint64(fnv1a(name)) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(GAMMA)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x = x ^ (x >> np.uint64(31))
    return ((x >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-23)) - np.float32(1.0)


def tensor(name, shape, scale=1.0):
    count = int(np.prod(shape)) if len(shape) else 1
    return torch.from_numpy(uniform(name, count) * np.float32(scale)).reshape(shape)


def weight(name, shape):
    shape = list(shape)
    if len(shape) >= 2:
        fan_in = int(np.prod(shape[1:]))
        return tensor(name, shape, np.sqrt(np.float32(3.0) / np.float32(fan_in)))
    if name.endswith("weight"):
        return tensor(name, shape, 0.1) + 1.0
    if name.endswith("mix_factor"):
        return tensor(name, shape)
    return tensor(name, shape, 0.1)


HALF = [False]  # whether what is filled runs in bf16


def run_in_half(module):
    """Weights and what layers read in bf16, as torch does it without autocast."""
    module.to(torch.bfloat16)
    narrow = lambda layer, given: tuple(
        x.to(torch.bfloat16) if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in given)
    for layer in module.modules():
        if next(layer.parameters(recurse=False), None) is not None:
            layer.register_forward_pre_hook(narrow)


def fill(module):
    """Gives every parameter of a module its hashed value; returns the sorted lines "name dims"."""
    lines = []
    for name, parameter in module.state_dict().items():
        parameter.copy_(weight(name, parameter.shape))
        lines.append(" ".join([name] + [str(d) for d in parameter.shape]))
    if HALF[0]:
        run_in_half(module)
    return sorted(lines)
