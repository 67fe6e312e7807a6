"""Photographs for texture, read from a folder outside the repository and never copied into it.

HELD_OUT are for evaluation alone: no crop, texture or statistic of them reaches training.
"""
import os

import numpy as np
import torch
from PIL import Image

TRAIN = ("brick.png", "grass.png", "gravel.png", "coins.png", "camera.png", "retina.jpg", "hubble_deep_field.jpg")
HELD_OUT = ("chelsea.png", "coffee.png", "astronaut.png", "rocket.jpg")


def folder():
    return os.environ.get("RINGWAY_PHOTOS", "")


def available():
    return all(os.path.exists(os.path.join(folder(), name)) for name in TRAIN + HELD_OUT)


def read(name, width, height):
    """-> [3, height, width] in 0..1."""
    image = Image.open(os.path.join(folder(), name)).convert("RGB")
    pixels = np.asarray(image.resize((width, height), Image.LANCZOS))
    return torch.from_numpy(pixels.copy()).permute(2, 0, 1).float() / 255


def size(name):
    return Image.open(os.path.join(folder(), name)).size


def stack(names, side=128):
    """-> [n, 3, side, side], the middle square of each; textures are cropped from these."""
    squares = []
    for name in names:
        image = Image.open(os.path.join(folder(), name)).convert("RGB")
        s = min(image.size)
        x, y = (image.width - s) // 2, (image.height - s) // 2
        squares.append(np.asarray(image.resize((side, side), Image.LANCZOS, box=(x, y, x + s, y + s))))
    return torch.from_numpy(np.stack(squares)).permute(0, 3, 1, 2).float() / 255
